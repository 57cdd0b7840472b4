package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// encoded is a value as JSON, as package json writes it but for two things: a
// [json.RawMessage] is taken as it is, where package json would read and copy
// every byte of it; and <, > and & stand for themselves, since nothing reads
// messages as HTML, and they make up a good part of a card.
func encoded(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	err := encode(&b, v)
	return b.Bytes(), err
}

func encode(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case json.RawMessage:
		if v != nil {
			b.Write(v)
			return nil
		}
	case map[string]any:
		if v != nil {
			return encodeObject(b, v)
		}
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	if err == nil {
		b.Truncate(b.Len() - len("\n"))
	}
	return err
}

func encodeObject(b *bytes.Buffer, object map[string]any) error {
	b.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(b, key); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := encode(b, object[key]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
