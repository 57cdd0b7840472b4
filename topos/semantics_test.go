package topos_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// tableOf reads a table of SEMANTICS.md by its heading line.
func tableOf(t *testing.T, heading string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("SEMANTICS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n"+heading)
	if !found {
		t.Fatalf("SEMANTICS.md has no table %q", heading)
	}
	for i, line := range strings.Split(rest, "\n") {
		if i < 2 { // the heading's end and the rule below it
			continue
		}
		if !strings.HasPrefix(line, "|") {
			break
		}
		var cells []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestSemanticsNamesEveryKind holds the table of operations to the code: kinds in
// order, spellings, arities, attributes, and the family's file.
func TestSemanticsNamesEveryKind(t *testing.T) {
	rows := tableOf(t, "| kind | spelling |")
	if len(rows) != len(Kinds()) {
		t.Fatalf("the table has %d rows for %d kinds", len(rows), len(Kinds()))
	}
	for i, k := range Kinds() {
		attributes := Opcode{Kind: k}.Attributes()
		var names []string
		for _, f := range strings.Fields(attributes) {
			if name, _, ok := strings.Cut(f, "="); ok {
				names = append(names, name)
			}
		}
		want := []string{k.String(), k.Spelling(), fmt.Sprint(k.Arity()), strings.Join(names, ", ")}
		if got := rows[i][:4]; strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("row %d is %q, want %q", i, got, want)
		}
		file := rows[i][6]
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), fmt.Sprintf("name: %q", k)) {
			t.Errorf("%v is not declared in %s: %v", k, file, err)
		}
	}
}

// attributesText is an attribute with its value, as describe prints it.
var attributesText = regexp.MustCompile(` \w+=(\[[^]]*\]|\d+)`)

// rulesOwn leaves of what a rule's test records the nodes of the rule itself: no
// attributes, and not the accumulation, a start and an Add for each share.
func rulesOwn(records string) string {
	nodes := strings.Split(attributesText.ReplaceAllString(records, ""), "; ")
	for n := len(nodes); n > 0 && (nodes[n-1] == "Leaf" || strings.HasPrefix(nodes[n-1], "Add ") && n > 1 && nodes[n-2] == "Leaf"); n = len(nodes) {
		nodes = nodes[:n-1]
	}
	return strings.Join(nodes, "; ")
}

// TestSemanticsNamesEveryRule holds the table of derivatives to what the tests of
// the families check of the code: which nodes a rule records, in order, and which
// values it reads.
func TestSemanticsNamesEveryRule(t *testing.T) {
	reads, records := map[string]string{}, map[string]string{}
	for _, f := range families {
		for _, r := range f.rules {
			kind := r.op.Kind.String()
			reads[kind], records[kind] = strings.ReplaceAll(r.retains, " ", ", "), rulesOwn(r.records)
		}
	}
	for _, row := range tableOf(t, "| kind | cotangents |") {
		want := []string{row[0], row[1], records[row[0]], reads[row[0]]}
		if _, ok := reads[row[0]]; !ok || strings.Join(row, "|") != strings.Join(want, "|") {
			t.Errorf("the table says %q, the tests of the families %q", row, want)
		}
		delete(reads, row[0])
	}
	for kind := range reads {
		t.Errorf("the table has no row for %s", kind)
	}
}
