package server

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/modegate/modegate/evaluator"
)

// metrics count what the service does, for Prometheus.
type metrics struct {
	handler  http.Handler
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	reloaded *prometheus.CounterVec
	dropped  prometheus.Counter
	guards   *prometheus.CounterVec
	byRoute  map[*route]*routeMetrics
}

// routeMetrics are a route's own, found without a look-up by label.
type routeMetrics struct {
	ok   prometheus.Counter // status 200
	took prometheus.Observer
}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "modegate_requests_total", Help: "Requests answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "modegate_request_seconds", Help: "How long requests took.",
			Buckets: []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"route", "method"}),
		reloaded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "modegate_policy_reloads_total", Help: "Reloads of the policy, by what came of them: changed, unchanged, failed.",
		}, []string{"result"}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "modegate_event_readers_dropped_total", Help: "Readers of events that were dropped because they were too slow.",
		}),
		guards: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "modegate_guardrail_answers_total", Help: "What guardrails said, each time that one was asked: allow, ask, deny, failed.",
		}, []string{"guardrail", "result"}),
		byRoute: map[*route]*routeMetrics{},
	}
	degraded := func(name, what string, f *atomic.Pointer[failure]) prometheus.GaugeFunc {
		help := "1 while " + what + " on disk is broken and the last good one is in force."
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			if f.Load() != nil {
				return 1
			}
			return 0
		})
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.took, m.reloaded, m.dropped, m.guards, policyInfo{s},
		degraded("modegate_policy_degraded", "the policy", &s.failure), degraded("modegate_guardrails_degraded", "a guardrail", &s.guardFailure),
		degraded("modegate_tokens_degraded", "the file of tokens", &s.tokensFailure),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// add makes the metrics of a route, before the first request.
func (m *metrics) add(r *route) {
	m.byRoute[r] = &routeMetrics{
		ok:   m.requests.WithLabelValues(r.path, method(r), "200"),
		took: m.took.WithLabelValues(r.path, method(r)),
	}
}

// method is a route's, or "any" where none matched: clients make methods up.
func method(r *route) string {
	if r.method == "" {
		return "any"
	}
	return r.method
}

func (m *metrics) request(r *route, status int, took time.Duration) {
	mine := m.byRoute[r]
	mine.took.Observe(took.Seconds())
	if status == http.StatusOK {
		mine.ok.Inc()
		return
	}
	m.requests.WithLabelValues(r.path, method(r), strconv.Itoa(status)).Inc()
}

// guardrail counts what a guardrail said.
func (m *metrics) guardrail(said evaluator.Said) {
	result := said.Effect.String()
	if said.Err != nil {
		result = "failed"
	}
	m.guards.WithLabelValues(said.Name, result).Inc()
}

func (m *metrics) reloads(result string) { m.reloaded.WithLabelValues(result).Inc() }

// policyInfo is a gauge that names the policy in force.
type policyInfo struct{ s *Server }

var policyInfoDesc = prometheus.NewDesc("modegate_policy_info", "The policy in force.", []string{"name", "digest"}, nil)

func (p policyInfo) Describe(ch chan<- *prometheus.Desc) { ch <- policyInfoDesc }

func (p policyInfo) Collect(ch chan<- prometheus.Metric) {
	ref := p.s.Policy()
	ch <- prometheus.MustNewConstMetric(policyInfoDesc, prometheus.GaugeValue, 1, ref.Name, ref.Digest)
}

func getMetrics(s *Server, c *call) { s.metrics.handler.ServeHTTP(c.Writer, c.Request) }
