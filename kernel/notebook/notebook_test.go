package notebook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const sample = `{
 "nbformat": 4, "nbformat_minor": 5,
 "metadata": {"kernelspec": {"name": "topos", "display_name": "topos (Go)"}},
 "cells": [
  {"cell_type": "markdown", "id": "m", "source": "# title", "metadata": {}},
  {"cell_type": "code", "id": "a", "execution_count": 1, "metadata": {}, "source": ["one\n", "two"], "outputs": [
    {"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]},
    {"output_type": "display_data", "metadata": {}, "data": {"text/plain": ["spec\n", "0 x"], "application/json": {"k": 1}}},
    {"output_type": "error", "ename": "panic", "evalue": "no", "traceback": ["cell 1: no"]}]},
  {"cell_type": "code", "execution_count": null, "metadata": {}, "source": "", "outputs": []}
 ]}`

func TestParse(t *testing.T) {
	got, err := Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := &Notebook{Kernel: "topos", Cells: []Cell{
		{ID: "a", Source: "one\ntwo", Executed: true, Count: 1, Outputs: []Output{
			{Type: "stream", Name: "stdout", Value: "1\n2\n"},
			{Type: "display_data", Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`["spec\n", "0 x"]`), "application/json": json.RawMessage(`{"k": 1}`)}},
			{Type: "error", Name: "panic", Value: "no"},
		}},
		{},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	display := got.Cells[0].Outputs[1]
	if text := display.Text("text/plain"); text != "spec\n0 x" {
		t.Errorf("text %q", text)
	}
	for _, mime := range []string{"text/html", "application/json"} {
		if text := display.Text(mime); text != "" {
			t.Errorf("%s: %q", mime, text)
		}
	}
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"not JSON":      {"hello", "is no notebook that can be read"},
		"an older form": {`{"nbformat": 3, "worksheets": []}`, "nbformat is 3, not 4"},
		"empty":         {"", "it is empty"},
		"a mark":        {"\xef\xbb\xbf" + sample, "it begins with a byte order mark, which Jupyter does not read either"},
		"UTF-16":        {"\xff\xfe{\x00", "it is UTF-16: save it as UTF-8"},
		"null":          {"null", "it says no nbformat"},
		"a list":        {"[]", "it is JSON of another kind (array), not an object"},
		"bad cells":     {`{"nbformat": 4, "cells": 1}`, "its cells at byte 26 is of another kind (number)"},
		"bad source":    {`{"nbformat": 4, "cells": [{"cell_type": "code", "source": 1}]}`, "neither a string nor a list"},
	} {
		path := filepath.Join(t.TempDir(), "x.ipynb")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	none := filepath.Join(t.TempDir(), "none.ipynb")
	if _, err := Read(none); err == nil || err.Error() != none+": no such file or directory" {
		t.Errorf("a missing file: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"nbformat": 4, "cells": [{"cell_type": "code", "source": null, "outputs": [{"data": {"a": null}}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := Parse(b)
		if err != nil {
			return
		}
		for _, c := range n.Cells {
			for _, o := range c.Outputs {
				for mime := range o.Data {
					o.Text(mime)
				}
			}
		}
	})
}
