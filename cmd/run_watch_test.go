//go:build unix

package cmd

import (
	"context"
	"os"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// TestWatchSignals sends each signal that stops a run.
func TestWatchSignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		before := goleak.IgnoreCurrent()
		ctx, _, stop := watch(t.Context())
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		if got, want := context.Cause(ctx).Error(), "stopped by "+s.String(); got != want {
			t.Errorf("cause %q, want %q", got, want)
		}
		stop()
		goleak.VerifyNone(t, before, goleak.IgnoreTopFunction("os/signal.signal_recv"), goleak.IgnoreTopFunction("os/signal.loop"))
	}
}
