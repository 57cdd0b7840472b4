package process

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// tape is a sink that remembers what it was told, in order.
type tape struct {
	mu    sync.Mutex
	calls []piece
	more  chan struct{}
}

func (t *tape) Stream(name, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, piece{name, []byte(text)})
	select {
	case t.more <- struct{}{}:
	default:
	}
}

func (t *tape) all(name string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, c := range t.calls {
		if c.name == name {
			b.Write(c.text)
		}
	}
	return b.String()
}

func TestOutputPasses(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit int
		in    []string // stderr, write by write
		want  string
	}{
		{"nothing", 1000, nil, ""},
		{"plain", 1000, []string{"a\n", "b"}, "a\nb"},
		{"split rune", 1000, []string{"\xe2", "\x82", "\xac\n"}, "€\n"},
		{"rune never completed", 1000, []string{"x\xe2\x82"}, "x\uFFFD"},
		{"no text", 1000, []string{"\xff\xfe"}, "\uFFFD"},
		{"mark in pieces", 1000, []string{"pan", "ic: by hand\n", "more\n"}, "panic: by hand\nmore\n"},
		{"no mark after all", 1000, []string{"pan", "cake\n"}, "pancake\n"},
		{"mark amid a line", 1000, []string{"x", "panic: y\n"}, "xpanic: y\n"},
		{"mark after a line", 1000, []string{"x\nfatal error: y", "\nz"}, "x\nfatal error: y\nz"},
		{"beginning of a mark at the end", 1000, []string{"x\nfatal"}, "x\nfatal"},
		{"head and tail", 200, []string{strings.Repeat("a", 150), strings.Repeat("b", 100), strings.Repeat("c", 100)},
			strings.Repeat("a", 100) + "\n[150 bytes left out]\n" + strings.Repeat("c", 100)},
		{"between lines", 200, []string{strings.Repeat("a", 90) + "\n", strings.Repeat("b", 15) + "\n" + strings.Repeat("c\n", 100), strings.Repeat("d", 90) + "\n"},
			strings.Repeat("a", 90) + "\n[97 lines, 208 bytes left out]\n" + strings.Repeat("c\n", 4) + strings.Repeat("d", 90) + "\n"},
		{"just within", 200, []string{strings.Repeat("a", 200)}, strings.Repeat("a", 200)},
		{"cut in a rune", 200, []string{strings.Repeat("€", 100)},
			strings.Repeat("€", 33) + "\n[102 bytes left out]\n" + strings.Repeat("€", 33)},
	} {
		t.Run(test.name, func(t *testing.T) {
			sink := &tape{}
			o := newOutput(sink, test.limit)
			for _, text := range test.in {
				o.write("stderr", []byte(text))
			}
			o.finish()
			o.write("stderr", []byte("too late"))
			o.flush()
			if got := sink.all("stderr"); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// TestOutputFlushedInPieces flushes after every byte: what arrives must not
// depend on where the flushes fall.
func TestOutputFlushedInPieces(t *testing.T) {
	const text = "pandemonium\nä€𝄞\nfatal attraction\np"
	sink := &tape{}
	o := newOutput(sink, 1000)
	for i := range len(text) {
		o.write("stderr", []byte(text[i:i+1]))
		o.flush()
	}
	o.finish()
	if got := sink.all("stderr"); got != text {
		t.Errorf("got %q", got)
	}
	for _, c := range sink.calls {
		if !utf8.Valid(c.text) {
			t.Errorf("%q is not valid UTF-8", c.text)
		}
	}
}

func TestOutputBatches(t *testing.T) {
	sink := &tape{}
	o := newOutput(sink, 1<<20)
	for i := range 20000 {
		name := "stdout"
		if i%2 == 1 {
			name = "stderr"
		}
		o.write(name, fmt.Appendf(nil, "%d\n", i))
	}
	o.finish()
	// No timing is asserted: 20,000 writes take well under the ten seconds
	// that two hundred batches of two streams would last.
	if len(sink.calls) > 400 {
		t.Errorf("%d calls of the sink", len(sink.calls))
	}
	if n := strings.Count(sink.all("stdout"), "\n") + strings.Count(sink.all("stderr"), "\n"); n != 20000 {
		t.Errorf("%d lines", n)
	}
}

func TestOutputKeepsOrder(t *testing.T) {
	sink := &tape{}
	o := newOutput(sink, 1000)
	o.write("stdout", []byte("1"))
	o.write("stderr", []byte("2"))
	o.write("stdout", []byte("3"))
	o.flush()
	var order bytes.Buffer
	for _, c := range sink.calls {
		order.Write(c.text)
	}
	o.finish()
	if order.String() != "123" {
		t.Errorf("order %q", &order)
	}
}

// TestOutputComesByItself waits for the timer to bring a line that nobody
// flushes.
func TestOutputComesByItself(t *testing.T) {
	sink := &tape{more: make(chan struct{}, 1)}
	o := newOutput(sink, 1000)
	o.write("stdout", []byte("line\n"))
	select {
	case <-sink.more:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
	}
	o.finish()
	if got := sink.all("stdout"); got != "line\n" {
		t.Errorf("got %q", got)
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("panic: x\n\ngoroutine 1 [running]:\n"), uint8(3))
	f.Add([]byte("fatal error: \xe2\x82"), uint8(1))
	f.Add(bytes.Repeat([]byte("é"), 300), uint8(7))
	f.Fuzz(func(t *testing.T, text []byte, step uint8) {
		sink := &tape{}
		o := newOutput(sink, 256)
		for rest := text; len(rest) > 0; {
			n := min(len(rest), int(step)+1)
			o.write("stderr", rest[:n])
			if n%2 == 1 {
				o.flush()
			}
			rest = rest[n:]
		}
		o.finish()
		got := sink.all("stderr")
		if !utf8.ValidString(got) {
			t.Errorf("not valid UTF-8: %q", got)
		}
		if len(text) <= 256 && utf8.Valid(text) && got != string(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// Two gigabytes are read to their end, and only what is shown of them is kept.
func TestOutputIsBounded(t *testing.T) {
	sink := &tape{}
	o := newOutput(sink, OutputLimit)
	chunk := bytes.Repeat([]byte("a line of output that nobody reads to its end\n"), 1400)
	total := 0
	for total < 2<<30 {
		o.write("stdout", chunk)
		total += len(chunk)
		if kept := cap(o.streams["stdout"].limit.tail); kept > 4*OutputLimit {
			t.Fatalf("after %d bytes %d are kept", total, kept)
		}
	}
	o.finish()
	got := sink.all("stdout")
	var lines, left int
	before, after, _ := strings.Cut(got, "\n[")
	said, after, _ := strings.Cut(after, "]\n")
	if n, err := fmt.Sscanf(said, "%d lines, %d bytes left out", &lines, &left); n != 2 {
		t.Fatalf("said %q: %v", said, err)
	}
	kept := before + "\n" + after
	if len(kept)+left != total || strings.Count(kept, "\n")+lines != total/46 || len(kept) < OutputLimit-100 || len(kept) > OutputLimit {
		t.Errorf("%d bytes are kept, and of %d it is said: %s", len(kept), total, said)
	}
	if strings.Trim(kept, "a line of output that nobody reads to its end\n") != "" || !strings.HasPrefix(after, "a line") {
		t.Error("lines are cut")
	}
}

// However a text is divided, it is cut at the same places, and what is said of the
// rest is right.
func TestCappedIsDeterministic(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		var text []byte
		for range 40 {
			text = append(text, strings.Repeat([]string{"a", "aé€😀"}[seed%2], random.IntN(1+int(seed)))...)
			text = append(text, '\n')
		}
		var whole string
		for try := range 5 {
			c := NewCapped(400)
			var got []byte
			for rest := text; len(rest) > 0; {
				n := len(rest)
				if try > 0 {
					n = completeRunes(rest[:min(len(rest), 4+random.IntN(300))])
				}
				got, rest = append(got, c.Add(rest[:n])...), rest[n:]
			}
			got = append(got, c.Rest()...)
			if try == 0 {
				whole = string(got)
			}
			if string(got) != whole || !utf8.Valid(got) {
				t.Fatalf("seed %d: got %q, before %q", seed, got, whole)
			}
		}
	}
}
