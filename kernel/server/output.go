package server

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/wire"
)

// output is the [Output] of one cell.
type output struct {
	server *Server
	parent *wire.Message
	silent bool
	drain  func() // brings what the program has written; not called under mu

	order sync.Mutex // one display at a time, its drain included

	mu      sync.Mutex
	pending []piece
	paces   map[string]*pace // by stream
	timer   *time.Timer
	shown   map[string]bool // display ids
	closed  bool
}

type piece struct {
	name string
	text strings.Builder
}

func newOutput(s *Server, parent *wire.Message, silent bool, drain func()) *output {
	return &output{server: s, parent: parent, silent: silent, drain: drain, shown: map[string]bool{}, paces: map[string]*pace{}}
}

// Stream implements [Output] and the sinks of packages process and gonb.
func (o *output) Stream(name, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.silent || text == "" {
		return
	}
	if o.paces[name] == nil {
		o.paces[name] = &pace{}
	}
	if n := len(o.pending); n == 0 || o.pending[n-1].name != name {
		o.pending = append(o.pending, piece{name: name})
	}
	o.pending[len(o.pending)-1].text.WriteString(text)
	if o.timer != nil {
		return
	}
	if wait := o.wait(); wait > 0 {
		o.timer = time.AfterFunc(wait, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.flush()
		})
		return
	}
	o.flush()
}

// wait is how long the pending text has to wait; o.mu is held.
func (o *output) wait() (longest time.Duration) {
	now := time.Now()
	for i := range o.pending {
		longest = max(longest, o.paces[o.pending[i].name].wait(now))
	}
	return longest
}

// crowded says whether the pending pieces are more than the window has for
// keeping them apart.
func (o *output) crowded(now time.Time) bool {
	for name, p := range o.paces {
		n := 0
		for i := range o.pending {
			if o.pending[i].name == name {
				n++
			}
		}
		if n > 1 && p.spent(now)+n > keepApart {
			return true
		}
	}
	return false
}

// flush publishes the pending text; o.mu is held.
func (o *output) flush() {
	if o.timer != nil {
		o.timer.Stop()
		o.timer = nil
	}
	if len(o.pending) == 0 {
		return
	}
	now := time.Now()
	pieces := o.pending
	if o.crowded(now) {
		pieces = merge(pieces)
	}
	for i := range pieces {
		o.paces[pieces[i].name].send(now)
		o.server.publish(o.parent, "stream", map[string]string{"name": pieces[i].name, "text": pieces[i].text.String()})
	}
	o.pending = nil
}

// merge makes one piece of each stream, in order of appearance.
func merge(pieces []piece) []piece {
	merged := make([]piece, 0, 2)
	for i := range pieces {
		at := -1
		for j := range merged {
			if merged[j].name == pieces[i].name {
				at = j
			}
		}
		if at < 0 {
			merged = append(merged, piece{name: pieces[i].name})
			at = len(merged) - 1
		}
		merged[at].text.WriteString(pieces[i].text.String())
	}
	return merged
}

// Display implements [Output].
func (o *output) Display(data, metadata map[string]any) { o.show("", data, metadata) }

// Update implements [Output].
func (o *output) Update(id string, data, metadata map[string]any) { o.show(id, data, metadata) }

func (o *output) show(id string, data, metadata map[string]any) {
	content := map[string]any{"data": withText(data), "metadata": orEmpty(metadata), "transient": map[string]any{}}
	msgType := "display_data"
	if id != "" {
		content["transient"] = map[string]any{"display_id": id}
	}
	o.inOrder(func() {
		if id != "" && o.shown[id] {
			msgType = "update_display_data"
		}
		o.shown[id] = true
		o.server.publish(o.parent, msgType, content)
	})
}

// inOrder publishes something after all that the program has written so far.
func (o *output) inOrder(publish func()) {
	o.order.Lock()
	defer o.order.Unlock()
	o.drain()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.silent {
		return
	}
	o.flush()
	publish()
}

// Publish implements [gonb.Events]: what GoNB displays for a program.
func (o *output) Publish(msgType string, content json.RawMessage, buffers [][]byte) {
	var whole any = content
	switch msgType {
	case "display_data", "update_display_data", "execute_result":
		var c struct {
			Data      map[string]any `json:"data"`
			Metadata  map[string]any `json:"metadata"`
			Transient map[string]any `json:"transient"`
		}
		if json.Unmarshal(content, &c) != nil {
			return
		}
		gonb.MendPage(c.Data)
		if msgType == "execute_result" {
			msgType = "display_data" // GoNB's count of the cell is not the client's business
		}
		whole = map[string]any{"data": withText(c.Data), "metadata": orEmpty(c.Metadata), "transient": orEmpty(c.Transient)}
	case "clear_output":
	default:
		return
	}
	o.inOrder(func() { o.server.publish(o.parent, msgType, whole, buffers...) })
}

// settle publishes what the program has written so far.
func (o *output) settle() { o.inOrder(func() {}) }

// close publishes what is left; later calls do nothing.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	o.closed = true
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// withText returns the bundle with a text/plain, which clients without a
// screen, and notebooks that are compared, need.
func withText(data map[string]any) map[string]any {
	if _, ok := data["text/plain"]; ok || len(data) == 0 {
		return orEmpty(data)
	}
	whole := map[string]any{"text/plain": plainText(data)}
	for k, v := range data {
		whole[k] = v
	}
	return whole
}

var (
	markup = regexp.MustCompile(`(?s)<!--.*?-->|<(script|style)\b.*?</(script|style)>|<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// plainText says in words what a bundle shows.
func plainText(data map[string]any) string {
	for _, kind := range []string{"text/markdown", "text/latex"} {
		if text, ok := data[kind].(string); ok {
			return text
		}
	}
	if text, ok := data["text/html"].(string); ok {
		text = html.UnescapeString(markup.ReplaceAllString(text, " "))
		if text = strings.TrimSpace(spaces.ReplaceAllString(text, " ")); text != "" {
			return text
		}
		return "[HTML]"
	}
	for _, kind := range []string{"image/svg+xml", "image/png", "image/jpeg", "text/javascript", "application/javascript"} {
		if _, ok := data[kind]; ok {
			return "[" + kind + "]"
		}
	}
	return "[display]"
}
