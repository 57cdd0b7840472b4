package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/session"
)

func init() {
	register(command{name: "session", synopsis: "list | show S | save NUMBER FILE | remove NUMBER", run: runSession,
		purpose: "look after the sessions that are kept"})
}

const sessionUsage = `usage: topos session list
       topos session show NUMBER|FILE     check a session and print what it holds
       topos session save NUMBER FILE     write a session to a file of its own
       topos session remove NUMBER        remove a session
Sessions are kept in TOPOS_STATE, otherwise in the user's state folder.
Exit status: 0, 1 where it failed, 2 for a wrong command line.
`

// runSession carries out a verb of the command line, which is spelled as the magic
// %session spells it.
func runSession(args []string, s streams) int {
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
		fmt.Fprint(s.out, sessionUsage)
		return 0
	}
	verbs := map[string]struct {
		words int
		run   func(store *journal.Store, words []string, out io.Writer) error
	}{
		"list":   {0, listSessions},
		"show":   {1, showSession},
		"save":   {2, saveSession},
		"remove": {1, removeSession},
	}
	if len(args) == 0 {
		fmt.Fprint(s.err, sessionUsage)
		return 2
	}
	verb, ok := verbs[args[0]]
	if !ok || len(args) != verb.words+1 {
		fmt.Fprint(s.err, sessionUsage)
		return 2
	}
	store, problems := openState()
	file := args[0] == "show" && !isNumber(args[1])
	for _, problem := range problems {
		if !file { // which is read from where it is
			fmt.Fprintln(s.err, "topos session:", problem)
		}
	}
	if store == nil && !file {
		return 1
	}
	if err := verb.run(store, args[1:], s.out); err != nil {
		fmt.Fprintln(s.err, "topos session:", err)
		return 1
	}
	return 0
}

func listSessions(store *journal.Store, _ []string, out io.Writer) error {
	fmt.Fprint(out, session.Listed(store.List(), 0))
	return nil
}

// showSession checks every byte of a session, and prints its cells and its tape.
func showSession(store *journal.Store, words []string, out io.Writer) error {
	number, err := strconv.Atoi(words[0])
	var opened *journal.Opened
	switch {
	case err != nil:
		opened, err = journal.Read(words[0])
		var file *fs.PathError
		if errors.As(err, &file) {
			err = fmt.Errorf("%s: %w", printable(words[0]), file.Err)
		}
	default:
		opened, err = store.Read(number)
	}
	if err != nil {
		return err
	}
	text, err := session.Describe(opened)
	fmt.Fprint(out, text)
	return err
}

func saveSession(store *journal.Store, words []string, _ io.Writer) error {
	number, err := sessionNumber(words[0])
	if err != nil {
		return err
	}
	opened, err := store.Read(number)
	if err != nil {
		return err
	}
	if err := journal.Save(words[1], opened.Image.Change()); err != nil {
		return fmt.Errorf("the session cannot be saved to %s: %w", printable(words[1]), err)
	}
	return nil
}

func isNumber(word string) bool {
	_, err := strconv.Atoi(word)
	return err == nil
}

func removeSession(store *journal.Store, words []string, _ io.Writer) error {
	number, err := sessionNumber(words[0])
	if err != nil {
		return err
	}
	return store.Remove(number)
}

func sessionNumber(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s is no session's number: topos session list shows them", printable(word))
	}
	return n, nil
}
