package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

func TestStepOf(t *testing.T) {
	const work = "/tmp/gonb_01"
	for _, test := range []struct {
		args string
		want protocol.Step
	}{
		{"mod init gonb_01", protocol.InitStep},
		{"get", protocol.GetStep},
		{"get -t", protocol.GetStep},
		{"get example.org/x", ""},
		{"build -o /tmp/gonb_01/gonb_01", protocol.BuildStep},
		{"build -o /tmp/gonb_01/gonb_01 -race", protocol.BuildStep},
		{"test -c -o /tmp/gonb_01/gonb_01", protocol.BuildStep},
		{"build -o /srv/wasm/compiled.wasm", protocol.OtherStep},
		{"build ./...", protocol.OtherStep},
		{"test ./...", ""},
		{"list -m", ""},
		{"version", ""},
		{"", ""},
	} {
		if got := stepOf(strings.Fields(test.args), work); got != test.want {
			t.Errorf("go %s is the step %q, want %q", test.args, got, test.want)
		}
		if got := stepOf(strings.Fields(test.args), ""); got != "" {
			t.Errorf("elsewhere go %s is the step %q", test.args, got)
		}
	}
}

func TestFetches(t *testing.T) {
	for args, want := range map[string]bool{
		"get example.org/x@v1": true, "get -u": true, "install example.org/x@latest": true, "install ./...": false,
		"run example.org/x@v1": true, "run .": false, "mod tidy": true, "mod download": true, "mod edit": false,
		"mod": false, "build": false, "": false,
	} {
		if got := fetches(strings.Fields(args)); got != want {
			t.Errorf("go %s fetches: %v", args, got)
		}
	}
}

func TestBuildArguments(t *testing.T) {
	flags := strings.Join(buildFlags, " ")
	for args, want := range map[string]string{
		"build -o /w/w":          "build -o /w/w.cell " + flags + " -x",
		"build -o /w/w -race -v": "build -o /w/w.cell " + flags + " -x -race -v",
		"test -c -o /w/w":        "test -c -o /w/w.cell " + flags + " -x",
	} {
		if got := strings.Join(buildArguments(strings.Fields(args), "/w/w.cell", "-x"), " "); got != want {
			t.Errorf("go %s becomes\n%s, want\n%s", args, got, want)
		}
	}
}

func TestWithout(t *testing.T) {
	got := without([]string{"A=1", "GOGC=100", "GOGCX=2", "B"}, "GOGC", "B")
	if want := []string{"A=1", "GOGCX=2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                          nil,
		"a -b  c=d":                 {"a", "-b", "c=d"},
		`a "b c;$WORK=>" d`:         {"a", "b c;$WORK=>", "d"},
		`a "\"" ""`:                 {"a", `"`, ""},
		`a -trimpath "x\ty" ./m.go`: {"a", "-trimpath", "x\ty", "./m.go"},
	} {
		if got, err := splitWords(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q becomes %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`a "b`, `a "b"c`, `a 'b c'`, "a; b", "a $(b)", "a > b"} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%q becomes %q", line, got)
		}
	}
}

// trace is what go build -x writes, shortened.
const trace = `WORK=/tmp/go-build1
mkdir -p $WORK/b001/
cat >/tmp/go-build1/b001/importcfg << 'EOF' # internal
# import config
packagefile fmt=/cache/aa-d
EOF
cd /work
/go/pkg/tool/compile -o $WORK/b001/_pkg_.a -trimpath "/work=>m;$WORK/b001=>" -p main -buildid X/X -importcfg $WORK/b001/importcfg -pack ./main.go
go tool buildid -w $WORK/b001/_pkg_.a # internal
cat >/tmp/go-build1/b001/importcfg.link << 'EOF' # internal
packagefile m=/tmp/go-build1/b001/_pkg_.a
packagefile fmt=/cache/aa-d
modinfo "x\n"
EOF
GOROOT='' /go/pkg/tool/link -o $WORK/b001/exe/a.out -importcfg $WORK/b001/importcfg.link -buildid=A/X/Y/A -s -w $WORK/b001/_pkg_.a
mv $WORK/b001/exe/a.out gonb_01.cell
rm -rf $WORK/b001/
`

