package store

import "fmt"

// migrations make the tables, and bring those of an earlier build up to date.
// The number of those that a file has had is kept in its user_version.
var migrations = []string{`
CREATE TABLE events (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	at      INTEGER NOT NULL, -- Unix time, milliseconds
	type    TEXT NOT NULL,
	session TEXT NOT NULL,
	turn    TEXT NOT NULL,
	request TEXT NOT NULL,
	native  TEXT NOT NULL,    -- the provider's id of the request that is opened
	data    BLOB NOT NULL,    -- what is shown
	private BLOB              -- what isn't
) STRICT;
CREATE INDEX events_session ON events (session, seq);
CREATE INDEX events_request ON events (request, seq) WHERE request <> '';
CREATE INDEX events_native ON events (session, native, seq) WHERE native <> '';
CREATE INDEX events_type ON events (type, seq);
CREATE TABLE sessions (
	id   TEXT PRIMARY KEY,
	data BLOB NOT NULL
) STRICT;
CREATE TABLE turns (
	session TEXT NOT NULL,
	id      TEXT NOT NULL,
	ended   INTEGER NOT NULL,
	data    BLOB NOT NULL,
	PRIMARY KEY (session, id)
) STRICT;
CREATE TABLE approvals (
	id      TEXT PRIMARY KEY,
	session TEXT NOT NULL,
	state   TEXT NOT NULL,
	opened  INTEGER NOT NULL, -- seq of the event that opened it
	data    BLOB NOT NULL
) STRICT;
CREATE INDEX approvals_state ON approvals (state, opened);
`, `
-- Closed sessions keep their row, so that their history can be found and pruned.
-- Of those that were closed before this, nothing but the history is known.
ALTER TABLE sessions ADD COLUMN closed INTEGER; -- Unix time, milliseconds; NULL while it is open
INSERT INTO sessions (id, closed, data)
	SELECT session, max(at), CAST('{}' AS BLOB) FROM events WHERE session NOT IN (SELECT id FROM sessions) GROUP BY session;
CREATE INDEX sessions_closed ON sessions (closed, id) WHERE closed IS NOT NULL;
CREATE INDEX approvals_session ON approvals (session);
CREATE TABLE log (
	pruned INTEGER NOT NULL -- seq of the last event that was pruned
) STRICT;
INSERT INTO log VALUES (0);
`}

func (s *Store) migrate() error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing to undo after a commit
	var found int
	if err := tx.QueryRow("PRAGMA user_version").Scan(&found); err != nil {
		return err
	}
	if found > len(migrations) {
		return fmt.Errorf("its tables are of version %d, this build knows version %d", found, len(migrations))
	}
	for _, statements := range migrations[found:] {
		if _, err := tx.Exec(statements); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", len(migrations))); err != nil {
		return err
	}
	return tx.Commit()
}
