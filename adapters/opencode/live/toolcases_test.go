package live_test

import "maps"

// args are a tool call's arguments. {dir} stands for the session's directory.
type args = map[string]any

// toolCases are the calls that are made in every place.
func toolCases() []toolCase {
	var cases []toolCase
	add := func(tool string, a args) { cases = append(cases, toolCase{Tool: tool, Args: a}) }
	for _, path := range paths {
		add("read", args{"filePath": path})
	}
	for _, path := range writable {
		add("write", args{"filePath": path, "content": "new\n"})
		add("edit", args{"filePath": path, "oldString": "", "newString": "new\n"})
		add("edit", args{"filePath": path, "oldString": "text", "newString": "other"})
	}
	for _, path := range []string{"", "{dir}", ".", "dir", "{dir}/dir", "..", "../other", "/etc/hosts", "/etc/security", "/srv/other", "/srv/other/file.txt",
		"/srv/other/nope", "a.txt", "nope", "link-etc", "link-other", "~"} {
		for _, tool := range []string{"glob", "grep"} {
			a := args{"pattern": "zz*.txt"}
			if path != "" {
				a["path"] = path
			}
			add(tool, a)
		}
	}
	for _, pattern := range []string{"*", "**/*.go", "../*", "/etc/host*", "a\\b", "é*", "{a,b}.txt", " x "} {
		add("glob", args{"pattern": pattern, "path": "{dir}/empty"})
		add("grep", args{"pattern": pattern, "path": "{dir}/empty", "include": "*.txt"})
	}
	for _, patch := range patches {
		cases = append(cases, toolCase{Tool: "apply_patch", Args: args{"patchText": patch}, Patch: true})
	}
	for _, path := range []string{"a.txt", "{dir}/a.txt", "/etc/hosts", "../a.txt", "/srv/other", "nope"} {
		add("lsp", args{"operation": "hover", "filePath": path, "line": 1, "character": 1})
	}
	add("lsp", args{"operation": "workspaceSymbol", "filePath": "a.txt", "line": 1, "character": 1, "query": "x"})
	return append(cases, otherCases()...)
}

// otherCases are the calls that name no path.
func otherCases() []toolCase {
	todo := func(content string) args {
		return args{"content": content, "status": "pending", "priority": "high"}
	}
	question := args{
		"question": "Which?", "header": "H",
		"options": []any{args{"label": "A", "description": "a"}, args{"label": "B", "description": "b"}},
	}
	return []toolCase{
		{Tool: "webfetch", Args: args{"url": "http://127.0.0.1:9/x?a=1#b"}},
		{Tool: "webfetch", Args: args{"url": "HTTP://Example.invalid", "format": "text"}},
		{Tool: "webfetch", Args: args{"url": "https://user:word@example.invalid:8443/a b"}},
		{Tool: "webfetch", Args: args{"url": "file:///etc/hosts"}},
		{Tool: "webfetch", Args: args{"url": "example.invalid/x"}},
		{Tool: "websearch", Args: args{"query": "what is a policy"}},
		{Tool: "websearch", Args: args{"query": ""}},
		{Tool: "task", Args: args{"description": "d", "prompt": "p", "subagent_type": "general"}},
		{Tool: "task", Args: args{"description": "d", "prompt": "p", "subagent_type": "explore"}},
		{Tool: "task", Args: args{"description": "d", "prompt": "p", "subagent_type": "nobody"}},
		{Tool: "task", Args: args{"description": "d", "prompt": "p", "subagent_type": "build"}},
		{Tool: "skill", Args: args{"name": "tidy"}},
		{Tool: "skill", Args: args{"name": "nothing"}},
		{Tool: "todowrite", Args: args{"todos": []any{todo("a"), todo("b")}}},
		{Tool: "todowrite", Args: args{"todos": []any{}}},
		{Tool: "question", Args: args{"questions": []any{question}}},
		{Tool: "my_srv_do_it_now", Args: args{}},
		{Tool: "my_srv_plain", Args: args{}},
		{Tool: "list_mcp_resources", Args: args{}},
		{Tool: "list_mcp_resources", Args: args{"server": "my srv"}},
		{Tool: "list_mcp_resources", Args: args{"server": "nobody"}},
		{Tool: "list_mcp_resource_templates", Args: args{}},
		{Tool: "list_mcp_resource_templates", Args: args{"server": "my srv"}},
		{Tool: "read_mcp_resource", Args: args{"server": "my srv", "uri": "note://one"}},
		{Tool: "read_mcp_resource", Args: args{"server": "my srv", "uri": "note://none/*"}},
		{Tool: "read_mcp_resource", Args: args{"server": "nobody", "uri": "note://one"}},
		{Tool: "no_such_tool", Args: args{"a": 1}},
		{Tool: "plan_exit", Args: args{}},
		{Tool: "multiedit", Args: args{"filePath": "a.txt"}},
		{Tool: "list", Args: args{"path": "/etc"}},
		{Tool: "Bash", Args: args{"command": "ls"}},
		{Tool: "read", Args: args{}},
		{Tool: "read", Args: args{"filePath": 1}},
		{Tool: "write", Args: args{"filePath": "a.txt"}},
	}
}

