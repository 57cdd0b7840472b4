// Package built gives tests the programs that the kernel works with: the pinned tools
// that make builds, the go command, and the launcher, which it builds itself.
package built

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Tools returns the folder that make builds the pinned tools in. It skips the test
// where one of these is missing.
func Tools(t testing.TB, names ...string) string {
	t.Helper()
	root, err := os.Getwd() // a test's own package
	for err == nil {
		if _, none := os.Stat(filepath.Join(root, "go.mod")); none == nil {
			break
		}
		if root == filepath.Dir(root) {
			err = fmt.Errorf("no go.mod above the package of the test")
		}
		root = filepath.Dir(root)
	}
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(root, "build", "bin")
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			t.Skipf("build/bin/%s is missing: make kernel builds it", name)
		}
	}
	return bin
}

// Go returns where the go command is, or skips the test.
func Go(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	return path
}

// launcher is the launcher's path, once a test has asked for it.
var launcher struct {
	once         sync.Once
	folder, path string
	err          error
}

// Launcher returns the launcher as this checkout has it, built once for all tests of a
// package. They run under [Main].
func Launcher(t testing.TB) string {
	t.Helper()
	launcher.once.Do(func() {
		if launcher.folder, launcher.err = os.MkdirTemp("", "topos-launch-test-"); launcher.err != nil {
			return
		}
		launcher.path = filepath.Join(launcher.folder, "topos-launch")
		out, err := exec.Command("go", "build", "-o", launcher.path, "github.com/topos-notebook/topos/kernel/launch").CombinedOutput()
		if err != nil {
			launcher.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if launcher.err != nil {
		t.Fatal(launcher.err)
	}
	return launcher.path
}

// Main runs the tests of a package, and removes what was built for them and the
// folders named besides. It returns the exit code.
func Main(m *testing.M, folders ...string) int {
	code := m.Run()
	for _, folder := range append(folders, launcher.folder) {
		os.RemoveAll(folder)
	}
	return code
}
