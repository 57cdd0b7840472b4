package server

import (
	"encoding/json"
	"fmt"
	"regexp"
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
	names := strings.Join(crash.Declared, ", ")
	advice := fmt.Sprintf("every cell initialises this again: %s of cell %d; declare it anew, or forget it with %%rm %s",
		names, crash.Initialiser.Cell, strings.Join(crash.Declared, " "))
	if crash.Initialiser.Cell == c.count && c.remove(crash.Declared) {
		advice = "not declared, as every later cell would initialise it again: " + names
	}
	e.Traceback = append(e.Traceback, advice)
	return e
}

// blankKey is what GoNB calls a variable that is assigned to the blank identifier.
var blankKey = regexp.MustCompile(`_~\d+`)

// remove has GoNB forget declarations, and says whether it could. The blank
// identifier stands for everything ever assigned to it, which no cell can use.
func (c *cell) remove(names []string) bool {
	keys := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "_" })
	if len(keys) < len(names) {
		listed, _ := c.command("%list")
		keys = append(keys, blankKey.FindAllString(listed, -1)...)
	}
	if len(keys) == 0 {
		return false
	}
	_, ok := c.command("%rm " + strings.Join(keys, " "))
	return ok
}

// command has GoNB carry out a magic on the server's own account, and gives what
// it displays.
func (c *cell) command(magic string) (displayed string, ok bool) {
	var heard hearing
	reply, err := c.server.golang.Execute(c.ctx, gonb.Request{Code: magic, Parent: c.request.Message}, &heard)
	return heard.text.String(), err == nil && reply.OK
}

// hearing gathers what GoNB displays, and drops the rest.
type hearing struct{ text strings.Builder }

func (h *hearing) Stream(string, string)                                 { /* a remark on what was done */ }
func (h *hearing) Publish(_ string, content json.RawMessage, _ [][]byte) { h.text.Write(content) }
func (h *hearing) Input(string, bool)                                    { /* no magic of ours asks */ }

var _ gonb.Events = &hearing{}
