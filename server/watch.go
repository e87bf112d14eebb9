package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// How often files are looked at, and how often what is broken is tried anew
// though its known files look the same: what was missing
// may be there now.
const (
	watchEvery = 200 * time.Millisecond
	retryEvery = 5 * time.Second
)

// watched is something on disk that is loaded anew when it has changed.
type watched struct {
	look  func() string // what it looks like
	retry func() bool   // whether it is to be tried anew though it looks the same
	load  func(context.Context) bool
}

// watch loads what has changed and then stayed the same for one look, so that
// half-written files aren't read, until load says no. Looking works wherever
// files are, mounted and linked ones too. When loading finds further files, it
// is followed by one that finds nothing changed.
func (w watched) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var inForce, last string // at first, what was read may be older than the files
	tried := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := w.look()
		stable := now == last
		last = now
		retry := w.retry() && time.Since(tried) >= retryEvery
		if !stable || now == inForce && !retry {
			continue
		}
		if !w.load(ctx) {
			return
		}
		inForce, tried = now, time.Now()
	}
}

// policyFiles are watched for the policy and the guardrails.
func (s *Server) policyFiles() watched {
	broken := func() bool { return s.failure.Load() != nil || s.guardFailure.Load() != nil }
	return watched{s.fingerprint, broken, func(ctx context.Context) bool {
		if s.take(ctx) != nil {
			return false
		}
		_, _ = s.reloadAll(ctx) // what is wrong is logged, and kept as the state
		s.give()
		return true
	}}
}

// tokensFile is watched for who may.
func (s *Server) tokensFile() watched {
	return watched{s.tokensLook, func() bool { return s.tokensFailure.Load() != nil }, s.reloadTokens}
}

// fingerprint is what the files look like: the guardrails', and the policy's: those
// that the service was started with, those of the policy in force, and those that
// an error names.
func (s *Server) fingerprint() string {
	var b strings.Builder
	seen := map[string]bool{}
	look := func(path string) {
		if path == "" || seen[path] || strings.HasPrefix(path, "builtin/") {
			return
		}
		seen[path] = true
		describe(&b, path)
	}
	for _, path := range s.Policies {
		look(path)
	}
	for _, path := range s.current.Load().policy.Files {
		look(path)
	}
	if s.guarded() {
		describeTree(&b, s.Guardrails.Dir)
	}
	if f := s.failure.Load(); f != nil {
		for _, e := range f.errors {
			look(e.File)
		}
	}
	return b.String()
}

func describe(b *strings.Builder, path string) {
	info, err := os.Stat(path)
	if err != nil {
		fmt.Fprintf(b, "%s: none\n", path)
		return
	}
	if !info.IsDir() {
		fmt.Fprintf(b, "%s: %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		fmt.Fprintf(b, "%s: %v\n", path, err)
		return
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
			describe(b, filepath.Join(path, e.Name()))
		}
	}
}
