package server

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/wire"
)

// liveness is how long an answer may take on a machine that does much else: a
// client waits for a second, and a kernel that queues it behind the cell for ever.
const liveness = 5 * time.Second

func TestC54EveryRequestIsAnsweredWhileACellRuns(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	cell := k.execute("%%own\nwait")
	k.awaitText(cell, "waiting")
	for _, ch := range []wire.Channel{wire.Shell, wire.Control} {
		for _, c := range []struct {
			request string
			content any
			status  string
		}{
			{"kernel_info_request", map[string]any{}, "ok"},
			{"connect_request", map[string]any{}, "ok"},
			{"history_request", map[string]any{"hist_access_type": "tail", "n": 3}, "ok"},
			{"debug_request", map[string]any{"type": "request", "command": "initialize"}, "error"},
			{"comm_info_request", map[string]any{}, "ok"},
			{"is_complete_request", map[string]any{"code": "func F() {"}, "incomplete"},
			{"is_complete_request", map[string]any{"code": "%own"}, "complete"},
			{"complete_request", map[string]any{"code": "%%\nfmt.", "cursor_pos": 7}, "ok"},
			{"inspect_request", map[string]any{"code": "%%\nfmt.", "cursor_pos": 5, "detail_level": 0}, "ok"},
			{"nosuch_request", map[string]any{}, "error"},
			{"complete_request", []int{}, "error"},
		} {
			sent := time.Now()
			id := k.send(ch, c.request, c.content)
			if r := k.reply(ch, id); r["status"] != c.status {
				t.Errorf("%s on %s: %v", c.request, ch, r)
			}
			if took := time.Since(sent); took > liveness {
				t.Errorf("%s on %s: answered after %v", c.request, ch, took)
			}
			if got := types(t, k.idle(id)); got != "busy idle" {
				t.Errorf("%s on %s: published %s", c.request, ch, got)
			}
		}
	}
	k.mu.Lock()
	last := k.messages[len(k.messages)-1]
	k.mu.Unlock()
	if !isState(last, cell, "busy") {
		k.await("the cell is busy again", func() bool { return isState(k.messages[len(k.messages)-1], cell, "busy") })
	}
	id := k.send(wire.Control, "interrupt_request", []int{})
	if r := k.reply(wire.Control, id); r["status"] != "ok" {
		t.Errorf("interrupt: %v", r)
	}
	if r := k.reply(wire.Shell, cell); r["ename"] != "KeyboardInterrupt" {
		t.Errorf("the cell: %v", r)
	}
	published := k.idle(cell)
	if last := published[len(published)-1]; !isState(last, cell, "idle") {
		t.Error("idle is not the last")
	}
}

func TestCompletionSaysOfWhatKind(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	r := k.reply(wire.Shell, k.send(wire.Shell, "complete_request", map[string]any{"code": "%o", "cursor_pos": 2}))
	want := "map[cursor_end:2 cursor_start:0 matches:[%own] metadata:map[_jupyter_types_experimental:" +
		"[map[end:2 signature:%own THING start:0 text:%own type:magic]]] status:ok]"
	if got := fmt.Sprint(r); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

func TestComms(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	id := k.send(wire.Shell, "comm_open", map[string]any{"comm_id": "c1", "target_name": gonb.CommTarget, "data": map[string]any{}})
	k.idle(id)
	if m := <-s.golang.comm; m.Header.MsgType != "comm_open" {
		t.Errorf("forwarded %s", m.Header.MsgType)
	}
	list := func() string {
		return fmt.Sprint(k.reply(wire.Shell, k.send(wire.Shell, "comm_info_request", map[string]any{"target_name": gonb.CommTarget}))["comms"])
	}
	if got := list(); got != "map[c1:map[target_name:gonb_comm]]" {
		t.Errorf("comms %s", got)
	}
	s.fromGo(nil, wire.New("x", "comm_close", nil, map[string]any{"comm_id": "c1", "data": map[string]any{}}))
	k.await("comm_close", func() bool { return k.messages[len(k.messages)-1].Header.MsgType == "comm_close" })
	if got := list(); got != "map[]" {
		t.Errorf("comms %s", got)
	}
}

func TestCommsOfUnknownTargetsAreClosed(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	id := k.send(wire.Shell, "comm_open", map[string]any{"comm_id": "c1", "target_name": "jupyter.widget", "data": map[string]any{}})
	messages := k.idle(id)
	if got := types(t, messages); got != "busy comm_close idle" {
		t.Errorf("published %s", got)
	}
	if got := fmt.Sprint(k.reply(wire.Shell, k.send(wire.Shell, "comm_info_request", nil))["comms"]); got != "map[]" {
		t.Errorf("comms %s", got)
	}
	if n := len(s.golang.comm); n != 0 {
		t.Errorf("%d messages were forwarded", n)
	}
}

// When GoNB dies, the other end of its comms is gone.
func TestCommsEndWithGonb(t *testing.T) {
	s := start(t, nil)
	s.golang.run = func(context.Context, gonb.Request, gonb.Events) (gonb.Reply, error) {
		return gonb.Reply{}, &gonb.DiedError{}
	}
	k := newClient(t, s.connection)
	k.idle(k.send(wire.Shell, "comm_open", map[string]any{"comm_id": "c1", "target_name": gonb.CommTarget, "data": map[string]any{}}))
	_, messages := k.run("go")
	if got := types(t, messages); got != "busy execute_input comm_close stream error idle" {
		t.Errorf("published %s", got)
	}
	if got := fmt.Sprint(k.reply(wire.Shell, k.send(wire.Shell, "comm_info_request", nil))["comms"]); got != "map[]" {
		t.Errorf("comms %s", got)
	}
}

func TestShutdown(t *testing.T) {
	for _, ch := range []wire.Channel{wire.Control, wire.Shell} {
		t.Run(string(ch), func(t *testing.T) {
			s := start(t, nil)
			k := newClient(t, s.connection)
			cell := k.execute("%%own\nwait")
			k.awaitText(cell, "waiting")
			id := k.send(ch, "shutdown_request", map[string]bool{"restart": true})
			if r := k.reply(ch, id); r["status"] != "ok" || r["restart"] != true {
				t.Errorf("reply %v", r)
			}
			k.idle(id)
			if r := k.reply(wire.Shell, cell); r["status"] != "error" {
				t.Errorf("the cell: %v", r)
			}
			if err := <-s.ended; err != nil {
				t.Error(err)
			}
			s.ended <- nil // for the clean-up
			if got := s.engine.trace(); got != "begin1 before rollback close" {
				t.Errorf("engine saw %s", got)
			}
		})
	}
}

func TestKernelInfo(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	r := k.reply(wire.Shell, k.send(wire.Shell, "kernel_info_request", nil))
	language := r["language_info"].(map[string]any)
	for name, got := range map[string]any{"topos": r["implementation"], "5.4": r["protocol_version"], "go": language["name"],
		"1.26.0": language["version"], ".go": language["file_extension"], "text/x-go": language["mimetype"]} {
		if got != name {
			t.Errorf("got %v, want %s", got, name)
		}
	}
}
