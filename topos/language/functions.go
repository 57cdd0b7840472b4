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
	for _, e := range table[float32]() {
		list = append(list, e.Function)
	}
	return list
}

var (
	functionNames []string
	functionAt    = map[string]*Function{}
)

func init() {
	for _, e := range table[float32]() {
		functionNames = append(functionNames, e.Name)
		functionAt[e.Name] = &e.Function
	}
}

func lookup(name string) (*Function, bool) {
	f, ok := functionAt[name]
	return f, ok
}

// given are the arguments of one call.
type given[T any] struct {
	values   []topos.Value[T]
	integers []int
	list     []int
}

// entry is a row of the table: a function and what it records.
type entry[T any] struct {
	Function
	record func(given[T]) topos.Value[T]
}

func row[T any](name string, arguments []Argument, doc string, record func(given[T]) topos.Value[T]) entry[T] {
	return entry[T]{Function{Name: name, Arguments: arguments, Doc: doc}, record}
}

// unary is a function of one value.
func unary[T any](name, doc string, record func(topos.Value[T]) topos.Value[T]) entry[T] {
	return row(name, []Argument{{"a", ValueArgument}}, doc, func(g given[T]) topos.Value[T] { return record(g.values[0]) })
}

// along is a function of one value and an axis.
func along[T any](name, doc string, record func(topos.Value[T], int) topos.Value[T]) entry[T] {
	arguments := []Argument{{"a", ValueArgument}, {"axis", IntegerArgument}}
	return row(name, arguments, doc, func(g given[T]) topos.Value[T] { return record(g.values[0], g.integers[0]) })
}

// elementwise is a function of two values, of which one may be rank 0.
func elementwise[T any](name, doc string, record func(a, b topos.Value[T]) topos.Value[T]) entry[T] {
	return binary(name, "a", "b", doc, func(a, b topos.Value[T]) topos.Value[T] { return record(spread(a, b)) })
}

// binary is a function of two values.
func binary[T any](name, a, b, doc string, record func(a, b topos.Value[T]) topos.Value[T]) entry[T] {
	arguments := []Argument{{a, ValueArgument}, {b, ValueArgument}}
	return row(name, arguments, doc, func(g given[T]) topos.Value[T] { return record(g.values[0], g.values[1]) })
}

// shaped is a function of one value and a list.
func shaped[T any](name, list, doc string, record func(topos.Value[T], []int) topos.Value[T]) entry[T] {
	arguments := []Argument{{"a", ValueArgument}, {list, ListArgument}}
	return row(name, arguments, doc, func(g given[T]) topos.Value[T] { return record(g.values[0], g.list) })
}

// numbered is a function of one value and whole numbers.
func numbered[T any](name string, integers []string, doc string, record func(a topos.Value[T], n []int) topos.Value[T]) entry[T] {
	arguments := []Argument{{"a", ValueArgument}}
	for _, i := range integers {
		arguments = append(arguments, Argument{i, IntegerArgument})
	}
	return row(name, arguments, doc, func(g given[T]) topos.Value[T] { return record(g.values[0], g.integers) })
}

// joined is a function of two values or more and an axis.
func joined[T any](name, doc string, record func(a topos.Value[T], axis int, others ...topos.Value[T]) topos.Value[T]) entry[T] {
	arguments := []Argument{{"a", ValueArgument}, {"b", ValueArgument}, {"axis", IntegerArgument}}
	e := row(name, arguments, doc, func(g given[T]) topos.Value[T] { return record(g.values[0], g.integers[0], g.values[1:]...) })
	e.Repeats = true
	return e
}

// spread records the Broadcast of a rank-0 operand over the shape of the other.
func spread[T any](a, b topos.Value[T]) (topos.Value[T], topos.Value[T]) {
	switch x, y := a.Shape(), b.Shape(); {
	case x.Rank() == 0 && y.Rank() > 0:
		a = a.Broadcast(y)
	case y.Rank() == 0 && x.Rank() > 0:
		b = b.Broadcast(x)
	}
	return a, b
}
