// Package session is the notebook's state: one tape that every cell appends to,
// the names and the parameters that go with it, and the segments that say which
// cell recorded what. It implements [server.Engine].
//
// A cell is a transaction. What it records and names is kept when it has ended
// well and is gone otherwise; parameters kept of nodes that were there before
// the cell stay kept, and so do the steps of a training. Running the cell that
// recorded last again replaces its segment; running an earlier one again appends a
// new one, and the old one leaves the tape when nothing reads it any more and the
// rest stands in order. %rerecord puts it in order at once.
//
// Tape cells are recorded here. A Go cell runs in a process of its own, which
// reaches the session through a Unix socket and a ledger (packages cells,
// cells/wire and cells/ledger); its recording is taken over once the process has
// ended.
//
// The package renders nothing and speaks no Jupyter: it hands readings to
// package render and bundles to the server's Output.
package session
