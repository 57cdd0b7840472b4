package cells

// Leave makes the process one that has opened nothing yet.
func Leave() {
	process.Lock()
	defer process.Unlock()
	if process.talk != nil {
		process.talk.socket.Close()
	}
	process.talk, process.records = nil, nil
}
