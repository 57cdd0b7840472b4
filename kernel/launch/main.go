// Command topos-launch stands between GoNB and the processes of a Go cell. It
// is one binary with three roles, told apart by the name it is called under.
//
// Called as go, it is a shim in front of the real go command: everything is
// passed on unchanged, except what GoNB asks for on behalf of a cell. There it
// builds the program beside the path GoNB asked for, puts itself at that path,
// answers go get at once when nothing can be missing, and keeps the session's
// go.mod able to import the topos module from a local folder.
//
// Called as goimports, it stands in front of that program in the same way, so that
// an interrupt ends it too.
//
// Called as a cell's binary, it is the launcher: it runs the program with the
// supervisor's pipes as stdout and stderr, passes signals on, and reports how
// the program ended. Without a supervisor all roles still do their work.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

func init() {
	// The parent-death signal of a child is bound to the thread that started
	// it, so that thread must be the one that lives as long as the process.
	runtime.LockOSThread()
}

func main() {
	switch filepath.Base(os.Args[0]) {
	case "go":
		os.Exit(shim(os.Args[1:]))
	case protocol.ImportsName:
		os.Exit(imports(os.Args[1:]))
	}
	program := os.Args[0] + protocol.CellSuffix
	if _, err := os.Stat(program); err != nil {
		fmt.Fprintf(os.Stderr, "topos-launch: no program to launch: it must be called as go, as goimports or as a cell's binary\n")
		os.Exit(2)
	}
	os.Exit(launch(program, os.Args))
}
