package verify

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/topos-notebook/topos/kernel/notebook"
)

// shows is an output with a document and a text.
func shows(document, text string) notebook.Output {
	quoted, _ := json.Marshal(text)
	return notebook.Output{Type: "display_data", Data: map[string]json.RawMessage{
		"application/vnd.topos.v1+json": json.RawMessage(document), "text/plain": quoted}}
}

func failed(name, value string) notebook.Output {
	return notebook.Output{Type: "error", Name: name, Value: value}
}

const (
	spec  = `{"kind": "spec", "digest": "aa"}`
	loss  = `{"kind": "values", "digest": "bb", "payloads": [{"label": "loss", "node": 5, "digest": "0123456789abcdef"}]}`
	loss2 = `{"kind": "values", "digest": "bb", "payloads": [{"label": "loss", "node": 5, "digest": "fedcba9876543210"}]}`
	fast  = `{"kind": "values", "digest": "cc", "numerics": "fast"}`
)

func TestCompare(t *testing.T) {
	printed := notebook.Output{Type: "stream", Name: "stdout", Value: "took 3 s\n"}
	for name, c := range map[string]struct {
		recorded, fresh []notebook.Output
		want            Finding
	}{
		"nothing":        {nil, nil, Finding{Verdict: Nothing}},
		"text only":      {[]notebook.Output{printed}, nil, Finding{Verdict: Nothing}},
		"the same":       {[]notebook.Output{shows(spec, "a"), printed}, []notebook.Output{printed, shows(spec, "a")}, Finding{Verdict: Same, Lines: []string{"spec"}}},
		"keys in order":  {[]notebook.Output{shows(spec, "a")}, []notebook.Output{shows(`{"digest":"aa","kind":"spec"}`, "a")}, Finding{Verdict: Same, Lines: []string{"spec"}}},
		"several":        {[]notebook.Output{shows(spec, "a"), shows(loss, "b"), shows(spec, "a")}, []notebook.Output{shows(spec, "a"), shows(loss, "b"), shows(spec, "a")}, Finding{Verdict: Same, Lines: []string{"2 spec, values"}}},
		"other bits":     {[]notebook.Output{shows(loss, "0.5")}, []notebook.Output{shows(loss2, "0.5")}, Finding{Verdict: Differs, Lines: []string{"values: loss (node 5) has other bits: 0123456789ab was recorded, now it is fedcba987654"}}},
		"other dump":     {[]notebook.Output{shows(spec, "0 x\n1 y")}, []notebook.Output{shows(`{"kind": "spec", "digest": "ab"}`, "0 x\n1 z")}, Finding{Verdict: Differs, Lines: []string{`spec: line 2: "1 y" was recorded, now it is "1 z"`}}},
		"shorter dump":   {[]notebook.Output{shows(spec, "0 x\n1 y")}, []notebook.Output{shows(`{"kind": "spec", "digest": "ab"}`, "0 x")}, Finding{Verdict: Differs, Lines: []string{`spec: line 2: "1 y" was recorded, now it is nothing`}}},
		"hidden part":    {[]notebook.Output{shows(spec, "0 x")}, []notebook.Output{shows(`{"kind": "spec", "digest": "ab", "nodes": 2}`, "0 x")}, Finding{Verdict: Differs, Lines: []string{"spec: a part that is not shown is another"}}},
		"other digest":   {[]notebook.Output{shows(spec, "0 x")}, []notebook.Output{shows(`{"kind": "spec", "digest": "0123456789abcdef"}`, "0 x")}, Finding{Verdict: Differs, Lines: []string{"spec: all of it is the same but its digest: aa was recorded, now it is 0123456789ab"}}},
		"no digest":      {[]notebook.Output{shows(`{"kind": "spec"}`, "0 x")}, []notebook.Output{shows(spec, "0 x")}, Finding{Verdict: Differs, Lines: []string{"spec: all of it is the same but its digest: none was recorded, now it is aa"}}},
		"edited text":    {[]notebook.Output{shows(spec, "0 y")}, []notebook.Output{shows(spec, "0 x")}, Finding{Verdict: Differs, Lines: []string{`spec: line 1: "0 y" was recorded, now it is "0 x"`}}},
		"edited rows":    {[]notebook.Output{shows(`{"kind": "spec", "digest": "aa", "nodes": 7}`, "0 x")}, []notebook.Output{shows(spec, "0 x")}, Finding{Verdict: Differs, Lines: []string{"spec: the text is the same, the document beside it is another"}}},
		"another kind":   {[]notebook.Output{shows(spec, "a")}, []notebook.Output{shows(loss, "a")}, Finding{Verdict: Differs, Lines: []string{"a reading of spec was recorded, now it is one of values"}}},
		"removed output": {nil, []notebook.Output{shows(spec, "a")}, Finding{Verdict: Differs, Lines: []string{"readings: 0 recorded, now 1"}}},
		"no document":    {[]notebook.Output{shows(`[]`, "a")}, []notebook.Output{shows(spec, "a")}, Finding{Verdict: Differs, Lines: []string{"a reading of unreadable was recorded, now it is one of spec"}}},
		"fails now":      {[]notebook.Output{printed}, []notebook.Output{failed("panic", "no\nmore")}, Finding{Verdict: Differs, Lines: []string{"it fails now: panic: no"}}},
		"failed before":  {[]notebook.Output{failed("panic", "no")}, nil, Finding{Verdict: Differs, Lines: []string{"it failed with panic: no, now it does not"}}},
		"fails as it did": {[]notebook.Output{failed("panic", "no")}, []notebook.Output{failed("panic", "no")},
			Finding{Verdict: Same, Lines: []string{"the error"}}},
		"fails otherwise": {[]notebook.Output{failed("panic", "no")}, []notebook.Output{failed("panic", "yes")},
			Finding{Verdict: Differs, Lines: []string{"it failed with panic: no, now with panic: yes"}}},
		"fast":          {[]notebook.Output{shows(fast, "1")}, []notebook.Output{shows(loss, "2")}, Finding{Verdict: Fast, Fast: 1}},
		"fast and same": {[]notebook.Output{shows(fast, "1"), shows(spec, "a")}, []notebook.Output{shows(fast, "2"), shows(spec, "a")}, Finding{Verdict: Same, Lines: []string{"spec"}, Fast: 1}},
	} {
		if got := Compare(c.recorded, c.fresh); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, c.want)
		}
	}
}
