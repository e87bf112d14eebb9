package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// PutSession writes the row of a session that is open.
func (tx *Tx) PutSession(id string, data []byte) error {
	return tx.exec("INSERT INTO sessions (id, data) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET data = excluded.data, closed = NULL", id, data)
}

// CloseSession writes that a session is closed. Its row and its history stay
// until they are pruned, or the session is opened again.
func (tx *Tx) CloseSession(id string, at time.Time, data []byte) error {
	return tx.exec("UPDATE sessions SET data = ?, closed = ? WHERE id = ?", data, at.UnixMilli(), id)
}

// Sessions lists the data of every session that is open.
func (s *Store) Sessions(ctx context.Context) ([][]byte, error) {
	return s.data(ctx, "SELECT data FROM sessions WHERE closed IS NULL ORDER BY id")
}

// ClosedSession is the row of a session that is closed.
type ClosedSession struct {
	ID   string
	Data []byte // "{}" when it was closed before rows were kept
}

// Closed lists at most n closed sessions, the last closed first: from the start,
// or after one of them.
func (s *Store) Closed(ctx context.Context, after string, n int) (out []ClosedSession, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, data FROM sessions WHERE closed IS NOT NULL AND (? = '' OR (closed, id) < (SELECT closed, id FROM sessions WHERE id = ?))
		ORDER BY closed DESC, id DESC LIMIT ?`, after, after, n)
	if err != nil {
		return nil, err
	}
	defer closeRows(rows, &err)
	for rows.Next() {
		var c ClosedSession
		if err := rows.Scan(&c.ID, &c.Data); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}

// PutTurn writes a turn's row.
func (tx *Tx) PutTurn(session, id string, ended bool, data []byte) error {
	return tx.exec(`INSERT INTO turns (session, id, ended, data) VALUES (?, ?, ?, ?)
		ON CONFLICT (session, id) DO UPDATE SET ended = excluded.ended, data = excluded.data`, session, id, ended, data)
}

// Turn reads a turn's data, nil when there is none.
func (s *Store) Turn(ctx context.Context, session, id string) (data []byte, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT data FROM turns WHERE session = ? AND id = ?", session, id).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return data, err
}

// Running lists the data of the turns that haven't ended.
func (s *Store) Running(ctx context.Context) ([][]byte, error) {
	return s.data(ctx, "SELECT data FROM turns WHERE ended = 0 ORDER BY session, id")
}

// PutApproval writes an approval's row. A new one gets its place in the order
// of opening from opened; later that stays.
func (tx *Tx) PutApproval(id, session, state string, opened int64, data []byte) error {
	return tx.exec(`INSERT INTO approvals (id, session, state, opened, data) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET state = excluded.state, data = excluded.data`, id, session, state, opened, data)
}

// Row is the data of a row, with its place in the order of opening.
type Row struct {
	Seq  int64
	Data []byte
}

// Approvals lists at most n approvals of a state, the last opened.
func (s *Store) Approvals(ctx context.Context, state string, n int) ([]Row, error) {
	return s.rows(ctx, "SELECT opened, data FROM approvals WHERE state = ? ORDER BY opened DESC LIMIT ?", state, n)
}

// Asked lists the last event of each of the n questions that were opened last.
// Questions have no rows of their own: their state is what their last event says.
func (s *Store) Asked(ctx context.Context, opening string, n int) ([]Row, error) {
	return s.rows(ctx, `SELECT o.seq, (SELECT l.data FROM events l WHERE l.request = o.request AND l.request <> '' ORDER BY l.seq DESC LIMIT 1)
		FROM events o WHERE o.type = ? ORDER BY o.seq DESC LIMIT ?`, opening, n)
}

// Unsettled lists the requests whose life hasn't ended: the last event of each
// that was opened and has none that settles it.
func (s *Store) Unsettled(ctx context.Context, opening, settling string) ([]Event, error) {
	return s.events(ctx, `SELECT l.seq, l.at, l.type, l.session, l.turn, l.request, o.native, l.data, o.private
		FROM events o JOIN events l ON l.seq = (SELECT max(m.seq) FROM events m WHERE m.request = o.request AND m.request <> '')
		WHERE o.type = ? AND NOT EXISTS (SELECT 1 FROM events e WHERE e.request = o.request AND e.request <> '' AND e.type = ?)
		ORDER BY o.seq`, opening, settling)
}

func (tx *Tx) exec(query string, args ...any) error {
	_, err := tx.tx.ExecContext(tx.ctx, query, args...)
	return err
}

func (s *Store) data(ctx context.Context, query string, args ...any) (out [][]byte, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer closeRows(rows, &err)
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, rows.Err()
}

func (s *Store) rows(ctx context.Context, query string, args ...any) (out []Row, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer closeRows(rows, &err)
	for rows.Next() {
		var r Row
		if err := rows.Scan(&r.Seq, &r.Data); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}
