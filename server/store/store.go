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
