package topos

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian says whether memory holds numbers as encodings do.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// inMemory completes the table of an element whose encoding is how memory holds
// its numbers, where the machine is little-endian.
func inMemory[T any](k *kernel) {
	if !littleEndian {
		return
	}
	k.raw = func(a any) []byte { return memoryOf(a.([]T)) }
	k.lay = func(memory []byte) any {
		var zero T
		at := unsafe.Pointer(unsafe.SliceData(memory))
		if uintptr(at)%unsafe.Alignof(zero) != 0 {
			return nil
		}
		return unsafe.Slice((*T)(at), len(memory)/int(unsafe.Sizeof(zero)))
	}
}

// memoryOf is the memory that numbers lie in.
func memoryOf[T any](data []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(zero)))
}
