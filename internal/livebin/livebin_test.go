package livebin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/modegate/modegate/internal/livebin"
)

func TestFindUsesTheVariable(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MODEGATE_TEST_AGENT", bin)
	got, err := livebin.Find(livebin.Agent{Name: "x", Env: "MODEGATE_TEST_AGENT"})
	if err != nil || got != bin {
		t.Fatalf("Find = %q, %v; want %q", got, err, bin)
	}
}

func TestFindRefusesWhatCannotRun(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(plain, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"not executable": plain,
		"a folder":       t.TempDir(),
		"absent":         filepath.Join(t.TempDir(), "none"),
	} {
		t.Setenv("MODEGATE_TEST_AGENT", value)
		if got, err := livebin.Find(livebin.Agent{Name: "x", Env: "MODEGATE_TEST_AGENT"}); err == nil {
			t.Errorf("%s: Find = %q, want an error", name, got)
		}
	}
}

func TestFindWithoutAnything(t *testing.T) {
	if got, err := livebin.Find(livebin.Agent{Name: "x", Env: "MODEGATE_TEST_NONE", Paths: []string{"no/such"}}); err == nil {
		t.Fatalf("Find = %q, want an error", got)
	}
}

// TestNeedSkips pins that a missing binary skips, which is what keeps the
// ordinary test run free of the real agents.
func TestNeedSkips(t *testing.T) {
	t.Setenv(livebin.LiveEnv, "")
	skipped := t.Run("inner", func(t *testing.T) {
		livebin.Need(t, livebin.Agent{Name: "x", Env: "MODEGATE_TEST_NONE", Paths: []string{"no/such"}})
		t.Error("Need returned without a binary")
	})
	if !skipped {
		t.Error("the inner test failed instead of skipping")
	}
}

func TestDigest(t *testing.T) {
	f := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(f, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // SHA-256 of "abc", FIPS 180-2
	if got, err := livebin.Digest(f); err != nil || got != want {
		t.Fatalf("Digest = %q, %v; want %q", got, err, want)
	}
}