func TestReadTrace(t *testing.T) {
	r, err := readTrace(trace)
	if err != nil {
		t.Fatal(err)
	}
	want := &recipe{
		Compile: []string{"/go/pkg/tool/compile", "-o", "$WORK/b001/_pkg_.a", "-trimpath", "/work=>m;$WORK/b001=>", "-p", "main",
			"-buildid", "$ID/$ID", "-importcfg", "$WORK/b001/importcfg", "-pack", "./main.go"},
		Link: []string{"/go/pkg/tool/link", "-o", "$WORK/b001/exe/a.out", "-importcfg", "$WORK/b001/importcfg.link",
			"-buildid=$ID/$ID/$ID/$ID", "-s", "-w", "$WORK/b001/_pkg_.a"},
		Files: map[string]string{
			"importcfg":      "# import config\npackagefile fmt=/cache/aa-d\n",
			"importcfg.link": "packagefile m=/tmp/go-build1/b001/_pkg_.a\npackagefile fmt=/cache/aa-d\nmodinfo \"x\\n\"\n",
		},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("got\n%+v\nwant\n%+v", r, want)
	}
	for name, text := range map[string]string{
		"nothing":              "",
		"all cached":           "WORK=/tmp/go-build1\nrm -rf $WORK/b001/\n",
		"a dependency":         strings.Replace(trace, "cd /work\n", "/go/pkg/tool/compile -o $WORK/b002/_pkg_.a -p x ./x.go\n", 1),
		"two files":            strings.Replace(trace, "./main.go", "./main.go ./other.go", 1),
		"cgo":                  strings.Replace(trace, "cd /work\n", "/go/pkg/tool/cgo -objdir $WORK/b001/\n", 1),
		"a tool around others": strings.Replace(trace, "/go/pkg/tool/compile", "/bin/time /go/pkg/tool/compile", 1),
		"no link":              trace[:strings.Index(trace, "GOROOT=")],
	} {
		if r, err := readTrace(text); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func FuzzReadTrace(f *testing.F) {
	f.Add(trace)
	f.Add("WORK=\ncat >$WORK/b001/x << 'EOF'\n")
	f.Add("/compile \"")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := readTrace(text)
		if err == nil && (len(r.Compile) == 0 || len(r.Link) == 0) {
			t.Errorf("half a recipe: %+v", r)
		}
	})
}

func TestForeignReplacement(t *testing.T) {
	t.Setenv(protocol.SourceVariable, "/src/topos")
	for line, want := range map[string]bool{
		"":                                     false,
		"replace a v0.0.0 => \"/src/topos\"":   false,
		"replace a => /src/topos/":             false,
		"replace a => /src/other":              true,
		"replace a => ../other // mine":        true,
		"// replace a => ../other":             false,
		"\ta => \"./x y\"":                     true,
		"replace a => example.org/fork v1.2.3": false,
	} {
		if got := foreignReplacement("module m\n\n" + line + "\n"); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestPlainSource(t *testing.T) {
	for _, test := range []struct {
		name, text string
		others     []string
		want       bool
	}{
		{"plain", "package main\n\nfunc main() {}\n", []string{"go.mod", "go.sum", "gonb_01"}, true},
		{"embed", "package main\n\n//go:embed x\nvar s string\n", nil, false},
		{"constraint", "// +build linux\n\npackage main\n", nil, false},
		{"another file", "package main\n", []string{"other.go"}, false},
		{"assembly", "package main\n", []string{"x.s"}, false},
		{"profile", "package main\n", []string{"default.pgo"}, false},
		{"workspace", "package main\n", []string{"go.work"}, false},
	} {
		work := t.TempDir()
		for _, name := range append(test.others, "main.go") {
			text := ""
			if name == "main.go" {
				text = test.text
			}
			if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if text, got := plainSource(work); got != test.want || got && string(text) != test.text {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if _, got := plainSource(t.TempDir()); got {
		t.Error("a folder without main.go")
	}
}
