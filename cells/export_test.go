package cells

import "unsafe"

// Leave makes the process one that has opened nothing yet.
func Leave() {
	process.Lock()
	defer process.Unlock()
	if process.talk != nil {
		process.talk.socket.Close()
	}
	process.talk, process.records = nil, nil
}

// UntypedSize is the size of what is allocated for a session.
const UntypedSize = unsafe.Sizeof(untyped{})
