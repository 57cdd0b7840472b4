package verify

import (
	"encoding/json"

	"github.com/topos-notebook/topos/kernel/notebook"
	"github.com/topos-notebook/topos/kernel/wire"
)

// shown gathers the outputs of a running cell as a client keeps them.
type shown struct {
	outputs []notebook.Output
	byID    map[string][]int // outputs with a display id
	clear   bool             // the next output takes the place of all
}

// published is what the contents of the messages that show something hold.
type published struct {
	State     string                     `json:"execution_state"`
	Data      map[string]json.RawMessage `json:"data"`
	Transient struct {
		ID string `json:"display_id"`
	} `json:"transient"`
	Name       string `json:"name"`
	Text       string `json:"text"`
	ErrorName  string `json:"ename"`
	ErrorValue string `json:"evalue"`
	Wait       bool   `json:"wait"`
}

// take takes a message from iopub; it reports whether the cell is over.
func (s *shown) take(m *wire.Message) (over bool) {
	var c published
	if json.Unmarshal(m.Content, &c) != nil {
		return false
	}
	switch m.Header.MsgType {
	case "status":
		return c.State == "idle"
	case "clear_output":
		if s.clear = c.Wait; !c.Wait {
			s.outputs, s.byID = nil, nil
		}
	case "update_display_data":
		for _, i := range s.byID[c.Transient.ID] {
			s.outputs[i].Data = c.Data
		}
	case "stream":
		s.add(notebook.Output{Type: "stream", Name: c.Name, Value: c.Text}, "")
	case "error":
		s.add(notebook.Output{Type: "error", Name: c.ErrorName, Value: c.ErrorValue}, "")
	case "display_data", "execute_result":
		s.add(notebook.Output{Type: m.Header.MsgType, Data: c.Data}, c.Transient.ID)
	}
	return false
}

func (s *shown) add(o notebook.Output, id string) {
	if s.clear {
		s.outputs, s.byID, s.clear = nil, nil, false
	}
	if id != "" {
		if s.byID == nil {
			s.byID = map[string][]int{}
		}
		s.byID[id] = append(s.byID[id], len(s.outputs))
	}
	s.outputs = append(s.outputs, o)
}
