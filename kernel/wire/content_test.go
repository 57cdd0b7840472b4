package wire

import (
	"errors"
	"reflect"
	"testing"
)

func message(msgType, content, metadata string) *Message {
	m := New("s", msgType, nil, nil)
	m.Content, m.Metadata = []byte(content), []byte(metadata)
	return m
}

func TestExecuteDefaults(t *testing.T) {
	for _, c := range []struct {
		name, content, metadata string
		want                    ExecuteRequest
	}{
		{"code alone", `{"code":"x"}`, `{}`, ExecuteRequest{Code: "x", StoreHistory: true, StopOnError: true}},
		{"all", `{"code":"","silent":false,"store_history":false,"allow_stdin":true,"stop_on_error":false,"user_expressions":{"a":"b"}}`,
			`{"cellId":"c1"}`, ExecuteRequest{AllowStdin: true, UserExpressions: map[string]string{"a": "b"}, CellID: "c1"}},
		{"silent stores nothing", `{"code":"x","silent":true,"store_history":true}`, `{}`, ExecuteRequest{Code: "x", Silent: true, StopOnError: true}},
		{"metadata of another shape", `{"code":"x"}`, `{"cellId":7}`, ExecuteRequest{Code: "x", StoreHistory: true, StopOnError: true}},
		{"null", `{"code":"x","silent":null}`, `[]`, ExecuteRequest{Code: "x", StoreHistory: true, StopOnError: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := message("execute_request", c.content, c.metadata).Execute()
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestContentErrors(t *testing.T) {
	execute := func(m *Message) error { _, err := m.Execute(); return err }
	complete := func(m *Message) error { _, err := m.Complete(); return err }
	inspect := func(m *Message) error { _, err := m.Inspect(); return err }
	input := func(m *Message) error { _, err := m.Input(); return err }
	comm := func(m *Message) error { _, err := m.Comm(); return err }
	for _, c := range []struct {
		msgType, content string
		read             func(*Message) error
		want             string
	}{
		{"execute_request", `[]`, execute, "execute_request: the content must be an object"},
		{"execute_request", `null`, execute, "execute_request: the content must be an object"},
		{"execute_request", `{}`, execute, "execute_request: code: missing"},
		{"execute_request", `{"code":123}`, execute, "execute_request: code: want a string, got a number"},
		{"execute_request", `{"code":"","silent":"yes"}`, execute, "execute_request: silent: want true or false, got a string"},
		{"complete_request", `{"code":"ab","cursor_pos":-5}`, complete, "complete_request: cursor_pos: -5 lies before the code"},
		{"complete_request", `{"cursor_pos":1}`, complete, "complete_request: code: missing"},
		{"complete_request", `{"code":"ab","cursor_pos":1.5}`, complete, "complete_request: cursor_pos: want a whole number, got a number 1.5"},
		{"inspect_request", `{"code":"ab","detail_level":2}`, inspect, "inspect_request: detail_level: 2 is neither 0 nor 1"},
		{"input_reply", `{}`, input, "input_reply: value: missing"},
		{"comm_msg", `{}`, comm, "comm_msg: comm_id: missing"},
	} {
		t.Run(c.want, func(t *testing.T) {
			err := c.read(message(c.msgType, c.content, `{}`))
			var wrong *ContentError
			if !errors.As(err, &wrong) || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestCursorCountsCodePoints(t *testing.T) {
	for _, c := range []struct {
		content string
		want    int
	}{
		{`{"code":"🐹é","cursor_pos":1}`, 1},
		{`{"code":"🐹é","cursor_pos":9}`, 2},
		{`{"code":"🐹é"}`, 2},
	} {
		got, err := message("complete_request", c.content, `{}`).Complete()
		if err != nil || got.Cursor != c.want {
			t.Errorf("%s: %+v, %v", c.content, got, err)
		}
	}
}
