// Package mailbox owns how a session that lives in one goroutine is told things
// by others.
package mailbox

import "sync"

// A Box takes functions from any goroutine for the one that owns it.
type Box struct {
	ring chan struct{}

	mu   sync.Mutex
	list []func()
}

// New returns an empty Box.
func New() *Box { return &Box{ring: make(chan struct{}, 1)} }

// Post puts something into the box. It never waits.
func (b *Box) Post(f func()) {
	b.mu.Lock()
	b.list = append(b.list, f)
	b.mu.Unlock()
	select {
	case b.ring <- struct{}{}:
	default:
	}
}

// Ring receives when something was posted since the last receipt.
func (b *Box) Ring() <-chan struct{} { return b.ring }

// Take empties the box, oldest first.
func (b *Box) Take() []func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.list
	b.list = nil
	return list
}
