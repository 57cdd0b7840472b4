package language

import (
	"slices"
	"strconv"
	"testing"

	"github.com/topos-notebook/topos/topos"
)

// named lists the names in force, oldest first.
func named(n *Names) (all []string) {
	for name, at := range n.All() {
		all = append(all, name+at.String())
	}
	return all
}

func TestNamesStandInTheOrderOfTheirLastBinding(t *testing.T) {
	tape := topos.New(topos.F32)
	x, y := tape.Leaf(nil, 1), tape.Leaf(nil, 2)
	var n Names
	n.Bind("a", x)
	n.Bind("b", x)
	n.Bind("a", y)
	copied := n.Clone()
	n.Unbind("b")
	n.Unbind("none")
	n.Bind("c", x)
	for range 100 { // what is bound again leaves nothing behind
		n.Bind("d", x)
		n.Bind("c", y)
	}
	if got, want := named(&n), []string{"a#1", "d#0", "c#1"}; !slices.Equal(got, want) || n.Len() != 3 {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := named(copied), []string{"b#0", "a#1"}; !slices.Equal(got, want) {
		t.Errorf("the copy: %v, want %v", got, want)
	}
	if _, ok := n.Lookup("b"); ok {
		t.Error("a name that was unbound is found")
	}
	if len(n.order) > 30 {
		t.Errorf("%d bindings are held for 3 names", len(n.order))
	}
}

// A cell of many names that runs again binds each of them again.
func BenchmarkBindAgain(b *testing.B) {
	tape := topos.New(topos.F32)
	x := tape.Leaf(nil, 1)
	var n Names
	names := make([]string, 100_000)
	for i := range names {
		names[i] = "a" + strconv.Itoa(i)
		n.Bind(names[i], x)
	}
	for i := 0; b.Loop(); i++ {
		n.Bind(names[i%len(names)], x)
	}
}
