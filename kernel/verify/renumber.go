package verify

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/topos-notebook/topos/kernel/notebook"
)

// counts are, by the execution count that a cell had, the one that it has in a run
// from the top. Errors name cells by it, and it tells how often others had run before,
// which is no difference.
type counts map[int]int

// renumbering is that of cells in the order in which they are run.
func renumbering(cells []notebook.Cell) counts {
	c := counts{}
	for i, cell := range cells {
		if _, twice := c[cell.Count]; twice {
			c[cell.Count] = cell.Count // of two kernels: nothing follows
		} else if cell.Count > 0 {
			c[cell.Count] = i + 1
		}
	}
	return c
}

var aCell = regexp.MustCompile(`\bcell ([0-9]+)\b`)

// of are outputs with the errors that they would hold after a run from the top.
func (c counts) of(outputs []notebook.Output) []notebook.Output {
	outputs = slices.Clone(outputs)
	for i := range outputs {
		if o := &outputs[i]; o.Type == "error" {
			o.Value = aCell.ReplaceAllStringFunc(o.Value, func(called string) string {
				n, err := strconv.Atoi(called[len("cell "):])
				if is, ok := c[n]; err == nil && ok {
					return fmt.Sprintf("cell %d", is)
				}
				return called
			})
		}
	}
	return outputs
}
