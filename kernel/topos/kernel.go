package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/topos-notebook/topos/kernel/godoc"
	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/process"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/kernel/wire"
)

func init() {
	register(command{name: "kernel", synopsis: "CONNECTION_FILE", run: runKernel,
		purpose: "serve one notebook (started by Jupyter)"})
}

// runKernel serves one Jupyter connection until a client asks for shutdown or
// the process is asked to end. An interrupt signal interrupts the running cell.
// What else is given is a client's own: jupyter run gives the files that it runs.
func runKernel(args []string, s streams) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		fmt.Fprintln(s.err, "usage: topos kernel CONNECTION_FILE")
		return 2
	}
	if err := serveKernel(args[0], s.err); err != nil {
		fmt.Fprintln(s.err, "topos kernel:", err)
		return 1
	}
	return 0
}

func serveKernel(file string, log io.Writer) error {
	// From the first moment: the default would end us without cleaning up.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	connection, err := wire.ReadConnection(file)
	if err != nil {
		return err
	}
	folder, keeper, err := openFolder()
	if err != nil {
		return err
	}
	defer folder.lock.Close()
	defer keeper.finish()
	return serveIn(folder, keeper, connection, file, signals, log)
}

// openFolder makes the private folder and starts the janitor that removes it.
func openFolder() (*privateFolder, *janitor, error) {
	folder, err := makeFolder()
	if err != nil {
		return nil, nil, err
	}
	keeper, err := startJanitor(folder.path)
	if err != nil {
		folder.lock.Close()
		os.RemoveAll(folder.path)
		return nil, nil, fmt.Errorf("start the janitor: %w", err)
	}
	return folder, keeper, nil
}

// serveIn serves with a private folder; the caller removes what is left in it.
func serveIn(folder *privateFolder, keeper *janitor, connection wire.Connection, file string, signals <-chan os.Signal, log io.Writer) error {
	parts := findParts()
	for _, problem := range parts.problems {
		fmt.Fprintln(log, "topos kernel:", problem)
	}
	supervisor, err := parts.supervise(folder)
	if err != nil {
		return err
	}
	if supervisor != nil {
		defer supervisor.Close()
	}
	id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "kernel-"), ".json")
	socket := filepath.Join(folder.path, "session.sock")
	engine, err := newEngine(surroundings{socket: socket, folder: folder.path, id: id, log: log})
	if err != nil {
		return err
	}
	goVersion, goRoot := parts.toolchain()
	options := server.Options{Connection: connection, Engine: engine, Version: version, GoVersion: goVersion,
		Documentation: godoc.New(goRoot, module, parts.source)}
	if supervisor != nil {
		options.Processes = server.Supervised(supervisor)
	}
	child, err := parts.child(folder, supervisor, keeper, id, socket, log)
	if err != nil {
		engine.Close()
		return err
	}
	var golang *gonb.Kernel
	options.Go = func(onComm func(parent, message *wire.Message)) server.Go {
		golang = gonb.Start(child, onComm)
		return golang
	}
	front, err := server.New(options)
	if err != nil {
		engine.Close()
		return err
	}
	defer golang.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for s := range signals {
			if s == os.Interrupt {
				front.Interrupt()
			} else {
				cancel()
			}
		}
	}()
	go followParent(ctx, cancel)
	return front.Serve(ctx)
}

// followParent ends the kernel when the process that started it has ended.
// Jupyter says by a variable that it wants that; nothing tells of a parent's end
// on every system, so it is looked at once a second.
func followParent(ctx context.Context, cancel func()) {
	if os.Getenv("JPY_PARENT_PID") == "" {
		return
	}
	parent := os.Getppid()
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
			if os.Getppid() != parent {
				cancel()
			}
		}
	}
}

// parts are the programs that a kernel is made of. Missing ones are problems to
// report, not reasons to end: cells that do not need them still run.
type parts struct {
	golang, gonb, goimports, gopls, launcher, source string
	problems                                         []error
}

