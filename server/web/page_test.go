package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// listen opens the tab and has the browser tell everything.
func (p *page) listen() error {
	if err := chromedp.Listen(p.ctx, p.watch); err != nil {
		return err
	}
	if _, err := chromedp.Call(p.ctx, network.Enable, network.EnableParams{}); err != nil {
		return err
	}
	if _, err := chromedp.Call(p.ctx, log.Enable, cdp.Empty{}); err != nil {
		return err
	}
	_, err := chromedp.Call(p.ctx, runtime.Enable, cdp.Empty{})
	return err
}

// watch writes down every request and everything that the browser complains of.
func (p *page) watch(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
		p.faults = append(p.faults, text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			p.faults = append(p.faults, fmt.Sprintf("console %s: %s %s", e.Type, e.Args[0].Value, e.Args[0].Description))
		}
	case *log.EventEntryAdded: // violations of the page's policy come here, too
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.faults = append(p.faults, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	}
}

// check runs when the test ends: nothing left the origin, nothing went wrong.
func (p *page) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, url := range p.requests {
		if url != "about:blank" && !strings.HasPrefix(url, p.origin+"/") {
			p.t.Errorf("a request leaves the page's origin: %s", url)
		}
	}
next:
	for _, fault := range p.faults {
		for _, text := range p.expected {
			if strings.Contains(fault, text) {
				continue next
			}
		}
		p.t.Errorf("the browser complains: %s", fault)
	}
}

// do takes steps, within a minute.
func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// visit loads the page at an address, and waits for its heading.
func (p *page) visit(hash, heading string) {
	p.t.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.origin+"/"+hash))
	p.heading(heading)
}

// turn goes to another address of the page without loading it.
func (p *page) turn(hash, heading string) {
	p.t.Helper()
	p.run(fmt.Sprintf("location.hash = %q", hash))
	p.heading(heading)
}

// run runs a statement in the page.
func (p *page) run(statement string) {
	p.t.Helper()
	get[bool](p, "(() => { "+statement+"; return true })()")
}

// heading waits until the page's heading is this.
func (p *page) heading(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelector("main h1")?.textContent === %q`, text))
}

// until waits for a condition.
func (p *page) until(condition string) {
	p.t.Helper()
	for end := time.Now().Add(20 * time.Second); !get[bool](p, "Boolean("+condition+")"); time.Sleep(30 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("this doesn't come true: %s\nthe page says: %.2000s", condition, get[string](p, "document.body.innerText"))
		}
	}
}

// get evaluates an expression in the page.
func get[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%v: %s", err, expression)
	}
	return v
}

// screen sets the window's size and what the reader prefers.
func (p *page) screen(width, height int64, scheme string) {
	p.t.Helper()
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500}
	if _, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, size); err != nil {
		p.t.Fatal(err)
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.t.Fatal(err)
	}
}

// picture keeps a picture of the whole page in the folder that
// MODEGATE_SCREENSHOTS names, to be looked at.
func (p *page) picture(name string) {
	p.t.Helper()
	dir := os.Getenv("MODEGATE_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
