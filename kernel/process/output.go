package process

import (
	"bytes"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// flushInterval spaces what reaches the sink while a program runs.
	flushInterval = 50 * time.Millisecond
	// gatherTime is how long the first bytes wait for more of the same print.
	gatherTime = 2 * time.Millisecond
	// maxTurns is how many changes between stdout and stderr one flush keeps
	// apart. Beyond, each stream comes in one piece.
	maxTurns = 16
)

// output carries what a cell's program writes to the sink: in batches, within
// a limit per stream, in valid UTF-8, and without what may be a crash dump.
type output struct {
	sink Sink

	emitting sync.Mutex // held while the sink is called; taken before mu
	mu       sync.Mutex
	streams  map[string]*stream
	pieces   []piece // waiting for the next flush, in order
	timer    *time.Timer
	flushed  time.Time
	closed   bool

	// Of stderr, see withhold.
	held     *Capped // bounds what is kept back, from a line on that may begin a crash dump; else nil
	heldHead []byte  // what held has let pass
	line     []byte  // the beginning of the current line, while it may become such a line
	amid     bool    // the current line has begun as another one
}

// piece is a run of bytes of one stream.
type piece struct {
	name string
	text []byte
}

// stream is the state of stdout or stderr.
type stream struct {
	limit *Capped
	rest  []byte // an incomplete rune, until its other bytes come
}

func newOutput(sink Sink, limit int) *output {
	o := &output{sink: sink, streams: map[string]*stream{}}
	for _, name := range []string{"stdout", "stderr"} {
		o.streams[name] = &stream{limit: NewCapped(limit)}
	}
	return o
}

// write takes bytes of a stream.
func (o *output) write(name string, p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	if name == "stderr" {
		p = o.withhold(p)
	}
	o.queue(name, p)
}

// queue puts bytes behind those that wait. The mutex is held.
func (o *output) queue(name string, p []byte) {
	p = o.streams[name].limit.Add(p)
	if len(p) == 0 {
		return
	}
	if n := len(o.pieces); n > 0 && o.pieces[n-1].name == name {
		o.pieces[n-1].text = append(o.pieces[n-1].text, p...)
	} else {
		o.pieces = append(o.pieces, piece{name, bytes.Clone(p)})
	}
	if o.timer == nil {
		wait := max(gatherTime, flushInterval-time.Since(o.flushed))
		o.timer = time.AfterFunc(wait, o.flush)
	}
}

// flush brings what waits to the sink.
func (o *output) flush() {
	o.emitting.Lock()
	defer o.emitting.Unlock()
	o.mu.Lock()
	// A beginning of a line that has waited a whole interval is no crash.
	if o.held == nil && len(o.line) > 0 && !o.closed {
		text := o.line
		o.line, o.amid = nil, true
		o.queue("stderr", text)
	}
	texts := o.takePieces()
	o.mu.Unlock()
	o.emit(texts)
}

// takePieces empties the queue into texts for the sink. The mutex is held.
func (o *output) takePieces() []piece {
	if o.timer != nil {
		o.timer.Stop()
		o.timer = nil
	}
	o.flushed = time.Now()
	pieces := o.pieces
	o.pieces = nil
	if len(pieces) > maxTurns {
		pieces = gather(pieces)
	}
	var texts []piece
	for _, p := range pieces {
		s := o.streams[p.name]
		text := append(s.rest, p.text...)
		s.rest = nil
		if cut := completeRunes(text); cut < len(text) {
			s.rest = bytes.Clone(text[cut:])
			text = text[:cut]
		}
		texts = append(texts, piece{p.name, text})
	}
	return texts
}

// gather joins the pieces of each stream, the stream that spoke first first.
func gather(pieces []piece) []piece {
	joined := []piece{{name: pieces[0].name}}
	for _, p := range pieces {
		i := 0
		if p.name != joined[0].name {
			i = 1
			if len(joined) == 1 {
				joined = append(joined, piece{name: p.name})
			}
		}
		joined[i].text = append(joined[i].text, p.text...)
	}
	return joined
}

// emit calls the sink. The emitting mutex is held, the other is not.
func (o *output) emit(texts []piece) {
	for _, p := range texts {
		if len(p.text) > 0 {
			o.sink.Stream(p.name, strings.ToValidUTF8(string(p.text), "\uFFFD"))
		}
	}
}

// completeRunes returns how many bytes of p end with a whole rune: at most
// three fewer than there are.
func completeRunes(p []byte) int {
	for back := 1; back <= 3 && back <= len(p); back++ {
		if b := p[len(p)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(p[len(p)-back:]) {
				return len(p) - back
			}
			break
		}
	}
	return len(p)
}

// finish brings everything to the sink, and drops what comes later.
func (o *output) finish() {
	o.emitting.Lock()
	defer o.emitting.Unlock()
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return
	}
	o.release()
	texts := o.takePieces()
	for _, name := range []string{"stdout", "stderr"} {
		s := o.streams[name]
		texts = append(texts, piece{name, append(s.rest, s.limit.Rest()...)})
	}
	o.closed = true
	o.mu.Unlock()
	o.emit(texts)
}
