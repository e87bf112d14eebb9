package claude

import "strings"

// documentationHosts are fetched unasked in every mode (measured on 2.1.332,
// 2026-11-30, of 115 hosts tried; others may be among them).
var documentationHosts = set(`
	agentskills.io angular.io asp.net blazor.net bun.sh cloud.google.com code.claude.com cypress.io d3js.org
	dev.mysql.com devcenter.heroku.com developer.android.com developer.apple.com developer.mozilla.org doc.rust-lang.org docs.aws.amazon.com docs.djangoproject.com docs.flutter.dev docs.netlify.com docs.oracle.com
	docs.python.org docs.spring.io docs.swift.org docs.unity.com docs.unrealengine.com dotnet.microsoft.com
	en.cppreference.com expressjs.com fastapi.tiangolo.com flask.palletsprojects.com getbootstrap.com git-scm.com
	gradle.org graphql.org hibernate.org httpd.apache.org jestjs.io jquery.com jupyter.org keras.io kotlinlang.org
	kubernetes.io laravel.com learn.microsoft.com matplotlib.org maven.apache.org modelcontextprotocol.io
	nextjs.org nginx.org nodejs.org numpy.org pandas.pydata.org platform.claude.com prisma.io pytorch.org
	react.dev reactnative.dev reactrouter.com redis.io redux.js.org requests.readthedocs.io ruby-doc.org scikit-learn.org selenium.dev spark.apache.org symfony.com tailwindcss.com threejs.org tomcat.apache.org vuejs.org
	webpack.js.org www.ansible.com www.docker.com www.mongodb.com www.php.net www.postgresql.org www.sqlite.org
	www.tensorflow.org www.terraform.io www.typescriptlang.org`)

// documentationPaths are hosts of which only a part is fetched unasked.
var documentationPaths = map[string]string{"github.com": "/anthropics", "vercel.com": "/docs"}

// olderHosts were among them in 2.1.197 (measured 2026-12-01).
var olderHosts = set(`go.dev pkg.go.dev`)

// documentation reports whether Claude fetches from a host unasked.
func documentation(host, path, version string) bool {
	part, ok := documentationPaths[host]
	return documentationHosts[host] || version == V197 && olderHosts[host] || ok && (path == part || strings.HasPrefix(path, part+"/"))
}
