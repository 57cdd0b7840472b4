package server

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/wire"
)

// TestDocumentationAnswersForGopls: gopls is believed when it says something in
// time; a request is an error only if something is wrong and nothing is known.
func TestDocumentationAnswersForGopls(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	says := func(text string, err error) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return text, err }
	}
	hangs := func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	for _, c := range []struct {
		name  string
		gopls func(context.Context) (string, error)
		code  string
		want  string // what is found, "" for nothing
		fails bool
	}{
		{"gopls answers", says("gopls", nil), "known", "gopls", false},
		{"gopls finds nothing", says("", nil), "known", "documented", false},
		{"gopls is busy", says("", gonb.ErrBusy), "known", "documented", false},
		{"gopls does not answer", hangs, "known", "documented", false},
		{"GoNB has died", says("", &gonb.DiedError{}), "known", "documented", false},
		{"GoNB is missing", says("", errors.New("no such file")), "known", "documented", false},
		{"nobody answers", hangs, "other", "", false},
		{"nobody knows", says("", nil), "other", "", false},
		{"GoNB is missing and nobody knows", says("", errors.New("no such file")), "other", "", true},
	} {
		s.golang.gopls = c.gopls
		sent := time.Now()
		at := map[string]any{"code": c.code, "cursor_pos": 3, "detail_level": 0}
		inspected := k.reply(wire.Shell, k.send(wire.Shell, "inspect_request", at))
		completed := k.reply(wire.Shell, k.send(wire.Shell, "complete_request", at))
		if took := time.Since(sent); took > 2*liveness {
			t.Errorf("%s: after %v", c.name, took)
		}
		if c.fails {
			if inspected["status"] != "error" || completed["status"] != "error" {
				t.Errorf("%s: %v\n%v", c.name, inspected, completed)
			}
			continue
		}
		data, matches := "map[]", "[]"
		switch c.want {
		case "gopls":
			data, matches = "map[text/markdown:gopls text/plain:gopls]", "[gopls]"
		case "documented":
			data, matches = "map[text/markdown:*documented* text/plain:documented]", "[documented]"
		}
		if fmt.Sprint(inspected["data"]) != data || inspected["found"] != (c.want != "") || fmt.Sprint(completed["matches"]) != matches {
			t.Errorf("%s: %v\n%v", c.name, inspected, completed)
		}
	}
}

// What a cell declares is known once GoNB has accepted it.
func TestDocumentationLearnsFromAcceptedCells(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	s.golang.run = func(_ context.Context, r gonb.Request, _ gonb.Events) (gonb.Reply, error) {
		return gonb.Reply{OK: r.Code != "bad"}, nil
	}
	for _, code := range []string{"good", "bad", "%%own\nprint 1", "better"} {
		k.reply(wire.Shell, k.execute(code))
	}
	if got := fmt.Sprint(s.documentation.learned); got != "[good better]" {
		t.Errorf("learned %s", got)
	}
}
