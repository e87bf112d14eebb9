package store

import (
	"context"
	"errors"
	"time"
)

// pruneBatch is how many sessions are pruned in one change: others who write wait
// no longer than it takes.
const pruneBatch = 10

// Prune removes the rows and the history of closed sessions: of those that were
// closed before a time, and of all but the last closed ones when keep isn't
// negative. What is open is never touched. It returns how many it removed.
func (s *Store) Prune(ctx context.Context, before time.Time, keep int) (sessions int, err error) {
	for {
		n := 0
		err := s.Update(ctx, func(tx *Tx) (err error) {
			n, err = tx.prune(before, keep)
			return err
		})
		sessions += n
		if err != nil || n < pruneBatch || ctx.Err() != nil {
			return sessions, err
		}
	}
}

func (tx *Tx) prune(before time.Time, keep int) (n int, err error) {
	ids, err := tx.texts(`SELECT id FROM sessions WHERE closed IS NOT NULL AND (closed < ? OR ? >= 0 AND id IN
		(SELECT id FROM sessions WHERE closed IS NOT NULL ORDER BY closed DESC, id DESC LIMIT -1 OFFSET max(?, 0)))
		ORDER BY closed, id LIMIT ?`, before.UnixMilli(), keep, keep, pruneBatch)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		err = errors.Join(err,
			tx.exec("UPDATE log SET pruned = max(pruned, (SELECT coalesce(max(seq), 0) FROM events WHERE session = ?))", id),
			tx.exec("DELETE FROM events WHERE session = ?", id),
			tx.exec("DELETE FROM approvals WHERE session = ?", id),
			tx.exec("DELETE FROM turns WHERE session = ?", id),
			tx.exec("DELETE FROM sessions WHERE id = ?", id))
	}
	return len(ids), err
}

func (tx *Tx) texts(query string, args ...any) (out []string, err error) {
	rows, err := tx.tx.QueryContext(tx.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer closeRows(rows, &err)
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, rows.Err()
}

// Pruned is the number of the last event that was pruned, 0 when none was. Of
// the events before it some may be missing, of those after it none is.
func (s *Store) Pruned(ctx context.Context) (seq int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT pruned FROM log").Scan(&seq)
	return seq, err
}
