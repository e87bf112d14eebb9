package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/server/store"
)

// kept is what a session is for the test's own second opinion.
type kept struct {
	closed int // minute, 0 while it is open
	seqs   []int64
}

// Whatever sessions do: pruning removes those that are closed long enough or are
// too many, wholly, and nothing else; and it says up to where the log has holes.
func TestPruning(t *testing.T) {
	ctx := context.Background()
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	dirs := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(dirs, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		model := map[string]*kept{}
		var pruned, last int64
		minute := 0
		do := func(f func(*store.Tx) error) {
			t.Helper()
			if err := s.Update(ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			minute++
			id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "session")
			one := model[id]
			switch what := rapid.SampledFrom([]string{"happens", "happens", "closes", "prune"}).Draw(t, "what"); {
			case what == "prune":
				age, keep := rapid.IntRange(0, 20).Draw(t, "age"), rapid.IntRange(-1, 3).Draw(t, "keep")
				gone := overdue(model, minute-age, keep)
				got, err := s.Prune(ctx, start.Add(time.Duration(minute-age)*time.Minute), keep)
				if err != nil || got != len(gone) {
					t.Fatalf("%d are pruned, want %v: %v", got, gone, err)
				}
				for _, id := range gone {
					pruned = max(pruned, slices.Max(model[id].seqs))
					delete(model, id)
				}
			case what == "closes" && one != nil && one.closed == 0:
				one.closed = minute
				do(func(tx *store.Tx) error {
					return tx.CloseSession(id, start.Add(time.Duration(minute)*time.Minute), []byte(fmt.Sprintf("%q", id)))
				})
			case what == "happens":
				if one == nil {
					one = &kept{}
					model[id] = one
				}
				one.closed = 0 // opened again, perhaps
				do(func(tx *store.Tx) error {
					var err error
					if last, err = tx.Append(store.Event{At: start, Type: "t", Session: id, Request: fmt.Sprint("r", last), Data: []byte("{}")}); err != nil {
						return err
					}
					one.seqs = append(one.seqs, last)
					if err := tx.PutApproval(fmt.Sprint("r", last), id, "done", last, []byte("{}")); err != nil {
						return err
					}
					if err := tx.PutTurn(id, fmt.Sprint("t", last), true, []byte("{}")); err != nil {
						return err
					}
					return tx.PutSession(id, []byte(fmt.Sprintf("%q", id)))
				})
			}
		}
		approvals := 0
		for _, id := range []string{"a", "b", "c", "d"} {
			var want, got []int64
			if one := model[id]; one != nil {
				want = one.seqs
				approvals += len(want)
				for _, seq := range want {
					if data, err := s.Turn(ctx, id, fmt.Sprint("t", seq)); err != nil || data == nil {
						t.Fatalf("a turn of %s is gone: %v", id, err)
					}
				}
			}
			list, err := s.After(ctx, 0, id, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				got = append(got, e.Seq)
			}
			if !slices.Equal(want, got) {
				t.Fatalf("%s has the events %v, want %v", id, got, want)
			}
		}
		if rows, err := s.Approvals(ctx, "done", 100); err != nil || len(rows) != approvals {
			t.Fatalf("%d approvals, want %d: %v", len(rows), approvals, err)
		}
		if got, err := s.Pruned(ctx); err != nil || got != pruned {
			t.Fatalf("pruned up to %d, want %d: %v", got, pruned, err)
		}
		if got, err := s.Last(ctx); err != nil || got != last {
			t.Fatalf("the last event is %d, want %d: %v", got, last, err)
		}
		open, err := s.Sessions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var closed []store.ClosedSession
		for after := ""; ; {
			page, err := s.Closed(ctx, after, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			closed = append(closed, page[0])
			after = page[0].ID
			if string(page[0].Data) != fmt.Sprintf("%q", after) {
				t.Fatalf("the row of %s is %s", after, page[0].Data)
			}
		}
		wantOpen := 0
		for _, one := range model {
			if one.closed == 0 {
				wantOpen++
			}
		}
		if len(open) != wantOpen || len(closed) != len(model)-wantOpen {
			t.Fatalf("%d are open and %d closed, want %d and %d", len(open), len(closed), wantOpen, len(model)-wantOpen)
		}
		for i := 1; i < len(closed); i++ {
			if a, b := model[closed[i-1].ID], model[closed[i].ID]; a.closed < b.closed {
				t.Fatal("the closed ones aren't in order")
			}
		}
	})
}

// overdue are the sessions to prune, by another way than the store's.
func overdue(model map[string]*kept, before, keep int) (gone []string) {
	for id, one := range model {
		later := 0
		for other, o := range model {
			if o.closed > one.closed || o.closed == one.closed && other > id {
				later++
			}
		}
		if one.closed > 0 && (one.closed < before || keep >= 0 && later >= keep) {
			gone = append(gone, id)
		}
	}
	return gone
}

// A file of the first version is taken over: what was closed in it is known, and
// can be pruned.
func TestTablesOfTheFirstVersion(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	text, err := os.ReadFile("testdata/v1.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, store.File))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(string(text)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s := open(t, dir)
		if list, err := s.Sessions(ctx); err != nil || len(list) != 1 || string(list[0]) != `{"id":"a"}` {
			t.Errorf("%s, %v", list, err)
		}
		if list, err := s.Closed(ctx, "", 10); err != nil || len(list) != 1 {
			t.Errorf("%s, %v", list, err)
		}
		if n, err := s.Prune(ctx, time.UnixMilli(3000), -1); err != nil || n != 0 {
			t.Errorf("%d, %v", n, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dir)
	defer s.Close()
	if n, err := s.Prune(ctx, time.UnixMilli(3001), -1); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	list, err := s.After(ctx, 0, "", 10)
	if err != nil || len(list) != 2 || list[1].Seq != 4 {
		t.Errorf("%+v, %v", list, err)
	}
	if seq, err := s.Pruned(ctx); err != nil || seq != 3 {
		t.Errorf("%d, %v", seq, err)
	}
}

// A file of a later version isn't touched.
func TestTablesOfALaterVersion(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, store.File))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(dir); err == nil {
		t.Error("it is opened")
	}
}
