package server

import (
	"context"
	"errors"
	"time"

	"github.com/topos-notebook/topos/kernel/gonb"
)

// askTimeout bounds what GoNB and gopls may take to answer: usually tenths of a
// second, more on a machine that does much else, and seconds for the first
// question, until gopls has read the standard library. While a cell runs they are
// not asked. The documentation answers then, so that a client hears within a second.
const askTimeout = 700 * time.Millisecond

func (s *Server) complete(r request) (any, error) {
	q, err := r.Complete()
	if err != nil {
		return nil, err
	}
	if found, ok := s.engine.Complete(q.Code, q.Cursor); ok {
		return completeReply(found), nil
	}
	ctx, cancel := context.WithTimeout(s.done, askTimeout)
	defer cancel()
	c, err := s.golang.Complete(ctx, q.Code, q.Cursor)
	if err != nil || len(c.Matches) == 0 {
		c = s.documentation.Complete(q.Code, q.Cursor)
	}
	if err != nil && len(c.Matches) == 0 && !unanswered(err) {
		return nil, err
	}
	found := Completion{Start: c.Start, End: c.End}
	for _, text := range c.Matches {
		found.Matches = append(found.Matches, Match{Text: text})
	}
	return completeReply(found), nil
}

// completeReply also says of what kind the matches are, in the way that
// JupyterLab and IPython have agreed upon.
func completeReply(c Completion) map[string]any {
	texts, kinds := []string{}, []map[string]any{}
	for _, m := range c.Matches {
		texts = append(texts, m.Text)
		if m.Kind != "" {
			kinds = append(kinds, map[string]any{"text": m.Text, "type": m.Kind, "signature": m.Detail, "start": c.Start, "end": c.End})
		}
	}
	metadata := map[string]any{}
	if len(kinds) == len(texts) && len(kinds) > 0 {
		metadata["_jupyter_types_experimental"] = kinds
	}
	return map[string]any{"status": "ok", "matches": texts, "cursor_start": c.Start, "cursor_end": c.End, "metadata": metadata}
}

func (s *Server) inspect(r request) (any, error) {
	q, err := r.Inspect()
	if err != nil {
		return nil, err
	}
	data, ok := s.engine.Inspect(q.Code, q.Cursor, q.Detail)
	if !ok {
		data, err = s.inspectGo(q.Code, q.Cursor, q.Detail)
		if err != nil {
			return nil, err
		}
	}
	if data == nil {
		data = map[string]any{}
	}
	return map[string]any{"status": "ok", "found": len(data) > 0, "data": data, "metadata": map[string]any{}}, nil
}

// inspectGo asks gopls, which knows types, and the documentation when gopls is
// silent; nil when neither knows anything.
func (s *Server) inspectGo(code string, cursor, detail int) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(s.done, askTimeout)
	defer cancel()
	text, found, err := s.golang.Inspect(ctx, code, cursor, detail)
	if found && err == nil {
		return map[string]any{"text/markdown": text, "text/plain": text}, nil
	}
	if a, found := s.documentation.Inspect(code, cursor); found {
		return map[string]any{"text/markdown": a.Markdown, "text/plain": a.Plain}, nil
	}
	if err != nil && !unanswered(err) {
		return nil, err
	}
	return nil, nil
}

// unanswered reports whether an error only says that GoNB cannot answer now,
// which is no error of the request.
func unanswered(err error) bool {
	var died *gonb.DiedError
	return errors.Is(err, gonb.ErrBusy) || errors.Is(err, gonb.ErrClosed) || errors.As(err, &died) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
