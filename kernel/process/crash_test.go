package process

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares got with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs: got\n%s\nwant\n%s", name, got, want)
	}
}

// TestParseCrash reads dumps that real programs wrote.
func TestParseCrash(t *testing.T) {
	dumps, err := filepath.Glob(filepath.Join("testdata", "crash", "*.txt"))
	if err != nil || len(dumps) == 0 {
		t.Fatalf("no dumps: %v", err)
	}
	for _, path := range dumps {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			before, crash, ok := parseCrash(string(text))
			var b strings.Builder
			fmt.Fprintf(&b, "crash: %v\nbefore: %q\n", ok, before)
			if ok {
				fmt.Fprintf(&b, "message: %q\n", crash.Message)
				for _, f := range crash.Frames {
					starts := ""
					if f.Starts {
						starts = ", starts the goroutine"
					}
					fmt.Fprintf(&b, "frame: %s at %s:%d, %d times%s\n", f.Func, f.file, f.at, f.Times, starts)
				}
			}
			golden(t, filepath.Join("crash", name+".golden"), b.String())
		})
	}
}

func FuzzParseCrash(f *testing.F) {
	dumps, _ := filepath.Glob(filepath.Join("testdata", "crash", "*.txt"))
	for _, path := range dumps {
		if text, err := os.ReadFile(path); err == nil {
			f.Add(string(text))
		}
	}
	f.Add("panic: \ngoroutine 1 [x]:\n")
	f.Add("panic: a [recovered]\n\tpanic: b\n\ngoroutine 1 [running]:\nmain.main()\n\tx.go:1")
	f.Fuzz(func(t *testing.T, text string) {
		before, crash, ok := parseCrash(text)
		if !ok {
			if before != text || crash != nil {
				t.Errorf("no crash, but %q", before)
			}
			return
		}
		if before+crash.Text != text {
			t.Errorf("%q and %q are not the whole", before, crash.Text)
		}
		for _, frame := range crash.Frames {
			if frame.at < 0 || frame.file == "" {
				t.Errorf("frame %+v", frame)
			}
		}
	})
}
