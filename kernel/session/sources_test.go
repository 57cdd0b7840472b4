package session

import (
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/image"
)

// A node's source is one word away, and the word is found by asking what it is.
func TestC44SourcesAreOneWord(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "w = parameter [2] {1, 2}", "loss = sum(w * w)")
	if got := d.must("", "%why loss"); !strings.Contains(got, "line 3") || !strings.Contains(got, "Sum") {
		t.Errorf("%%why loss says\n%s", got)
	}
	data, ok := d.Inspect("%why", 4, 0)
	if text, _ := data["text/plain"].(string); !ok || !strings.Contains(text, "which line recorded a node") {
		t.Errorf("inspected: %v", data)
	}
	if got := d.must("", "%help"); !strings.Contains(got, "%why NODE") {
		t.Errorf("help does not list it\n%s", got)
	}
}

// An image that asks for a backend the kernel lacks runs all the same, and says
// which one is declined, and why.
func TestC38DeclinedBackend(t *testing.T) {
	t.Setenv(image.Variable, "interpreter,xla")
	d := newDesk(t)
	got := d.must("", "%backends")
	for _, want := range []string{"interpreter  ready\n", "Xla          declined: this build", "Cuda         off in this image\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if got := d.tape("a", "x = leaf 3", "%values x"); !strings.Contains(got, "3") {
		t.Errorf("a cell answers %q", got)
	}
}
