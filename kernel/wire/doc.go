// Package wire speaks the Jupyter messaging protocol, version 5.4, over ZeroMQ.
//
// It turns frames into checked messages and messages into signed frames, reads
// and writes connection files, and owns the sockets. It knows nothing of cells,
// of Go or of tapes.
//
// Three invariants hold throughout:
//
//   - Nothing that arrives from outside can end the process. A message that is
//     unsigned, cut short or no JSON is counted and dropped; a frame or a
//     connection that breaks the transport's rules is closed.
//   - No peer can make another wait: each is written to on a goroutine of its own,
//     and one that falls [MaxBacklog] bytes behind is cut off.
//   - One goroutine owns the sends of a socket, so that messages leave in the
//     order in which they were handed over.
package wire
