package magic_test

import (
	"fmt"

	"github.com/topos-notebook/topos/kernel/magic"
)

func ExampleSplit() {
	cell, err := magic.Split("%spec\n%%\nfmt.Println(1)\n%values --observe h\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("before:", cell.Before[0].Name)
	fmt.Printf("for GoNB: %q\n", cell.Go)
	fmt.Println("after:", cell.After[0].Name, cell.After[0].Request.Observe)
	// Output:
	// before: spec
	// for GoNB: "\n%%\nfmt.Println(1)\n\n"
	// after: values [h]
}

func ExampleParse() {
	_, err := magic.Parse(4, "%plan --observed h")
	fmt.Println(err)
	// Output:
	// line 4: unknown option --observed (usage: %plan [ROOTS] [--target LOSS] [--wrt NAMES] [--observe NAMES] [--exact])
}
