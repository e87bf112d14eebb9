package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/modegate/modegate/server"
	"github.com/modegate/modegate/server/store"
)

// serveFolder names the data folder of a service that this test binary runs as
// when it is started as a process of its own.
const serveFolder = "MODEGATE_TEST_DATA"

func serveForTests(dir string) int {
	kept, err := store.Open(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer kept.Close()
	cfg := config()
	cfg.Store, cfg.Translators = kept, translators()
	s, err := server.New(cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(l.Addr())
	if err := s.Serve(ctx, l, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// process is a service that really runs, and can really be killed.
type process struct {
	cmd *exec.Cmd
	url string
}

func startProcess(t *testing.T, dir string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveFolder+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Process.Kill()
		t.Fatal(err, cmd.Wait())
	}
	return &process{cmd, "http://" + strings.TrimSpace(line)}
}

// end sends a signal and waits until the process is gone.
func (p *process) end(s os.Signal) {
	_ = p.cmd.Process.Signal(s)
	_ = p.cmd.Wait() // killed, it fails
}
