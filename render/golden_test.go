package render

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares every card with the file that holds it.
func TestGolden(t *testing.T) {
	all := readings(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			r := all[name]
			bundle, err := Bundle(r, Options{RawSVG: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := show(t, r, Options{}, PlainType); got != r.Text {
				t.Errorf("text/plain is not the reading's text:\n%s", got)
			}
			golden(t, name+".html", show(t, r, Options{}, HTMLType))
			golden(t, name+".static.html", show(t, r, Options{Static: true}, HTMLType))
			golden(t, name+".json", show(t, r, Options{}, DocumentType))
			if bundle[LaTeXType] != nil {
				golden(t, name+".tex", show(t, r, Options{}, LaTeXType))
			}
			if bundle[SVGType] != nil {
				golden(t, name+".svg", show(t, r, Options{RawSVG: true}, SVGType))
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run with -update to write it", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and read the difference.\n%s", path, got)
	}
}
