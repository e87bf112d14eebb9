package policylint

// SetMaxWork bounds the search for what rules decide, until the function that it
// returns is called.
func SetMaxWork(n int) (restore func()) {
	before := maxWork
	maxWork = n
	return func() { maxWork = before }
}
