package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/process"
	"github.com/topos-notebook/topos/kernel/wire"
)

func TestOwnCell(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	reply, published := k.run("%%own\nprint a\nshow x\nupdate 1\nupdate 2")
	if got := types(t, published); got != "busy execute_input stream display_data display_data update_display_data idle" {
		t.Errorf("published %s", got)
	}
	if reply["status"] != "ok" || reply["execution_count"] != 1.0 {
		t.Errorf("reply %v", reply)
	}
	if got := s.engine.trace(); got != "begin1 before after commit" {
		t.Errorf("engine saw %s", got)
	}
	if n := s.golang.skipped.Load(); n != 1 {
		t.Errorf("GoNB was told of %d cells, want 1", n)
	}
	data := content(t, published[3])["data"].(map[string]any)
	if data["text/plain"] != "x" || data["text/html"] != "<b>x</b>" {
		t.Errorf("bundle %v", data)
	}
	if id := content(t, published[4])["transient"].(map[string]any)["display_id"]; id != "id" {
		t.Errorf("display id %v", id)
	}
}

// TestDeathOfInterrupted kills GoNB under an interrupted cell, as is done to one
// that does not end: that its declarations are gone must be said.
func TestDeathOfInterrupted(t *testing.T) {
	s := start(t, nil)
	s.golang.run = func(ctx context.Context, _ gonb.Request, events gonb.Events) (gonb.Reply, error) {
		events.Stream("stdout", "stuck\n")
		<-ctx.Done()
		return gonb.Reply{}, &gonb.DiedError{Reason: fmt.Errorf("killed")}
	}
	k := newClient(t, s.connection)
	id := k.execute("stuck")
	k.awaitText(id, "stuck")
	k.reply(wire.Control, k.send(wire.Control, "interrupt_request", nil))
	if r := k.reply(wire.Shell, id); r["ename"] != "KeyboardInterrupt" {
		t.Errorf("reply %v", r)
	}
	k.awaitText(id, "declarations of earlier cells are gone")
}

