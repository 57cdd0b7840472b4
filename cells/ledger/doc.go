// Package ledger is the file through which a cell's process hands what it
// records to the process that owns the session.
//
// A ledger is mapped into memory by its one writer: an entry's bytes are stored
// first, then the published length in the header is raised past them. Recording
// a node therefore costs no system call, and what was published is readable
// however the writer ended, SIGKILL included. The file ends where the published
// length says; bytes beyond it mean nothing.
//
// It is no journal: it survives its writer, not the machine, and it is read
// once, after the cell has ended.
package ledger
