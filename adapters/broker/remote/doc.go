// Package remote owns a run's side of a modegate service: the session that the
// run is there, the rules that it gets, and the requests that it brings to the
// service's inbox and answers as is decided there.
//
// A [Client] speaks HTTP and nothing else; what the service says is decoded
// strictly, and what isn't understood is an error. A [Session] is one session of
// an agent at the service. A [Person] brings what the agent asks there: a run that
// has one asks whoever decides in the inbox, and needs nothing else.
//
// The service is trusted with what is decided, not with more: answers are
// performed only by a [broker.Performer], which refuses steps that don't say
// them. A service that is lost allows nothing: what waits is refused, and the run
// fails.
package remote
