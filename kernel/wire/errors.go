package wire

import "errors"

// Reasons for which a message is dropped. They are compared with [errors.Is].
var (
	// ErrDelimiter says that no frame is the delimiter <IDS|MSG>.
	ErrDelimiter = errors.New("no delimiter frame")
	// ErrShort says that fewer than five frames follow the delimiter.
	ErrShort = errors.New("message cut short")
	// ErrSignature says that the signature is not the one our key gives.
	ErrSignature = errors.New("wrong signature")
	// ErrHeader says that the header is no JSON object with a msg_id and a msg_type.
	ErrHeader = errors.New("malformed header")
)
