package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/process"
)

// forget undoes declarations of the cell whose initialiser crashed: GoNB keeps
// them, and they would end every later cell as they ended this one. Those of an
// earlier cell, which did well there, are left to the user, who is told. failure
// is the cell's error so far, and what is returned.
func (c *cell) forget(crash *process.Crash, failure error) error {
	e, ok := failure.(*CellError)
	if !ok || crash == nil || len(crash.Declared) == 0 {
		return failure
	}
	// What is assigned to the blank identifier GoNB calls by names of its own.
	declared := slices.DeleteFunc(slices.Clone(crash.Declared), func(name string) bool { return name == "_" })
	if len(declared) == 0 {
		return failure
	}
	names := strings.Join(declared, " ")
	advice := fmt.Sprintf("every cell initialises %s again, as of cell %d: declare it anew, or forget it with %%rm %s", names, crash.Initialiser.Cell, names)
	if crash.Initialiser.Cell == c.count {
		reply, err := c.server.golang.Execute(c.ctx, gonb.Request{Code: "%rm " + names, Parent: c.request.Message}, unheard{})
		if err == nil && reply.OK {
			advice = names + " is not declared: every later cell would initialise it again"
		}
	}
	e.Traceback = append(e.Traceback, advice)
	return e
}

// unheard drops what GoNB says of a request of the server's own.
type unheard struct{}

func (unheard) Stream(string, string)                     {}
func (unheard) Publish(string, json.RawMessage, [][]byte) {}
func (unheard) Input(string, bool)                        {}

var _ gonb.Events = unheard{}
