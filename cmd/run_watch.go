package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The reasons to stop a run that aren't signals.
var (
	errNobody   = errors.New("something is asked and stdin has ended: nobody is there to answer")
	errLeft     = errors.New("the person at the terminal left")
	errOrphaned = errors.New("the program that started this run has ended")
)

// parentEvery is how often the parent is looked for.
const parentEvery = 500 * time.Millisecond

// watch returns a context that ends with leave, with a signal to stop, or with
// the program that started this one. After the first signal the next one has its
// usual effect.
func watch(parent context.Context) (ctx context.Context, leave func(error), stop func()) {
	if parent == nil {
		parent = context.Background()
	}
	ctx, leave = context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A reader of the output that has gone must not kill the run before what
	// waits is rejected. The signal comes for lost connections, too, so the write
	// that fails is what stops the run.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	ticks := time.NewTicker(parentEvery)
	over, done := make(chan struct{}), make(chan struct{})
	started := os.Getppid()
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			case s := <-signals:
				signal.Stop(signals)
				leave(fmt.Errorf("stopped by %s", s))
			case <-ticks.C:
				if started > 1 && os.Getppid() != started {
					leave(errOrphaned)
				}
			}
		}
	}()
	return ctx, leave, func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		ticks.Stop()
		close(over)
		<-done
		leave(context.Canceled)
	}
}
