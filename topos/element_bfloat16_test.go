package topos_test

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
)

var sprintf = fmt.Sprintf

func ExampleBFloat16Of() {
	// A little above half way between 1 and the next number; through float32 it
	// would fall on half way and go to 1.
	fmt.Println(BFloat16Of(1 + 0x1p-8 + 0x1p-40))
	fmt.Println(BFloat16Of(257), BFloat16Of(259), BFloat16Of(3.4e38))
	// Output:
	// 1.0078125
	// 256 260 inf
}

func ExampleElement_Parse() {
	x, err := BF16.Parse("1.00390625000000000000000000001")
	fmt.Println(x, err)
	_, err = BF16.Parse("1e39")
	fmt.Println(err)
	// Output:
	// 1.0078125 <nil>
	// strconv.Parse: parsing "1e39": value out of range
}
