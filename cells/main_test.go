package cells_test

import (
	"os"
	"testing"

	"github.com/topos-notebook/topos/cells"
)

// The tests are of private sessions, wherever they are run.
func TestMain(m *testing.M) {
	os.Unsetenv(cells.SessionVariable)
	os.Exit(m.Run())
}
