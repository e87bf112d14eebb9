// Package store owns what the service keeps on disk: the log of what happened
// in sessions, and the rows that are read off it, in one SQLite file. A change is
// one transaction: its events and its rows are written together or not at all,
// and they are on the disk when Update returns.
//
// It knows no rules. What may follow on what is decided before.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// File is the name of the database in the data folder.
const File = "modegate.db"

// version is that of the tables, kept in the file's user_version.
const version = 1

const schema = `
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
`

// Store is the open database. It may be used by many at once; one process
// alone may have a data folder open.
type Store struct {
	db   *sql.DB
	lock *os.File
	fail func() error // tests: what a commit meets
}

// Open opens the database of a data folder, and makes it when there is none.
func Open(dir string) (*Store, error) {
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	s, err := open(filepath.Join(dir, File))
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s.lock = lock
	return s, nil
}

func open(path string) (*Store, error) {
	// The file is made here, so that it is its owner's alone from the start.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	options := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: absolute, RawQuery: options.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	s := &Store{db: db}
	if err := s.migrate(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
	}
	return s, nil
}

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
	switch found {
	case version:
		return nil
	case 0:
	default:
		return fmt.Errorf("its tables are of version %d, this build knows version %d", found, version)
	}
	if _, err := tx.Exec(schema); err != nil {
		return err
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		return err
	}
	return tx.Commit()
}

// Close ends the use of the database.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// Tx is a change that is being written.
type Tx struct {
	ctx context.Context
	tx  *sql.Tx
}

// Update writes a change. An error of f's, or of the disk's, leaves nothing of
// it. The change isn't given up when ctx ends: whoever asked for it may be gone,
// what was decided holds.
func (s *Store) Update(ctx context.Context, f func(*Tx) error) error {
	ctx = context.WithoutCancel(ctx)
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing to undo after a commit
	if err := f(&Tx{ctx, tx}); err != nil {
		return err
	}
	if s.fail != nil {
		if err := s.fail(); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// FailCommits lets f say whether the next changes can be written, for tests of
// what follows when they can't.
func (s *Store) FailCommits(f func() error) { s.fail = f }
