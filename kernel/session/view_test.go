package session

import (
	"reflect"
	"testing"
)

// What completion and inspection know is the same whether or not an earlier view
// was there to take lines from.
func TestView(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct{ id, code string }{
		{"a", "%%tape\nx = input [2] {1, 2}\ny = x * x\nz = sum(y)"},
		{"b", "%%tape\ny = sum(x)\nw = y + z"},
		{"b", "%%tape\ny = x + x\nv = sum(y)"}, // replaces the tail
		{"c", "%%tape\nx = v * v\nu = x"},
		{"a", "%%tape\nx = input [3] {1, 2, 3}\nz = sum(x)"}, // supersedes
		{"d", "%%tape\nq = nothing"},                         // fails
		{"e", "%%tape\nq = tanh(z)"},
		{"f", "%rerecord"},
		{"g", "%%tape\n%tape new f64\nx = leaf 0.5\nq = x + x"},
		{"h", "%%tape\n%tape new f32\nx = leaf 0.5\nq = x - x"},
	} {
		_, err := d.cell(c.id, c.code)
		if failed := err != nil; failed != (c.id == "d") {
			t.Errorf("%s: %v", c.code, err)
		}
		if got, want := d.scene.Load(), d.notebook.view(&view{}); !reflect.DeepEqual(got, want) {
			t.Errorf("after %s\n%v\nwant\n%v", c.code, got, want)
		}
	}
}
