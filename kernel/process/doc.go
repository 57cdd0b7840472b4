// Package process builds, runs and judges the processes of Go cells, from
// outside GoNB.
//
// GoNB compiles a cell with the go command it finds first in its PATH and then
// runs the binary. A Supervisor puts the launcher (package kernel/launch) in
// both places. So it knows how the program ended, which GoNB hides, receives
// what it writes, which GoNB sends in pieces of one line, and can interrupt a
// build, which GoNB cannot.
//
// A Job is one cell: begun before the cell is sent to GoNB, ended after GoNB
// has said that it is idle. There is at most one at a time.
//
// The package does not talk to Jupyter and does not parse Go. What it promises:
// no text of a cell's process reaches the sink after End has returned, and
// nothing it reports names a temporary folder.
package process
