// Package livetest owns stand-ins for an OpenCode 2 server, since none of its
// binaries can be had: a [Server] whose agent does what a test says, and a
// [Player] that answers as a recorded server did. Both speak the wire of 2.0.18 as
// far as it is recorded or described, and refuse what it would refuse.
package livetest
