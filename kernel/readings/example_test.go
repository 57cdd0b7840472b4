package readings_test

import (
	"fmt"

	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

func ExampleScene_Read() {
	program, err := language.Parse("w = parameter 2\nx = input 3\nh = w * x\nloss = h * h")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := readings.Scene[float64]{Tape: topos.New(topos.F64), Names: &language.Names{}}
	if _, err := language.Record(program, s.Tape, s.Names); err != nil {
		fmt.Println(err)
		return
	}
	values, err := s.Read(readings.Request{Kind: topos.ValuesReading, Observe: []string{"h"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(values.Text)
	fmt.Println("nodes left on the tape:", s.Tape.Len())
	// Output:
	// loss 36
	// d loss / d w 36
	// h 6
	// nodes left on the tape: 4
}
