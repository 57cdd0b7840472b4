package checkpoint_test

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/checkpoint"
	"github.com/topos-notebook/topos/topos/initial"
	"github.com/topos-notebook/topos/topos/nn"
)

// perceptron is a table of initial parameters and the paths into it.
func perceptron(seed uint64, sizes ...int) (*topos.Parameters[float32], checkpoint.Paths) {
	tape := topos.New(topos.F32)
	mlp := nn.NewMlp(nn.Drawn(tape, initial.Uniform(topos.F32, seed, 1)), nn.Tanh, sizes...)
	return tape.InitialParameters(), mlp.Parameters()
}

// listed makes paths of pairs.
func listed(pairs ...any) checkpoint.Paths {
	return func(yield func(string, topos.Symbol) bool) {
		for i := 0; i < len(pairs); i += 2 {
			if !yield(pairs[i].(string), pairs[i+1].(topos.Symbol)) {
				return
			}
		}
	}
}

func TestRestoreGivesTheBitsBack(t *testing.T) {
	p, paths := perceptron(1, 2, 3, 1)
	other, _ := perceptron(2, 2, 3, 1)
	// The names of one perceptron hold for its own tape only, the positions for both.
	if got, err := checkpoint.Restore(checkpoint.Snapshot(p), other); err != nil || !got.Equal(p) {
		t.Errorf("by position: %v", err)
	}
	changed := p.Scale(3)
	c, err := checkpoint.SnapshotPaths(p, paths)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := checkpoint.RestorePaths(c, changed, paths)
		if err != nil || !got.Equal(p) {
			t.Errorf("by path: %v", err)
		}
		// Entries are found in any order.
		c[0], c[3] = c[3], c[0]
	}
	if changed.Equal(p) {
		t.Error("the table that was restored into has changed")
	}
}

// What lies outside the paths is left alone.
func TestRestorePartly(t *testing.T) {
	tape := topos.New(topos.F32)
	a := tape.Parameter(nil, 1)
	b := tape.Parameter(nil, 2)
	p := tape.InitialParameters()
	paths := listed("a", a.Symbol())
	c := topos.Must(checkpoint.SnapshotPaths(p, paths))
	got := topos.Must(checkpoint.RestorePaths(c, p.Scale(10), paths))
	if got.Of(a).Scalar() != 1 || got.Of(b).Scalar() != 20 {
		t.Errorf("restored %v and %v", got.Of(a), got.Of(b))
	}
}

func TestWhatDoesNotFitIsNamed(t *testing.T) {
	p, paths := perceptron(1, 2, 3, 1)
	named := topos.Must(checkpoint.SnapshotPaths(p, paths))
	wider, widerPaths := perceptron(1, 2, 4, 1)
	wide := topos.Must(checkpoint.SnapshotPaths(wider, widerPaths))
	deeper, deeperPaths := perceptron(1, 2, 3, 1, 1)
	deep := topos.Must(checkpoint.SnapshotPaths(deeper, deeperPaths))
	symbols := p.Names()
	double := append(checkpoint.Checkpoint{}, named...)
	double[1].Element = "f64"
	torn := append(checkpoint.Checkpoint{}, named...)
	torn[2].Bits = torn[2].Bits[1:]
	restore := func(c checkpoint.Checkpoint, paths checkpoint.Paths) func() error {
		return func() error {
			var err error
			if paths == nil {
				_, err = checkpoint.Restore(c, p)
			} else {
				_, err = checkpoint.RestorePaths(c, p, paths)
			}
			return err
		}
	}
	for name, c := range map[string]struct {
		do   func() error
		err  error
		want string
	}{
		"too few":          {restore(named[:3], nil), checkpoint.ErrMissing, "the checkpoint holds 3 payloads for 4 parameters: none for slot 3 of [1]"},
		"too many":         {restore(deep, nil), checkpoint.ErrUnexpected, `the checkpoint holds 6 payloads for 4 parameters: "2.weights" of [1, 1] has no slot`},
		"wider":            {restore(wide, nil), checkpoint.ErrShape, `entry "0.weights" has the shape [2, 4], its parameter [2, 3]`},
		"wider by path":    {restore(wide, paths), checkpoint.ErrShape, `entry "0.weights" has the shape [2, 4], its parameter [2, 3]`},
		"missing":          {restore(named[:3], paths), checkpoint.ErrMissing, `the checkpoint has no entry "1.bias", which is a parameter of [1]`},
		"unexpected":       {restore(deep, paths), checkpoint.ErrUnexpected, `the checkpoint has an unexpected entry "2.weights" of [1, 1]`},
		"element":          {restore(double, paths), checkpoint.ErrElement, `entry "0.bias" is of f64, its parameter of f32`},
		"torn in memory":   {restore(torn, nil), checkpoint.ErrFormat, `entry "1.weights": f32 of [3, 1] is 12 bytes, not 11`},
		"an entry twice":   {restore(append(named[:4:4], named[0]), paths), checkpoint.ErrPath, `the checkpoint has two entries "0.weights"`},
		"a path twice":     {restore(named, listed("a", symbols[0], "a", symbols[1])), checkpoint.ErrMissing, `the checkpoint has no entry "a"`},
		"a foreign symbol": {restore(named, widerPaths), checkpoint.ErrPath, `"0.weights" names no parameter of the table: parameters was given a symbol of another tape`},
		"snapshot of a path twice": {func() error {
			_, err := checkpoint.SnapshotPaths(p, listed("a", symbols[0], "a", symbols[1]))
			return err
		}, checkpoint.ErrPath, `two parameters have the path "a"`},
		"two paths of one parameter": {
			restore(checkpoint.Checkpoint{named[1], {"other", "f32", topos.Shape{3}, make([]byte, 12)}}, listed("0.bias", symbols[1], "other", symbols[1])),
			checkpoint.ErrPath, `"0.bias" and "other" are one parameter, and their payloads differ`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.do()
			if !errors.Is(err, c.err) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("fails by %v, want %q", err, c.want)
			}
		})
	}
}

