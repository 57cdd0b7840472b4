package main

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/topos-notebook/topos/kernel/gonb"
)

func init() {
	register(command{name: "doctor", purpose: "say what is missing, one line each", run: runDoctor})
}

// finding is the state of one thing that the kernel needs.
type finding struct {
	thing  string
	state  string // what was found, or what is wrong
	remedy string // how to get it; "" when all is well
	needed bool   // without it cells fail
}

// runDoctor prints one line for each thing that the kernel needs, and how to
// get what is missing. The exit code is 1 when something needed is missing.
func runDoctor(args []string, s streams) int {
	if len(args) > 0 {
		fmt.Fprintln(s.err, "usage: topos doctor")
		return 2
	}
	code := 0
	for _, f := range examine() {
		mark := "ok     "
		line := f.state
		if f.remedy != "" {
			mark = "note   "
			if f.needed {
				mark = "MISSING"
				code = 1
			}
			line += ": " + f.remedy
		}
		fmt.Fprintf(s.out, "%s %-10s %s\n", mark, f.thing, line)
	}
	return code
}

func examine() []finding {
	return []finding{
		examineGo(),
		examineGoNB(),
		examineTool("goimports", "make kernel builds it; without it every Go cell fails", true),
		examineTool("gopls", "make kernel builds it; without it Go code is not completed", false),
		examineTool("topos-launch", "make kernel builds it; without it a Go cell that panics looks as if it ended well", true),
		examineSource(),
		examineFolder(),
		examineKernelspec(),
		examineJupyter(),
	}
}

func examineGo() finding {
	f := finding{thing: "go", needed: true}
	path, err := goCommand()
	if err != nil {
		f.state, f.remedy = err.Error(), "install Go 1.26 or newer from go.dev/dl"
		return f
	}
	version, _ := parts{golang: path}.toolchain()
	f.state = version + " at " + path
	var major, minor int
	if n, _ := fmt.Sscanf(version, "go%d.%d", &major, &minor); n != 2 || major < 1 || major == 1 && minor < 26 {
		f.remedy = "Go 1.26 or newer is needed"
	}
	return f
}

// examineGoNB checks the exact version: what we correct from outside differs
// from release to release.
func examineGoNB() finding {
	f := examineTool("gonb", "make kernel builds "+gonb.Version, true)
	if f.remedy != "" {
		return f
	}
	path, _ := tool("gonb")
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		f.state, f.remedy = err.Error(), "make kernel builds "+gonb.Version
		return f
	}
	found := ""
	if info.Main.Path == "github.com/janpfeifer/gonb" {
		found = info.Main.Version
	}
	if found != gonb.Version {
		f.state, f.remedy = fmt.Sprintf("version %q at %s", found, path), "exactly "+gonb.Version+" is needed, which make kernel builds"
		return f
	}
	f.state = found + " at " + path
	return f
}

func examineTool(name, remedy string, needed bool) finding {
	path, err := tool(name)
	if err != nil {
		return finding{thing: name, state: err.Error(), remedy: remedy, needed: needed}
	}
	return finding{thing: name, state: path, needed: needed}
}

func examineSource() finding {
	root, err := moduleSource()
	if err != nil {
		return finding{thing: "source", state: err.Error(), remedy: "keep the source folder beside the kernel", needed: true}
	}
	return finding{thing: "source", state: root, needed: true}
}

func examineFolder() finding {
	f, err := makeFolder()
	if err != nil {
		return finding{thing: "folder", state: err.Error(), remedy: "set TMPDIR to a folder that can be written", needed: true}
	}
	defer os.RemoveAll(f.path)
	defer f.lock.Close()
	return finding{thing: "folder", state: "private folders are made in " + filepath.Dir(f.path), needed: true}
}

// askJupyter bounds a question to the jupyter command.
const askJupyter = 20 * time.Second

func examineKernelspec() finding {
	f := finding{thing: "kernelspec"}
	folders := jupyterKernelspecs()
	if data, err := dataFolder(""); err == nil {
		folders = append(folders, filepath.Join(data, "kernels", "topos"))
	}
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(folder, "kernel.json"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		var spec kernelspec
		if err == nil {
			err = json.Unmarshal(text, &spec)
		}
		switch {
		case err != nil:
			f.state, f.remedy = err.Error(), "topos install writes it anew"
		case len(spec.Argv) == 0:
			f.state, f.remedy = folder+" names no program", "topos install writes it anew"
		default:
			f.state = folder
			if _, err := os.Stat(spec.Argv[0]); err != nil {
				f.state, f.remedy = fmt.Sprintf("%s names %s, which is not there", folder, spec.Argv[0]), "topos install writes it anew"
			}
		}
		return f
	}
	f.state, f.remedy = "not installed for this user", "topos install, or make lab, which uses .venv"
	return f
}

// jupyterCommand finds jupyter: in PATH, else in the .venv that make lab makes in the
// folder whose build/bin this program is in.
func jupyterCommand() (string, error) {
	found, err := exec.LookPath("jupyter")
	if err == nil {
		return found, nil
	}
	if self, failed := executable(); failed == nil {
		return venvJupyter(filepath.Dir(self), err)
	}
	return "", err
}

// venvJupyter looks for the jupyter of the .venv beside build/bin; where there is none
// the error is the one given.
func venvJupyter(bin string, err error) (string, error) {
	root, built := strings.CutSuffix(bin, filepath.Join(string(filepath.Separator), "build", "bin"))
	if !built {
		return "", err
	}
	path := filepath.Join(root, ".venv", "bin", "jupyter")
	if _, failed := exec.LookPath(path); failed != nil {
		return "", err
	}
	return path, nil
}

// jupyterKernelspecs asks jupyter where it finds our kernel.
func jupyterKernelspecs() []string {
	ctx, cancel := context.WithTimeout(context.Background(), askJupyter)
	defer cancel()
	path, err := jupyterCommand()
	if err != nil {
		return nil
	}
	text, err := exec.CommandContext(ctx, path, "kernelspec", "list", "--json").Output()
	if err != nil {
		return nil
	}
	var list struct {
		Kernelspecs map[string]struct {
			Folder string `json:"resource_dir"`
		} `json:"kernelspecs"`
	}
	if json.Unmarshal(text, &list) != nil || list.Kernelspecs["topos"].Folder == "" {
		return nil
	}
	return []string{list.Kernelspecs["topos"].Folder}
}

func examineJupyter() finding {
	path, err := jupyterCommand()
	if err != nil {
		return finding{thing: "jupyter", state: "not in PATH", remedy: "make lab installs JupyterLab into .venv"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), askJupyter)
	defer cancel()
	text, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return finding{thing: "jupyter", state: path + " does not run: " + err.Error(), remedy: "make lab installs JupyterLab into .venv"}
	}
	for line := range strings.Lines(string(text)) {
		if name, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "jupyter_client" {
			return finding{thing: "jupyter", state: path + " with jupyter_client " + strings.TrimSpace(v)}
		}
	}
	return finding{thing: "jupyter", state: path}
}
