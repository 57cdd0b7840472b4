package session

import (
	"strings"
	"testing"
)

// TestC86TapeCellSaysWhatItRecorded runs the cells of a notebook, some of them
// again: each says what it recorded and where that stands.
func TestC86TapeCellSaysWhatItRecorded(t *testing.T) {
	d := newDesk(t)
	many := "%%tape\n"
	for i := range 14 {
		many += "n" + strings.Repeat("i", i) + " = x\n"
	}
	for _, c := range []struct{ id, code, want string }{
		{"a", "%%tape\nx = input [2] {1, 2}", "segment 1, fresh: node 0: x [2]\n"},
		{"b", "%%tape\nh = x * x\nh = tanh(h)\nl = sum(h)", "segment 2, fresh: nodes 1-3: h [2], l []\n"},
		{"b", "%%tape\nh = x * x\nl = sum(h)", "segment 2, fresh: nodes 1-2: h [2], l []\n"},
		{"c", "%%tape\nother = l", "segment 3, fresh: no new node: other []\n"},
		{"a", "%%tape\nx = input [2] {3, 4}", "segment 4, rerun of 1: node 3: x [2]\nsegment 1 superseded by 4\n"},
		{"d", many, "segment 5, fresh: no new node: n [2], ni [2], nii [2], niii [2], niiii [2], niiiii [2], niiiiii [2], niiiiiii [2], niiiiiiii [2], niiiiiiiii [2], niiiiiiiiii [2], niiiiiiiiiii [2], 2 more\n"},
		{"e", "%%tape\nquiet = x\n%static on", ""},
		{"f", "%%tape\n# nothing\n%static off", ""},
	} {
		got, err := d.cell(c.id, c.code)
		if err != nil || got != c.want {
			t.Errorf("%s\nsays %q, %v\nwant %q", c.code, got, err, c.want)
		}
	}
}
