package cells

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/topos"
)

// Show displays values, in order: whatever can be read, such as a session, tape,
// network, value, plan or run, as its card; a [topos.Symbol] as the node it
// names; a [topos.Plot] as a curve; anything else as fmt prints it. Nodes of the
// session carry their names. What was printed before is displayed before.
//
// Without a kernel it prints the readings' texts.
//
// Show panics where the kernel does not take the readings, as after the end of
// the cell.
func Show(xs ...any) {
	if len(xs) == 0 {
		return
	}
	readings := make([]*topos.Reading, len(xs))
	for i, x := range xs {
		readings[i] = Read(x)
	}
	talk, err := listener()
	if err == nil && talk != nil {
		_, err = talk.ask(&wire.Show{Lease: talk.lease, Readings: readings})
	}
	if err != nil {
		panic(err)
	}
	if talk == nil {
		for _, r := range readings {
			os.Stdout.WriteString(ended(r.Text))
		}
	}
}

// listener is the conversation, opened to show only where nothing is open yet.
func listener() (*conversation, error) {
	process.Lock()
	defer process.Unlock()
	talk, err := dial()
	if talk != nil && talk.lease == 0 {
		_, err = talk.greet("")
	}
	return talk, err
}

func ended(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// Read is the reading that Show displays of a value.
func Read(x any) *topos.Reading {
	if v := reflect.ValueOf(x); v.Kind() == reflect.Pointer && v.IsNil() {
		x = nil // printed, not asked
	}
	switch x := x.(type) {
	case *topos.Reading:
		if x != nil {
			return x
		}
	case topos.Symbol:
		if s := ownerOf(x); s != nil {
			return s.read(x)
		}
	case topos.Plot:
		return topos.ReadPlot(x)
	case interface {
		ReadValues(topos.Naming) *topos.Reading
	}:
		return x.ReadValues(result)
	case topos.Reader:
		return named(x)
	}
	return &topos.Reading{Kind: topos.TextReading, Text: ended(fmt.Sprint(x))}
}

// result is the label of a result of a run: what it is the gradient of, else
// its name.
func result(at topos.Symbol) string {
	s := ownerOf(at)
	if s == nil {
		return ""
	}
	if d := s.derived(at); d != "" {
		return d
	}
	return s.label(at)
}

// named is a reading with the names of the session that its subject belongs to.
func named(x topos.Reader) *topos.Reading {
	if n, ok := x.(topos.Named); ok {
		// By its symbol, which can be read after the tape was sealed too.
		if s := ownerOf(n.Symbol()); s != nil {
			return s.read(n.Symbol())
		}
	}
	r := x.Reading()
	for _, s := range records() {
		if s.mentions(x) {
			return withNames(r, s.called())
		}
	}
	return r
}

func records() []*record {
	process.Lock()
	defer process.Unlock()
	return process.records
}

func ownerOf(at topos.Symbol) *record {
	for _, s := range records() {
		if s.owns(at) {
			return s
		}
	}
	return nil
}
