package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/topos-notebook/topos/topos"
)

// TestText: up to 2,000 rows the text is the reading's to the byte; above, the
// ends are left with a line that counts the rest and says how to get it.
func TestText(t *testing.T) {
	for _, c := range []struct {
		rows, lines int
		omission    string
	}{
		{29, 30, ""},
		{2000, 2001, ""},
		{2001, 202, "... 1,801 rows; %spec --all > file"},
		{20000, 202, "... 19,800 rows; %spec --all > file"},
		{20001, 42, "... 19,961 rows; %spec --all > file"},
	} {
		t.Run(fmt.Sprint(c.rows), func(t *testing.T) {
			r := chain(topos.SpecReading, c.rows)
			text := show(t, r, Options{Whole: "%spec --all > file"}, PlainType)
			if c.omission == "" && text != r.Text {
				t.Error("the text is not the reading's")
			}
			if n := strings.Count(text, "\n"); n != c.lines {
				t.Errorf("%d lines, want %d", n, c.lines)
			}
			if c.omission != "" && strings.Count(text, c.omission+"\n") != 1 {
				t.Errorf("the text does not say %q once:\n%.9000s", c.omission, text)
			}
			if !strings.HasSuffix(text, r.Tail[0]+"\n") {
				t.Error("the closing line is gone")
			}
		})
	}
}

// TestTextKeepsWhatMatters: dividers, the peak and rows with values that are not
// finite stay in a shortened text and card.
func TestTextKeepsWhatMatters(t *testing.T) {
	r := chain(topos.SpecReading, 5000)
	at := strings.Index(r.Text, fmt.Sprintf("%4d  ", 3000))
	r.Marks = []topos.Mark{{Before: 3000, Text: "segment 2"}}
	r.Text = r.Text[:at] + "segment 2\n" + r.Text[at:]
	r.Plan = &topos.PlanReading{PeakNode: 1234}
	r.Payloads = []topos.PayloadReading{{Node: 4321, NonFinite: 1}}
	text := show(t, r, Options{}, PlainType)
	page := show(t, r, Options{}, HTMLType)
	for _, want := range []string{"\nsegment 2\n", "\n1234  ", "\n4321  ", "\n... 1,134 rows left out\n"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the text does not hold %q", want)
		}
	}
	for _, want := range []string{"segment 2", "-n1234\"", "-n4321\""} {
		if !strings.Contains(page, want) {
			t.Errorf("the card does not hold %q", want)
		}
	}
}

// TestSizes: every kind keeps to the caps at sizes around the limits, and what
// is left out is said in the caption.
func TestSizes(t *testing.T) {
	for _, kind := range []topos.ReadingKind{topos.SpecReading, topos.ScheduleReading, topos.PictureReading, topos.ModuleReading} {
		for _, n := range []int{150, 200, 201, 2000, 2001, 20000, 20001} {
			r := chain(kind, n)
			if kind == topos.ScheduleReading {
				r.Plan = &topos.PlanReading{Evaluated: n, Of: n, Schedule: indices(r.Rows), Live: indices(r.Rows), Peak: n - 1, PeakNode: n - 1}
			}
			bundle, err := Bundle(r, Options{RawSVG: true})
			if err != nil {
				t.Fatal(err)
			}
			if total := size(bundle); total > MaxBundle {
				t.Errorf("%s of %d nodes: %d bytes", kind, n, total)
			}
			if doc := bundle[DocumentType].(json.RawMessage); len(doc) > maxDocument || !json.Valid(doc) {
				t.Errorf("%s of %d nodes: a document of %d bytes", kind, n, len(doc))
			}
			page := bundle[HTMLType].(string)
			if strings.Contains(page, "shortened") {
				t.Errorf("%s of %d nodes: the card does not fit", kind, n)
			}
			caption, _, _ := strings.Cut(page, "</div>")
			if n > maxRows && kind != topos.ModuleReading && kind != topos.NodeReading && !strings.Contains(caption, "left out") {
				t.Errorf("%s of %d nodes: the caption does not say what is left out: %s", kind, n, caption)
			}
			if pictured := strings.Contains(page, "<img"); kind == topos.PictureReading && pictured != (n <= maxDrawn) {
				t.Errorf("a picture of %d nodes: drawn is %v", n, pictured)
			}
		}
	}
}

// TestPictureCaptions: the caption says how a graph is drawn, or that it is not.
func TestPictureCaptions(t *testing.T) {
	for n, want := range map[int]string{
		150:  "layers drawn",
		151:  "drawn in recorded order (layers are drawn up to 150 nodes)",
		2001: "not drawn above 2,000 nodes",
	} {
		if page := show(t, chain(topos.PictureReading, n), Options{}, HTMLType); !strings.Contains(page, want) {
			t.Errorf("%d nodes: the caption does not say %q: %.200s", n, want, page)
		}
	}
}

