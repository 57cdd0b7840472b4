package cells

import (
	"strings"
	"syscall"
	"testing"

	"github.com/topos-notebook/topos/cells/bounds"
	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/topos"
)

// untouched is an Aside whose payload lies in memory that nobody has touched, and
// that takes none therefore.
type untouched []byte

func (untouched) Put(*topos.Payload) (uint64, bool) { return 7, true }

func (u untouched) Get(_ uint64, lay func([]byte) (*topos.Payload, error)) (*topos.Payload, error) {
	return lay(u)
}

// A payload that a session cannot hold is refused before anything is written of it.
func TestPayloadsAreBounded(t *testing.T) {
	const size = bounds.Payload + 4
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Fatalf("no address space for %d bytes: %v", size, err)
	}
	defer syscall.Munmap(memory)
	tape := topos.New(topos.F32)
	encoding := []byte{1, 0x81, 0x80, 0x80, 0x80, 0x04, 0, 7} // [2^30 + 1], as number 7
	p, err := tape.DecodePayload(untouched(memory), encoding)
	if err != nil || p.Bytes() != size {
		t.Fatalf("%v bytes, %v", p, err)
	}
	const want = "a payload of 4294967300 bytes: a session's have at most 4294967296"
	files := payloads.New(t.TempDir(), 1)
	func() {
		defer func() {
			if said, _ := recover().(error); said == nil || !strings.Contains(said.Error(), want) {
				t.Errorf("recorded: %v", said)
			}
		}()
		apart{&recorder{tape: &tape.Recording}, files}.Put(p)
	}()
	b := &record{tape: &tape.Recording, ledger: &ledger.Writer{}, files: files, live: map[topos.Symbol]*topos.Payload{}}
	if err := b.keep([]int{0}, []*topos.Payload{p}); err == nil || err.Error() != "keep: "+want {
		t.Errorf("kept: %v", err)
	}
	if files.Len() != 0 || len(b.live) != 0 {
		t.Error("something was kept of it")
	}
}
