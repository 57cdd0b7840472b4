package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/internal/built"
)

func TestMain(m *testing.M) { os.Exit(built.Main(m)) }

// desk is a folder as GoNB's with a module prepared through the shim.
type desk struct {
	t                  *testing.T
	work, state, topos string
	real, shim         string
	env                []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	real := built.Go(t)
	root, err := exec.Command(real, "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, real: real, work: filepath.Join(t.TempDir(), "gonb_01"), state: t.TempDir(), topos: t.TempDir()}
	d.shim = filepath.Join(d.state, "go")
	if err := os.Symlink(built.Launcher(t), d.shim); err != nil {
		t.Fatal(err)
	}
	d.write(d.topos, "go.mod", "module example.org/topos\n\ngo 1.26.0\n")
	d.write(d.topos, "sub/sub.go", "package sub\n\nconst Word = \"first\"\n")
	if err := os.Mkdir(d.work, 0o700); err != nil {
		t.Fatal(err)
	}
	d.env = append(without(os.Environ(), "TOPOS_LAUNCH", "GOFLAGS", "GOWORK"), "GONB_TMP_DIR="+d.work, "TOPOS_GO="+real,
		"TOPOS_GOROOT="+strings.TrimSpace(string(root)), "TOPOS_LAUNCH_STATE="+d.state, "TOPOS_SOURCE="+d.topos,
		"GOPROXY=off", "TOPOS_GOPROXY=off")
	d.must("mod", "init", "gonb_01")
	return d
}

func (d *desk) write(folder, name, text string) {
	d.t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	// As if left alone for a while: what was just edited is not trusted.
	then := time.Now().Add(-time.Hour).Add(time.Duration(len(text)) * time.Second)
	if err := os.Chtimes(path, then, then); err != nil {
		d.t.Fatal(err)
	}
}

// run runs a go command through the shim.
func (d *desk) run(args ...string) (string, error) {
	cmd := exec.Command(d.shim, args...)
	cmd.Args[0] = "go"
	cmd.Dir, cmd.Env = d.work, d.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (d *desk) must(args ...string) {
	d.t.Helper()
	if out, err := d.run(args...); err != nil {
		d.t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// salt makes the cells of this run differ from those of earlier ones: what the
// go command finds in its cache it does not compile, and teaches nothing.
var salt = fmt.Sprintf("\n// %d\n", time.Now().UnixNano())

// cell builds main.go as GoNB does and returns what the program prints.
func (d *desk) cell(source string, flags ...string) string {
	d.t.Helper()
	d.write(d.work, "main.go", source+salt)
	d.must("get")
	binary := binaryPath(d.work)
	d.must(append([]string{"build", "-o", binary}, flags...)...)
	if target, err := os.Readlink(binary); err != nil || filepath.Base(target) != "topos-launch" {
		d.t.Errorf("the launcher is not at the binary's place: %q %v", target, err)
	}
	cmd := exec.Command(binary)
	cmd.Env = d.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Errorf("the program: %v: %s", err, out)
	}
	return string(out)
}

// recipes counts the recipes there are, and returns the one there is.
func (d *desk) recipes() (int, recipe) {
	d.t.Helper()
	paths, err := filepath.Glob(filepath.Join(d.state, "recipes", "*", "recipe.json"))
	if err != nil {
		d.t.Fatal(err)
	}
	var r recipe
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &r) != nil {
			d.t.Fatalf("a recipe that cannot be read: %v", err)
		}
	}
	return len(paths), r
}

const usesSub = "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/topos/sub\"\n)\n\nfunc main() { fmt.Println(sub.Word, %d) }\n"

// TestRecipeIsUsed builds cell after cell: from the second on by the recipe,
// which is told by the build ID, until a local package changes.
func TestRecipeIsUsed(t *testing.T) {
	d := newDesk(t)
	byRecipe := func() bool {
		t.Helper()
		id, err := exec.Command(d.real, "tool", "buildid", binaryPath(d.work)+".cell").Output()
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(strings.TrimSpace(string(id)), "/")
		return len(parts) == 4 && parts[0] == parts[1] && parts[1] == parts[2]
	}
	// The first build may have dependencies to compile, and then teaches nothing.
	d.cell(fmt.Sprintf(usesSub, -1))
	for i, want := range []bool{false, true, true} {
		if n, _ := d.recipes(); n == 1 {
			want = true
		}
		if got := d.cell(fmt.Sprintf(usesSub, i)); got != fmt.Sprintf("first %d\n", i) {
			t.Errorf("cell %d prints %q", i, got)
		}
		if byRecipe() != want {
			t.Errorf("cell %d by recipe: %v", i, !want)
		}
	}
	d.write(d.topos, "sub/sub.go", "package sub\n\nconst Word = \"second\"\n")
	for i := range 3 {
		if got := d.cell(fmt.Sprintf(usesSub, i)); got != fmt.Sprintf("second %d\n", i) {
			t.Errorf("after an edit cell %d prints %q", i, got)
		}
	}
	if !byRecipe() {
		t.Error("after an edit no recipe is learned again")
	}
	// A flag of the user's is honoured, and by no recipe.
	if got := d.cell(fmt.Sprintf(usesSub, 7), "-ldflags=-X example.org/topos/sub.None=1"); got != "second 7\n" || byRecipe() {
		t.Errorf("with a flag: %q", got)
	}
	// Another set of imports is another recipe.
	before, _ := d.recipes()
	const other = "package main\n\nimport \"strings\"\n\nfunc main() { print(strings.ToUpper(\"x\"), %d) }\n"
	for i := range 3 {
		d.cell(fmt.Sprintf(other, i))
	}
	if after, _ := d.recipes(); after != before+1 {
		t.Errorf("%d recipes, then %d", before, after)
	}
}

// TestRecipeFails has the recipe's files vanish and the cell be wrong: the go
// command's own words must come through, and the next cell must work.
func TestRecipeFails(t *testing.T) {
	d := newDesk(t)
	for i := range 3 {
		d.cell(fmt.Sprintf(usesSub, i))
	}
	n, r := d.recipes()
	if n != 1 {
		t.Fatalf("%d recipes", n)
	}
	d.write(d.work, "main.go", strings.Replace(usesSub, "%d", "nothing", 1))
	out, err := d.run("build", "-o", binaryPath(d.work))
	if want := "# gonb_01\n./main.go:9:37: undefined: nothing\n"; err == nil || out != want {
		t.Errorf("%v %q, want %q", err, out, want)
	}
	if _, err := os.Lstat(binaryPath(d.work)); err == nil {
		t.Error("a binary is left after a failed build")
	}
	paths, _ := filepath.Glob(filepath.Join(d.state, "recipes", "*", "importcfg.link"))
	for _, path := range paths {
		text := strings.ReplaceAll(r.Files["importcfg.link"], "packagefile fmt=", "packagefile fmt=/none")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.cell(fmt.Sprintf(usesSub, 8)); got != "first 8\n" {
		t.Errorf("without its files: %q", got)
	}
}

// TestUnusedImports builds programs that import more than they use, as GoNB makes
// them of what earlier cells imported: lines keep their numbers in what is said.
func TestUnusedImports(t *testing.T) {
	d := newDesk(t)
	const program = "package main\n\nimport . \"strings\"\n\nimport (\n\t\"fmt\"\n\t. \"example.org/topos/sub\"\n\tm \"math\"\n)\n\nfunc main() { %s }\n"
	for _, test := range []struct{ name, body, out string }{
		{"none used", "fmt.Println(1)", "1\n"},
		{"one used", "fmt.Println(Word)", "first\n"},
		{"all used", "fmt.Println(ToUpper(Word), m.Abs(-1))", "FIRST 1\n"},
	} {
		if got := d.cell(fmt.Sprintf(program, test.body)); got != test.out {
			t.Errorf("%s: %q, want %q", test.name, got, test.out)
		}
	}
	d.write(d.work, "main.go", fmt.Sprintf(program, "fmt.Println(Wrong)"))
	out, err := d.run("build", "-o", binaryPath(d.work))
	if want := "# gonb_01\n./main.go:11:27: undefined: Wrong\n"; err == nil || out != want {
		t.Errorf("%v %q, want %q", err, out, want)
	}
	d.write(d.work, "main.go", fmt.Sprintf(program, "fmt.Println(1)"))
	d.write(d.work, "main_test.go", "package main\n\nimport (\n\t\"testing\"\n\t. \"unicode\"\n)\n\nfunc TestIt(t *testing.T) {}\n")
	d.must("test", "-c", "-o", binaryPath(d.work))
}

// TestGetIsAnswered has go get answered without running it: the real go is
// replaced by one that says so.
func TestGetIsAnswered(t *testing.T) {
	d := newDesk(t)
	fake := filepath.Join(d.state, "fake")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho ran \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.env = append(without(d.env, "TOPOS_GO"), "TOPOS_GO="+fake)
	for _, test := range []struct{ name, source, want string }{
		{"standard", "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n)\n", ""},
		{"nothing", "package main\n", ""},
		{"local", "package main\n\nimport \"example.org/topos/sub\"\n", ""},
		{"local but absent", "package main\n\nimport \"example.org/topos/none\"\n", "ran get\n"},
		{"not standard", "package main\n\nimport \"nonesuch\"\n", "ran get\n"},
		{"own package", "package main\n\nimport \"gonb_01/sub\"\n", "ran get\n"},
		{"own package again", "package main\n\nimport \"gonb_01/sub\"\n", "ran get\n"},
		{"cgo", "package main\n\nimport \"C\"\n", "ran get\n"},
		{"does not parse", "package main\n\nimport (\n", "ran get\n"},
		{"unknown", "package main\n\nimport \"example.org/x\"\n", "ran get\n"},
		{"known by now", "package main\n\nimport \"example.org/x\"\n", ""},
		{"known and unknown", "package main\n\nimport (\n\t\"example.org/x\"\n\t\"example.org/y\"\n)\n", "ran get\n"},
		{"both known", "package main\n\nimport \"example.org/y\"\n", ""},
	} {
		d.write(d.work, "main.go", test.source)
		if out, err := d.run("get"); err != nil || out != test.want {
			t.Errorf("%s: %q %v, want %q", test.name, out, err, test.want)
		}
	}
	// A changed go.mod makes what was known unknown.
	text, err := os.ReadFile(filepath.Join(d.work, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	d.write(d.work, "go.mod", string(text)+"\n// changed\n")
	if out, _ := d.run("get"); out != "ran get\n" {
		t.Errorf("after a change of go.mod: %q", out)
	}
}

// TestProxyForTheUser looks at the GOPROXY under which go commands run.
func TestProxyForTheUser(t *testing.T) {
	d := newDesk(t)
	fake := filepath.Join(d.state, "fake")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho \"$GOPROXY $GOGC\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.env = append(without(d.env, "TOPOS_GO", "TOPOS_GOPROXY", "GOGC"), "TOPOS_GO="+fake, "TOPOS_GOPROXY=users", "GOGC=77")
	d.write(d.work, "main.go", "package main\n\nimport \"example.org/x\"\n")
	for args, want := range map[string]string{
		"get":                                    "off 77\n",
		"get example.org/x@v1.2.3":               "users 77\n",
		"mod tidy":                               "users 77\n",
		"list":                                   "off 77\n",
		"build -o " + binaryPath(d.work) + " -v": "off off\n",
	} {
		if out, err := d.run(strings.Fields(args)...); err != nil || out != want {
			t.Errorf("go %s: %q %v, want %q", args, out, err, want)
		}
	}
}

func TestPrepareModule(t *testing.T) {
	d := newDesk(t)
	text, err := os.ReadFile(filepath.Join(d.work, "go.mod"))
	want := "module gonb_01\n\ngo 1.26.0\n\nrequire example.org/topos v0.0.0\n\nreplace example.org/topos v0.0.0 => \"" + d.topos + "\"\n"
	if err != nil || string(text) != want {
		t.Errorf("go.mod is %v\n%s\nwant\n%s", err, text, want)
	}
	if err := prepareModule(d.real, d.work, t.TempDir()); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("of a folder that is no module: %v", err)
	}
	d.write(d.topos, "go.mod", "module example.org/topos\n\ngo 1.26.0\n\nrequire example.org/x v1.2.3\n")
	d.write(d.topos, "go.sum", "example.org/x v1.2.3/go.mod h1:x\n")
	if err := prepareModule(d.real, d.work, d.topos); err != nil {
		t.Fatal(err)
	}
	text, _ = os.ReadFile(filepath.Join(d.work, "go.mod"))
	if !strings.Contains(string(text), "\nrequire (\n\texample.org/x v1.2.3 // indirect\n)\n") {
		t.Errorf("go.mod is\n%s", text)
	}
	if text, err := os.ReadFile(filepath.Join(d.work, "go.sum")); err != nil || string(text) != "example.org/x v1.2.3/go.mod h1:x\n" {
		t.Errorf("go.sum is %v %q", err, text)
	}
}

func TestWithoutRealGo(t *testing.T) {
	d := newDesk(t)
	for _, path := range []string{"", "go", "/none/go"} {
		d.env = append(without(d.env, "TOPOS_GO"), "TOPOS_GO="+path)
		out, err := d.run("version")
		if err == nil || !strings.HasPrefix(out, "go: ") || strings.Count(out, "\n") != 1 {
			t.Errorf("%q: %q %v", path, out, err)
		}
	}
}
