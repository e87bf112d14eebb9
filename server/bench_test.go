package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

const connections = 16

// BenchmarkDecision is H1 and H5 of the performance goals: the CPU of one
// decision, and of a batch of 100, against a Gin handler that reads the same body
// and answers a constant of the same size. The rivals take turns in one process;
// only the ratios mean anything. Client and server both count.
func BenchmarkDecision(b *testing.B) {
	one := nativeBody
	batch := `{"provider":"opencode2","mode":"auto","interaction":"default","actions":[` +
		strings.TrimSuffix(strings.Repeat(nativeRequest("opencode2", "shell", "echo a")+",", 100), ",") + `]}`
	for _, c := range []struct {
		name, body string
		goal       float64
	}{{"H1 one", one, 1.25}, {"H5 batch of 100", batch, 3}} {
		b.Run(c.name, func(b *testing.B) { compare(b, c.body, c.goal) })
	}
}

func compare(b *testing.B, body string, goal float64) {
	s := example(b)
	w := &recorder{header: http.Header{}}
	s.Handler().ServeHTTP(w, request("POST", "/v1/evaluate", body))
	if s.Quickly([]byte(body)) == nil {
		b.Fatal("the fast way doesn't answer")
	}
	answer := []byte(w.body.String())
	gin.SetMode(gin.ReleaseMode)
	silent := gin.New()
	silent.POST("/v1/evaluate", func(c *gin.Context) { c.Data(200, "application/json", answer) })
	reading := gin.New()
	reading.POST("/v1/evaluate", func(c *gin.Context) {
		if _, err := io.ReadAll(c.Request.Body); err != nil {
			b.Error(err)
		}
		c.Data(200, "application/json", answer)
	})
	type rival struct {
		name string
		at   string
		cpu  []float64
	}
	rivals := []*rival{{name: "modegate"}, {name: "constant"}, {name: "constant, body read"}}
	for i, h := range []http.Handler{s.Handler(), silent, reading} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
		go func() { _ = srv.Serve(l) }()
		b.Cleanup(func() { _ = srv.Shutdown(context.Background()) })
		rivals[i].at = l.Addr().String()
	}
	per := max(b.N/30, 200)
	for range 30 {
		for _, r := range rivals {
			before := cpu()
			load(b, r.at, body, len(answer), per)
			r.cpu = append(r.cpu, float64(cpu()-before)/float64(per*connections))
		}
	}
	middle := func(i int) float64 {
		sorted := slices.Sorted(slices.Values(rivals[i].cpu))
		return sorted[len(sorted)/2]
	}
	for i, r := range rivals {
		b.Logf("%-22s %8.1f µs CPU a request", r.name, middle(i)/1000)
	}
	b.ReportMetric(middle(0)/middle(1), "ratio-to-constant")
	b.ReportMetric(middle(0)/middle(2), "ratio-to-constant-read")
	b.ReportMetric(goal, "goal")
}

// cpu is the CPU time of this process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// load sends n requests over each connection, one after the other.
func load(b *testing.B, addr, body string, size, n int) {
	head := fmt.Sprintf("POST /v1/evaluate HTTP/1.1\r\nHost: 127.0.0.1:7420\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", tokens["adapter"], len(body), body)
	var wg sync.WaitGroup
	for range connections {
		wg.Go(func() {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer func() { _ = c.Close() }()
			in := bufio.NewReaderSize(c, 64<<10)
			for range n {
				if _, err := io.WriteString(c, head); err != nil {
					b.Error(err)
					return
				}
				if err := skip(in, size); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// skip reads one answer: its headers, and as much body as it must have.
func skip(in *bufio.Reader, size int) error {
	line, err := in.ReadSlice('\n')
	if err != nil || !strings.Contains(string(line), " 200 ") {
		return fmt.Errorf("%q: %w", line, err)
	}
	for len(line) > 2 {
		if line, err = in.ReadSlice('\n'); err != nil {
			return err
		}
	}
	_, err = in.Discard(size)
	return err
}

// BenchmarkOtherWays are shown beside, with no goal: what has no fast way.
func BenchmarkOtherWays(b *testing.B) {
	s := example(b)
	for _, c := range []struct{ name, method, path, body string }{
		{"native fast", "POST", "/v1/evaluate", nativeBody},
		{"native explained", "POST", "/v1/evaluate", strings.Replace(nativeBody, `"mode"`, `"explain":true,"mode"`, 1)},
		{"command", "POST", "/v1/evaluate", `{"provider":"opencode2","mode":"auto","action":{"kind":"command","command":"git push origin main"}}`},
		{"codex command", "POST", "/v1/evaluate", `{"provider":"codex","mode":"auto","action":{"kind":"command","command":"git push origin main"}}`},
		{"ruleset", "GET", "/v1/rulesets/opencode2/auto/default", ""},
		{"matrix", "GET", "/v1/matrix", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := &recorder{header: http.Header{}}
				s.Handler().ServeHTTP(w, request(c.method, c.path, c.body))
				if w.status != 200 {
					b.Fatal(w.status, w.body.String())
				}
			}
		})
	}
}
