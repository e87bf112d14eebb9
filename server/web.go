package server

import (
	"bytes"
	"crypto/rand"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// noncePlaceholder stands in index.html wherever a script or a style needs the
// answer's nonce.
const noncePlaceholder = "{{nonce}}"

// contentSecurityPolicy lets a page run what carries the nonce alone: a script's
// imports inherit it. Trusted types keep text from ever being read as markup.
func contentSecurityPolicy(nonce string) string {
	return "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce +
		"'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'" +
		"; require-trusted-types-for 'script'; trusted-types 'none'"
}

// getPage answers with index.html.
func getPage(s *Server, c *call) {
	page, err := fs.ReadFile(s.Web, "index.html")
	if err != nil {
		c.refuse(newProblem(http.StatusNotFound, "not-found", "this build has no web page"))
		return
	}
	nonce := rand.Text()
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", contentSecurityPolicy(nonce))
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	c.write(http.StatusOK, []string{"text/html; charset=utf-8"}, bytes.ReplaceAll(page, []byte(noncePlaceholder), []byte(nonce)))
}

// getAsset answers with a file of the page's folder assets.
func getAsset(s *Server, c *call) {
	name := "assets" + path.Clean("/"+c.Param("file"))
	data, err := fs.ReadFile(s.Web, name)
	if err != nil || !fs.ValidPath(name) {
		c.refuse(newProblem(http.StatusNotFound, "not-found", "the page has no such file"))
		return
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	if strings.HasPrefix(kind, "text/html") {
		kind = "text/plain; charset=utf-8" // a page needs its policy: only index.html is one
	}
	c.Writer.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	c.write(http.StatusOK, []string{kind}, data)
}
