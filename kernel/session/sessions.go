package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos/language"
)

// errNotKept is why there are no sessions to list, open and close.
var errNotKept = errors.New("sessions are not kept on disk here, for want of a folder: only %session save FILE and open FILE work")

// sessions carries out %session.
func (t *transaction) sessions(ctx context.Context, m magic.Magic) error {
	k := &t.engine.keeper
	verb, what := m.Session.Verb, m.Session.What
	if verb == "save" {
		x := t.attempt.soFar()
		if err := journal.Save(what, x); err != nil {
			return fmt.Errorf("the session cannot be saved to %s: %w", what, err)
		}
		t.out.Stream("stdout", fmt.Sprintf("%s holds the session: %s\n", what, holding(len(x.Segments), x.Nodes, x.Element)))
		return nil
	}
	number, isNumber := sessionNumber(what)
	if verb == "open" && !isNumber && what != "previous" {
		return t.openFile(what)
	}
	if k.store == nil {
		return errNotKept
	}
	switch verb {
	case "list":
		// What this machine holds is no reading of the tape: not a card, since topos
		// verify would look for the same in a run of another day.
		t.out.Stream("stdout", Listed(k.store.List(), k.number()))
		return nil
	case "close":
		if k.number() == 0 && t.next == nil {
			return errors.New("nothing is recorded yet: there is no session to close")
		}
		line := "the session is closed; it held nothing"
		switch {
		case t.next != nil:
			line = "the session that this cell went on with is closed, as it was"
		case t.attempt.worked():
			line = "the session is closed, and kept: %session open previous"
		}
		empty, _ := empties.Of(elements.Default)
		t.turn(empty(), &place{})
		t.out.Stream("stdout", line+"\n")
		return nil
	}
	if what == "previous" {
		if number = k.store.Previous(k.key, k.number()); number == 0 {
			return errors.New("this kernel has no earlier session: %session list shows those of other kernels")
		}
	}
	if number == k.number() {
		return fmt.Errorf("session %d is the one that is open", number)
	}
	opened, log, err := k.store.Open(number, k.key)
	if err != nil {
		return err
	}
	n, err := restored(opened.Image)
	if err != nil {
		log.Close()
		return fmt.Errorf("session %d: %w", number, err)
	}
	if opened.Tear != nil {
		t.out.Stream("stderr", fmt.Sprintf("session %d: %v\n", number, opened.Tear))
	}
	t.turn(n, &place{log, *n.mark()})
	t.out.Stream("stdout", fmt.Sprintf("session %d is open: %s\n", number, contents(opened.Image)))
	return nil
}

// sessionNumber reads the number of a session.
func sessionNumber(what string) (int, bool) {
	n, err := strconv.Atoi(what)
	return n, err == nil && n > 0
}

// openFile goes on with the session in a file, as a new one.
func (t *transaction) openFile(path string) error {
	opened, err := journal.Read(path)
	var file *os.PathError
	if errors.As(err, &file) {
		err = fmt.Errorf("%s: %w", path, file.Err)
	}
	if err != nil {
		return err
	}
	n, err := restored(opened.Image)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t.turn(n, &place{})
	t.out.Stream("stdout", fmt.Sprintf("%s is open: %s\n", path, contents(opened.Image)))
	return nil
}

// turn makes the cell go on with another notebook, which the journal is to write
// at another place once the cell is committed.
func (t *transaction) turn(n notebook, p *place) {
	t.next.release()
	t.next = p
	t.left = append(t.left, t.attempt)
	t.notebook = n
	t.attempt = n.begin(t.cell)
}

// contents says what an image holds.
func contents(x *journal.Image) string { return holding(len(x.Segments), x.Nodes(), x.Element) }

func holding(segments, nodes int, element string) string {
	return fmt.Sprintf("%s, %s of %s", counted(segments, "segment"), counted(nodes, "node"), element)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Listed is a list of sessions as text. The one that is open here is marked; of the
// others, those that hold nothing are left out.
func Listed(all []journal.Entry, open int) string {
	all = slices.DeleteFunc(slices.Clone(all), func(e journal.Entry) bool {
		return e.Number != open && e.Empty()
	})
	if len(all) == 0 {
		return "no session is kept\n"
	}
	rows := [][]string{{"session", "element", "segments", "nodes", "names", ""}}
	for _, e := range all {
		names := slices.DeleteFunc(slices.Clone(e.Names), func(name string) bool { return !language.IsName(name) })
		if len(names) > journal.ListedNames {
			names = append(names[:journal.ListedNames], "and more")
		}
		note := e.Problem
		switch {
		case e.Number == open:
			note = "open here"
		case e.Held:
			note = "open in another kernel"
		}
		rows = append(rows, []string{strconv.Itoa(e.Number), e.Element, strconv.Itoa(e.Segments), strconv.Itoa(e.Nodes), strings.Join(names, ", "), note})
	}
	return aligned(rows)
}

// offered adds to the error of a cell that there is an earlier session, which the
// cell may have missed: where nothing has been recorded since the kernel was
// started.
func (e *Engine) offered(err error) error {
	k := &e.keeper
	var fault *server.CellError
	if k.store != nil && k.log == nil && !k.moved && e.notebook.pristine() && k.store.Previous(k.key, 0) > 0 && errors.As(err, &fault) {
		fault.Traceback = append(fault.Traceback, "The kernel was started anew. Its earlier session is kept: %session open previous")
	}
	return err
}
