package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
	"github.com/modegate/modegate/server/store"
	"github.com/modegate/modegate/server/web"
)

// Config is what a service is made of.
type Config struct {
	Dialects []compiler.Dialect
	Proofs   func(d compiler.Dialect, version string) []evaluator.Proof
	Policies []string               // files, folders or builtin/NAME, as policies.Load takes them
	Access   *Access                // who may; nobody when nil
	Hosts    func(host string) bool // further names that the service may be called by, nil: none
	Log      *slog.Logger           // nil: nothing is logged
	Web      fs.FS                  // the web page, nil: the embedded one

	Guardrails GuardrailConfig
	Audit      AuditConfig

	Store       *store.Store     // what sessions and requests are kept in; nil: there are none. The caller closes it
	Translators Translators      // of the providers whose requests can be read
	Expiry      time.Duration    // of a request that nobody answers, DefaultExpiry when 0
	Delivery    time.Duration    // of an answer that no adapter reports on, DefaultDelivery when 0
	Now         func() time.Time // nil: the clock

	KeepFor      time.Duration // how long the history of an unloaded session is kept, for ever when 0
	KeepSessions int           // how many unloaded sessions' histories are kept, any number when 0
}

// Server answers HTTP requests about one policy.
type Server struct {
	Config
	engine    *gin.Engine
	current   atomic.Pointer[snapshot]
	earlier   atomic.Pointer[[]*snapshot] // that were in force, the oldest first
	reloading chan struct{}               // holds one value: whoever takes it may load or check
	failure   atomic.Pointer[failure]

	guards        atomic.Pointer[guardrails] // nil when there are none
	guardFailure  atomic.Pointer[failure]
	tokensFailure atomic.Pointer[failure]
	metrics       *metrics
	ids           requestIDs
	sessions      sessions // of browsers
	desk          *desk    // nil without a store
	providers     []byte
	stopping      chan struct{} // closed when the service shuts down
}

// New loads the policy and the guardrails and makes the service. It fails when
// one of them isn't good to start with; the error then is a diag.List.
func New(cfg Config) (*Server, error) {
	if cfg.Access == nil {
		cfg.Access = &Access{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Web == nil {
		cfg.Web = web.Files
	}
	s := &Server{Config: cfg, reloading: make(chan struct{}, 1), stopping: make(chan struct{})}
	s.reloading <- struct{}{}
	s.ids.start()
	policy, err := policies.Load(cfg.Policies...)
	if err != nil {
		return nil, err
	}
	first, err := s.build(context.Background(), policy)
	if err != nil {
		return nil, err
	}
	if s.Guardrails.Timeout <= 0 {
		s.Guardrails.Timeout = DefaultGuardrailTimeout
	}
	if s.guarded() {
		if _, _, err := s.loadGuardrails(); err != nil {
			return nil, err
		}
	}
	s.metrics = newMetrics(s)
	s.current.Store(first)
	if s.providers, err = encodeProviders(cfg); err != nil {
		return nil, err
	}
	if s.engine, err = s.routes(); err != nil {
		return nil, err
	}
	if cfg.Store != nil {
		s.desk = newDesk(s)
		if err := s.desk.recover(context.Background()); err != nil {
			return nil, fmt.Errorf("what is kept of sessions can't be taken up: %w", err)
		}
	}
	return s, nil
}

// Handler is the whole service.
func (s *Server) Handler() http.Handler { return s.engine }

// Policy is the name and the digest of the policy in force.
func (s *Server) Policy() compiler.PolicyRef {
	p := s.current.Load().policy
	return compiler.PolicyRef{Name: p.Name, Digest: p.Digest}
}

// The times that a connection may take. Writing may take as long as a waiting
// request waits.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = maxWait + 30*time.Second
	idleTimeout   = 2 * time.Minute
	drainTimeout  = 10 * time.Second
)

// Serve answers on the listener, with TLS when a configuration is given, and
// reloads the policy when its files change, until the context ends. Then it
// lets the requests that run finish, and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener, t *tls.Config) error {
	h := &http.Server{
		Handler: s.engine, TLSConfig: t, MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	watching, stop := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() { s.policyFiles().watch(watching) })
	if s.Access.file != "" {
		watched.Go(func() { s.tokensFile().watch(watching) })
	}
	if s.desk != nil {
		watched.Go(func() { s.desk.watch(watching) })
		watched.Go(func() { s.desk.retain(watching) })
	}
	failed := make(chan error, 1)
	go func() {
		if t != nil {
			failed <- h.ServeTLS(l, "", "")
			return
		}
		failed <- h.Serve(l)
	}()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		close(s.stopping) // whoever waits for a change is answered
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		err = h.Shutdown(drain)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			err = h.Close()
		}
		<-failed
	}
	stop()
	watched.Wait()
	return err
}
