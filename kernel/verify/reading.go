package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/topos-notebook/topos/kernel/notebook"
	"github.com/topos-notebook/topos/render"
)

// reading is what an output says about itself, with the text it shows.
type reading struct {
	Kind     string    `json:"kind"`
	Digest   string    `json:"digest"`
	Numerics string    `json:"numerics"`
	Payloads []payload `json:"payloads"`

	whole any    // the document as JSON has it
	text  string // what is shown
}

type payload struct {
	Label  string `json:"label"`
	Node   int    `json:"node"`
	Digest string `json:"digest"`
}

// called is how a line names a payload.
func (p payload) called() string {
	if p.Label == "" {
		return fmt.Sprintf("node %d", p.Node)
	}
	if p.Node < 0 || p.Label == fmt.Sprintf("#%d", p.Node) {
		return p.Label
	}
	return fmt.Sprintf("%s (node %d)", p.Label, p.Node)
}

// fast reports whether the reading's bits depend on who ran it.
func (r reading) fast() bool { return r.Numerics == "fast" }

// readingsOf takes the readings out of a cell's outputs, in order. An output whose
// document cannot be read is a reading that equals no other.
func readingsOf(outputs []notebook.Output) []reading {
	var all []reading
	for _, o := range outputs {
		document, ok := o.Data[render.DocumentType]
		if !ok {
			continue
		}
		r := reading{text: o.Text(render.PlainType)}
		if json.Unmarshal(document, &r) != nil || r.Kind == "" {
			r.Kind = "unreadable"
		}
		json.Unmarshal(document, &r.whole)
		all = append(all, r)
	}
	return all
}

// errorOf is what the cell failed with, "" when it did not.
func errorOf(outputs []notebook.Output) string {
	for _, o := range outputs {
		if o.Type == "error" {
			return strings.TrimSuffix(o.Name+": "+o.Value, ": ")
		}
	}
	return ""
}

// difference says in one line how two readings differ, "" when they do not.
func difference(recorded, fresh reading) string {
	if recorded.Kind != fresh.Kind {
		return fmt.Sprintf("a reading of %s was recorded, now it is one of %s", recorded.Kind, fresh.Kind)
	}
	if recorded.Digest != fresh.Digest || recorded.text != fresh.text {
		if line := otherPayload(recorded, fresh); line != "" {
			return recorded.Kind + ": " + line
		}
		if recorded.text == fresh.text && reflect.DeepEqual(recorded.rest(), fresh.rest()) {
			return fmt.Sprintf("%s: all of it is the same but its digest: %s was recorded, now it is %s", recorded.Kind, digest(recorded.Digest), digest(fresh.Digest))
		}
		return recorded.Kind + ": " + OtherLine(recorded.text, fresh.text)
	}
	if line := otherPayload(recorded, fresh); line != "" {
		return recorded.Kind + ": " + line
	}
	if !reflect.DeepEqual(recorded.whole, fresh.whole) {
		return recorded.Kind + ": the text is the same, the document beside it is another"
	}
	return ""
}

// rest is the document without its digest.
func (r reading) rest() any {
	fields, ok := r.whole.(map[string]any)
	if !ok {
		return r.whole
	}
	fields = maps.Clone(fields)
	delete(fields, "digest")
	return fields
}

// digest words one that may be missing.
func digest(s string) string {
	if s == "" {
		return "none"
	}
	return short(s)
}

// otherPayload names the first payload whose bits differ.
func otherPayload(recorded, fresh reading) string {
	for i, now := range fresh.Payloads {
		if i >= len(recorded.Payloads) {
			break
		}
		before := recorded.Payloads[i]
		if before.called() == now.called() && before.Digest != now.Digest {
			return fmt.Sprintf("%s has other bits: %s was recorded, now it is %s", now.called(), short(before.Digest), short(now.Digest))
		}
	}
	return ""
}

// short is the beginning of a digest, of which a difference shows enough.
func short(digest string) string { return digest[:min(len(digest), 12)] }

// widest is how much of a line a difference quotes, in code points.
const widest = 60

// OtherLine says in which line two texts differ first, and how.
func OtherLine(recorded, fresh string) string {
	before, now := strings.Split(recorded, "\n"), strings.Split(fresh, "\n")
	for i := range max(len(before), len(now)) {
		was, is := "nothing", "nothing"
		if i < len(before) {
			was = quoted(before[i])
		}
		if i < len(now) {
			is = quoted(now[i])
		}
		if was != is {
			return fmt.Sprintf("line %d: %s was recorded, now it is %s", i+1, was, is)
		}
	}
	return "a part that is not shown is another"
}

func quoted(line string) string {
	runes := []rune(line)
	if len(runes) > widest {
		line = string(runes[:widest]) + "…"
	}
	return fmt.Sprintf("%q", line)
}
