package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// ProtocolVersion is the version of the messaging protocol that we speak.
const ProtocolVersion = "5.4"

// delimiter separates the routing identities from the message.
const delimiter = "<IDS|MSG>"

// Header names a message: who sent it, and what it is.
type Header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
}

// Message is one message of the protocol. The raw parts hold JSON objects; the
// parent is kept as it came, so that a reply carries back every field of it.
type Message struct {
	Identities [][]byte        // routing frames; for a published message, the topic
	Header     Header          // decoded header
	RawHeader  json.RawMessage // header as it came; what replies carry as their parent
	Parent     json.RawMessage // header of the message that caused this one, {} when none
	Metadata   json.RawMessage
	Content    json.RawMessage
	Buffers    [][]byte // binary frames after the content
}

var emptyObject = json.RawMessage("{}")

// NewID returns a fresh random message id.
func NewID() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails: the package documents that it ends the process instead
	return hex.EncodeToString(b)
}

// New returns a message of the given type with a fresh id. Parent is the
// message that it answers, nil when there is none. Content is marshalled to
// JSON; content that cannot be marshalled is an error of the program, and is
// sent as an empty object with the reason in the metadata.
func New(session, msgType string, parent *Message, content any) *Message {
	m := &Message{Parent: emptyObject, Metadata: emptyObject, Content: emptyObject}
	m.Header = Header{MsgID: NewID(), Session: session, Username: "kernel", MsgType: msgType,
		Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"), Version: ProtocolVersion}
	if parent != nil {
		if len(parent.RawHeader) > 0 {
			m.Parent = parent.RawHeader
		}
		if parent.Header.Username != "" {
			m.Header.Username = parent.Header.Username
		}
	}
	m.RawHeader = marshal(m.Header)
	if content != nil {
		b, err := encoded(content)
		if err != nil {
			m.Metadata = marshal(map[string]string{"unsent": err.Error()})
			return m
		}
		m.Content = b
	}
	return m
}

// marshal is for values that always marshal.
func marshal(v any) json.RawMessage {
	b, err := encoded(v)
	if err != nil {
		panic("wire: " + err.Error())
	}
	return b
}

// ParentID returns the id of the message that caused this one, "" when there is none.
func (m *Message) ParentID() string {
	var h Header
	if json.Unmarshal(m.Parent, &h) != nil {
		return ""
	}
	return h.MsgID
}

// Sign returns the signature of the four parts of a message in hexadecimal
// digits, empty when the key is empty (the protocol's way to say unsigned).
func Sign(key []byte, parts ...[]byte) []byte {
	if len(key) == 0 {
		return []byte{}
	}
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		mac.Write(p)
	}
	return []byte(hex.EncodeToString(mac.Sum(nil)))
}

// Encode returns the frames of the message, signed with the key.
func (m *Message) Encode(key []byte) [][]byte {
	parts := [4][]byte{m.RawHeader, object(m.Parent), object(m.Metadata), object(m.Content)}
	frames := make([][]byte, 0, len(m.Identities)+6+len(m.Buffers))
	frames = append(frames, m.Identities...)
	frames = append(frames, []byte(delimiter), Sign(key, parts[:]...))
	frames = append(frames, parts[:]...)
	return append(frames, m.Buffers...)
}

func object(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return emptyObject
	}
	return raw
}

// Decode checks the frames of a message and its signature and reads its header.
// Metadata and content must be JSON, but need not be objects: a request whose
// content is wrong has an id, and so can be answered with an error.
func Decode(key []byte, frames [][]byte) (*Message, error) {
	at := -1
	for i, f := range frames {
		if string(f) == delimiter {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("%w among %d", ErrDelimiter, len(frames))
	}
	rest := frames[at+1:]
	if len(rest) < 5 {
		return nil, fmt.Errorf("%w: %d frames after the delimiter, want 5", ErrShort, len(rest))
	}
	if len(key) > 0 && !hmac.Equal(Sign(key, rest[1:5]...), rest[0]) {
		return nil, ErrSignature
	}
	m := &Message{Identities: frames[:at:at], RawHeader: rest[1], Parent: rest[2], Metadata: rest[3], Content: rest[4]}
	if len(rest) > 5 {
		m.Buffers = rest[5:]
	}
	if err := m.readHeader(); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrHeader, err)
	}
	if m.Header.MsgID == "" || m.Header.MsgType == "" {
		return nil, fmt.Errorf("%w: msg_id and msg_type must be given", ErrHeader)
	}
	for _, raw := range []*json.RawMessage{&m.Parent, &m.Metadata, &m.Content} {
		if len(bytes.TrimSpace(*raw)) == 0 {
			*raw = emptyObject
		}
		if !json.Valid(*raw) {
			return nil, fmt.Errorf("%w: parent, metadata and content must be JSON", ErrHeader)
		}
	}
	return m, nil
}

// readHeader reads the header. Only the message's id and type have to be right: they
// are what an answer needs, and the rest goes back to the client as it came.
func (m *Message) readHeader() error {
	var h struct {
		MsgID    string `json:"msg_id"`
		MsgType  string `json:"msg_type"`
		Session  any    `json:"session"`
		Username any    `json:"username"`
		Date     any    `json:"date"`
		Version  any    `json:"version"`
	}
	if err := json.Unmarshal(m.RawHeader, &h); err != nil {
		return err
	}
	m.Header = Header{MsgID: h.MsgID, MsgType: h.MsgType}
	m.Header.Session, _ = h.Session.(string)
	m.Header.Username, _ = h.Username.(string)
	m.Header.Date, _ = h.Date.(string)
	m.Header.Version, _ = h.Version.(string)
	return nil
}
