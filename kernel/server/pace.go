package server

import (
	"time"
)

// No stream brings more than mostMessages in any paceWindow, but for what a
// display has to come after.
const (
	mostMessages = 20
	// paceWindow is a little more than the second that clients count: some messages
	// travel longer than others.
	paceWindow = 1050 * time.Millisecond
	// flushEvery spaces the messages of a stream.
	flushEvery = paceWindow / mostMessages
	// keepApart is how many messages of one stream a window may spend on keeping
	// changes between stdout and stderr in order. Beyond, each stream comes in
	// one piece.
	keepApart = mostMessages / 2
)

// pace is when a stream brought its messages, within the last window.
type pace struct{ sent []time.Time }

// spent is how many messages the window has had.
func (p *pace) spent(now time.Time) int {
	for len(p.sent) > 0 && now.Sub(p.sent[0]) >= paceWindow {
		p.sent = p.sent[1:]
	}
	return len(p.sent)
}

// wait is how long the next message has to wait, so that what the window has left
// lasts to its end.
func (p *pace) wait(now time.Time) time.Duration {
	spent := p.spent(now)
	if spent == 0 {
		return 0
	}
	next := p.sent[spent-1].Add(flushEvery)
	if spent >= mostMessages {
		next = p.sent[spent-mostMessages].Add(paceWindow)
	} else if left := p.sent[0].Add(paceWindow).Sub(now) / time.Duration(mostMessages-spent); left > flushEvery {
		next = p.sent[spent-1].Add(left)
	}
	return next.Sub(now)
}

func (p *pace) send(now time.Time) { p.sent = append(p.sent, now) }