func TestFailures(t *testing.T) {
	s := start(t, nil)
	s.golang.run = func(_ context.Context, r gonb.Request, events gonb.Events) (gonb.Reply, error) {
		switch r.Code {
		case "died":
			return gonb.Reply{}, &gonb.DiedError{Reason: fmt.Errorf("killed")}
		case "status":
			return gonb.Reply{OK: true, ExitStatus: "exit status 3"}, nil
		case "refused":
			return gonb.Reply{Value: "no Go\nmore"}, nil
		}
		return gonb.Reply{OK: true}, nil
	}
	k := newClient(t, s.connection)
	for i, c := range []struct{ code, name, value, trace string }{
		{"%%own\nfail it", "Fault", "it", "before rollback"},
		{"%%own\nerror it", "Error", "it", "before rollback"},
		{"%%own\npanic it", "InternalError", "the kernel failed: it", "before rollback"},
		{"refuse", "Error", "refused", ""},
		{"%nosuch", "UnknownMagic", "unknown magic %nosuch: %help lists what there is", "before rollback"},
		{"%ow x", "UnknownMagic", "unknown magic %ow: did you mean %own? (%help lists what there is)", "before rollback"},
		{"%%nosuch\nx", "UnknownMagic", "unknown cell magic %%nosuch: %help lists what there is", "before rollback"},
		{"%%own\nfail \x1b[31mred\x07\x7f\u009b\tend", "Fault", "\u241b[31mred\u2407\u2421\ufffd\tend", "before rollback"},
		{"died", "GoNBError", "GoNB ended: killed", "before rollback"},
		{"status", "ExitError", "exit status 3", "before rollback"},
		{"refused", "GoNBError", "no Go", "before rollback"},
		{"fine", "", "", "before after commit"},
	} {
		t.Run(c.code, func(t *testing.T) {
			reply, published := k.run(c.code)
			status, want := "error", "busy execute_input error idle"
			if c.name == "" {
				status, want = "ok", "busy execute_input idle"
			}
			if got := strings.ReplaceAll(types(t, published), "stream ", ""); got != want {
				t.Errorf("published %s", got)
			}
			if reply["status"] != status || c.name != "" && (reply["ename"] != c.name || reply["evalue"] != c.value || reply["traceback"] == nil) {
				t.Errorf("reply %v", reply)
			}
			if got := s.engine.trace(); got != strings.TrimSpace(fmt.Sprintf("begin%d %s", i+1, c.trace)) {
				t.Errorf("engine saw %s", got)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	for i, c := range []struct {
		options []any
		count   float64
		input   bool
	}{
		{nil, 1, true},
		{[]any{"store_history", false}, 1, true},
		{[]any{"silent", true}, 1, false},
		{nil, 2, true},
	} {
		reply, published := k.run("%%own\nprint x\nshow x", c.options...)
		if reply["execution_count"] != c.count {
			t.Errorf("cell %d: count %v, want %v", i, reply["execution_count"], c.count)
		}
		want := "busy idle"
		if c.input {
			want = "busy execute_input stream display_data idle"
		}
		if got := types(t, published); got != want {
			t.Errorf("cell %d: published %s", i, got)
		}
	}
}

func TestC55FailureAbortsWhatIsQueued(t *testing.T) {
	for _, stop := range []bool{true, false} {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			s := start(t, nil)
			release := make(chan struct{})
			s.golang.run = func(context.Context, gonb.Request, gonb.Events) (gonb.Reply, error) {
				<-release
				return gonb.Reply{Value: "no"}, nil
			}
			k := newClient(t, s.connection)
			first := k.execute("go", "stop_on_error", stop)
			second, third := k.execute("%%own\nprint 2"), k.execute("%%own\nprint 3")
			k.reply(wire.Shell, k.send(wire.Shell, "kernel_info_request", nil)) // both are queued
			close(release)
			if r := k.reply(wire.Shell, first); r["status"] != "error" {
				t.Fatalf("reply %v", r)
			}
			want, published := "aborted", "busy idle"
			if !stop {
				want, published = "ok", "busy execute_input stream idle"
			}
			for _, id := range []string{second, third} {
				got := types(t, k.idle(id))
				if r := k.reply(wire.Shell, id); r["status"] != want || got != published {
					t.Errorf("reply %v, published %s", r, got)
				}
			}
			if r, _ := k.run("%%own\nprint 4"); r["status"] != "ok" {
				t.Errorf("a cell sent after the reply: %v", r)
			}
		})
	}
}

// What was sent in one burst with a cell that fails at once may come after it has failed.
func TestC55FailureAbortsWhatIsOnItsWay(t *testing.T) {
	for _, first := range []string{"%%own\nfail at once", "refuse"} {
		s := start(t, nil)
		s.queue.between = 2 * time.Second // whatever the machine does meanwhile
		k := newClient(t, s.connection)
		failing := k.send(wire.Shell, "execute_request", map[string]any{"code": first})
		var behind []string
		for range 5 {
			behind = append(behind, k.execute("%%own\nprint 1"))
		}
		if r := k.reply(wire.Shell, failing); r["status"] != "error" {
			t.Fatalf("reply %v", r)
		}
		for _, id := range behind {
			if r := k.reply(wire.Shell, id); r["status"] != "aborted" {
				t.Errorf("behind %v: reply %v", first, r)
			}
		}
	}
}

func TestInterruptOfGo(t *testing.T) {
	processes := &fakeProcesses{interrupted: make(chan struct{}, 10)}
	s := start(t, processes)
	s.golang.run = func(_ context.Context, _ gonb.Request, events gonb.Events) (gonb.Reply, error) {
		events.Stream("stdout", "running\n")
		<-processes.interrupted
		return gonb.Reply{OK: true}, nil
	}
	k := newClient(t, s.connection)
	k.reply(wire.Control, k.send(wire.Control, "interrupt_request", nil)) // nothing runs: harmless
	for range 2 {
		id := k.execute("loop")
		k.awaitText(id, "running")
		k.reply(wire.Control, k.send(wire.Control, "interrupt_request", nil))
		if r := k.reply(wire.Shell, id); r["ename"] != "KeyboardInterrupt" {
			t.Errorf("reply %v", r)
		}
	}
	if got := s.engine.trace(); got != "begin1 before rollback begin2 before rollback" {
		t.Errorf("engine saw %s", got)
	}
}

func TestTextComesBeforeTheDisplay(t *testing.T) {
	processes := &fakeProcesses{}
	s := start(t, processes)
	s.golang.run = func(context.Context, gonb.Request, gonb.Events) (gonb.Reply, error) {
		for i := range 10 {
			processes.write(fmt.Sprintf("%d\n", i))
			s.engine.output().Display(map[string]any{"text/plain": fmt.Sprint(i)}, nil)
		}
		processes.write("end\n")
		return gonb.Reply{OK: true}, nil
	}
	k := newClient(t, s.connection)
	_, published := k.run("go")
	want := "busy execute_input " + strings.Repeat("stream display_data ", 10) + "stream idle"
	if got := types(t, published); got != want {
		t.Errorf("published %s", got)
	}
	out := s.engine.output()
	out.Display(map[string]any{"text/plain": "late"}, nil)
	out.Stream("stdout", "late")
	if _, published = k.run("%%own\nprint x"); text(t, published, "stdout") != "x\n" {
		t.Errorf("published %s", types(t, published))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range k.messages {
		if strings.Contains(string(m.Content), "late") {
			t.Error("output after the end of its cell was published")
		}
	}
}

func TestStreamsAreBatched(t *testing.T) {
	s := start(t, nil)
	s.golang.run = func(_ context.Context, _ gonb.Request, events gonb.Events) (gonb.Reply, error) {
		for i := range 20000 {
			events.Stream("stdout", fmt.Sprintf("%d\n", i))
			if i%100 == 0 {
				events.Stream("stderr", "e\n")
			}
		}
		return gonb.Reply{OK: true}, nil
	}
	k := newClient(t, s.connection)
	began := time.Now()
	_, published := k.run("go")
	took := time.Since(began)
	if got := text(t, published, "stdout"); strings.Count(got, "\n") != 20000 || !strings.HasSuffix(got, "\n19999\n") {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
	if got := strings.Count(text(t, published, "stderr"), "e\n"); got != 200 {
		t.Errorf("%d lines on stderr", got)
	}
	most := 2 * mostMessages * (int(took/paceWindow) + 2)
	if n := strings.Count(types(t, published), "stream"); n > most {
		t.Errorf("%d messages in %v, want at most %d", n, took, most)
	}
}

// TestAnswersGoToTheProgram has a Go program ask: GoNB is not told the answer.
func TestAnswersGoToTheProgram(t *testing.T) {
	processes := &fakeProcesses{answered: make(chan string, 1)}
	s := start(t, processes)
	s.golang.run = func(_ context.Context, r gonb.Request, events gonb.Events) (gonb.Reply, error) {
		events.Input("name? ", false)
		events.Stream("stdout", <-processes.answered)
		return gonb.Reply{OK: true}, nil
	}
	k := newClient(t, s.connection)
	for _, allow := range []bool{true, false} {
		id := k.execute("go", "allow_stdin", allow)
		if allow {
			select {
			case <-k.asked:
			case <-time.After(bound):
				t.Fatal("nobody asked")
			}
			k.send(wire.Stdin, "input_reply", map[string]string{"value": "gopher"})
		}
		want := map[bool]string{true: "gopher"}[allow]
		if got := text(t, k.idle(id), "stdout"); got != want {
			t.Errorf("allow %v: output %q, want %q", allow, got, want)
		}
	}
	if len(k.asked)+len(s.golang.input) > 0 {
		t.Error("somebody else was asked or answered")
	}
}

func TestInputGoesToTheAsker(t *testing.T) {
	s := start(t, nil)
	s.golang.run = func(_ context.Context, r gonb.Request, events gonb.Events) (gonb.Reply, error) {
		events.Stream("stdout", "name? ")
		events.Input("name? ", false)
		events.Stream("stdout", <-s.golang.input)
		return gonb.Reply{OK: true}, nil
	}
	asker, other := newClient(t, s.connection), newClient(t, s.connection)
	other.send(wire.Stdin, "input_reply", map[string]string{"value": "unasked"})
	id := asker.execute("go", "allow_stdin", true)
	select {
	case m := <-asker.asked:
		if m.ParentID() != id || content(t, m)["prompt"] != "name? " {
			t.Errorf("asked %s", m.Content)
		}
	case <-time.After(bound):
		t.Fatal("nobody asked")
	}
	asker.send(wire.Stdin, "input_reply", map[string]int{"value": 1}) // no line: ignored
	asker.send(wire.Stdin, "input_reply", map[string]string{"value": "gopher"})
	if got := text(t, asker.idle(id), "stdout"); got != "name? gopher" {
		t.Errorf("output %q", got)
	}
	if len(other.asked) > 0 {
		t.Error("the other client was asked")
	}
	if got := text(t, other.idle(id), "stdout"); got != "name? gopher" {
		t.Errorf("the other client saw %q", got)
	}
}

func TestJudge(t *testing.T) {
	ok := gonb.Reply{OK: true}
	c := &cell{count: 4, server: &Server{processes: unsupervised{}}}
	crash := &process.Crash{Message: "boom", Frames: []process.Frame{{Func: "main", Cell: 4, Line: 3, Source: "\tpanic(1)"}, {Func: "f", Cell: 2, Line: 1, Source: "f()"}}}
	started := &process.Crash{Message: "boom", Frames: []process.Frame{{Func: "main.func1", Cell: 4, Line: 3, Source: "panic(1)"}, {Func: "main", Starts: true, Cell: 4, Line: 2, Source: "go func() {"}}}
	for _, test := range []struct {
		name    string
		outcome process.Outcome
		reply   gonb.Reply
		want    string
		trace   string
	}{
		{"ok", process.Outcome{Built: true, Ran: true}, ok, "", ""},
		{"panic", process.Outcome{Ran: true, Exit: 2, Crash: crash}, ok, "panic: boom", "cell 4 line 3: boom|  cell 4 line 3 in main: panic(1)|  cell 2 line 1 in f: f()"},
		{"panic in a goroutine", process.Outcome{Ran: true, Exit: 2, Crash: started}, ok, "panic: boom", "cell 4 line 3: boom|  cell 4 line 3 in main.func1: panic(1)|  cell 4 line 2 in main, which started the goroutine: go func() {"},
		{"panic without frames", process.Outcome{Ran: true, Exit: 2, Crash: &process.Crash{Message: "boom"}}, ok, "panic: boom", "cell 4: boom"},
		{"exit", process.Outcome{Ran: true, Exit: 3}, ok, "ExitError: exit status 3", "cell 4: exit status 3"},
		{"signal", process.Outcome{Ran: true, Exit: -1, Signal: "killed"}, ok, "ExitError: signal: killed", "cell 4: signal: killed"},
		{"build", process.Outcome{BuildErrors: "cell 4 line 2: undefined: x\n    x\n    ^"}, gonb.Reply{Value: "failed"}, "CompileError: cell 4 line 2: undefined: x", "cell 4 line 2: undefined: x|    x|    ^"},
		{"parser", process.Outcome{}, gonb.Reply{Value: "parsing\ncell 4 line 2: expected )"}, "CompileError: cell 4 line 2: expected )", "cell 4 line 2: expected )"},
		{"magic", process.Outcome{}, gonb.Reply{Value: "%cd takes one"}, "GoNBError: %cd takes one", "%cd takes one"},
		{"shell", process.Outcome{}, gonb.Reply{OK: true, ExitStatus: "exit status 1"}, "ExitError: exit status 1", "cell 4: exit status 1"},
		{"shell, then Go", process.Outcome{Ran: true}, gonb.Reply{OK: true, ExitStatus: "exit status 1"}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := c.judge(test.outcome, test.reply)
			if err == nil {
				if test.want != "" {
					t.Errorf("no error, want %s", test.want)
				}
				return
			}
			e := err.(*CellError)
			if e.Error() != test.want || strings.Join(e.Traceback, "|") != test.trace {
				t.Errorf("got %s with %q, want %s with %q", e, e.Traceback, test.want, test.trace)
			}
		})
	}
}
