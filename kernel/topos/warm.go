package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/topos-notebook/topos/kernel/gonb"
)

// warmCell uses what cells use, so that the go command compiles it once and
// keeps it: the first cell of a notebook then only compiles itself.
const warmCell = `import (
	"github.com/topos-notebook/topos/cells"
	. "github.com/topos-notebook/topos/topos"
)
%%
_ = cells.Open(F32)
fmt.Println("warm", math.Pi, strings.ToUpper("x"), time.Second)
`

// warmTimeout bounds the first build of everything, on a slow machine.
const warmTimeout = 10 * time.Minute

// warm runs one Go cell as a kernel would, without a kernel.
func warm() error {
	folder, keeper, err := openFolder()
	if err != nil {
		return err
	}
	defer folder.lock.Close()
	defer keeper.finish()
	parts := findParts()
	if err := errors.Join(parts.problems...); err != nil {
		return err
	}
	if err := fetchGraph(parts.golang, parts.source); err != nil {
		return err
	}
	supervisor, err := parts.supervise(folder)
	if err != nil {
		return err
	}
	defer supervisor.Close()
	options, err := parts.child(folder, supervisor, keeper, "0", "", nil)
	if err != nil {
		return err
	}
	child := gonb.Start(options, nil)
	defer child.Close()
	ctx, cancel := context.WithTimeout(context.Background(), warmTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, child.Kill)
	defer stop()
	seen := &warmEvents{}
	reply, err := child.Execute(ctx, gonb.Request{Code: warmCell}, seen)
	switch {
	case err != nil:
		return err
	case !reply.OK:
		first, _, _ := strings.Cut(reply.Value, "\n")
		return errors.New(first)
	case !strings.HasPrefix(seen.text, "warm"):
		return fmt.Errorf("the cell wrote %q", seen.text)
	}
	return nil
}

// fetchGraph makes the go.mod file of every module in the source's graph
// available. A cell resolves its imports against that graph and never asks the
// network, while a build fetches only what it compiles.
func fetchGraph(goTool, source string) error {
	list := exec.Command(goTool, "list", "-m", "all")
	list.Dir = source
	if out, err := list.CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("the module graph of %s cannot be read: %s", module, line)
	}
	return nil
}

// warmEvents keeps what the cell wrote.
type warmEvents struct{ text string }

func (w *warmEvents) Stream(name, text string) {
	if name == "stdout" {
		w.text += text
	}
}
func (*warmEvents) Publish(string, json.RawMessage, [][]byte) {}
func (*warmEvents) Input(string, bool)                        {}
