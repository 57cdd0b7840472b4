package nn_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/nn"
)

// TestPatternsOfFacades: what the facades record is found, whatever the sizes,
// and what only looks alike is not.
func TestPatternsOfFacades(t *testing.T) {
	windows := func(size, step, padding int) string {
		along := func(axis int) string {
			return fmt.Sprintf("axis=%d size=%d step=%d dilation=1 low=%d high=%d", axis, size, step, padding, padding)
		}
		return along(2) + ", " + along(3)
	}
	type program struct {
		name   string
		record func(tape *Tape[float32]) Trace
		want   string // kinds and attributes; "" for no candidate
	}
	var programs []program
	add := func(want, name string, record func(tape *Tape[float32]) Trace) {
		programs = append(programs, program{name, record, want})
	}
	for size := 1; size <= 3; size++ {
		for step := 1; step <= 3; step++ {
			for padding := range 3 {
				add("WindowProduct "+windows(size, step, padding), fmt.Sprintf("convolution %d, step %d, padding %d", size, step, padding), func(tape *Tape[float32]) Trace {
					w, b := tape.Parameter(Shape{2, 3, size, size}, 1), tape.Parameter(Shape{2}, 1)
					return nn.Convolve2d(tape.Input(Shape{2, 3, 5, 4}, 1), w, b, step, padding)
				})
			}
			if size > 1 {
				add("ReduceWindow "+windows(size, step, 0), fmt.Sprintf("maximum of %d, step %d", size, step), func(tape *Tape[float32]) Trace {
					return nn.MaxPool(tape.Input(Shape{2, 3, 5, 4}, 1), size, step)
				})
			}
		}
	}
	layers := func(tape *Tape[float32]) (x, scale, shift, epsilon Trace) {
		return tape.Input(Shape{4, 3}, 1), tape.Parameter(Shape{3}, 1), tape.Parameter(Shape{3}, 1), tape.Leaf(nil, 0.25)
	}
	add("BatchNormTraining feature=1 epsilon=0.25", "batch norm", func(tape *Tape[float32]) Trace {
		x, scale, shift, epsilon := layers(tape)
		y, _, _ := nn.NewBatchNorm(scale, shift, epsilon).Training(x)
		return y
	})
	add("BatchNormInference feature=1 epsilon=0.25", "batch norm of given statistics", func(tape *Tape[float32]) Trace {
		x, scale, shift, epsilon := layers(tape)
		return nn.NewBatchNorm(scale, shift, epsilon).Inference(x, tape.Input(Shape{3}, 1), tape.Input(Shape{3}, 1))
	})
	add("", "layer norm", func(tape *Tape[float32]) Trace {
		x, scale, shift, epsilon := layers(tape)
		return nn.NewLayerNorm(scale, shift, epsilon).Express(x)
	})
	add("", "mean of windows", func(tape *Tape[float32]) Trace { return nn.AveragePool(tape.Input(Shape{1, 1, 4, 4}, 1), 2, 2) })
	add("", "maximum of one lane", func(tape *Tape[float32]) Trace { return nn.MaxPool(tape.Input(Shape{1, 1, 4, 4}, 1), 1, 2) })
	for _, p := range programs {
		tape := New(F32)
		root := p.record(tape)
		var found []string
		for _, c := range Must(tape.View().Entry(root).Lower()).Schedule().Candidates() {
			found = append(found, string(c.Kind)+" "+c.Attributes())
		}
		if got := strings.Join(found, "; "); got != p.want {
			t.Errorf("%s: %q, want %q in\n%s", p.name, got, p.want, tape.Describe())
		}
	}
}
