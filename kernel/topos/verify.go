package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/topos-notebook/topos/kernel/notebook"
	"github.com/topos-notebook/topos/kernel/verify"
)

func init() {
	register(command{name: "verify", synopsis: "NOTEBOOK [--against OUT]", run: runVerify,
		purpose: "run a notebook again and compare every reading, bit for bit"})
}

const verifyUsage = `usage: topos verify NOTEBOOK [--against OUT]
Runs the cells of NOTEBOOK in a fresh kernel and a fresh session, and compares each
reading and each error with the one that NOTEBOOK holds, or OUT, another notebook
with the same cells: dumps byte for byte, values bit for bit. What was run Fast is
reported, not compared. What cells print and draw otherwise is not looked at.
Exit status: 0 where all that was compared is the same, 1 where something differs,
was never run or could not be run, 2 for a wrong command line.
`

func runVerify(args []string, s streams) int {
	path, against, err := verifyArguments(args)
	switch {
	case errors.Is(err, errHelp):
		fmt.Fprint(s.out, verifyUsage)
		return 0
	case err != nil:
		fmt.Fprintf(s.err, "topos verify: %v\n%s", err, verifyUsage)
		return 2
	}
	tally, err := verifyNotebook(path, against, s)
	if err != nil {
		fmt.Fprintln(s.err, "topos verify:", err)
		return 1
	}
	if !tally.Compared() {
		fmt.Fprintln(s.err, "topos verify: nothing was compared: no cell shows a reading, or fails")
	}
	if !tally.Passed() {
		return 1
	}
	return 0
}

func verifyArguments(args []string) (path, against string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		switch {
		case name == "--help" || name == "-h":
			return "", "", errHelp
		case name == "--against" && against != "":
			return "", "", fmt.Errorf("--against is given twice")
		case name == "--against" && joined && value != "":
			against = value
		case name == "--against" && !joined && i+1 < len(args) && args[i+1] != "":
			i++
			against = args[i]
		case name == "--against":
			return "", "", fmt.Errorf("--against needs the path of a notebook")
		case strings.HasPrefix(args[i], "-"):
			return "", "", fmt.Errorf("unknown option %s", args[i])
		case path != "":
			return "", "", fmt.Errorf("one notebook at a time: %s and %s are given", path, args[i])
		default:
			path = args[i]
		}
	}
	if path == "" {
		return "", "", fmt.Errorf("which notebook?")
	}
	return path, against, nil
}

// readNotebook reads a notebook for this kernel.
func readNotebook(path string) (*notebook.Notebook, error) {
	n, err := notebook.Read(path)
	if err == nil && n.Kernel != "" && !strings.HasPrefix(n.Kernel, "topos") {
		err = fmt.Errorf("%s is for the kernel %s, not for topos", path, n.Kernel)
	}
	return n, err
}

func verifyNotebook(path, against string, s streams) (verify.Tally, error) {
	var none verify.Tally
	n, err := readNotebook(path)
	if err != nil {
		return none, err
	}
	recorded, record := n, path
	if against != "" {
		record = against
		if recorded, err = readNotebook(against); err != nil {
			return none, err
		}
	}
	if !recorded.Shows() {
		return none, fmt.Errorf("%s holds no outputs to compare with: run it and save it, or name one that was run with --against", record)
	}
	program, err := os.Executable()
	if err != nil {
		return none, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k, err := verify.Start(ctx, filepath.Dir(path), program, "kernel")
	if err != nil {
		return none, err
	}
	defer k.Close()
	tally, err := verify.Notebook(ctx, n, recorded, k, s.out)
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	return tally, err
}
