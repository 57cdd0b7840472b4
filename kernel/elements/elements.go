// Package elements lists the numbers that a notebook's session may be of, and
// those of a program that `topos read` reads. A number of a program's own is not
// among them: it works on a tape of its own.
package elements

import (
	"slices"
	"strings"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/f16"
)

// Default is the element where none is asked for.
const Default = "f32"

// Per holds what is made for each element: a function of one, most often, since
// Go makes generic code for types that it knows.
type Per[V any] struct{ F32, F64, BF16, F16 V }

// Of is what is made for the element of a name.
func (p Per[V]) Of(name string) (V, bool) {
	all := [...]V{p.F32, p.F64, p.BF16, p.F16}
	if i := slices.Index(names, name); i >= 0 {
		return all[i], true
	}
	var none V
	return none, false
}

// names has the default first.
var names = []string{topos.F32.Name(), topos.F64.Name(), topos.BF16.Name(), f16.F16.Name()}

// Known says whether a name is an element's.
func Known(name string) bool { return slices.Contains(names, name) }

// Usage is the choice as a usage line has it: "f32|f64|bf16|f16".
func Usage() string { return strings.Join(names, "|") }

// Listed is the choice in words: "f32, f64, bf16 or f16".
func Listed() string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
