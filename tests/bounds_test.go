package tests

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/cells/bounds"
)

// The README states the bounds as they are.
func TestBoundsAreStated(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for row, most := range map[string]int64{
		"a message from a client or a cell's process | %d bytes": bounds.Message,
		"what waits for a client that does not read | %d bytes":  bounds.Backlog,
		"what one stream of one cell prints | %d bytes":          bounds.Output,
		"nodes of a tape | %d":                                   bounds.Nodes,
		"one payload | %d bytes":                                 bounds.Payload,
		"elements that a reading's run holds at once | %d":       bounds.Run,
	} {
		if want := "| " + fmt.Sprintf(row, most) + " |"; !strings.Contains(string(text), want) {
			t.Errorf("the README has no row %q", want)
		}
	}
}
