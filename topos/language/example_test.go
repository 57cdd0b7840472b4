package language_test

import (
	"errors"
	"fmt"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

func ExampleRecord() {
	program, err := language.Parse(`
w = parameter 2
x = input 3
loss = (w * x - 4) * 0.5   # numbers are leaves
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	tape, names := topos.New(topos.F32), &language.Names{}
	if _, err := language.Record(program, tape, names); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(tape.Describe())
	loss, _ := names.Lookup("loss")
	fmt.Println("loss is node", loss.Index())
	// Output:
	//    0  Parameter                         []
	//    1  Input                             []
	//    2  Mul            0, 1               []
	//    3  Leaf                              []
	//    4  Sub            2, 3               []
	//    5  Leaf                              []
	//    6  Mul            4, 5               []
	// tape: 7 nodes, 1 parameter, 1 input
	// loss is node 6
}

func ExampleError() {
	program, _ := language.Parse("a = input [3, 2]\nb = input [4, 5]\nc = tanh(a @ b)")
	_, err := language.Record(program, topos.New(topos.F32), &language.Names{})
	fmt.Println(err)
	var fault *language.Error
	if errors.As(err, &fault) {
		fmt.Println(fault.Caret())
	}
	// Output:
	// line 3: matmul cannot multiply [3, 2] by [4, 5]
	// c = tanh(a @ b)
	//          ^^^^^
}

func ExampleRecorder() {
	program, err := language.Parse("x = input [2]\n%spec\ny = x + 1\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	tape := topos.New(topos.F64)
	recorder := language.NewRecorder(tape, &language.Names{}, 1)
	for _, line := range program.Lines() {
		if line.Reading != "" {
			fmt.Printf("%s of %d nodes\n", line.Reading, tape.Len())
			continue
		}
		if _, err := recorder.Record(line); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(tape.Node(tape.Value(3)).Why())
	// Output:
	// %spec of 1 nodes
	// segment 1 line 3
}

func ExampleFunctions() {
	for _, f := range language.Functions() {
		if f.Name == "narrow" {
			fmt.Println(f.Signature(), "-", f.Doc)
		}
	}
	// Output: narrow(a, axis, start, length) - length positions of an axis from start
}
