package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// shim does what the go command was asked for and returns its exit code.
func shim(args []string) int {
	real := os.Getenv(protocol.GoVariable)
	if !filepath.IsAbs(real) {
		fmt.Fprintf(os.Stderr, "go: %s does not name the real go command\n", protocol.GoVariable)
		return 127
	}
	work := workFolder()
	switch step := stepOf(args, work); step {
	case "":
		return pass(real, args)
	case protocol.InitStep:
		return initialise(real, args, work)
	case protocol.GetStep:
		return get(real, args, work)
	case protocol.BuildStep:
		return build(real, args, work)
	default:
		return supervise(step, work, exec.Command(real, args...))
	}
}

// workFolder returns GoNB's folder of generated code when that is where we
// were called, else the empty string.
func workFolder() string {
	work := os.Getenv(protocol.WorkVariable)
	if work == "" {
		return ""
	}
	here, err := os.Stat(".")
	if err != nil {
		return ""
	}
	there, err := os.Stat(work)
	if err != nil || !os.SameFile(here, there) {
		return ""
	}
	return filepath.Clean(work)
}

// stepOf says what a go command is for the cell; empty for a command that is
// none of GoNB's, such as one from gopls or from a shell line.
func stepOf(args []string, work string) protocol.Step {
	if work == "" || len(args) == 0 {
		return ""
	}
	binary := binaryPath(work)
	switch joined := strings.Join(args, "\x00"); {
	case len(args) == 3 && args[0] == "mod" && args[1] == "init":
		return protocol.InitStep
	case joined == "get" || joined == "get\x00-t":
		return protocol.GetStep
	case len(args) >= 3 && args[0] == "build" && args[1] == "-o" && args[2] == binary:
		return protocol.BuildStep
	case len(args) >= 4 && args[0] == "test" && args[1] == "-c" && args[2] == "-o" && args[3] == binary:
		return protocol.BuildStep
	case args[0] == "build":
		return protocol.OtherStep
	}
	return ""
}

// binaryPath is where GoNB wants a cell's binary: named as its folder is.
func binaryPath(work string) string { return filepath.Join(work, filepath.Base(work)) }

// pass becomes the real go command. What the user asks to be fetched may use
// the network, which is otherwise off.
func pass(real string, args []string) int {
	environ := os.Environ()
	if proxy, ok := os.LookupEnv(protocol.ProxyVariable); ok && fetches(args) {
		environ = append(without(environ, "GOPROXY"), "GOPROXY="+proxy)
	}
	return become("go", "go command", real, args, environ)
}

// become has a real program, called so and described so, take this one's place. It
// returns only where that fails.
func become(name, described, real string, args, environ []string) int {
	err := syscall.Exec(real, append([]string{real}, args...), environ)
	fmt.Fprintf(os.Stderr, "%s: the real %s cannot be run: %v\n", name, described, reason(err))
	return 127
}

// fetches says whether a go command is an explicit wish for modules.
func fetches(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "get":
		return true
	case "install", "run":
		for _, a := range args[1:] {
			if strings.Contains(a, "@") {
				return true
			}
		}
	case "mod":
		return len(args) > 1 && (args[1] == "download" || args[1] == "tidy")
	}
	return false
}

func without(environ []string, names ...string) []string {
	var kept []string
next:
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		for _, n := range names {
			if name == n {
				continue next
			}
		}
		kept = append(kept, entry)
	}
	return kept
}
