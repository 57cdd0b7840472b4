//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package payloads

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/topos-notebook/topos/cells/bounds"
)

// leastMapped is the size of the smallest file that is mapped, in bytes: a process
// may have some ten thousand mappings, and a smaller file is soon read.
const leastMapped = 1 << 20

// open gives what a file holds, as memory that stays for as long as there is a
// pointer into it.
//
// The file is mapped over memory of Go's own: an allocation whose pages are the
// file's until the collector finds that nothing points there any more. So no
// tensor need be counted, nor one that has the same memory under another shape,
// nor a loop that runs over it.
func open(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	size := int(info.Size())
	if err := bounds.OfPayload(info.Size()); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || size < leastMapped {
		return os.ReadFile(path)
	}
	b := uncleared(size + 2*os.Getpagesize())
	into, at := b.pages(size)
	if err := remap(at, size, syscall.PROT_READ, syscall.MAP_SHARED, file.Fd()); err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	// The finalizer has the address as a number: a pointer would be one more that
	// keeps the memory.
	length := len(b)
	runtime.SetFinalizer(unsafe.SliceData(b), func(first *byte) { restore(unsafe.Slice(first, length), at, size) })
	return into, nil
}

// block is memory of Go's own to map files over.
type block []byte

// pages is the part of a block that whole pages of a file of a size go over.
func (b block) pages(size int) (into []byte, at uintptr) {
	page := os.Getpagesize()
	into = b[-uintptr(unsafe.Pointer(unsafe.SliceData(b)))&uintptr(page-1):][:size:size]
	return into, uintptr(unsafe.Pointer(unsafe.SliceData(into)))
}

// remap maps a file, or none, over memory at an address.
func remap(at uintptr, size, protection, flags int, fd uintptr) error {
	_, _, failure := syscall.Syscall6(syscall.SYS_MMAP, at, uintptr(size), uintptr(protection),
		uintptr(flags|syscall.MAP_FIXED), fd, 0)
	if failure != 0 {
		return failure
	}
	return nil
}

// uncleared is a new block. Its memory is not cleared, which make would do, and
// which takes as long as to read the file: a strings.Builder promises room alone.
func uncleared(size int) block {
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)
}

// lost are blocks that could not be restored, and must never be used again.
var lost struct {
	sync.Mutex
	blocks []block
}

// restore makes a block ordinary memory again before the collector takes it back.
func restore(b block, at uintptr, size int) {
	none := ^uintptr(0)
	if err := remap(at, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON, none); err != nil {
		lost.Lock()
		lost.blocks = append(lost.blocks, b)
		lost.Unlock()
	}
	runtime.KeepAlive(b)
}
