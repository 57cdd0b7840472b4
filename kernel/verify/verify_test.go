package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/notebook"
	"github.com/topos-notebook/topos/kernel/wire"
)

// script answers the cells that it knows by their text.
type script map[string][]notebook.Output

func (s script) Run(_ context.Context, c notebook.Cell) ([]notebook.Output, error) {
	out, ok := s[c.Source]
	if !ok {
		return nil, errGone
	}
	return out, nil
}

func cells(all ...notebook.Cell) *notebook.Notebook { return &notebook.Notebook{Cells: all} }

func TestNotebook(t *testing.T) {
	one := notebook.Cell{ID: "1", Source: "one", Executed: true, Outputs: []notebook.Output{shows(spec, "a")}}
	two := notebook.Cell{ID: "2", Source: "two", Executed: true, Outputs: []notebook.Output{shows(loss, "b")}}
	blank := notebook.Cell{ID: "b", Source: " \n"}
	never := notebook.Cell{ID: "3", Source: "two"}
	runs := script{"one": one.Outputs, "two": two.Outputs, "else": {shows(loss2, "b")}}
	rename := func(c notebook.Cell, id string) notebook.Cell { c.ID = id; return c }
	lines := func(end string) notebook.Cell {
		return notebook.Cell{ID: "l", Source: "one" + end + "two", Executed: true, Outputs: one.Outputs}
	}
	runs["one\ntwo"] = one.Outputs
	fails := func(count int, why string) notebook.Cell {
		return notebook.Cell{Source: fmt.Sprint("fails ", count), Count: count, Executed: true, Outputs: []notebook.Output{failed("TapeError", why)}}
	}
	runs["fails 7"] = []notebook.Output{failed("TapeError", "cell 1 line 2: no")}
	runs["fails 9"] = []notebook.Output{failed("TapeError", "cell 2 line 1: w of cell 1, not cell 3")}
	for name, c := range map[string]struct {
		n, recorded *notebook.Notebook
		text, fails string
		passes      bool
	}{
		"good":                 {cells(one, blank, two), nil, "cell 1   same      spec\ncell 2   same      values\n2 cells: 2 same\n", "", true},
		"never run":            {cells(one, never), nil, "cell 1   same      spec\ncell 2   never run\n2 cells: 1 same, 1 never run in the notebook\n", "", false},
		"by id":                {cells(two, one), cells(one, two), "cell 1   same      values\ncell 2   same      spec\n2 cells: 2 same\n", "", true},
		"ids on one side":      {cells(rename(one, ""), two), cells(one, blank, rename(two, "x")), "cell 1   same      spec\ncell 2   same      values\n2 cells: 2 same\n", "", true},
		"by place without ids": {cells(rename(one, ""), rename(two, "")), cells(rename(one, ""), rename(two, "")), "cell 1   same      spec\ncell 2   same      values\n2 cells: 2 same\n", "", true},
		"changed text": {cells(one), cells(notebook.Cell{ID: "1", Source: "uno", Outputs: one.Outputs}), "",
			`cell 1 has another text in the notebook that is compared with: line 1: "uno" was recorded, now it is "one"`, false},
		"missing cell": {cells(one, two), cells(one), "", "cell 2 is not in the notebook that is compared with", false},
		"a cell more":  {cells(one), cells(two, one), "", "cell 1 of the notebook that is compared with is not in this one", false},
		"one id twice": {cells(one, rename(two, "1")), cells(one, rename(two, "1")), "cell 1   same      spec\ncell 2   same      values\n2 cells: 2 same\n", "", true},
		"CRLF":         {cells(lines("\n")), cells(lines("\r\n")), "cell 1   same      spec\n1 cell: 1 same\n", "", true},
		"counts of a later run": {cells(fails(7, "cell 7 line 2: no"), fails(9, "cell 9 line 1: w of cell 7, not cell 3")), nil,
			"cell 1   same      the error\ncell 2   same      the error\n2 cells: 2 same\n", "", true},
		"a count of another cell": {cells(fails(7, "cell 9 line 2: no"), fails(9, "cell 9 line 1: w of cell 7, not cell 3")), nil,
			"cell 1   differs   it failed with TapeError: cell 2 line 2: no, now with TapeError: cell 1 line 2: no\ncell 2   same      the error\n2 cells: 1 same, 1 different\n", "", false},
		"no cells": {cells(blank), nil, "", "there is no cell to run", false},
		"death":    {cells(one, notebook.Cell{ID: "4", Source: "exit"}), nil, "cell 1   same      spec\n", "cell 2: the kernel has ended", false},
		"nothing":  {cells(notebook.Cell{ID: "5", Source: "quiet", Executed: true}), nil, "cell 1   -\n1 cell: 0 same, 1 without a reading\n", "", false},
	} {
		if c.recorded == nil {
			c.recorded = c.n
		}
		runs["quiet"] = nil
		var out strings.Builder
		tally, err := Notebook(context.Background(), c.n, c.recorded, runs, &out)
		if c.fails != "" {
			if err == nil || err.Error() != c.fails || out.String() != c.text {
				t.Errorf("%s: error %v, want %s\n%s", name, err, c.fails, &out)
			}
			continue
		}
		if err != nil || out.String() != c.text || tally.Passed() != c.passes {
			t.Errorf("%s: %v, passed %v\n%s", name, err, tally.Passed(), &out)
		}
	}
}

