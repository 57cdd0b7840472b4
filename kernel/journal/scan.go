package journal

import (
	"bytes"
	"fmt"
	"io"
)

// Tear is the end of a file that a crash left incomplete.
type Tear struct {
	At   int64 // offset of its first byte
	Lost int64 // bytes from there
}

// String says so in one line, without the place.
func (t *Tear) String() string {
	return fmt.Sprintf("its end was torn off in a crash (%d bytes): what was committed before is whole", t.Lost)
}

// scanner reads the records of a file.
type scanner struct {
	file   io.ReaderAt
	size   int64
	at     int64
	synced int64 // so much of the file was on the disk, by what the records say
	ended  bool  // the last record says that nothing is missing
}

// newScanner checks the file's header.
func newScanner(f io.ReaderAt, size int64) (*scanner, error) {
	b := make([]byte, min(size, headerSize))
	if _, err := f.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if err := checkHeader(b); err != nil {
		return nil, err
	}
	return &scanner{file: f, size: size, at: headerSize}, nil
}

// next gives the next record and its body, at most so many bytes of it; nil after
// the last. A body that is read whole is checked. Where the rest of the file is a
// tear, that is answered instead.
func (s *scanner) next(most uint64) (*record, []byte, *Tear, error) {
	if s.at == s.size {
		return nil, nil, nil, nil
	}
	head := make([]byte, min(recordSize, s.size-s.at))
	if _, err := s.file.ReadAt(head, s.at); err != nil && err != io.EOF {
		return nil, nil, nil, err
	}
	r, ok := parseRecord(head, s.at)
	if !ok || r.length > uint64(s.size-s.at-recordSize) {
		return s.tear()
	}
	body := make([]byte, min(r.length, most))
	if _, err := s.file.ReadAt(body, s.at+recordSize); err != nil && err != io.EOF {
		return nil, nil, nil, err
	}
	if r.length <= most && checksum(body) != r.sum {
		return s.tear()
	}
	if r.kind != changeRecord && r.kind != endRecord {
		return nil, nil, nil, refused(ErrDamaged, "it holds a record of the unknown kind %d at byte %d", r.kind, r.at)
	}
	s.synced, s.ended = max(s.synced, r.synced), r.kind == endRecord
	s.at = r.end()
	return &r, body, nil, nil
}

// tear answers that the rest of the file is torn, unless that part of it was on
// the disk already when a record was written: no crash reaches there.
func (s *scanner) tear() (*record, []byte, *Tear, error) {
	synced, err := s.known()
	if err != nil {
		return nil, nil, nil, err
	}
	if s.at < max(s.synced, synced) {
		return nil, nil, nil, refused(ErrDamaged, "it is damaged at byte %d, and goes on after that", s.at)
	}
	s.ended = false
	return nil, nil, &Tear{s.at, s.size - s.at}, nil
}

// known is how much of the file was on the disk by what whole headers of records
// beyond the damage say.
func (s *scanner) known() (synced int64, err error) {
	const step = 1 << 20
	b := make([]byte, min(step+recordSize, s.size-s.at))
	for from := s.at + 1; from < s.size; from += step {
		n, err := s.file.ReadAt(b[:min(int64(len(b)), s.size-from)], from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		for i := 0; ; i++ {
			mark := bytes.Index(b[i:n], []byte(recordMark))
			if mark < 0 {
				break
			}
			i += mark
			if r, ok := parseRecord(b[i:n], from+int64(i)); ok {
				synced = max(synced, r.synced)
			}
		}
	}
	return synced, nil
}
