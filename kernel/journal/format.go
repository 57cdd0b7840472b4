package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"unicode"

	"github.com/topos-notebook/topos/topos"
)

// Version is the format that this package writes, and the only one it reads.
const Version = 2

const writer = "topos " + topos.Version

// The ways in which a session is refused; test with errors.Is.
var (
	// ErrForeign: the file is no session.
	ErrForeign = errors.New("not a session")
	// ErrVersion: the file is of another version of the format.
	ErrVersion = errors.New("session of another version")
	// ErrDamaged: the file is damaged where no crash damages it.
	ErrDamaged = errors.New("damaged session")
	// ErrHeld: a running kernel holds the session.
	ErrHeld = errors.New("session of a running kernel")
	// ErrLost: what was written of the session is not there any more.
	ErrLost = errors.New("lost session")
	// ErrUnknown: there is no such session.
	ErrUnknown = errors.New("no such session")
)

// refusal is an error of one line with a reason to test for.
type refusal struct {
	text   string
	reason error
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.reason }

func refused(reason error, format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), reason}
}

// The file's header: 32 bytes, little-endian.
const (
	headerSize = 32
	atVersion  = 8
	atSum      = 12
	atWriter   = 16 // 16 bytes, zero padded
)

const magic = "topos.sn"

// header is the beginning of every file.
func header() []byte {
	b := make([]byte, headerSize)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[atVersion:], Version)
	copy(b[atWriter:], writer)
	binary.LittleEndian.PutUint32(b[atSum:], headerSum(b))
	return b
}

func headerSum(b []byte) uint32 {
	return crc32.Update(checksum(b[:atSum]), castagnoli, b[atWriter:headerSize])
}

// checkHeader refuses what is not the beginning of a file of this version.
func checkHeader(b []byte) error {
	switch {
	case len(b) < len(magic) || string(b[:len(magic)]) != magic:
		return refused(ErrForeign, "it is not a session file")
	case len(b) < headerSize:
		return refused(ErrDamaged, "it ends within its header")
	}
	sum := binary.LittleEndian.Uint32(b[atSum:]) == headerSum(b)
	if v := binary.LittleEndian.Uint32(b[atVersion:]); v != Version {
		by := "an unknown program"
		if sum {
			by = printable(b[atWriter:headerSize])
		}
		return refused(ErrVersion, "it has version %d of the session format, written by %s; this is %s, which reads version %d", v, by, writer, Version)
	}
	if !sum {
		return refused(ErrDamaged, "its header is damaged")
	}
	return nil
}

func printable(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return '?'
	}, s)
}

// A record's header: 32 bytes, little-endian.
const (
	recordSize = 32
	atKind     = 4
	atLength   = 8
	atSynced   = 16
	atBodySum  = 24
	atHeadSum  = 28
)

// recordMark begins a record. Its first byte is in no text.
const recordMark = "\xf5rec"

// kind is what a record is.
type kind uint8

const (
	changeRecord kind = 1
	// endRecord says that nothing is missing: the session was closed, or saved
	// to a file in one piece.
	endRecord kind = 2
)

// record is a record's header.
type record struct {
	at     int64 // offset of the header in the file
	kind   kind
	length uint64 // of the body
	synced int64  // so much of the file was on the disk when the record was written
	sum    uint32 // of the body
}

func (r *record) end() int64 { return r.at + recordSize + int64(r.length) }

// appendRecord writes a record at an offset of the file.
func appendRecord(b []byte, k kind, body []byte, synced int64) []byte {
	at := len(b)
	b = append(b, recordMark...)
	b = append(b, byte(k), 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(body)))
	b = binary.LittleEndian.AppendUint64(b, uint64(synced))
	b = binary.LittleEndian.AppendUint32(b, checksum(body))
	b = binary.LittleEndian.AppendUint32(b, checksum(b[at:]))
	return append(b, body...)
}

// parseRecord reads a record's header; false where there is none.
func parseRecord(b []byte, at int64) (record, bool) {
	if len(b) < recordSize || string(b[:atKind]) != recordMark ||
		binary.LittleEndian.Uint32(b[atHeadSum:]) != checksum(b[:atHeadSum]) {
		return record{}, false
	}
	r := record{at: at, kind: kind(b[atKind]), length: binary.LittleEndian.Uint64(b[atLength:]),
		synced: int64(binary.LittleEndian.Uint64(b[atSynced:])), sum: binary.LittleEndian.Uint32(b[atBodySum:])}
	return r, r.synced >= 0 && r.synced <= at
}
