package gonb

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/topos-notebook/topos/kernel/wire"
)

// Completion is what could stand at the cursor: each match replaces the code
// points from Start to End.
type Completion struct {
	Matches    []string
	Start, End int
}

// Complete asks gopls, through the child, what could stand at the cursor
// (counted in code points). It returns [ErrBusy] at once while a cell runs or an
// earlier question, given up, is unanswered.
func (k *Kernel) Complete(ctx context.Context, code string, cursor int) (Completion, error) {
	none := Completion{Start: cursor, End: cursor}
	sent, at := plain(code, cursor)
	content, err := k.askSettled(ctx, "complete_request", map[string]any{"code": sent, "cursor_pos": at})
	if err != nil {
		return none, err
	}
	var c struct {
		Matches []string `json:"matches"`
		Start   int      `json:"cursor_start"`
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return none, err
	}
	if len(c.Matches) == 0 {
		return none, nil
	}
	// What is replaced stands on the cursor's line, where units and code points
	// are the same.
	return Completion{Matches: c.Matches, Start: max(0, cursor-(at-c.Start)), End: cursor}, nil
}

// Inspect asks gopls, through the child, what stands at the cursor (counted in
// code points). It returns the text as Markdown, false when there is nothing.
func (k *Kernel) Inspect(ctx context.Context, code string, cursor, detail int) (string, bool, error) {
	sent, at := plain(code, onName([]rune(code), cursor))
	content, err := k.askSettled(ctx, "inspect_request",
		map[string]any{"code": sent, "cursor_pos": at, "detail_level": detail})
	if err != nil {
		return "", false, err
	}
	var c struct {
		Data map[string]any `json:"data"`
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return "", false, err
	}
	// An answer is Markdown; plain text is an error message that claims to be found.
	text, found := c.Data["text/markdown"].(string)
	return text, found && text != "", nil
}

// InName says whether a code point may stand in a name of Go.
func InName(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// onName moves a cursor that stands right behind a name onto its last
// character: there GoNB finds nothing.
func onName(code []rune, cursor int) int {
	name := func(i int) bool {
		return i >= 0 && i < len(code) && InName(code[i])
	}
	if name(cursor-1) && !name(cursor) {
		return cursor - 1
	}
	return cursor
}

// gopls answers with an error while it reads a module that has just changed,
// as it does after a cell with a new import. It is asked again, a few times.
const (
	settleTries = 4
	settlePause = 150 * time.Millisecond
)

func (k *Kernel) askSettled(ctx context.Context, msgType string, content any) (json.RawMessage, error) {
	for try := 1; ; try++ {
		answer, err := k.ask(ctx, msgType, content)
		if err != nil || try == settleTries || !unsettled(answer) {
			return answer, err
		}
		select {
		case <-time.After(settlePause):
		case <-ctx.Done():
			return answer, nil
		}
	}
}

// unsettled reports whether an answer says that gopls did not know the module.
func unsettled(answer json.RawMessage) bool {
	var c struct {
		Status string         `json:"status"`
		Data   map[string]any `json:"data"`
	}
	if json.Unmarshal(answer, &c) != nil {
		return false
	}
	text, _ := c.Data["text/plain"].(string)
	return c.Status == "error" || strings.HasPrefix(text, "no package metadata")
}

// lateness is how long a question that was given up keeps others away. The first
// one takes gopls seconds; a child that owes an answer for longer is asked again.
const lateness = 15 * time.Second

// owes reports whether the child is still at a question that nobody waits for. The
// lock is held.
func (k *Kernel) owes() bool {
	for id, since := range k.late {
		if time.Since(since) < lateness {
			return true
		}
		delete(k.late, id)
	}
	return false
}

// ask sends a request on shell and waits for its reply.
func (k *Kernel) ask(ctx context.Context, msgType string, content any) (json.RawMessage, error) {
	if _, err := k.wait(ctx); err != nil {
		return nil, err
	}
	ch := make(chan *wire.Message, 1)
	k.mu.Lock()
	if k.running != nil || k.owes() {
		k.mu.Unlock()
		return nil, ErrBusy
	}
	c := k.child
	if c == nil {
		k.mu.Unlock()
		return nil, &DiedError{Reason: errEnded}
	}
	m := wire.New(c.session, msgType, nil, content)
	k.waiting[m.Header.MsgID] = ch
	c.shell.Send(m)
	k.mu.Unlock()
	select {
	case reply, ok := <-ch:
		if !ok {
			return nil, &DiedError{Reason: errEnded}
		}
		return reply.Content, nil
	case <-ctx.Done():
		k.mu.Lock()
		if k.waiting[m.Header.MsgID] != nil {
			delete(k.waiting, m.Header.MsgID)
			k.late[m.Header.MsgID] = time.Now()
		}
		k.mu.Unlock()
		return nil, context.Cause(ctx)
	}
}

// plain prepares code and a cursor in code points for GoNB, which reads the
// cursor as UTF-16 units, and then mistakes byte columns for UTF-16 columns. In
// plain ASCII all of these agree: where something else stands before the cursor
// on its line, every such character is replaced by a letter, which keeps
// strings, comments and names what they are.
func plain(code string, cursor int) (string, int) {
	runes := []rune(code)
	for i := cursor - 1; i >= 0 && runes[i] != '\n'; i-- {
		if runes[i] < utf8.RuneSelf {
			continue
		}
		return strings.Map(func(r rune) rune {
			if r < utf8.RuneSelf {
				return r
			}
			return 'x'
		}, code), cursor
	}
	return code, toUTF16(runes[:cursor])
}

func toUTF16(runes []rune) int {
	units := 0
	for _, r := range runes {
		units += max(1, utf16.RuneLen(r))
	}
	return units
}