// A table read through two paths is kept twice and restored where both agree.
func TestTiedPaths(t *testing.T) {
	tape := topos.New(topos.F32)
	shared := nn.NewEmbedding(tape.Parameter(topos.Shape{2, 1}, 1, 2))
	var tied iter.Seq2[string, topos.Symbol] = nn.Sequential{shared, shared}.Parameters()
	p := tape.InitialParameters()
	c := topos.Must(checkpoint.SnapshotPaths(p, tied))
	if len(c) != 2 || c[1].Path != "1.weights" {
		t.Fatalf("kept %v", c)
	}
	if got, err := checkpoint.RestorePaths(c, p.Scale(2), tied); err != nil || !got.Equal(p) {
		t.Errorf("restored %v, %v", got, err)
	}
}

func TestFileGivesTheBitsBack(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	tape := topos.New(topos.F32)
	tape.Parameter(topos.Shape{2, 2}, negative, float32(math.Inf(1)), math.Float32frombits(0x7fc12345), 1e-45)
	tape.Parameter(nil, 7)
	p := tape.InitialParameters()
	c := checkpoint.Snapshot(p)
	c[0].Path = "\"quoted\" <&> \u00e9\u2028\\"
	file := topos.Must(c.Encode())
	if len(file)%4 != 0 || !bytes.Equal(file, topos.Must(c.Encode())) {
		t.Error("the file is not always the same")
	}
	read := topos.Must(checkpoint.Decode(file))
	for i := range c {
		if read[i].Path != c[i].Path || read[i].Element != c[i].Element || !read[i].Shape.Equal(c[i].Shape) || !bytes.Equal(read[i].Bits, c[i].Bits) {
			t.Errorf("entry %d comes back as %v, not %v", i, read[i], c[i])
		}
	}
	if got := topos.Must(checkpoint.Restore(read, p.Scale(0))); !got.Equal(p) || !bytes.Equal(got.Slot(0).Encode(), p.Slot(0).Encode()) {
		t.Error("the table comes back with other bits")
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	for name, c := range map[string]struct {
		entries checkpoint.Checkpoint
		err     error
	}{
		"an element of a program's own": {checkpoint.Checkpoint{{"a", "interval", nil, make([]byte, 4)}}, checkpoint.ErrElement},
		"bits that do not fill":         {checkpoint.Checkpoint{{"a", "f32", topos.Shape{2}, make([]byte, 4)}}, checkpoint.ErrShape},
		"an empty shape":                {checkpoint.Checkpoint{{"a", "f32", topos.Shape{0}, nil}}, checkpoint.ErrShape},
		"the format's own key":          {checkpoint.Checkpoint{{"__metadata__", "f32", nil, make([]byte, 4)}}, checkpoint.ErrPath},
		"no text":                       {checkpoint.Checkpoint{{"\xff", "f32", nil, make([]byte, 4)}}, checkpoint.ErrPath},
		"a path twice":                  {checkpoint.Checkpoint{{"a", "f32", nil, make([]byte, 4)}, {"a", "f32", nil, make([]byte, 4)}}, checkpoint.ErrPath},
	} {
		if b, err := c.entries.Encode(); !errors.Is(err, c.err) || b != nil {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
}
