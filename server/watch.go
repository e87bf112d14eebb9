package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// How often the policy's files are looked at, and how often a policy that is
// broken is tried anew though its known files look the same: what was missing
// may be there now.
const (
	watchEvery = 200 * time.Millisecond
	retryEvery = 5 * time.Second
)

// watch reloads the policy and the guardrails when their files have changed and
// then stayed the same for one look, so that half-written files aren't read. Looking works wherever
// files are, mounted and linked ones too. When a reload finds further files, it
// is followed by one that finds nothing changed.
func (s *Server) watch(ctx context.Context) {
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
		now := s.fingerprint()
		stable := now == last
		last = now
		broken := s.failure.Load() != nil || s.guardFailure.Load() != nil
		retry := broken && time.Since(tried) >= retryEvery
		if !stable || now == inForce && !retry {
			continue
		}
		if s.take(ctx) != nil {
			return
		}
		_, _ = s.reloadAll(ctx) // what is wrong is logged, and kept as the state
		s.give()
		inForce, tried = now, time.Now()
	}
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
