package wire

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
)

// framed is a message as it goes over a connection, its frames of these sizes.
func framed(sizes ...int) []byte {
	var b []byte
	for i, size := range sizes {
		flags := byte(0)
		if i < len(sizes)-1 {
			flags = moreFlag
		}
		if size > 255 {
			b = append(b, flags|longFlag, 0, 0, 0, 0, 0, byte(size>>16), byte(size>>8), byte(size))
		} else {
			b = append(b, flags, byte(size))
		}
		b = append(b, bytes.Repeat([]byte{byte(i)}, size)...)
	}
	return b
}

// TestWhole has the ends of messages found, and nothing else taken for one, in
// whatever pieces they come.
func TestWhole(t *testing.T) {
	ends := map[int]bool{greetingSize: true}
	stream := greeting()
	for _, m := range [][]byte{append([]byte{4, 5}, "READY"...), framed(0), framed(1, 0), framed(3, 300, 0, 255, 256), framed(0, 0, 7), framed(70000)} {
		stream = append(stream, m...)
		ends[len(stream)] = true
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var f framing
		for at := 0; at < len(stream); {
			n := 1
			if r.IntN(3) == 0 {
				n = 1 + r.IntN(400)
			}
			n = min(n, len(stream)-at)
			whole := f.whole(stream[at : at+n])
			if at += n; at >= greetingSize && whole != ends[at] {
				t.Fatalf("seed %d, after %d bytes: %v", seed, at, whole)
			}
		}
	}
}

// pieces is a connection that remembers what was written to it at once.
type pieces struct {
	net.Conn
	written []string
}

func (p *pieces) Write(b []byte) (int, error) {
	p.written = append(p.written, string(b))
	return len(b), nil
}

// TestMessagesAreWrittenAtOnce has the small pieces that the library makes of a
// message leave together, and those of a large one before too many wait.
func TestMessagesAreWrittenAtOnce(t *testing.T) {
	var p pieces
	c := &dialled{Conn: &p}
	small, large := framed(3, 0, 40), framed(2, 3*gathered)
	for _, write := range []string{string(greeting()[:10]), string(greeting()[10:])} {
		c.Write([]byte(write))
	}
	for i := range small {
		if n, err := c.Write(small[i : i+1]); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	for rest := large; len(rest) > 0; {
		n := min(1000, len(rest))
		c.Write(rest[:n])
		rest = rest[n:]
	}
	var lengths []string
	for _, w := range p.written {
		lengths = append(lengths, fmt.Sprint(len(w)))
	}
	if got := strings.Join(lengths, " "); got != fmt.Sprintf("10 54 %d 66000 66000 %d", len(small), len(large)-132000) {
		t.Errorf("pieces of %s bytes", got)
	}
	if got, want := strings.Join(p.written, ""), string(greeting())+string(small)+string(large); got != want {
		t.Error("other bytes arrive")
	}
}
