package language

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The streams of a reference implementation, drawn in order into tensors of
// several shapes, as hexadecimal bits.
func TestUniformStream(t *testing.T) {
	var cases []struct {
		Seed  string
		Scale float64
		Draws []struct{ F32, F64 string }
	}
	b, err := os.ReadFile("testdata/uniform.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Seed, func(t *testing.T) {
			seed, err := strconv.ParseUint(c.Seed, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			draws, drawn := stream(seed), 0
			for _, d := range c.Draws {
				single, double := strings.Fields(d.F32), strings.Fields(d.F64)
				for i := range double {
					x := draws.uniform(c.Scale)
					if got := fmt.Sprintf("%016x", math.Float64bits(x)); got != double[i] {
						t.Fatalf("draw %d is %s in f64, want %s", drawn, got, double[i])
					}
					if got := fmt.Sprintf("%08x", math.Float32bits(float32(x))); got != single[i] {
						t.Fatalf("draw %d is %s in f32, want %s", drawn, got, single[i])
					}
					drawn++
				}
			}
			if drawn == 0 {
				t.Fatal("nothing was drawn")
			}
		})
	}
}

// The published test vectors of FNV-1a, 64 bits.
func TestSeedOf(t *testing.T) {
	for name, want := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c, "foobar": 0x85944171f73967e8} {
		if got := uint64(seedOf(name)); got != want {
			t.Errorf("seed of %q is %x, want %x", name, got, want)
		}
	}
}
