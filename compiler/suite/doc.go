// Package suite owns the running of a policy's tests: each test in every cell that
// it chooses, judged on the native bytes of that cell by the code that answers
// eval, and what the tests cover. It writes reports as a table, JSON and JUnit XML.
package suite
