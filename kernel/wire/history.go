package wire

import "fmt"

// HistoryRequest asks for earlier cells.
type HistoryRequest struct {
	Access  string // "range", "tail" or "search"
	Output  bool   // with what they answered
	Session int    // of a range: 0 is the running one, negative ones came before
	Start   int    // of a range: first execution count, from the end when negative
	Stop    int    // of a range: the count behind the last, from the end when negative; 0 for the end
	N       int    // of a tail or a search: how many, the last ones; negative for all
	Pattern string // of a search: with * and ? for any text and any character
	Unique  bool   // of a search: of equal cells the last alone
}

// History reads a history_request.
func (m *Message) History() (HistoryRequest, error) {
	var c struct {
		Access  string  `json:"hist_access_type"`
		Output  *bool   `json:"output"`
		Session *int    `json:"session"`
		Start   *int    `json:"start"`
		Stop    *int    `json:"stop"`
		N       *int    `json:"n"`
		Pattern *string `json:"pattern"`
		Unique  *bool   `json:"unique"`
	}
	if err := m.unmarshal(&c); err != nil {
		return HistoryRequest{}, err
	}
	switch c.Access {
	case "range", "tail", "search":
	default:
		return HistoryRequest{}, &ContentError{MsgType: m.Header.MsgType, Field: "hist_access_type",
			Problem: fmt.Sprintf("%q is none of range, tail, search", c.Access)}
	}
	n := or(c.N, -1)
	if c.N != nil && n < 0 {
		return HistoryRequest{}, &ContentError{MsgType: m.Header.MsgType, Field: "n", Problem: fmt.Sprintf("%d cells cannot be given", n)}
	}
	return HistoryRequest{Access: c.Access, Output: or(c.Output, false), Session: or(c.Session, 0), Start: or(c.Start, 0),
		Stop: or(c.Stop, 0), N: n, Pattern: or(c.Pattern, "*"), Unique: or(c.Unique, false)}, nil
}
