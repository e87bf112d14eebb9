package server

import (
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Scope is what a token is good for.
type Scope string

// The scopes. Admin covers the others.
const (
	ReadScope    Scope = "read"    // see what is in force and what it does
	AdapterScope Scope = "adapter" // fetch RuleSets and evaluate, as an agent's adapter does
	ApproveScope Scope = "approve" // decide requests
	AdminScope   Scope = "admin"   // check and reload policies, and everything else
)

// Scopes lists every scope.
func Scopes() []Scope { return []Scope{ReadScope, AdapterScope, ApproveScope, AdminScope} }

// Identity is somebody who has signed in. The name comes from the token.
type Identity struct {
	Name    string
	Scopes  []Scope
	rates   rates
	revoked chan struct{} // closed when the token no longer works
}

func newIdentity(name string, scopes []Scope) *Identity {
	return &Identity{Name: name, Scopes: scopes, rates: newRates(plainRate), revoked: make(chan struct{})}
}

func (i *Identity) may(scopes []Scope) bool {
	for _, s := range scopes {
		if slices.Contains(i.Scopes, s) || slices.Contains(i.Scopes, AdminScope) {
			return true
		}
	}
	return false
}

// gone reports whether the token was revoked.
func (i *Identity) gone() bool {
	select {
	case <-i.revoked:
		return true
	default:
		return false
	}
}

// hash is a token's SHA-256.
type hash = [sha256.Size]byte

// Access says who may. The zero value lets nobody in.
type Access struct {
	Loopback bool // only this machine can call: failures may be shown to everybody who can
	file     string
	tokens   atomic.Pointer[map[hash]*Identity] // replaced, never changed
	public   rates
	failures rates
	once     sync.Once
}

func (a *Access) ready() {
	a.once.Do(func() {
		a.public = newRates(publicRate)
		a.failures = rates{plain: newFailures()}
	})
}

func (a *Access) publicRates() rates {
	a.ready()
	return a.public
}

func (a *Access) all() map[hash]*Identity {
	if tokens := a.tokens.Load(); tokens != nil {
		return *tokens
	}
	return nil
}

// Add lets a token in. Only its hash is kept. It isn't for use while others add.
func (a *Access) Add(token, name string, scopes ...Scope) {
	next := maps.Clone(a.all())
	if next == nil {
		next = map[hash]*Identity{}
	}
	next[sha256.Sum256([]byte(token))] = newIdentity(name, scopes)
	a.tokens.Store(&next)
}

// find returns who a token belongs to, or nil. Tokens are looked up by their
// hash, so that how long it takes says nothing about them.
func (a *Access) find(token string) *Identity { return a.all()[sha256.Sum256([]byte(token))] }

// replace puts other tokens in the place of those there are, and returns the
// names of those that no longer work. One that is the same as before stays who
// it was; one with another name or other scopes signs in anew.
func (a *Access) replace(next map[hash]*Identity) (revoked []string) {
	before := a.all()
	for h, who := range next {
		if old := before[h]; old != nil && old.Name == who.Name && slices.Equal(old.Scopes, who.Scopes) {
			next[h] = old
		}
	}
	a.tokens.Store(&next)
	for h, old := range before {
		if next[h] != old {
			close(old.revoked)
			revoked = append(revoked, old.Name)
		}
	}
	slices.Sort(revoked)
	return revoked
}
