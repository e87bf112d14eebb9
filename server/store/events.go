package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Event is a line of the log.
type Event struct {
	Seq     int64
	At      time.Time
	Type    string
	Session string
	Turn    string
	Request string
	Native  string // the provider's id of a request, where one is opened
	Data    []byte // JSON
	Private []byte // JSON that nobody is shown
}

const eventColumns = "seq, at, type, session, turn, request, native, data, private"

// Append writes an event at the end of the log and returns its number.
func (tx *Tx) Append(e Event) (int64, error) {
	out, err := tx.tx.ExecContext(tx.ctx,
		"INSERT INTO events (at, type, session, turn, request, native, data, private) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		e.At.UnixMilli(), e.Type, e.Session, e.Turn, e.Request, e.Native, e.Data, e.Private)
	if err != nil {
		return 0, err
	}
	return out.LastInsertId()
}

// Last is the number of the last event that was written, pruned or not, 0 when
// there was none.
func (s *Store) Last(ctx context.Context) (seq int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'").Scan(&seq)
	return seq, err
}

// After lists at most n events with a higher number, in order: of one session,
// or of all when session is empty.
func (s *Store) After(ctx context.Context, seq int64, session string, n int) ([]Event, error) {
	if session == "" {
		return s.events(ctx, "SELECT "+eventColumns+" FROM events WHERE seq > ? ORDER BY seq LIMIT ?", seq, n)
	}
	return s.events(ctx, "SELECT "+eventColumns+" FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?", session, seq, n)
}

// OfRequest lists the events of a request, in order.
func (s *Store) OfRequest(ctx context.Context, id string) ([]Event, error) {
	return s.events(ctx, "SELECT "+eventColumns+" FROM events WHERE request = ? AND request <> '' ORDER BY seq", id)
}

// Opened finds the event that opened a session's latest request with the
// provider's id.
func (s *Store) Opened(ctx context.Context, session, native string) (Event, bool, error) {
	return one(s.events(ctx, "SELECT "+eventColumns+" FROM events WHERE session = ? AND native = ? AND native <> '' ORDER BY seq DESC LIMIT 1", session, native))
}

// Known reports whether a session has a history.
func (s *Store) Known(ctx context.Context, session string) (bool, error) {
	_, ok, err := one(s.events(ctx, "SELECT "+eventColumns+" FROM events WHERE session = ? ORDER BY seq LIMIT 1", session))
	return ok, err
}

func one(list []Event, err error) (Event, bool, error) {
	if err != nil || len(list) == 0 {
		return Event{}, false, err
	}
	return list[0], true, nil
}

func (s *Store) events(ctx context.Context, query string, args ...any) (out []Event, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer closeRows(rows, &err)
	for rows.Next() {
		var e Event
		var at int64
		if err := rows.Scan(&e.Seq, &at, &e.Type, &e.Session, &e.Turn, &e.Request, &e.Native, &e.Data, &e.Private); err != nil {
			return nil, err
		}
		e.At = time.UnixMilli(at).UTC()
		out = append(out, e)
	}
	return out, rows.Err()
}

func closeRows(rows *sql.Rows, err *error) { *err = errors.Join(*err, rows.Close()) }
