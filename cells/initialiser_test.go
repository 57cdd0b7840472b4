package cells_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/cells"
	. "github.com/topos-notebook/topos/topos"
)

const inInitialiser = "CELLS_TEST_INITIALISER"

// Like a declaration of a cell, which GoNB runs again in every later one.
var (
	early = opened()
	_     = recorded(early)
)

func opened() *cells.Session[float32] {
	if os.Getenv(inInitialiser) == "" {
		return nil
	}
	return cells.Open(F32)
}

func recorded(s *cells.Session[float32]) int {
	if os.Getenv(inInitialiser) == "record" {
		s.Leaf(nil, 1)
	}
	return 0
}

func TestPackageLevelInitialiser(t *testing.T) {
	if early != nil {
		early.Leaf(nil, 1) // opened by the initialiser, recorded here
		os.Stdout.WriteString(early.String() + "\n")
		return
	}
	for _, test := range []struct {
		what, want string
		ok         bool
	}{
		{"open", "session: 1 node, 0 parameters, 0 inputs; names: none", true},
		{"record", "panic: a package-level initialiser cannot record: it runs again in every cell; record inside %%, or in a function called from there\n", false},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPackageLevelInitialiser$", "-test.count=1")
		cmd.Env = append(os.Environ(), inInitialiser+"="+test.what, cells.SessionVariable+"=")
		out, err := cmd.CombinedOutput()
		if (err == nil) != test.ok || !strings.Contains(string(out), test.want) {
			t.Errorf("%s in an initialiser: %v, printed %q, want %q", test.what, err, out, test.want)
		}
	}
}
