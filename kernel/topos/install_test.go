package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/internal/built"
)

// pretendTools makes programs of the given names in a folder that becomes PATH.
func pretendTools(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	t.Setenv("TOPOS_GO", "")
	t.Setenv("GOROOT", "")
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TOPOS_SOURCE", source)
	return folder
}

func TestInstall(t *testing.T) {
	tools := pretendTools(t, "go", "goimports", "gopls")
	prefix := filepath.Join(t.TempDir(), "pre fix")
	for _, name := range []string{"topos", "topos-two"} {
		code, out, errText := runCommand("install", "--prefix", prefix, "--name", name, "--warm=false")
		if code != 0 || !strings.Contains(out, "installed kernel "+name) {
			t.Fatalf("code %d, %s%s", code, out, errText)
		}
		folder := filepath.Join(prefix, "share", "jupyter", "kernels", name)
		text, err := os.ReadFile(filepath.Join(folder, "kernel.json"))
		if err != nil {
			t.Fatal(err)
		}
		var spec kernelspec
		if err := json.Unmarshal(text, &spec); err != nil {
			t.Fatal(err)
		}
		if len(spec.Argv) != 3 || !filepath.IsAbs(spec.Argv[0]) || spec.Argv[1] != "kernel" || spec.Argv[2] != "{connection_file}" {
			t.Errorf("argv %q", spec.Argv)
		}
		if spec.Language != "go" || spec.InterruptMode != "message" || spec.Metadata["debugger"] != false {
			t.Errorf("spec %+v", spec)
		}
		for variable, want := range map[string]string{"PATH": tools + ":${PATH}", "TOPOS_IMAGE": "topos", "TOPOS_BACKENDS": "interpreter",
			"TOPOS_SOURCE": os.Getenv("TOPOS_SOURCE"), "TOPOS_GO": filepath.Join(tools, "go")} {
			if spec.Env[variable] != want {
				t.Errorf("%s is %q, want %q", variable, spec.Env[variable], want)
			}
		}
		if got, err := os.ReadFile(filepath.Join(folder, "logo-svg.svg")); err != nil || !bytes.Equal(got, logo) {
			t.Errorf("logo: %v", err)
		}
	}
}

func TestInstallNeedsItsTools(t *testing.T) {
	pretendTools(t, "go", "goimports")
	code, _, errText := runCommand("install", "--prefix", t.TempDir())
	if code != 1 || errText != "topos install: gopls is neither beside topos nor in PATH\n" {
		t.Errorf("code %d, %q", code, errText)
	}
}

func TestDataFolder(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	t.Setenv("XDG_DATA_HOME", "")
	for _, c := range []struct{ prefix, own, want string }{
		{"/p", "/own", "/p/share/jupyter"},
		{"", "/own", "/own"},
	} {
		t.Setenv("JUPYTER_DATA_DIR", c.own)
		if got, err := dataFolder(c.prefix); err != nil || got != c.want {
			t.Errorf("prefix %q: %q, %v", c.prefix, got, err)
		}
	}
}

func TestLogoIsWellFormed(t *testing.T) {
	d := xml.NewDecoder(bytes.NewReader(logo))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if len(logo) > 2000 {
		t.Errorf("logo of %d bytes", len(logo))
	}
}

func TestModuleSource(t *testing.T) {
	t.Setenv("TOPOS_SOURCE", "")
	want, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := moduleSource(); err != nil || got != want { // the tests run in their package's folder
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	t.Setenv("TOPOS_SOURCE", t.TempDir())
	if got, err := moduleSource(); err == nil {
		t.Errorf("an empty folder is the source: %q", got)
	}
}

func TestDoctorNamesWhatIsMissing(t *testing.T) {
	pretendTools(t)
	code, out, _ := runCommand("doctor")
	if code != 1 {
		t.Errorf("code %d", code)
	}
	for _, line := range []string{
		"MISSING go         go is not in PATH: install Go",
		"MISSING gonb       gonb is neither beside topos nor in PATH: make kernel builds v0.11.1",
		"MISSING goimports ",
		"note    gopls ",
		"MISSING topos-launch",
		"ok      source ",
		"ok      folder ",
		"note    jupyter ",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("no line %q in:\n%s", line, out)
		}
	}
}

func TestWarm(t *testing.T) {
	bin := built.Tools(t, "gonb", "goimports", "topos-launch")
	base, err := os.MkdirTemp("", "topos-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", base)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if err := warm(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestVenvJupyter: a program in a checkout's build/bin finds the .venv beside it, and
// one that is elsewhere finds none.
func TestVenvJupyter(t *testing.T) {
	root := t.TempDir()
	bin, venv := filepath.Join(root, "build", "bin"), filepath.Join(root, ".venv", "bin")
	missing := errors.New("not in PATH")
	if err := os.MkdirAll(venv, 0o755); err != nil {
		t.Fatal(err)
	}
	if path, err := venvJupyter(bin, missing); path != "" || err != missing {
		t.Errorf("%q, %v of nothing", path, err)
	}
	jupyter := filepath.Join(venv, "jupyter")
	if err := os.WriteFile(jupyter, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if path, err := venvJupyter(bin, missing); path != jupyter || err != nil {
		t.Errorf("%q, %v", path, err)
	}
	if path, err := venvJupyter(filepath.Join(root, "bin"), missing); path != "" || err != missing {
		t.Errorf("%q, %v of a program elsewhere", path, err)
	}
}
