package language

import (
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// ArgumentKind says what an argument may be.
type ArgumentKind uint8

// The kinds of arguments.
const (
	ValueArgument   ArgumentKind = iota // an expression
	IntegerArgument                     // a whole number, as written
	ListArgument                        // whole numbers in brackets
)

// Argument is one argument of a function.
type Argument struct {
	Name string
	Kind ArgumentKind
}

// Function is a function of the language as help and completion show it.
type Function struct {
	Name      string
	Arguments []Argument
	Repeats   bool   // the second argument may be given more than once
	Doc       string // one line
}

// Signature is the call with the names of its arguments: "narrow(a, axis, start,
// length)".
func (f *Function) Signature() string {
	var names []string
	for i, a := range f.Arguments {
		names = append(names, a.Name)
		if f.Repeats && i == 1 {
			names = append(names, "...")
		}
	}
	return f.Name + "(" + strings.Join(names, ", ") + ")"
}

// counted says how many arguments there are.
func (f *Function) counted() string {
	most := ""
	if f.Repeats {
		most = "at least "
	}
	if n := len(f.Arguments); n != 1 {
		return fmt.Sprintf("%s%d arguments", most, n)
	}
	return most + "1 argument"
}

// repeated gives the arguments of a call that has n of them.
func (f *Function) repeated(n int) []Argument {
	arguments := f.Arguments[:2:2]
	for range n - len(f.Arguments) {
		arguments = append(arguments, f.Arguments[1])
	}
	return append(arguments, f.Arguments[2:]...)
}

// Functions lists the functions of the language, in the order of the table.
func Functions() []Function {
	list := make([]Function, 0, len(functionNames))
	for _, e := range table() {
		list = append(list, e.Function)
	}
	return list
}

var (
	functionNames []string
	functionAt    = map[string]*entry{}
)

func init() {
	for _, e := range table() {
		functionNames = append(functionNames, e.Name)
		functionAt[e.Name] = &e
	}
}

func lookup(name string) (*Function, bool) {
	e, ok := functionAt[name]
	if !ok {
		return nil, false
	}
	return &e.Function, true
}

// given are the arguments of one call.
type given struct {
	values   []topos.Trace
	integers []int
	list     []int
}

// entry is a row of the table: a function and what it records.
type entry struct {
	Function
	record func(given) topos.Trace
}

func row(name string, arguments []Argument, doc string, record func(given) topos.Trace) entry {
	return entry{Function{Name: name, Arguments: arguments, Doc: doc}, record}
}

// unary is a function of one value.
func unary(name, doc string, record func(topos.Trace) topos.Trace) entry {
	return row(name, []Argument{{"a", ValueArgument}}, doc, func(g given) topos.Trace { return record(g.values[0]) })
}

// along is a function of one value and an axis.
func along(name, doc string, record func(topos.Trace, int) topos.Trace) entry {
	arguments := []Argument{{"a", ValueArgument}, {"axis", IntegerArgument}}
	return row(name, arguments, doc, func(g given) topos.Trace { return record(g.values[0], g.integers[0]) })
}

// elementwise is a function of two values, of which one may be rank 0.
func elementwise(name, doc string, record func(a, b topos.Trace) topos.Trace) entry {
	return binary(name, "a", "b", doc, func(a, b topos.Trace) topos.Trace { return record(spread(a, b)) })
}

// binary is a function of two values.
func binary(name, a, b, doc string, record func(a, b topos.Trace) topos.Trace) entry {
	arguments := []Argument{{a, ValueArgument}, {b, ValueArgument}}
	return row(name, arguments, doc, func(g given) topos.Trace { return record(g.values[0], g.values[1]) })
}

// shaped is a function of one value and a list.
func shaped(name, list, doc string, record func(topos.Trace, []int) topos.Trace) entry {
	arguments := []Argument{{"a", ValueArgument}, {list, ListArgument}}
	return row(name, arguments, doc, func(g given) topos.Trace { return record(g.values[0], g.list) })
}

// numbered is a function of one value and whole numbers.
func numbered(name string, integers []string, doc string, record func(a topos.Trace, n []int) topos.Trace) entry {
	arguments := []Argument{{"a", ValueArgument}}
	for _, i := range integers {
		arguments = append(arguments, Argument{i, IntegerArgument})
	}
	return row(name, arguments, doc, func(g given) topos.Trace { return record(g.values[0], g.integers) })
}

// joined is a function of two values or more and an axis.
func joined(name, doc string, record func(a topos.Trace, axis int, others ...topos.Trace) topos.Trace) entry {
	arguments := []Argument{{"a", ValueArgument}, {"b", ValueArgument}, {"axis", IntegerArgument}}
	e := row(name, arguments, doc, func(g given) topos.Trace { return record(g.values[0], g.integers[0], g.values[1:]...) })
	e.Repeats = true
	return e
}

// spread records the Broadcast of a rank-0 operand over the shape of the other.
func spread(a, b topos.Trace) (topos.Trace, topos.Trace) {
	switch x, y := a.Shape(), b.Shape(); {
	case x.Rank() == 0 && y.Rank() > 0:
		a = a.Broadcast(y)
	case y.Rank() == 0 && x.Rank() > 0:
		b = b.Broadcast(x)
	}
	return a, b
}
