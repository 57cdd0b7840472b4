package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/wire"
)

func TestHistory(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	for _, c := range []struct {
		code    string
		options []any
	}{
		{"%%own\nprint 1", nil},
		{"%%own\nfail", nil},
		{"%%own\nprint silent", []any{"silent", true}},
		{"%%own\nprint unstored", []any{"store_history", false}},
		{"%%own\nprint 1", nil},
		{"%%own\nshow é", nil},
	} {
		k.run(c.code, c.options...)
	}
	for _, c := range []struct{ content, want string }{
		{`{"hist_access_type":"tail","n":2,"output":false,"raw":true}`, `[[0,3,"%%own\nprint 1"],[0,4,"%%own\nshow é"]]`},
		{`{"hist_access_type":"tail"}`, `[[0,1,"%%own\nprint 1"],[0,2,"%%own\nfail"],[0,3,"%%own\nprint 1"],[0,4,"%%own\nshow é"]]`},
		{`{"hist_access_type":"tail","n":0}`, `[]`},
		{`{"hist_access_type":"search","n":0,"pattern":"*"}`, `[]`},
		{`{"hist_access_type":"tail","n":1,"output":true}`, `[[0,4,["%%own\nshow é",null]]]`},
		{`{"hist_access_type":"range","session":0,"start":2,"stop":4}`, `[[0,2,"%%own\nfail"],[0,3,"%%own\nprint 1"]]`},
		{`{"hist_access_type":"range","session":0,"start":-1}`, `[[0,4,"%%own\nshow é"]]`},
		{`{"hist_access_type":"range","start":0,"stop":null}`, `[[0,1,"%%own\nprint 1"],[0,2,"%%own\nfail"],[0,3,"%%own\nprint 1"],[0,4,"%%own\nshow é"]]`},
		{`{"hist_access_type":"range","session":-1}`, `[]`},
		{`{"hist_access_type":"search","pattern":"*print*"}`, `[[0,1,"%%own\nprint 1"],[0,3,"%%own\nprint 1"]]`},
		{`{"hist_access_type":"search","pattern":"*print*","unique":true}`, `[[0,3,"%%own\nprint 1"]]`},
		{`{"hist_access_type":"search","pattern":"*show ?","n":5}`, `[[0,4,"%%own\nshow é"]]`},
		{`{"hist_access_type":"search","pattern":"print"}`, `[]`},
	} {
		r := k.reply(wire.Shell, k.send(wire.Shell, "history_request", json.RawMessage(c.content)))
		got, err := json.Marshal(r["history"])
		if err != nil || r["status"] != "ok" || string(got) != strings.ReplaceAll(c.want, "\n", `\n`) {
			t.Errorf("%s:\n%s, want\n%s", c.content, got, c.want)
		}
	}
	r := k.reply(wire.Shell, k.send(wire.Shell, "history_request", map[string]any{"hist_access_type": "all"}))
	if r["evalue"] != `history_request: hist_access_type: "all" is none of range, tail, search` {
		t.Errorf("reply %v", r)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	var h history
	for i := range 10 {
		h.add(i, strings.Repeat(fmt.Sprint(i), historyBytes/4))
	}
	if got := h.find(wire.HistoryRequest{Access: "tail", N: -1}); len(got) != 4 || got[3].count != 9 {
		t.Errorf("%d cells are kept", len(got))
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"*", "", true}, {"*", "any\nthing", true}, {"?", "", false}, {"?", "é", true}, {"a*c", "abcbc", true},
		{"a*c", "abcb", false}, {"*b*b*", "abc", false}, {"*b*b*", "abcb", true}, {"a", "A", false}, {"[a]", "a", false}, {"[a]", "[a]", true},
		{strings.Repeat("*a", 50), strings.Repeat("b", 10_000), false},
	} {
		if got := matches(c.pattern, c.text); got != c.want {
			t.Errorf("%q on %.20q: %v", c.pattern, c.text, got)
		}
	}
}
