// Package server is the kernel as Jupyter sees it: five sockets, one queue of
// cells, and an answer to every request.
//
// It knows nothing of tapes. A cell is opened with an [Engine], which answers
// cells of its own and brackets those that GoNB runs; package gonb runs Go; package
// process says how a Go program ended. The server puts these together so that
// what a client is told is true:
//
//   - Every request is answered on the socket it came from, also while a cell runs.
//   - Of a cell, everything it wrote comes before its reply, and its one idle
//     status comes strictly last.
//   - A cell that failed says so, exactly once, whatever ran it.
package server
