package server

import (
	"net/http"
	"time"

	"github.com/modegate/modegate/internal/strictjson"
)

// getSessionRuleset answers with a session's RuleSet, its grants included. A
// client that has it already gets 304, when it asked to wait only after a change
// has been waited for.
func getSessionRuleset(d *desk, c *call) {
	wait, p := c.wait()
	if p != nil {
		c.refuse(p)
		return
	}
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	for {
		changed := d.changes()
		out, snap, p := d.rulesetOf(c)
		c.under(snap)
		if p != nil {
			c.refuse(p)
			return
		}
		c.Writer.Header()["Etag"] = out.etag
		if !matches(c.Request.Header["If-None-Match"], out.etag[0]) {
			c.answer(http.StatusOK, out.body)
			return
		}
		if wait == 0 || !d.await(c, changed, timeout.C) {
			c.Status(http.StatusNotModified)
			c.Writer.WriteHeaderNow()
			return
		}
	}
}

func (d *desk) rulesetOf(c *call) (encoded, *snapshot, *problem) {
	ch, end := d.begin(c.Request.Context(), c.who.Name)
	defer end()
	a := ch.session(c.Param("id"))
	if a == nil {
		return encoded{}, ch.snap, noSession(c.Param("id"))
	}
	compiled, err := ch.compile(a)
	if err != nil {
		return encoded{}, ch.snap, uncompilable(err)
	}
	body, err := strictjson.Encode(compiled.RuleSet)
	if err != nil {
		return encoded{}, ch.snap, newProblem(http.StatusInternalServerError, "internal", err.Error())
	}
	return encoded{body, []string{etag(compiled.RuleSet.Digest)}}, ch.snap, nil
}

// await returns true when something may have changed.
func (d *desk) await(c *call, changed <-chan struct{}, timeout <-chan time.Time) bool {
	select {
	case <-changed:
		return true
	case <-c.snap.changed:
		return true
	case <-timeout:
	case <-c.who.revoked:
	case <-d.s.stopping:
	case <-c.Request.Context().Done():
	}
	return false
}
