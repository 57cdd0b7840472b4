package journal

import (
	"os"
	"path/filepath"
	"slices"
)

// Outgrown says whether the session takes much more of the disk than its content
// does, so that a snapshot is worth its time.
func (l *Log) Outgrown() bool { return l.over(2) }

// Overgrown says whether it takes so much more that it cannot wait for a better
// moment.
func (l *Log) Overgrown() bool { return l.over(4) }

func (l *Log) over(times int64) bool {
	l.mu.Lock()
	held := l.size + l.beside
	l.mu.Unlock()
	return held > times*l.content.size()+slack && held > 2*l.tried
}

// Snapshot replaces the log by one record. The change must hold the whole
// session; payloads and tables that lie in files already are not asked for their
// bits.
// Where it fails the log is as it was.
func (l *Log) Snapshot(x *Change) error {
	err := l.snapshot(x)
	if err != nil {
		l.mu.Lock()
		l.tried = l.size + l.beside
		l.mu.Unlock()
		return err
	}
	l.tried = 0
	return nil
}

func (l *Log) snapshot(x *Change) error {
	whole := *x
	whole.Fresh, whole.Payloads = true, nil
	whole.Segments = slices.Clone(x.Segments)
	for i := range whole.Segments {
		whole.Segments[i].aside = l.content.written(i, len(x.Segments[i].Aside))
	}
	var kept []slotPayload
	for _, p := range x.Payloads {
		if at := l.content.payloads[p.Slot]; at.file.number != 0 {
			kept = append(kept, at)
		} else {
			whole.Payloads = append(whole.Payloads, p)
		}
	}
	whole.Tables = nil
	var tables []namedPayload
	for _, t := range x.Tables {
		if at := l.content.tables[t.Name]; at.file.number != 0 {
			tables = append(tables, namedPayload{t.Name, at})
		} else {
			whole.Tables = append(whole.Tables, t)
		}
	}
	s, files, err := l.prepare(&whole)
	if err != nil {
		return err
	}
	s.merge(kept)
	s.tables = append(s.tables, tables...)
	// What the new log names must be on the disk before the old one goes.
	l.idle()
	err = l.sync()
	for _, f := range files {
		if err == nil {
			err = f.Sync()
		}
	}
	if err == nil {
		err = l.replace(s, nil)
	}
	if err != nil {
		discard(files)
		return err
	}
	for _, f := range files {
		f.Close()
	}
	l.collect()
	return nil
}

// written is the files of a segment's payloads, of which there must be so many: those
// that were written before, all or none.
func (c *content) written(segment, n int) []slotPayload {
	if segment >= len(c.segments) || len(c.segments[segment].aside) != n {
		return nil
	}
	aside := c.segments[segment].aside
	for i := range aside {
		if aside[i].file.number == 0 {
			return nil
		}
	}
	return slices.Clone(aside)
}

// merge puts payloads among those of the record, by slot.
func (s *stored) merge(more []slotPayload) {
	var all []slotPayload
	for _, p := range s.payloads {
		for len(more) > 0 && more[0].slot < p.slot {
			all, more = append(all, more[0]), more[1:]
		}
		all = append(all, p)
	}
	s.payloads = append(all, more...)
}

// replace puts a new log in place of the old one, if there is one. Files are
// payload files that it names and that are to be synced with it.
func (l *Log) replace(s *stored, files []*os.File) error {
	f, err := os.OpenFile(l.path(freshName), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	b := appendRecord(header(), changeRecord, s.encode(), 0)
	_, err = f.Write(b)
	old := l.file
	if err == nil && old != nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(l.path(freshName), l.path(logName))
	}
	if err != nil {
		f.Close()
		os.Remove(l.path(freshName))
		return err
	}
	l.mu.Lock()
	l.file, l.size, l.synced = f, int64(len(b)), 0
	l.dirty = append(l.dirty, files...)
	if old != nil {
		l.synced = l.size
		old.Close()
		syncFolder(l.folder)
	}
	l.later()
	l.mu.Unlock()
	l.written(s)
	return nil
}

// collect removes the payload files that nothing names any more.
func (l *Log) collect() {
	named := map[string]bool{}
	var beside int64
	l.content.files(func(f file) {
		named[payloadName(f.number)] = true
		beside += f.length
	})
	entries, _ := os.ReadDir(l.folder)
	for _, e := range entries {
		if _, ok := payloadNumber(e.Name()); ok && !named[e.Name()] {
			os.Remove(filepath.Join(l.folder, e.Name()))
		}
	}
	l.mu.Lock()
	l.beside = beside
	l.mu.Unlock()
}

// syncFolder makes a new name in a folder last, where the system can.
func syncFolder(path string) {
	if f, err := os.Open(path); err == nil {
		f.Sync()
		f.Close()
	}
}

// Save writes a session to a file of its own, in one piece; readable by nobody
// else. An older session in its place is replaced, any other file is not.
func Save(path string, x *Change) error {
	if err := replaceable(path); err != nil {
		return err
	}
	whole := *x
	whole.Fresh = true
	s := whole.stored()
	for i := range s.segments {
		for _, p := range x.Segments[i].Aside {
			s.segments[i].aside = append(s.segments[i].aside, slotPayload{slot: p.Slot, bits: p.bytes()})
		}
	}
	for _, p := range x.Payloads {
		s.payloads = append(s.payloads, slotPayload{slot: p.Slot, bits: p.bytes()})
	}
	for _, t := range x.Tables {
		p := t.payload()
		s.tables = append(s.tables, namedPayload{t.Name, slotPayload{bits: p.bytes()}})
	}
	b := appendRecord(header(), changeRecord, s.encode(), 0)
	b = appendRecord(b, endRecord, nil, int64(len(b)))
	return WriteFile(path, b)
}

// WriteFile puts a file in its place in one piece: who looks finds the old one or
// the new one, whole. It is readable by nobody else.
func WriteFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".topos-*")
	if err != nil {
		return plain(err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return plain(err)
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// replaceable refuses to write over what is no session.
func replaceable(path string) error {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return plain(err)
	}
	defer f.Close()
	b := make([]byte, len(magic))
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if n, _ := f.Read(b); n == 0 || string(b[:n]) == magic {
			return nil
		}
	}
	return named(path, refused(ErrForeign, "there is another file of this name, which is no session: it is left alone"))
}