// TestLongStrings: single strings of any length do not break the cap.
func TestLongStrings(t *testing.T) {
	long := strings.Repeat("é<&", 60_000)
	for name, r := range readings(t) {
		h := hostile(r, long)
		for _, static := range []bool{false, true} {
			bundle, err := Bundle(h, Options{Static: static, RawSVG: true, Whole: "%all"})
			if err != nil {
				t.Fatal(err)
			}
			if total := size(bundle); total > MaxBundle {
				t.Errorf("%s static=%v: %d bytes", name, static, total)
			}
			for mime, value := range bundle {
				if text, ok := value.(string); ok && !utf8.ValidString(text) {
					t.Errorf("%s: %s is cut within a character", name, mime)
				}
			}
			if page := bundle[HTMLType].(string); !strings.Contains(page, "…") {
				t.Errorf("%s: nothing says that text is cut", name)
			}
		}
	}
}

// TestFolds: earlier rows fold when a divider is present and they are many;
// beyond 200 rows every hundred folds.
func TestFolds(t *testing.T) {
	r := chain(topos.SpecReading, 100)
	r.Marks = []topos.Mark{{Before: 60, Text: "segment 2"}}
	page := show(t, r, Options{}, HTMLType)
	if !strings.Contains(page, "<details><summary>60 nodes recorded before: 0 to 59</summary>") {
		t.Errorf("the earlier rows are not folded: %.600s", page)
	}
	if at := strings.Index(page, "</details>"); strings.Index(page, "segment 2</td>") < at {
		t.Error("the divider is inside the fold")
	}
	if !strings.Contains(page, "40 in segment 2") {
		t.Error("the caption does not count the appended rows")
	}
	page = show(t, chain(topos.SpecReading, 1999), Options{}, HTMLType)
	if n := strings.Count(page, "<details>"); n != 20 {
		t.Errorf("%d folds, want 20", n)
	}
	if !strings.Contains(page, "<summary>nodes 1900 to 1998</summary>") {
		t.Error("the last fold is not named by its nodes")
	}
}

// TestLinesAlign: folded lines are the text's own lines, links aside.
func TestLinesAlign(t *testing.T) {
	r := chain(topos.SpecReading, 300)
	text, _, _ := lab.clean(t, show(t, r, Options{}, HTMLType))
	for line := range strings.Lines(strings.TrimSuffix(r.Text, r.Tail[0]+"\n")) {
		if !strings.Contains(text, line) {
			t.Fatalf("the card does not hold the line %q", line)
		}
	}
}

// TestAnchors: every link of a card leads to an anchor of that card, and repeats
// within a cell do not share anchors.
func TestAnchors(t *testing.T) {
	all := readings(t)
	all["many"], all["more"] = chain(topos.SpecReading, 1000), chain(topos.GradientReading, 3000)
	all["few"] = chain(topos.SpecReading, 20001)
	for name, r := range all {
		first, second := show(t, r, Options{}, HTMLType), show(t, r, Options{Repeat: 2}, HTMLType)
		ids := anchors(first, `id="`)
		for id, n := range ids {
			if n > 1 {
				t.Errorf("%s: the anchor %s stands %d times", name, id, n)
			}
			if !strings.HasPrefix(id, Anchor(r)+"-") {
				t.Errorf("%s: the anchor %s has another prefix", name, id)
			}
		}
		for href := range anchors(first, `href="#`) {
			if ids[href] == 0 {
				t.Errorf("%s: a link leads to %s, which is not there", name, href)
			}
		}
		for id := range anchors(second, `id="`) {
			if ids[id] > 0 {
				t.Errorf("%s: the second card repeats the anchor %s", name, id)
			}
		}
	}
}

func anchors(page, before string) map[string]int {
	found := map[string]int{}
	for _, part := range strings.Split(page, before)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		found[id]++
	}
	return found
}

// TestCarriedRows: a large reading that carries its first rows alone is shown as
// if it carried all.
func TestCarriedRows(t *testing.T) {
	for _, kind := range []topos.ReadingKind{topos.SpecReading, topos.GradientReading, topos.PictureReading, topos.ScheduleReading} {
		whole := chain(kind, topos.MaxRows+1)
		whole.Nodes = len(whole.Rows)
		if kind == topos.ScheduleReading {
			whole.Plan = &topos.PlanReading{Evaluated: len(whole.Rows), Of: len(whole.Rows), Peak: 1, PeakNode: 9}
		} else {
			at := strings.Index(whole.Text, "10000  ")
			whole.Marks = []topos.Mark{{Before: 10_000, Text: "10001 nodes appended by differentiate"}}
			whole.Text = whole.Text[:at] + whole.Marks[0].Text + "\n" + whole.Text[at:]
		}
		carried := *whole
		carried.Rows = whole.Rows[:topos.FewRows]
		for _, o := range []Options{{}, {Static: true, Whole: "%spec --all > file"}} {
			for _, part := range []string{PlainType, HTMLType} {
				got, want := show(t, &carried, o, part), show(t, whole, o, part)
				if got != want {
					t.Errorf("%s: %s is\n%.3000s\nwant\n%.3000s", kind, part, got, want)
				}
			}
		}
	}
}