func TestShown(t *testing.T) {
	message := func(kind string, content any) *wire.Message { return wire.New("", kind, nil, content) }
	data := func(text, id string) map[string]any {
		return map[string]any{"data": map[string]string{"text/plain": text}, "transient": map[string]string{"display_id": id}}
	}
	var s shown
	for _, m := range []*wire.Message{
		message("status", map[string]string{"execution_state": "busy"}),
		message("stream", map[string]string{"name": "stdout", "text": "1"}),
		message("display_data", data("progress", "p")),
		message("display_data", data("other", "")),
		message("update_display_data", data("done", "p")),
		message("update_display_data", data("nobody", "q")),
		message("error", map[string]string{"ename": "panic", "evalue": "no"}),
	} {
		if s.take(m) {
			t.Fatalf("over at %s", m.Header.MsgType)
		}
	}
	var got []string
	for _, o := range s.outputs {
		got = append(got, o.Type+" "+o.Name+o.Value+o.Text("text/plain"))
	}
	if all := strings.Join(got, ", "); all != "stream stdout1, display_data done, display_data other, error panicno" {
		t.Error(all)
	}
	s.take(message("clear_output", map[string]bool{"wait": true}))
	if len(s.outputs) != 4 {
		t.Error("cleared too early")
	}
	s.take(message("execute_result", data("2", "")))
	if len(s.outputs) != 1 {
		t.Error("not cleared")
	}
	s.take(message("clear_output", map[string]bool{"wait": false}))
	if len(s.outputs) != 0 || !s.take(message("status", map[string]string{"execution_state": "idle"})) {
		t.Error("not cleared, or not over")
	}
}

func TestStartFails(t *testing.T) {
	for _, command := range [][]string{{"/no/such/kernel"}, {"/bin/false"}} {
		if _, err := Start(context.Background(), t.TempDir(), command[0]); err == nil || !strings.HasPrefix(err.Error(), "the kernel does not start: ") {
			t.Errorf("%v: %v", command, err)
		}
	}
	gone, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("given up"))
	if _, err := Start(gone, t.TempDir(), "/bin/sleep"); err == nil {
		t.Error("a start that was given up went on")
	}
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte(spec), []byte(loss), "a", "b")
	f.Fuzz(func(t *testing.T, a, b []byte, x, y string) {
		if !json.Valid(a) || !json.Valid(b) {
			return
		}
		one, other := []notebook.Output{shows(string(a), x)}, []notebook.Output{shows(string(b), y)}
		if got := Compare(one, one); got.Verdict == Differs {
			t.Errorf("%s differs from itself: %+v", a, got)
		}
		if there, back := Compare(one, other), Compare(other, one); there.Verdict != back.Verdict {
			t.Errorf("%+v and %+v", there, back)
		}
	})
}
