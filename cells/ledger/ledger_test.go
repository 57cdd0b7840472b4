package ledger_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/topos-notebook/topos/cells/bounds"
	"github.com/topos-notebook/topos/cells/ledger"
)

var header = ledger.Header{Element: "f32", Segment: 3, Base: 2}

func open(t testing.TB) (string, *ledger.Writer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger")
	if err := ledger.Create(path, header); err != nil {
		t.Fatal(err)
	}
	w, err := ledger.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return path, w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// all reads every entry, copied.
func all(r *ledger.Reader) ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for {
		e, err := r.Next()
		if err == io.EOF {
			return entries, nil
		}
		if err != nil {
			return entries, err
		}
		e.Node = append([]byte(nil), e.Node...)
		entries = append(entries, e)
	}
}

func TestRoundTrip(t *testing.T) {
	path, w := open(t)
	must(t, w.Node([]byte("first")))
	must(t, w.Name("h", 2))
	must(t, w.Node([]byte("second")))
	must(t, w.Node(nil))
	r, err := ledger.Load(path) // the writer is still open, as after SIGKILL
	must(t, err)
	if r.Header() != header {
		t.Errorf("header %+v, want %+v", r.Header(), header)
	}
	got, err := all(r)
	must(t, err)
	want := []ledger.Entry{
		{Kind: ledger.NodeEntry, Node: []byte("first"), Record: 2},
		{Kind: ledger.NameEntry, Name: "h", Index: 2, Record: 3},
		{Kind: ledger.NodeEntry, Node: []byte("second"), Record: 3},
		{Kind: ledger.NodeEntry, Record: 4},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("entries\n%+v\nwant\n%+v", got, want)
	}
}

func TestGrows(t *testing.T) {
	path, w := open(t)
	const n = 50_000
	big := make([]byte, 300_000) // longer than a doubling
	must(t, w.Node(big))
	for i := range n {
		must(t, w.Node(fmt.Appendf(nil, "node %d", i)))
	}
	must(t, w.Close())
	r, err := ledger.Load(path)
	must(t, err)
	entries, err := all(r)
	must(t, err)
	if len(entries) != n+1 || string(entries[n].Node) != fmt.Sprintf("node %d", n-1) || len(entries[0].Node) != len(big) {
		t.Errorf("%d entries, the last %q", len(entries), entries[len(entries)-1].Node)
	}
}

func TestOneWriter(t *testing.T) {
	path, w := open(t)
	must(t, w.Node([]byte("x")))
	if _, err := ledger.Open(path); !errors.Is(err, ledger.ErrForeign) {
		t.Errorf("a second writer: %v", err)
	}
	if err := ledger.Create(path, header); !errors.Is(err, os.ErrExist) {
		t.Errorf("created over another: %v", err)
	}
}

func TestEndRefusesTheWriter(t *testing.T) {
	path, w := open(t)
	must(t, w.Node([]byte("in time")))
	must(t, ledger.End(path))
	if err := w.Node([]byte("late")); !errors.Is(err, ledger.ErrEnded) {
		t.Errorf("a late node: %v", err)
	}
	if err := w.Name("late", 0); !errors.Is(err, ledger.ErrEnded) {
		t.Errorf("a late name: %v", err)
	}
	r, err := ledger.Load(path)
	must(t, err)
	if entries, err := all(r); err != nil || len(entries) != 1 {
		t.Errorf("%d entries, %v; want the one in time", len(entries), err)
	}
}

func TestTapeIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	must(t, ledger.Create(path, ledger.Header{Element: "f32", Base: bounds.Nodes - 1}))
	w, err := ledger.Open(path)
	must(t, err)
	defer w.Close()
	must(t, w.Node([]byte("the last")))
	if err := w.Node([]byte("one more")); err == nil || err.Error() != "a session's tape holds at most 67108864 nodes" {
		t.Errorf("a node too many: %v", err)
	}
	if w.Nodes() != bounds.Nodes {
		t.Errorf("%d nodes", w.Nodes())
	}
}

func TestClosed(t *testing.T) {
	_, w := open(t)
	must(t, w.Close())
	must(t, w.Close())
	if err := w.Node(nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a node after Close: %v", err)
	}
}

// whole is a ledger in memory with given entries' bytes.
func whole(t testing.TB, entries []byte) []byte {
	path, w := open(t)
	must(t, w.Close())
	b, err := os.ReadFile(path)
	must(t, err)
	b = append(b[:64:64], entries...)
	binary.NativeEndian.PutUint64(b[16:], uint64(len(entries)))
	return b
}

func TestRefusedFiles(t *testing.T) {
	newer := whole(t, nil)
	newer[8] = 9
	short := whole(t, []byte{1, 1, 'x'})
	short = short[:len(short)-1]
	tests := []struct {
		name string
		file []byte
		want error
	}{
		{"empty", nil, ledger.ErrForeign},
		{"text", []byte("A text that is longer than the header of a ledger, and then some more of it."), ledger.ErrForeign},
		{"cut header", whole(t, nil)[:40], ledger.ErrForeign},
		{"newer", newer, ledger.ErrNewer},
		{"shorter than published", short, ledger.ErrTorn},
		{"length past the end", whole(t, []byte{1, 200, 'x'}), ledger.ErrTorn},
		{"kind alone", whole(t, []byte{1}), ledger.ErrTorn},
		{"unknown kind", whole(t, []byte{77, 0}), ledger.ErrTorn},
		{"name of no node", whole(t, []byte{2, 2, 9, 'h'}), ledger.ErrTorn},
		{"name without text", whole(t, []byte{2, 1, 0}), ledger.ErrTorn},
		{"name not UTF-8", whole(t, []byte{2, 2, 0, 0xff}), ledger.ErrTorn},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := ledger.Parse(test.file)
			if err == nil {
				_, err = all(r)
			}
			if !errors.Is(err, test.want) {
				t.Errorf("from memory: %v, want %v", err, test.want)
			}
			path := filepath.Join(t.TempDir(), "file")
			must(t, os.WriteFile(path, test.file, 0o600))
			r, err = ledger.Load(path)
			if err == nil {
				_, err = all(r)
			}
			if !errors.Is(err, test.want) {
				t.Errorf("from a file: %v, want %v", err, test.want)
			}
		})
	}
}

func TestHeaderRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	for _, h := range []ledger.Header{{Element: "an element of a long name"}, {Base: -1}, {Segment: -1}} {
		if err := ledger.Create(path, h); err == nil {
			t.Errorf("created a ledger of %+v", h)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("topos.lg"))
	f.Add(whole(f, []byte{1, 1, 'x', 2, 2, 2, 'h'}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ledger.Parse(b)
		if err != nil {
			return
		}
		nodes := r.Header().Base
		for {
			e, err := r.Next()
			if err != nil {
				if _, after := r.Next(); err != io.EOF && after != io.EOF {
					t.Errorf("after %v comes %v", err, after)
				}
				return
			}
			if e.Record != nodes || e.Kind != ledger.NodeEntry && e.Index >= nodes {
				t.Fatalf("entry %+v at %d nodes", e, nodes)
			}
			if e.Kind == ledger.NodeEntry {
				nodes++
			}
		}
	})
}

func BenchmarkNode(b *testing.B) {
	path := filepath.Join(b.TempDir(), "ledger")
	must(b, ledger.Create(path, header))
	w, err := ledger.Open(path)
	must(b, err)
	defer w.Close()
	entry := []byte("sixteen bytes ok")
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Node(entry); err != nil {
			b.Fatal(err)
		}
	}
}
