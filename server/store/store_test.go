package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/modegate/modegate/server/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, s *store.Store, f func(*store.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

func TestAChangeIsWholeOrNothing(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir())
	defer s.Close()
	both := func(tx *store.Tx) error {
		_, err := tx.Append(store.Event{At: time.Now(), Type: "a", Session: "s", Request: "r", Data: []byte("{}")})
		return errors.Join(err, tx.PutApproval("r", "s", "pending", 1, []byte("{}")))
	}
	wrong := errors.New("no")
	if err := s.Update(ctx, func(tx *store.Tx) error { return errors.Join(both(tx), wrong) }); !errors.Is(err, wrong) {
		t.Error(err)
	}
	s.FailCommits(func() error { return wrong })
	if err := s.Update(ctx, both); !errors.Is(err, wrong) {
		t.Error(err)
	}
	s.FailCommits(nil)
	if rows, err := s.Approvals(ctx, "pending", 10); err != nil || len(rows) != 0 {
		t.Errorf("a row of a change that failed: %v, %v", rows, err)
	}
	if last, err := s.Last(ctx); err != nil || last != 0 {
		t.Errorf("an event of a change that failed: %d, %v", last, err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Update(gone, both); err != nil {
		t.Errorf("whoever asked is gone, and the change with them: %v", err)
	}
	if rows, err := s.Approvals(ctx, "pending", 10); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestTheLog(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := open(t, dir)
	at := time.Date(2026, 11, 30, 12, 0, 0, 5e6, time.UTC)
	write(t, s, func(tx *store.Tx) error {
		for _, e := range []store.Event{
			{Type: "asked", Session: "a", Request: "1", Native: "n", Data: []byte(`{"is":"asked"}`), Private: []byte(`{}`)},
			{Type: "asked", Session: "b", Request: "2", Native: "n", Data: []byte(`{"is":"asked"}`)},
			{Type: "other", Session: "a", Data: []byte(`{}`)},
			{Type: "answered", Session: "b", Request: "2", Data: []byte(`{"is":"answered"}`)},
			{Type: "done", Session: "a", Request: "1", Data: []byte(`{"is":"done"}`)},
		} {
			e.At = at
			if _, err := tx.Append(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	defer s.Close()
	if list, err := s.After(ctx, 1, "a", 10); err != nil || len(list) != 2 || list[0].Seq != 3 || list[1].Seq != 5 || !list[0].At.Equal(at) {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := s.After(ctx, 0, "", 3); err != nil || len(list) != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if e, ok, err := s.Opened(ctx, "b", "n"); err != nil || !ok || e.Request != "2" {
		t.Errorf("%+v, %v", e, err)
	}
	if list, err := s.Unsettled(ctx, "asked", "done"); err != nil || len(list) != 1 || list[0].Request != "2" || string(list[0].Data) != `{"is":"answered"}` {
		t.Errorf("%+v, %v", list, err)
	}
	if rows, err := s.Asked(ctx, "asked", 10); err != nil || len(rows) != 2 || string(rows[1].Data) != `{"is":"done"}` {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestTheFolderIsOnesOwn(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := store.Open(dir); err == nil {
		t.Error("two services have one folder open")
	}
	for _, name := range []string{store.File, store.File + "-wal", store.File + ".lock"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, store.File), []byte("this is no database, whatever it is called, and long enough"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(dir); err == nil {
		t.Error("what is no database is opened")
	}
	again := open(t, t.TempDir())
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