// paths are spellings of places inside and outside the session's directory.
var paths = []string{
	"a.txt", "./a.txt", "{dir}/a.txt", "dir/b.txt", "{dir}/dir/b.txt", "dir/../a.txt", "{dir}/dir/../a.txt", "dir//b.txt", "nope.txt", "dir/nope/x.txt",
	"dir", "dir/", "{dir}", "{dir}/", ".", "", "empty",
	".env", "{dir}/.env", ".env.local", ".env.example", "prod.env", "dir/.env", ".git/config", "é.txt", "with space.txt",
	"..", "../", "../a.txt", "../other/file.txt", "../../other/file.txt", "../..", "../nope/x.txt",
	"/srv/ws", "/srv/ws/a.txt", "/srv/ws/.env", "/srv/wsx", "/srv/other", "/srv/other/", "/srv/other/file.txt", "/srv/other/dir", "/srv/other/dir/file.txt",
	"/srv/other/nope.txt", "/srv/other/nope/x.txt", "/srv/other/.env",
	"/etc", "/etc/hosts", "/etc/nope", "/etc/../etc/hosts", "//etc/hosts", "/", "/nope", "/dev/null",
	"~", "~/notes.txt", "$HOME/notes.txt", "/home/dev", "/home/dev/notes.txt",
	"link-file", "link-etc", "link-etc/hosts", "link-other/file.txt", "link-dir/b.txt", "link-other/../a.txt",
	"a.txt ", " a.txt", "a*.txt", "dir\\b.txt", "A.TXT",
}

// writable are the places that write and edit are tried on; they lie in the
// test's own folder.
var writable = []string{
	"a.txt", "{dir}/a.txt", "./a.txt", "dir/../a.txt", "new.txt", "new/deep/x.txt", "dir", ".env", ".git/config", "é.txt", "with space.txt",
	"..", "../a.txt", "../new.txt", "../../other/file.txt", "/srv/other/file.txt", "/srv/other/new.txt", "/srv/other/new/x.txt", "/srv/other/dir", "/srv/other",
	"/srv/ws/a.txt", "/home/dev/notes.txt", "~/notes.txt",
	"link-other/file.txt", "link-other/new.txt", "link-dir/b.txt", "link-dir/new.txt",
	".opencode/plans/x.md", "opencode.json", "dir\\b.txt",
}

