package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync"

	"github.com/modegate/modegate/internal/strictjson"
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
	Name   string
	Scopes []Scope
	rates  rates
}

func (i *Identity) may(scopes []Scope) bool {
	for _, s := range scopes {
		if slices.Contains(i.Scopes, s) || slices.Contains(i.Scopes, AdminScope) {
			return true
		}
	}
	return false
}

// Access says who may. The zero value lets nobody in.
type Access struct {
	Loopback bool // only this machine can call: failures may be shown to everybody who can
	tokens   map[[sha256.Size]byte]*Identity
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

// Add lets a token in. Only its hash is kept.
func (a *Access) Add(token, name string, scopes ...Scope) {
	a.add(sha256.Sum256([]byte(token)), name, scopes)
}

func (a *Access) add(hash [sha256.Size]byte, name string, scopes []Scope) {
	if a.tokens == nil {
		a.tokens = map[[sha256.Size]byte]*Identity{}
	}
	a.tokens[hash] = &Identity{Name: name, Scopes: scopes, rates: newRates(plainRate)}
}

// find returns who a token belongs to, or nil. Tokens are looked up by their
// hash, so that how long it takes says nothing about them.
func (a *Access) find(token string) *Identity { return a.tokens[sha256.Sum256([]byte(token))] }

// tokenFile is the file of --tokens.
type tokenFile struct {
	Tokens []struct {
		Name   string  `json:"name"`
		Scopes []Scope `json:"scopes"`
		SHA256 string  `json:"sha256"` // of the token, in hex
	} `json:"tokens"`
}

var tokenName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}$`)

// ReadTokens reads a file of hashed tokens.
func ReadTokens(path string) (*Access, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f tokenFile
	if err := strictjson.DecodeNoNull(data, &f); err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	a := &Access{}
	var problems []error
	names := map[string]bool{}
	for i, t := range f.Tokens {
		refuse := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("%s: /tokens/%d: %s", path, i, fmt.Sprintf(format, args...)))
		}
		hash, err := hex.DecodeString(t.SHA256)
		switch {
		case !tokenName.MatchString(t.Name):
			refuse("name %q: use letters, digits, blanks and ._@-, 64 at most", t.Name)
		case names[t.Name]:
			refuse("the name %q is given twice", t.Name)
		case err != nil || len(hash) != sha256.Size:
			refuse("sha256 must be the token's SHA-256 in hex: 64 digits")
		case len(t.Scopes) == 0:
			refuse("a token needs scopes: use read, adapter, approve, admin")
		case a.tokens[[sha256.Size]byte(hash)] != nil:
			refuse("the same token is given twice")
		default:
			a.add([sha256.Size]byte(hash), t.Name, t.Scopes)
		}
		names[t.Name] = true
		for _, s := range t.Scopes {
			if !slices.Contains(Scopes(), s) {
				refuse("unknown scope %q: use read, adapter, approve, admin", s)
			}
		}
	}
	if len(f.Tokens) == 0 {
		problems = append(problems, fmt.Errorf("%s: no tokens: nobody could call the service", path))
	}
	return a, errors.Join(problems...)
}
