package live

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// A Server is a running `opencode serve` that this process started.
type Server struct {
	opt     Options
	cmd     *exec.Cmd
	out     *startLog
	baseURL string
	started time.Duration
	done    chan struct{} // closed when the process has ended
	waitErr error         // set before done is closed

	stop sync.Once
}

// ErrNotStarted is wrapped by every error of Start that comes after the binary
// was run.
var ErrNotStarted = errors.New("opencode server did not start")

// Start runs `opencode serve` and returns once it listens. ctx bounds the start
// only; the server then runs until Stop.
//
// Nothing may connect before the listening line: 1.18.33 accepts sockets while
// it boots and never answers the requests on them.
func Start(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	if o.Binary == "" || o.Dir == "" {
		return nil, errors.New("opencode server: Binary and Dir are required")
	}
	if err := o.makeHome(); err != nil {
		return nil, fmt.Errorf("opencode server home: %w", err)
	}
	if o.Password == "" {
		o.Password = rand.Text()
	}
	if o.Port == 0 {
		port, err := freePort(ctx)
		if err != nil {
			return nil, fmt.Errorf("opencode server: no free port: %w", err)
		}
		o.Port = port
	}
	bin, err := filepath.Abs(o.Binary)
	if err != nil {
		return nil, fmt.Errorf("opencode server binary: %w", err)
	}
	s := &Server{opt: o, out: newStartLog(o.Log), done: make(chan struct{})}
	s.cmd = exec.Command(bin, "serve", "--hostname", loopback, "--port", strconv.Itoa(o.Port), "--print-logs")
	s.cmd.Dir = o.Dir
	s.cmd.Env = o.environment(os.Environ())
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	// Tools may leave children that hold the output open after the server ended.
	s.cmd.WaitDelay = 2 * time.Second
	ownGroup(s.cmd)
	begin := time.Now()
	if err := s.run(); err != nil {
		return nil, fmt.Errorf("opencode server: %w", err)
	}
	if err := s.awaitListening(ctx); err != nil {
		s.Stop()
		return nil, fmt.Errorf("%w: %w; its last output:\n%s", ErrNotStarted, err, s.out.tail())
	}
	s.started = time.Since(begin)
	return s, nil
}

// run starts the process and waits for its end in the background. Both happen on
// one thread, because the signal of ownGroup comes when the starting thread ends.
func (s *Server) run() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		s.waitErr = s.cmd.Wait()
		close(s.done)
	}()
	return <-started
}

// loopback is the only address a server is started on.
const loopback = "127.0.0.1"

func (s *Server) awaitListening(ctx context.Context) error {
	timer := time.NewTimer(s.opt.StartTimeout)
	defer timer.Stop()
	select {
	case s.baseURL = <-s.out.listening:
		return nil
	case <-s.done:
		return fmt.Errorf("it ended: %v", s.waitErr)
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("no listening line within %v", s.opt.StartTimeout)
	}
}

// BaseURL is the server's address, without a slash at the end.
func (s *Server) BaseURL() string { return s.baseURL }

// StartupTime is how long the server took from its start to the listening line.
func (s *Server) StartupTime() time.Duration { return s.started }

// Done is closed when the server process has ended, for whatever reason.
func (s *Server) Done() <-chan struct{} { return s.done }

// LogTail is the last part of the server's output, for error reports.
func (s *Server) LogTail() string { return s.out.tail() }

// Client returns a client for one directory of this server. A server serves
// any number of directories.
func (s *Server) Client(dir string) *Client {
	return NewClient(s.baseURL, s.opt.Password, dir)
}

// Stop ends the server's process group: asked first, killed when it doesn't end
// in time. It returns once the process is gone and may be called more than once.
func (s *Server) Stop() {
	s.stop.Do(func() {
		select {
		case <-s.done: // it ended by itself; its group may have survivors
			killGroup(s.cmd)
			return
		default:
		}
		askGroupToEnd(s.cmd)
		timer := time.NewTimer(s.opt.StopTimeout)
		defer timer.Stop()
		select {
		case <-s.done:
		case <-timer.C:
		}
		killGroup(s.cmd)
	})
	<-s.done
}

// freePort asks the kernel for a port. Another program may take it before the
// server does; the server then fails to start and the caller may try again.
func freePort(ctx context.Context) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("listener has address %v", l.Addr())
	}
	return addr.Port, nil
}
