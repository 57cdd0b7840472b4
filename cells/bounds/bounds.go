// Package bounds states what a session may take of the machine. The README has the
// same list; a test compares the two.
package bounds

import "fmt"

const (
	// Message is the largest message that a Jupyter client may send, and the
	// largest that a cell's process and the kernel send each other, in bytes. A
	// connection that brings more is closed.
	Message = 256 << 20
	// Backlog is how much may wait for a client that does not read, in bytes. One
	// that falls further behind is cut off.
	Backlog = 128 << 20
	// Output is what one stream of one cell may bring, in bytes. Of more, the
	// beginning and the end are shown, and how much was between them.
	Output = 1 << 20
	// Nodes is how many a session's tape may hold. A cell that records more is
	// refused as a whole.
	Nodes = 1 << 26
	// Payload is the largest that a session may hold, in bytes. A larger one is
	// refused where it is recorded or kept.
	Payload = 4 << 30
	// Run is how many elements a run of the kernel may hold at once. A reading
	// that would take more is refused.
	Run = 1 << 28
)

// Tape refuses a tape of too many nodes.
func Tape(nodes int) error {
	if nodes > Nodes {
		return fmt.Errorf("a session's tape holds at most %d nodes", Nodes)
	}
	return nil
}

// OfPayload refuses a payload of too many bytes.
func OfPayload(bytes int64) error {
	if bytes > Payload {
		return fmt.Errorf("a payload of %d bytes: a session's have at most %d", bytes, int64(Payload))
	}
	return nil
}
