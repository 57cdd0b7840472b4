package journal

import (
	"errors"
	"maps"
	"math"
	"slices"
)

// Compact does what [Log.Snapshot] does with what the log itself says, for who has
// no change at hand that holds the whole session: in the middle of a cell. Payload
// files are not read. Where it fails the log is as it was.
func (l *Log) Compact() error {
	if err := l.Take(); err != nil {
		return err
	}
	if err := l.compact(); err != nil {
		l.mu.Lock()
		l.tried = l.size + l.beside
		l.mu.Unlock()
		return plain(err)
	}
	l.tried = 0
	return nil
}

func (l *Log) compact() error {
	l.idle()
	if err := l.sync(); err != nil {
		return err
	}
	o, _, _, err := replay(l.file, l.size, math.MaxInt64)
	if err != nil {
		return err
	}
	if o.Tear != nil {
		return errors.New("the log is torn")
	}
	if err := l.replace(o.content.whole(), nil); err != nil {
		return err
	}
	l.collect()
	return nil
}

// whole is the change that makes all of the content.
func (c *content) whole() *stored {
	x := Change{Element: c.element, Fresh: true, Segments: c.segments, Nodes: nodes(c.segments), Names: newest(c.segments)}
	s := x.stored()
	for _, name := range slices.Sorted(maps.Keys(c.tables)) {
		s.tables = append(s.tables, namedPayload{name, c.tables[name]})
	}
	for _, slot := range slices.Sorted(maps.Keys(c.payloads)) {
		s.slots = slot + 1
		s.payloads = append(s.payloads, c.payloads[slot])
	}
	return s
}
