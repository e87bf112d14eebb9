package cmd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/adapters/claude"
	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/adapters/cursor"
	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/server"
	"github.com/modegate/modegate/server/store"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	addr     string
	data     string
	policies []string
	tokens   string
	hosts    []string
	cert     string
	key      string
	debug    bool
	expiry   time.Duration
	delivery time.Duration
	guardrailFlags
	keep     time.Duration
	sessions int
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer over HTTP what every mode does, hand adapters their rules, and carry approvals",
		Long: `Answer over HTTP: providers, RuleSets, evaluations, the matrix, policies, and the
sessions of agents with what they ask. The policy is loaded anew when its files
change; a broken one never replaces a good one. The interface is described at
/openapi.json.

Sessions, their modes and their history are kept in the data folder
(modegate.db). What was allowed for a session is in memory alone. When the
service is started anew, every request that was open has expired: nothing is
answered twice. The history of a session that was unloaded is kept for
--keep-history, and no more than --keep-sessions of them are, the last unloaded
first; a session that is loaded keeps all of its history.

Without --tokens, the service listens on this machine alone, makes one admin
token in the data folder (admin-token, readable by you alone) and prints an
address that signs the browser in, once. The data folder is ./modegate-data; it
is made by itself and keeps itself out of git.

With --tokens, callers need a token of that file, which holds hashes alone:

  {"tokens":[{"name":"ci","scopes":["read","adapter"],"sha256":"HEX"}]}

HEX is printf %s "$TOKEN" | sha256sum. The scopes are read, adapter, approve and
admin, which covers the others. The file is read anew when it changes: a token
that is taken out of it stops working at once, and so do the browsers that have
signed in with it. A broken file changes nothing, and the service isn't ready.

With --guardrails, Rego of your own may tighten what happens: have a person asked,
or deny. It holds wherever the provider asks us; what a provider runs without
asking, no guardrail stops, and the Verdict says so. A guardrail that gives no
answer is never an allow.

The log is JSON, on stderr, one line a request; calls that succeed and come often
(evaluations, health) are logged with --debug alone.`,
		Example: `  modegate serve
  modegate serve --policy ./policies --addr 127.0.0.1:8080
  modegate serve --tokens tokens.json --addr 0.0.0.0:7420 --tls-cert cert.pem --tls-key key.pem`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.addr, "addr", "127.0.0.1:7420", "address to listen on")
	fl.StringVar(&f.data, "data", "modegate-data", "data folder, made when it isn't there")
	fl.StringArrayVar(&f.policies, "policy", []string{"builtin/t3code"}, "policy: a file, a folder or builtin/NAME; may be repeated, later ones on top")
	fl.StringVar(&f.tokens, "tokens", "", "a file with hashed tokens and their scopes")
	fl.StringArrayVar(&f.hosts, "host", nil, "a further name that the service is called by; may be repeated (the certificate's names are known)")
	fl.StringVar(&f.cert, "tls-cert", "", "a file with the TLS certificate, PEM")
	fl.StringVar(&f.key, "tls-key", "", "a file with the certificate's key, PEM")
	fl.DurationVar(&f.expiry, "request-expiry", server.DefaultExpiry, "how long a request waits for somebody before it expires")
	fl.DurationVar(&f.delivery, "delivery-timeout", server.DefaultDelivery, "how long an answer may be on its way to an adapter before it expires")
	f.guardrailFlags.add(cmd)
	fl.DurationVar(&f.keep, "keep-history", 30*24*time.Hour, "how long the history of an unloaded session is kept, 0 for ever")
	fl.IntVar(&f.sessions, "keep-sessions", 10_000, "how many unloaded sessions' histories are kept at most, 0 for any number")
	fl.BoolVar(&f.debug, "debug", false, "log every request")
	return cmd
}