// patches are apply_patch texts.
var patches = []string{
	patchText("*** Add File: new.txt\n+new"),
	patchText("*** Add File: {dir}/new.txt\n+new"),
	patchText("*** Add File: new/deep/x.txt\n+new"),
	patchText("*** Add File: a.txt\n+over"),
	patchText("*** Add File: ../new.txt\n+new"),
	patchText("*** Add File: /srv/other/new.txt\n+new"),
	patchText("*** Add File: /srv/other/new/x.txt\n+new"),
	patchText("*** Add File: /srv/ws/new2.txt\n+new"),
	patchText("*** Update File: a.txt\n@@\n-text\n+other"),
	patchText("*** Update File: ./a.txt\n@@\n-text\n+other"),
	patchText("*** Update File: {dir}/a.txt\n@@\n-text\n+other"),
	patchText("*** Update File: dir/../a.txt\n@@\n-text\n+other"),
	patchText("*** Update File: ../a.txt\n@@\n-text\n+other"),
	patchText("*** Update File: /srv/other/file.txt\n@@\n-text\n+other"),
	patchText("*** Update File: link-other/file.txt\n@@\n-text\n+other"),
	patchText("*** Update File: nope.txt\n@@\n-text\n+other"),
	patchText("*** Update File: a.txt\n@@\n-absent\n+other"),
	patchText("*** Update File: .env\n@@\n-text\n+other"),
	patchText("*** Delete File: a.txt"),
	patchText("*** Delete File: dir/b.txt"),
	patchText("*** Delete File: /srv/other/file.txt"),
	patchText("*** Delete File: nope.txt"),
	patchText("*** Delete File: ../a.txt"),
	patchText("*** Update File: a.txt\n*** Move to: moved.txt\n@@\n-text\n+other"),
	patchText("*** Update File: a.txt\n*** Move to: secret/moved.txt\n@@\n-text\n+other"),
	patchText("*** Update File: a.txt\n*** Move to: {dir}/dir/moved.txt\n@@\n-text\n+other"),
	patchText("*** Update File: a.txt\n*** Move to: ../moved.txt\n@@\n-text\n+other"),
	patchText("*** Update File: a.txt\n*** Move to: /srv/other/moved.txt\n@@\n-text\n+other"),
	patchText("*** Update File: a.txt\n*** Move to: /srv/other/new/moved.txt\n@@\n-text\n+other"),
	patchText("*** Update File: a.txt\n*** Move to: /srv/other/dir\n@@\n-text\n+other"),
	patchText("*** Update File: a.txt\n*** Move to: a.txt\n@@\n-text\n+other"),
	patchText("*** Update File: /srv/other/file.txt\n*** Move to: moved.txt\n@@\n-text\n+other"),
	patchText("*** Update File: /srv/other/file.txt\n*** Move to: /srv/other/moved.txt\n@@\n-text\n+other"),
	patchText("*** Update File: /srv/other/file.txt\n*** Move to: /home/dev/moved.txt\n@@\n-text\n+other"),
	patchText("*** Add File: n1.txt\n+new\n*** Update File: a.txt\n@@\n-text\n+other\n*** Delete File: dir/b.txt"),
	patchText("*** Delete File: dir/b.txt\n*** Add File: n1.txt\n+new\n*** Update File: a.txt\n*** Move to: moved.txt\n@@\n-text\n+other"),
	patchText("*** Add File: n1.txt\n+a\n*** Add File: n1.txt\n+b"),
	patchText("*** Add File: n1.txt\n+a\n*** Add File: /srv/other/n1.txt\n+b"),
	patchText("*** Add File: /srv/other/n1.txt\n+a\n*** Add File: /srv/other/n2.txt\n+b"),
	patchText("*** Add File: /srv/other/n1.txt\n+a\n*** Add File: /home/dev/n2.txt\n+b\n*** Add File: n3.txt\n+c"),
	patchText("*** Update File: a.txt\n*** Move to: /srv/other/moved.txt\n@@\n-text\n+other\n*** Add File: n1.txt\n+a"),
	patchText("*** Rename File: a.txt"),
	"*** Begin Patch\n*** End Patch",
	"not a patch",
	"",
}

func patchText(body string) string { return "*** Begin Patch\n" + body + "\n*** End Patch" }

// withDir replaces {dir} in the arguments' texts.
func withDir(a args, replace func(string) string) args {
	out := maps.Clone(a)
	for k, v := range out {
		if s, ok := v.(string); ok {
			out[k] = replace(s)
		}
	}
	return out
}
