package elementary

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"testing"
)

// TestHardInputs runs the float32 whose results lie within 16 units of float64
// of a boundary of rounding: the last column is the correctly rounded answer or
// its neighbour, so the oracle decides.
func TestHardInputs(t *testing.T) {
	file, err := os.Open("testdata/hard_inputs_f32.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	byName := map[string]function{}
	for _, f := range functions {
		byName[f.name] = f
	}
	byName["log"] = byName["ln"]
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		var name string
		var x, answer uint32
		var near uint64
		if _, err := fmt.Sscanf(lines.Text(), "%s %x %x %x", &name, &x, &near, &answer); err != nil {
			t.Fatal(err)
		}
		f, v := byName[name], math.Float32frombits(x)
		want, _ := f.oracle(number(float64(v))).Float32()
		if got := f.narrow(v); got != want {
			t.Errorf("%s(%x) = %x, want %x", name, v, got, want)
		}
		if off := int(math.Float32bits(want)) - int(answer); off < -1 || off > 1 {
			t.Errorf("%s(%x): the oracle says %x, the file %08x", name, v, want, answer)
		}
	}
	if rows != 400 {
		t.Errorf("%d rows, want 400", rows)
	}
}
