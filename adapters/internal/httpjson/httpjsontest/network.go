// Package httpjsontest owns a network in memory: on it a server and its clients
// run by a test's own clock (testing/synctest), and can be cut apart.
package httpjsontest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/modegate/modegate/adapters/internal/httpjson"
)

// A Network is a listener and the only way to it.
type Network struct {
	arrivals chan net.Conn
	closed   chan struct{}
	once     sync.Once

	mu   sync.Mutex
	cut  bool
	open map[net.Conn]bool // the ends that the server has
}

// New returns a network without connections.
func New() *Network {
	return &Network{arrivals: make(chan net.Conn), closed: make(chan struct{}), open: map[net.Conn]bool{}}
}

// Transport returns a transport that dials into the network.
func (n *Network) Transport() *http.Transport {
	t := httpjson.Transport()
	t.DialContext = n.dial
	return t
}

var errCut = errors.New("connection refused")

func (n *Network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	n.mu.Lock()
	if n.cut {
		n.mu.Unlock()
		return nil, errCut
	}
	n.open[there] = true
	n.mu.Unlock()
	select {
	case n.arrivals <- there:
		return here, nil
	case <-n.closed:
		return nil, errCut
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Cut breaks every connection and refuses new ones until Mend.
func (n *Network) Cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = true
	for c := range n.open {
		c.Close()
	}
	clear(n.open)
}

// Mend lets connections through again.
func (n *Network) Mend() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = false
}

// Accept is the listener's.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.arrivals:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the listener.
func (n *Network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

// Addr is the listener's.
func (n *Network) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }
