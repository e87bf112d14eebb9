package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modegate/modegate/internal/strictjson"
)

// tokenFile is the file of --tokens.
type tokenFile struct {
	Tokens []struct {
		Name   string  `json:"name"`
		Scopes []Scope `json:"scopes"`
		SHA256 string  `json:"sha256"` // of the token, in hex
	} `json:"tokens"`
}

var tokenName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}$`)

// ReadTokens reads a file of hashed tokens. A service that runs with them reads
// it anew when it changes.
func ReadTokens(path string) (*Access, error) {
	tokens, err := readTokens(path)
	if err != nil {
		return nil, err
	}
	a := &Access{file: path}
	a.tokens.Store(&tokens)
	return a, nil
}

func readTokens(path string) (map[hash]*Identity, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f tokenFile
	if err := strictjson.DecodeNoNull(data, &f); err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	tokens := map[hash]*Identity{}
	var problems []error
	names := map[string]bool{}
	for i, t := range f.Tokens {
		refuse := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("%s: /tokens/%d: %s", path, i, fmt.Sprintf(format, args...)))
		}
		sum, err := hex.DecodeString(t.SHA256)
		switch {
		case !tokenName.MatchString(t.Name):
			refuse("name %q: use letters, digits, blanks and ._@-, 64 at most", t.Name)
		case names[t.Name]:
			refuse("the name %q is given twice", t.Name)
		case err != nil || len(sum) != sha256.Size:
			refuse("sha256 must be the token's SHA-256 in hex: 64 digits")
		case len(t.Scopes) == 0:
			refuse("a token needs scopes: use read, adapter, approve, admin")
		case tokens[hash(sum)] != nil:
			refuse("the same token is given twice")
		default:
			tokens[hash(sum)] = newIdentity(t.Name, t.Scopes)
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
	return tokens, errors.Join(problems...)
}

// tokensLook is what the file of tokens looks like.
func (s *Server) tokensLook() string {
	var b strings.Builder
	describe(&b, s.Access.file)
	return b.String()
}

// reloadTokens reads the file of tokens anew. A broken one changes nothing but
// the state: those who could call still can.
func (s *Server) reloadTokens(context.Context) bool {
	next, err := readTokens(s.Access.file)
	if err != nil {
		f := &failure{errors: places(err), text: err.Error(), since: time.Now().UTC().Truncate(time.Second)}
		if before := s.tokensFailure.Load(); before != nil {
			f.since = before.since
		}
		if before := s.tokensFailure.Swap(f); before == nil || before.text != f.text {
			s.Log.Error("the file of tokens is broken, those that were read last stay in force", "error", err.Error())
		}
		return true
	}
	if s.tokensFailure.Swap(nil) != nil {
		s.Log.Info("the file of tokens is good again")
	}
	if revoked := s.Access.replace(next); len(revoked) > 0 {
		s.Log.Info("tokens no longer work", "names", revoked)
	}
	return true
}
