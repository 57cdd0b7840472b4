package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// bound is how long anything may take before a test calls it hung.
const bound = 60 * time.Second

// TestMain lets the test binary stand in for the program: the kernel starts
// its janitor from its own executable.
func TestMain(m *testing.M) {
	if os.Getenv("TOPOS_TEST_AS_PROGRAM") != "" {
		main()
	}
	os.Setenv("TOPOS_TEST_AS_PROGRAM", "1")
	os.Exit(m.Run())
}

// runCommand runs a subcommand in this process.
func runCommand(args ...string) (code int, out, err string) {
	var o, e bytes.Buffer
	code = dispatch(args, streams{strings.NewReader(""), &o, &e})
	return code, o.String(), e.String()
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{nil, 2, "", "usage: topos COMMAND"},
		{[]string{"help"}, 0, "  install  [--prefix P] [--name topos] [--warm=false]", ""},
		{[]string{"version"}, 0, "topos " + version, ""},
		{[]string{"nosuch"}, 2, "", `topos: no command "nosuch": topos help lists them`},
		{[]string{"kernel"}, 2, "", "usage: topos kernel CONNECTION_FILE"},
		{[]string{"kernel", "/nowhere.json"}, 1, "", "topos kernel: connection file: open /nowhere.json"},
		{[]string{"install", "--name", "a b"}, 2, "", "a name is of letters"},
		{[]string{"install", "extra"}, 2, "", "usage: topos install"},
		{[]string{"doctor", "extra"}, 2, "", "usage: topos doctor"},
		{[]string{"janitor", "/"}, 2, "", ""},
		{[]string{"verify", "/nowhere.ipynb"}, 1, "", "topos verify: /nowhere.ipynb: no such file or directory\n"},
		{[]string{"verify", "."}, 1, "", "topos verify: .: is a directory\n"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			code, out, err := runCommand(c.args...)
			if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(err, c.err) {
				t.Errorf("code %d, out %q, err %q", code, out, err)
			}
			if strings.Contains(out, "janitor") {
				t.Error("a hidden command is listed")
			}
		})
	}
}
