package topos_test

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// trigger reads "narrow [0, 2, 3] of [4]" and "add of [2, 3] and [3, 2]".
var trigger = regexp.MustCompile(`^(\w+)(?: (\[[\d, ]*\]))? of (\[[\d, ]*\])(?: and (\[[\d, ]*\]))?`)

func TestGoldenRefusals(t *testing.T) {
	b, err := os.ReadFile("testdata/refusals.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Cases []struct{ Area, Name, Trigger string }
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range all.Cases {
		m := trigger.FindStringSubmatch(c.Trigger)
		if c.Area != "record" || m == nil || facades[m[1]] {
			continue
		}
		ran++
		t.Run(c.Name, func(t *testing.T) {
			tape := New(F32)
			values := []Value[float32]{tape.Input(list(m[3]), 1)}
			call := opCall{Fn: m[1], Args: []int{0}, Ints: list(m[2])}
			if m[4] != "" {
				values = append(values, tape.Input(list(m[4]), 1))
				call.Args = append(call.Args, 1)
			}
			before := tape.Describe()
			r := Refused(func() { perform(t, call, values) })
			if r == nil {
				t.Fatal("not refused")
			}
			if !strings.Contains(r.Error(), m[3]) || !strings.Contains(r.Error(), m[4]) || strings.Contains(r.Error(), "\n") {
				t.Errorf("%q does not name %s %s in one line", r, m[3], m[4])
			}
			same(t, "tape after the refusal", tape.Describe(), before)
			p := tape.Parameter(nil, 2)
			tape.Differentiate(p.Mul(p), p)
			tape.Seal()
		})
	}
	if ran < 55 {
		t.Errorf("only %d refusals ran", ran)
	}
}

func list(s string) []int {
	var xs []int
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		x, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			x = math.MaxInt64 // beyond an int: the largest there is
		}
		xs = append(xs, int(x))
	}
	return xs
}
