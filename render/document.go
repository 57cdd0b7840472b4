package render

import (
	"encoding/json"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// record is the machine-readable form of a reading. Its keys are part of the
// format named by DocumentType. One more, "numerics", stands for a reading whose
// bits another backend may answer otherwise: it is "fast" then. What the
// interpreter answers has none, and can be verified.
type record struct {
	Kind     topos.ReadingKind      `json:"kind"`
	Element  string                 `json:"element,omitempty"`
	Subject  string                 `json:"subject,omitempty"`
	Anchor   string                 `json:"anchor"`
	Nodes    int                    `json:"nodes,omitempty"`
	Counts   *topos.Counts          `json:"counts,omitempty"`
	Sealed   bool                   `json:"sealed,omitempty"`
	Digest   string                 `json:"digest"`                    // SHA-256 of the reading's text
	Payloads string                 `json:"payloads_digest,omitempty"` // SHA-256 of the payloads' digests, one a line
	Short    bool                   `json:"short,omitempty"`           // the parts below are left out for their size
	Values   []payloadRecord        `json:"payloads,omitempty"`
	Rows     []topos.Row            `json:"rows,omitempty"`
	Marks    []topos.Mark           `json:"marks,omitempty"`
	Plan     *topos.PlanReading     `json:"plan,omitempty"`
	Adjoints []topos.AdjointReading `json:"adjoints,omitempty"`
}

// payloadRecord is what identifies one payload: its bits' digest.
type payloadRecord struct {
	Label     string `json:"label,omitempty"`
	Node      int    `json:"node"`
	Shape     []int  `json:"shape"`
	Count     int    `json:"count"`
	NonFinite int    `json:"non_finite"`
	Digest    string `json:"digest"`
}

// document is the reading as JSON: whole up to maxDocument bytes, then without
// its rows, then digests alone.
func document(v *view) ([]byte, error) {
	d := record{
		Kind: v.Kind, Element: shorten(v.Element, scantEntry), Subject: shorten(v.Subject, scantEntry),
		Anchor: v.anchor, Nodes: v.Nodes, Sealed: v.Sealed, Digest: v.digest,
	}
	if v.Counts != (topos.Counts{}) {
		counts := v.Counts
		d.Counts = &counts
	}
	var digests strings.Builder
	for _, p := range v.Payloads {
		digests.WriteString(p.Digest + "\n")
	}
	if len(v.Payloads) > 0 {
		d.Payloads = digest(digests.String())
	}
	forms := []record{d.shortened()}
	if weight(v.Reading) > maxDocument {
		return largestThatFits(forms)
	}
	whole := len(v.Payloads) < maxDocument/100 // a payload takes more bytes than that
	if whole {
		for _, p := range v.Payloads {
			extents := append([]int{}, p.Shape...)
			d.Values = append(d.Values, payloadRecord{p.Label, p.Node, extents, p.Count, p.NonFinite, p.Digest})
		}
		forms = append(forms, d.shortened())
	}
	if v.rowCount() < maxDocument/40 && leastOf(v.Rows) <= maxDocument {
		d.Rows, d.Marks, d.Plan, d.Adjoints = v.Rows, v.Marks, v.Plan, v.Adjoints
		d.Short = !whole
		forms = append(forms, d)
	}
	return largestThatFits(forms)
}

// leastOf is at most what rows take as JSON, in bytes: rows that cannot fit are not
// written.
func leastOf(rows []topos.Row) int {
	n := 0
	for i := range rows {
		row := &rows[i]
		n += len(`{"index":,"opcode":"","shape":[]}`) + digits(row.Index) + len(row.Opcode) + len(row.Attributes) + len(row.Name) + len(row.Origin)
		if len(row.Operands) > 0 {
			n += len(`"operands":[],`)
		}
		for _, list := range [][]int{row.Operands, row.Shape} {
			for _, x := range list {
				n += digits(x) + len(",")
			}
			n -= min(1, len(list)) // a comma less
		}
	}
	return n
}

// digits counts those of a number, none for 0.
func digits(n int) (count int) {
	for ; n != 0; n /= 10 {
		count++
	}
	return count
}

// largestThatFits writes the last of the forms that keeps to maxDocument. The
// first always does.
func largestThatFits(forms []record) ([]byte, error) {
	for i := len(forms) - 1; ; i-- {
		text, err := json.Marshal(forms[i])
		if err != nil || len(text) <= maxDocument || i == 0 {
			return text, err
		}
	}
}

// shortened says that the parts which the record does not hold were left out.
func (d record) shortened() record {
	d.Short = true
	return d
}