func (f *serveFlags) run(cmd *cobra.Command) error {
	if f.tokens == "" && !loopback(f.addr) {
		return fmt.Errorf("--addr %s: without --tokens the service listens on this machine alone: use 127.0.0.1:PORT, or give --tokens", f.addr)
	}
	if f.keep < 0 || f.sessions < 0 {
		return errors.New("--keep-history and --keep-sessions can't be negative: 0 keeps everything")
	}
	secure, err := f.tls()
	if err != nil {
		return err
	}
	guardrails, err := f.guardrailFlags.config()
	if err != nil {
		return err
	}
	if err := server.MakeData(f.data); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	access, token, err := f.access()
	if err != nil {
		return err
	}
	proven, err := evidence.Embedded()
	if err != nil {
		return err
	}
	shipped, err := invariants(nil)
	if err != nil {
		return err
	}
	kept, err := store.Open(f.data)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	defer kept.Close() // everything is on the disk by then
	level := slog.LevelInfo
	if f.debug {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
	if secure == nil && !loopback(f.addr) {
		log.Warn("tokens travel in the clear: give --tls-cert and --tls-key, or speak TLS in front of the service")
	}
	s, err := server.New(server.Config{
		Dialects: adapters.Table(),
		Proofs:   func(d compiler.Dialect, version string) []evaluator.Proof { return proven.Proofs(d, version) },
		Policies: f.policies,
		Access:   access,
		Hosts:    f.named(secure),
		Log:      log,

		Guardrails: guardrails,
		Audit:      server.AuditConfig{Modegate: programVersion(), Evidence: claims(proven), Invariants: broke(shipped)},

		Store: kept, Translators: translators(), Expiry: f.expiry, Delivery: f.delivery,
		KeepFor: f.keep, KeepSessions: f.sessions,
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.addr)
	if err != nil {
		return err
	}
	f.greet(cmd, s, l.Addr(), token, secure != nil)
	return s.Serve(ctx, l, secure)
}

// translators are those of the providers whose requests can be read.
func translators() server.Translators {
	return server.Translators{
		evaluator.Codex: codex.Boundary(), evaluator.Claude: claude.Boundary(), evaluator.Cursor: cursor.Boundary(),
		evaluator.Grok: grok.Boundary(), evaluator.OpenCode: opencode.Boundary(), evaluator.OpenCode2: opencode2.Boundary(),
	}
}

// loopback reports whether an address can be reached from this machine alone.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// access reads the tokens, or makes the admin's.
func (f *serveFlags) access() (a *server.Access, token string, err error) {
	if f.tokens != "" {
		a, err = server.ReadTokens(f.tokens)
		return a, "", err
	}
	token, err = server.AdminToken(f.data)
	if err != nil {
		return nil, "", err
	}
	a = &server.Access{Loopback: true}
	a.Add(token, "admin", server.AdminScope)
	return a, token, nil
}

func (f *serveFlags) tls() (*tls.Config, error) {
	switch {
	case f.cert == "" && f.key == "":
		return nil, nil
	case f.cert == "" || f.key == "":
		return nil, errors.New("--tls-cert and --tls-key go together")
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// named knows the names of --host and those of the certificate.
func (f *serveFlags) named(t *tls.Config) func(host string) bool {
	return func(host string) bool {
		return slices.ContainsFunc(f.hosts, func(h string) bool { return strings.EqualFold(h, host) }) ||
			t != nil && t.Certificates[0].Leaf.VerifyHostname(host) == nil
	}
}

// greet says where the service is, and how to sign in.
func (f *serveFlags) greet(cmd *cobra.Command, s *server.Server, at net.Addr, token string, secure bool) {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	base := scheme + "://" + at.String()
	out := cmd.OutOrStdout()
	policy := s.Policy()
	fmt.Fprintf(out, "modegate serves %s/ under the policy %s (%s)\n", base, policy.Name, policy.Digest)
	if token == "" {
		return
	}
	fmt.Fprintf(out, "  sign the browser in:  %s/sign-in?code=%s\n", base, s.SignInCode(token))
	fmt.Fprintf(out, "  token for programs:   %s\n", filepath.Join(f.data, server.AdminTokenFile))
}
