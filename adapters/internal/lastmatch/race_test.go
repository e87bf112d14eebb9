//go:build race

package lastmatch

// Under the race detector a sync.Pool forgets at random what it was given, so
// that a call which reuses a buffer allocates now and then.
func init() { poolForgets = true }
