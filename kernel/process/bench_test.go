package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/internal/built"
)

// median runs f a number of times and reports the median as a metric, since
// means of a machine shared with others say little, and the median of the
// processor time of the processes that f waited for.
func median(b *testing.B, f func(i int)) {
	var times, used []time.Duration
	for i := 0; b.Loop(); i++ {
		begin, before := time.Now(), processorTime(b)
		f(i)
		times = append(times, time.Since(begin))
		used = append(used, processorTime(b)-before)
	}
	slices.Sort(times)
	slices.Sort(used)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(used[len(used)/2].Microseconds())/1000, "cpu-ms")
}

func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// cells are what the benchmarks run: their text differs each time, so that
// nothing is built already.
var cells = map[string]string{
	"trivial": "%%%%\nfmt.Println(\"run %d\")",
	"topos":   "import \"github.com/topos-notebook/topos/topos\"\n%%%%\nfmt.Println(topos.MaxCells, %d)",
}

// BenchmarkCell measures a Go cell from request to idle, through GoNB alone at
// its defaults and through GoNB with shim, launcher and environment.
//
//	go test ./kernel/process -run NONE -bench Cell -benchtime 10x
func BenchmarkCell(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		g := startGonb(b, environ([]string{"TMPDIR=" + b.TempDir()}))
		run := func(i int) { g.await(g.request(fmt.Sprintf(cells["trivial"], i))) }
		run(-1)
		median(b, run)
	})
	for _, name := range []string{"trivial", "topos"} {
		b.Run("supervised/"+name, func(b *testing.B) {
			n := newNotebook(b)
			run := func(i int) {
				if r := n.run(fmt.Sprintf(cells[name], i)); r.Failed() || !r.Ran {
					b.Fatalf("%+v %v", r.Outcome, r.gonb)
				}
			}
			run(-1)
			median(b, run)
		})
	}
}

// BenchmarkStep measures the parts of a cell: the build through the shim, the
// go get that changes nothing, and goimports and the run of an empty program
// through the launcher and without it.
func BenchmarkStep(b *testing.B) {
	bin := built.Tools(b, "goimports")
	b.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	p := newStage(b)
	write := func(i int) {
		source := fmt.Sprintf("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Print(%d) }\n", i)
		if err := os.WriteFile(filepath.Join(p.work, "main.go"), []byte(source), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	run := func(cmd *exec.Cmd) {
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v: %s", cmd.Args, err, out)
		}
	}
	build := func(b *testing.B, args ...string) {
		build := append([]string{"build", "-o", p.binary()}, args...)
		write(-1)
		run(p.command("go", build...))
		median(b, func(i int) {
			write(i)
			run(p.command("go", build...))
		})
	}
	b.Run("build/recipe", func(b *testing.B) { build(b) })
	// With a flag of the user's there is no recipe.
	b.Run("build/plain", func(b *testing.B) { build(b, "-v=false") })
	b.Run("get", func(b *testing.B) {
		median(b, func(int) { run(p.command("go", "get")) })
	})
	b.Run("imports", func(b *testing.B) {
		write(-1)
		median(b, func(int) {
			job, _ := p.begin(1)
			run(p.command("goimports", "-w", "main.go"))
			job.End()
		})
	})
	b.Run("imports/direct", func(b *testing.B) {
		write(-1)
		median(b, func(int) { run(p.command(filepath.Join(bin, "goimports"), "-w", "main.go")) })
	})
	b.Run("launched", func(b *testing.B) {
		median(b, func(int) {
			job, _ := p.begin(1)
			run(p.command(p.binary()))
			job.End()
		})
	})
	b.Run("direct", func(b *testing.B) {
		median(b, func(int) { run(exec.Command(p.binary() + ".cell")) })
	})
	b.Run("version", func(b *testing.B) {
		median(b, func(int) { run(p.command("go", "version")) })
	})
}
