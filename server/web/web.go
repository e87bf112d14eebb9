// Package web owns the web page: plain HTML, CSS and ES modules, embedded as they
// are. Nothing is built, and nothing is loaded from elsewhere.
//
// index.html is the one page. In assets every file has one job: main.js starts
// and routes, state.js reads and writes the address, api.js asks the service,
// dom.js makes elements (text only ever becomes text), live.js follows what happens,
// and each view has a file.
package web

import "embed"

// Files are the page and its folder assets.
//
//go:embed index.html assets
var Files embed.FS
