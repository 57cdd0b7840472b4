package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/process"
)

// However soon there is more to say, no window has more than its messages, and no
// message waits for longer than a window.
func TestPace(t *testing.T) {
	for _, burst := range []int{1, 7, keepApart, mostMessages} {
		t.Run(fmt.Sprint(burst), func(t *testing.T) {
			var p pace
			now := time.Unix(1000, 0)
			var sent []time.Time
			send := func() { p.send(now); sent = append(sent, now) }
			for range burst {
				send()
			}
			for range 200 {
				wait := p.wait(now)
				if wait > paceWindow {
					t.Fatalf("message %d waits %v", len(sent), wait)
				}
				now = now.Add(max(0, wait))
				send()
			}
			for i, at := range sent {
				if i >= mostMessages && at.Sub(sent[i-mostMessages]) < paceWindow {
					t.Fatalf("messages %d to %d came within %v", i-mostMessages, i, at.Sub(sent[i-mostMessages]))
				}
			}
			if steady := sent[len(sent)-1].Sub(sent[len(sent)-101]); steady > 100*flushEvery+paceWindow {
				t.Errorf("a hundred messages took %v", steady)
			}
			if now = now.Add(paceWindow); p.wait(now) > 0 {
				t.Errorf("after a pause a message waits %v", p.wait(now))
			}
		})
	}
}

// What GoNB's commands print is bounded as the output of a program is.
func TestLongOutputOfCommandsIsCapped(t *testing.T) {
	s := start(t, nil)
	line := strings.Repeat("€", 333) + "\n"
	s.golang.run = func(_ context.Context, _ gonb.Request, events gonb.Events) (gonb.Reply, error) {
		events.Stream("stdout", "first\n")
		for range 5000 { // 5 MB
			events.Stream("stdout", line)
		}
		events.Stream("stderr", "beside\n")
		events.Stream("stdout", "last\n")
		return gonb.Reply{OK: true}, nil
	}
	k := newClient(t, s.connection)
	_, published := k.run("go")
	got := text(t, published, "stdout")
	if !strings.HasPrefix(got, "first\n€") || !strings.HasSuffix(got, "€\nlast\n") || strings.Count(got, " bytes left out]\n") != 1 || strings.Contains(got, "\uFFFD") {
		t.Errorf("%d bytes, from %.20q on", len(got), got)
	}
	if len(got) > process.OutputLimit+100 || len(got) < process.OutputLimit/2 {
		t.Errorf("%d bytes of %d", len(got), 5000*len(line))
	}
	if got := text(t, published, "stderr"); got != "beside\n" {
		t.Errorf("stderr %q", got)
	}
}
