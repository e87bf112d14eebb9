package server

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"
)

// sessions are the browsers that have signed in, and the codes that sign one in.
// Both are kept hashed, in memory.
type sessions struct {
	mu    sync.Mutex
	codes map[[sha256.Size]byte]*Identity
	byID  map[[sha256.Size]byte]session
}

type session struct {
	who  *Identity
	ends time.Time
}

const (
	sessionLife = 12 * time.Hour
	maxSessions = 1000
)

// SignInCode makes a code that signs one browser in, once, as whoever holds the
// token; "" when nobody does.
func (s *Server) SignInCode(token string) string {
	who := s.Access.find(token)
	if who == nil {
		return ""
	}
	code := rand.Text()
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	if s.sessions.codes == nil {
		s.sessions.codes = map[[sha256.Size]byte]*Identity{}
	}
	s.sessions.codes[sha256.Sum256([]byte(code))] = who
	return code
}

// redeem takes a code, which is then worth nothing.
func (l *sessions) redeem(code string) *Identity {
	l.mu.Lock()
	defer l.mu.Unlock()
	hash := sha256.Sum256([]byte(code))
	who := l.codes[hash]
	delete(l.codes, hash)
	if who == nil || who.gone() {
		return nil
	}
	return who
}

// open starts a session. When there are too many, those that have ended are
// forgotten, then all.
func (l *sessions) open(who *Identity) (id string) {
	id = rand.Text() + rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for hash, old := range l.byID {
		if len(l.byID) >= maxSessions && now.After(old.ends) {
			delete(l.byID, hash)
		}
	}
	if l.byID == nil || len(l.byID) >= maxSessions {
		l.byID = map[[sha256.Size]byte]session{}
	}
	l.byID[sha256.Sum256([]byte(id))] = session{who: who, ends: now.Add(sessionLife)}
	return id
}

func (l *sessions) find(id string) *Identity {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.byID[sha256.Sum256([]byte(id))]
	if !ok || time.Now().After(one.ends) || one.who.gone() {
		return nil
	}
	return one.who
}

func (l *sessions) close(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.byID, sha256.Sum256([]byte(id)))
}

// cookieName is bound to the host where it can be. Browsers send the cookies of
// one port to the others of a machine, so the name has the port.
func (s *Server) cookieName(r *http.Request) string {
	if r.TLS != nil {
		return "__Host-modegate"
	}
	_, port, _ := strings.Cut(r.Host[strings.LastIndexByte(r.Host, ']')+1:], ":")
	return "modegate-" + port
}

func (s *Server) setCookie(c *call, value string, life time.Duration) {
	http.SetCookie(c.Writer, &http.Cookie{
		Name: s.cookieName(c.Request), Value: value, Path: "/", MaxAge: int(life / time.Second),
		HttpOnly: true, Secure: c.Request.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
}

// getSignIn is the address that is printed when the service starts.
func getSignIn(s *Server, c *call) {
	who := s.sessions.redeem(c.Query("code"))
	if who == nil {
		if p := s.failed(); p.Status != http.StatusUnauthorized {
			c.refuse(p)
			return
		}
		c.refuse(newProblem(http.StatusUnauthorized, "unauthorized", "the code is wrong, or was used before: sign in with a token on the page, or start the service anew"))
		return
	}
	s.setCookie(c, s.sessions.open(who), sessionLife)
	h := c.Writer.Header()
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Location", "/")
	c.write(http.StatusSeeOther, []string{"text/plain; charset=utf-8"}, []byte("signed in\n"))
}

// me is who has signed in.
type me struct {
	Name   string  `json:"name"`
	Scopes []Scope `json:"scopes"`
}

// postSignIn opens a browser's session for a token.
func postSignIn(s *Server, c *call) {
	var in struct {
		Token string `json:"token"`
	}
	c.browser = true // it sets a cookie, so it has to come from a page of ours
	if p := c.decode(&in); p != nil {
		c.refuse(p)
		return
	}
	if r := c.Request; r.Header.Get("Origin") == "" || sameSite(r) != nil {
		c.refuse(forbidden("only a page of ours signs a browser in"))
		return
	}
	who := s.Access.find(in.Token)
	if who == nil {
		c.refuse(s.failed())
		return
	}
	s.setCookie(c, s.sessions.open(who), sessionLife)
	c.reply(http.StatusOK, me{who.Name, who.Scopes})
}

// postSignOut ends the browser's session.
func postSignOut(s *Server, c *call) {
	if _, p := c.body(); p != nil && p.Status != http.StatusUnsupportedMediaType {
		c.refuse(p)
		return
	}
	if cookie, err := c.Request.Cookie(s.cookieName(c.Request)); err == nil {
		s.sessions.close(cookie.Value)
	}
	s.setCookie(c, "", -time.Second)
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
}

func getMe(_ *Server, c *call) { c.reply(http.StatusOK, me{c.who.Name, c.who.Scopes}) }