func findParts() parts {
	var p parts
	find := func(at *string, what string, find func() (string, error)) {
		path, err := find()
		if err != nil {
			p.problems = append(p.problems, fmt.Errorf("%w: %s", err, what))
			return
		}
		*at = path
	}
	beside := func(name string) func() (string, error) {
		return func() (string, error) { return tool(name) }
	}
	find(&p.golang, "Go cells will fail", goCommand)
	find(&p.gonb, "Go cells will fail", beside("gonb"))
	find(&p.goimports, "Go cells will fail", beside("goimports"))
	find(&p.gopls, "Go code will not be completed", beside("gopls"))
	find(&p.launcher, "a Go cell that panics will look as if it ended well", beside("topos-launch"))
	find(&p.source, "Go cells cannot import it", moduleSource)
	return p
}

// supervise starts the supervisor of Go cells; nil when a part for it is missing.
func (p parts) supervise(folder *privateFolder) (*process.Supervisor, error) {
	// The children find their tools in our PATH, behind the supervisor's shim.
	path := os.Getenv("PATH")
	for _, program := range []string{p.golang, p.gopls, p.goimports} {
		if program != "" {
			path = filepath.Dir(program) + string(filepath.ListSeparator) + path
		}
	}
	os.Setenv("PATH", strings.TrimSuffix(path, string(filepath.ListSeparator)+"${PATH}"))
	if p.launcher == "" || p.golang == "" {
		return nil, nil
	}
	inner, err := folder.folder("process")
	if err != nil {
		return nil, err
	}
	return process.New(inner, p.launcher, p.golang)
}

// child returns how GoNB is to be run.
func (p parts) child(folder *privateFolder, supervisor *process.Supervisor, keeper *janitor, id, socket string, log io.Writer) (gonb.Options, error) {
	sockets, err := folder.folder("gonb")
	if err != nil {
		return gonb.Options{}, err
	}
	temporary, err := folder.folder("tmp")
	if err != nil {
		return gonb.Options{}, err
	}
	extra := []string{"TOPOS_SESSION=" + socket, folderVariable + "=" + folder.path,
		"TMPDIR=" + temporary}
	if p.source != "" {
		extra = append(extra, "TOPOS_SOURCE="+p.source)
	}
	if supervisor != nil {
		extra = append(extra, supervisor.Env()...)
	}
	o := gonb.Options{Program: p.gonb, Folder: sockets, Name: "kernel-" + id + ".json", Started: keeper.watch}
	if supervisor != nil {
		commands, err := newShell(folder, p.launcher)
		if err != nil {
			return gonb.Options{}, err
		}
		if commands != nil {
			extra = append(extra, commands.env()...)
			o.Started = func(pid int) {
				commands.started(pid)
				keeper.watch(pid)
			}
		}
	}
	o.Env = replaced(os.Environ(), extra)
	if os.Getenv("TOPOS_GONB_LOG") != "" {
		o.Log = log
	}
	return o, nil
}

// replaced returns the environment with entries added in place of those of the
// same name.
func replaced(environ, entries []string) []string {
	names := map[string]bool{}
	for _, e := range entries {
		name, _, _ := strings.Cut(e, "=")
		names[name] = true
	}
	var kept []string
	for _, e := range environ {
		if name, _, _ := strings.Cut(e, "="); !names[name] {
			kept = append(kept, e)
		}
	}
	return append(kept, entries...)
}

// toolchain returns the version of Go and the folder of its sources, "" where the
// go command does not say.
func (p parts) toolchain() (version, root string) {
	if p.golang == "" {
		return "", ""
	}
	text, err := exec.Command(p.golang, "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return "", ""
	}
	version, root, _ = strings.Cut(strings.TrimSpace(string(text)), "\n")
	return version, strings.TrimSpace(root)
}
