package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// A ContentError says what is wrong with the content of a request.
type ContentError struct {
	MsgType string // type of the message
	Field   string // field within the content, "" for the content itself
	Problem string
}

// Error returns one line that names the message, the field and the problem.
func (e *ContentError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s: %s", e.MsgType, e.Problem)
	}
	return fmt.Sprintf("%s: %s: %s", e.MsgType, e.Field, e.Problem)
}

// ExecuteRequest asks for a cell to be run.
type ExecuteRequest struct {
	Code            string
	Silent          bool
	StoreHistory    bool
	AllowStdin      bool
	StopOnError     bool
	UserExpressions map[string]string
	CellID          string // metadata.cellId of the message, "" when the client gives none
}

// CompleteRequest asks what could stand at the cursor. Cursor counts code
// points, and lies within the code.
type CompleteRequest struct {
	Code   string
	Cursor int
}

// InspectRequest asks what stands at the cursor. Cursor counts code points, and
// lies within the code; Detail is 0 or 1.
type InspectRequest struct {
	Code   string
	Cursor int
	Detail int
}

// IsCompleteRequest asks whether the code is ready to run.
type IsCompleteRequest struct{ Code string }

// ShutdownRequest asks the kernel to end; Restart says that another will follow.
type ShutdownRequest struct{ Restart bool }

// InputReply brings the line that a user typed.
type InputReply struct{ Value string }

// CommInfoRequest asks which comms are open; Target "" means all.
type CommInfoRequest struct{ Target string }

// Comm is the content of comm_open, comm_msg and comm_close.
type Comm struct {
	ID     string
	Target string
}

// unmarshal reads the content of the message into v, and words what is wrong.
func (m *Message) unmarshal(v any) error {
	if first := bytes.TrimLeft(m.Content, " \t\r\n"); len(first) == 0 || first[0] != '{' {
		return &ContentError{MsgType: m.Header.MsgType, Problem: "the content must be an object"}
	}
	err := json.Unmarshal(m.Content, v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return &ContentError{MsgType: m.Header.MsgType, Field: wrong.Field,
			Problem: fmt.Sprintf("want %s, got %s", kinds[wrong.Type.Kind()], kindOf(wrong.Value))}
	default:
		return &ContentError{MsgType: m.Header.MsgType, Problem: err.Error()}
	}
}

// kinds words the kinds of the fields above as JSON does.
var kinds = map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number",
	reflect.Map: "an object", reflect.Struct: "an object"}

// kindOf words what package json calls a value: its kind, of numbers also which.
func kindOf(value string) string {
	switch {
	case value == "bool":
		return "true or false"
	case value == "array" || value == "object":
		return "an " + value
	default:
		return "a " + value
	}
}

func (m *Message) missing(field string) error {
	return &ContentError{MsgType: m.Header.MsgType, Field: field, Problem: "missing"}
}

func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// Execute reads an execute_request. Fields left out take the protocol's
// defaults; a silent request never stores history. A client that does not say
// that it can be asked for input is not asked.
func (m *Message) Execute() (ExecuteRequest, error) {
	var c struct {
		Code            *string           `json:"code"`
		Silent          *bool             `json:"silent"`
		StoreHistory    *bool             `json:"store_history"`
		AllowStdin      *bool             `json:"allow_stdin"`
		StopOnError     *bool             `json:"stop_on_error"`
		UserExpressions map[string]string `json:"user_expressions"`
	}
	if err := m.unmarshal(&c); err != nil {
		return ExecuteRequest{}, err
	}
	if c.Code == nil {
		return ExecuteRequest{}, m.missing("code")
	}
	r := ExecuteRequest{Code: *c.Code, Silent: or(c.Silent, false), AllowStdin: or(c.AllowStdin, false),
		StopOnError: or(c.StopOnError, true), UserExpressions: c.UserExpressions}
	r.StoreHistory = or(c.StoreHistory, !r.Silent) && !r.Silent
	var meta struct {
		CellID string `json:"cellId"`
	}
	if json.Unmarshal(m.Metadata, &meta) == nil {
		r.CellID = meta.CellID
	}
	return r, nil
}

// cursor checks a position in code points: a client that counts otherwise may
// point past the end, which means the end; before the start means nothing.
func (m *Message) cursor(code string, at *int) (int, error) {
	n := len([]rune(code))
	if at == nil {
		return n, nil
	}
	if *at < 0 {
		return 0, &ContentError{MsgType: m.Header.MsgType, Field: "cursor_pos",
			Problem: fmt.Sprintf("%d lies before the code", *at)}
	}
	return min(*at, n), nil
}

type cursorContent struct {
	Code   *string `json:"code"`
	Cursor *int    `json:"cursor_pos"`
	Detail *int    `json:"detail_level"`
}

func (m *Message) codeAndCursor() (c cursorContent, at int, err error) {
	if err = m.unmarshal(&c); err != nil {
		return c, 0, err
	}
	if c.Code == nil {
		return c, 0, m.missing("code")
	}
	at, err = m.cursor(*c.Code, c.Cursor)
	return c, at, err
}

// Complete reads a complete_request.
func (m *Message) Complete() (CompleteRequest, error) {
	c, at, err := m.codeAndCursor()
	if err != nil {
		return CompleteRequest{}, err
	}
	return CompleteRequest{Code: *c.Code, Cursor: at}, nil
}

// Inspect reads an inspect_request.
func (m *Message) Inspect() (InspectRequest, error) {
	c, at, err := m.codeAndCursor()
	if err != nil {
		return InspectRequest{}, err
	}
	detail := or(c.Detail, 0)
	if detail < 0 || detail > 1 {
		return InspectRequest{}, &ContentError{MsgType: m.Header.MsgType, Field: "detail_level",
			Problem: fmt.Sprintf("%d is neither 0 nor 1", detail)}
	}
	return InspectRequest{Code: *c.Code, Cursor: at, Detail: detail}, nil
}

// IsComplete reads an is_complete_request.
func (m *Message) IsComplete() (IsCompleteRequest, error) {
	c, _, err := m.codeAndCursor()
	if err != nil {
		return IsCompleteRequest{}, err
	}
	return IsCompleteRequest{Code: *c.Code}, nil
}

// Shutdown reads a shutdown_request.
func (m *Message) Shutdown() (ShutdownRequest, error) {
	var c struct {
		Restart bool `json:"restart"`
	}
	err := m.unmarshal(&c)
	return ShutdownRequest{Restart: c.Restart}, err
}

// Input reads an input_reply.
func (m *Message) Input() (InputReply, error) {
	var c struct {
		Value *string `json:"value"`
	}
	if err := m.unmarshal(&c); err != nil {
		return InputReply{}, err
	}
	if c.Value == nil {
		return InputReply{}, m.missing("value")
	}
	return InputReply{Value: *c.Value}, nil
}

// CommInfo reads a comm_info_request.
func (m *Message) CommInfo() (CommInfoRequest, error) {
	var c struct {
		Target *string `json:"target_name"`
	}
	err := m.unmarshal(&c)
	return CommInfoRequest{Target: or(c.Target, "")}, err
}

// Comm reads a comm_open, comm_msg or comm_close.
func (m *Message) Comm() (Comm, error) {
	var c struct {
		ID     *string `json:"comm_id"`
		Target *string `json:"target_name"`
	}
	if err := m.unmarshal(&c); err != nil {
		return Comm{}, err
	}
	if c.ID == nil {
		return Comm{}, m.missing("comm_id")
	}
	return Comm{ID: *c.ID, Target: or(c.Target, "")}, nil
}
