package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/topos-notebook/topos/kernel/magic"
)

// betweenUpdates spaces the changes of a progress line: with the last, no more
// than four in any second.
const betweenUpdates = 350 * time.Millisecond

// train carries out %train.
func (t *transaction) train(ctx context.Context, m magic.Magic) error {
	l, notes, err := t.attempt.train(ctx, m)
	if err != nil {
		return err
	}
	for _, note := range notes {
		t.out.Stream("stdout", note+"\n")
	}
	t.engine.lessons++
	p := &progress{transaction: t, id: fmt.Sprintf("topos-train-%d", t.engine.lessons), steps: m.Train.Steps, rate: m.Train.Rate}
	err = p.follow(ctx, l)
	k := l.keep()
	interrupted := err != nil && ctx.Err() != nil
	switch {
	case err == nil:
		p.show(fmt.Sprintf("step %d/%d loss %s", k.step, p.steps, k.loss))
		// Behind the progress line, which a slow training shows before its end: the
		// order is the same in both.
		if line := l.appended(); line != "" {
			t.out.Stream("stdout", line+"\n")
		}
	case k.step == 0 && interrupted:
		p.show(fmt.Sprintf("interrupted before step 1 of %d", p.steps))
	case interrupted:
		p.show(fmt.Sprintf("interrupted at step %d of %d, loss %s", k.step, p.steps, k.loss))
	case k.step > 0:
		p.show(fmt.Sprintf("stopped at step %d of %d, loss %s", k.step, p.steps, k.loss))
	}
	if err != nil && k.gone != "" {
		t.out.Stream("stderr", k.gone+"\n")
	}
	if k.curve != nil {
		if shown := t.show(k.curve); err == nil {
			err = shown
		}
	}
	if err != nil && !interrupted {
		return l.word(err)
	}
	return err
}

// progress is the line of a training while it runs.
type progress struct {
	*transaction
	id    string // of its display
	steps int
	rate  string
	paces []time.Duration // of a step, the last few measured
}

// follow runs a lesson and shows how far it is. Where the context ends it returns
// at once; the step that is under way ends by itself, unheard.
func (p *progress) follow(ctx context.Context, l lesson) error {
	done := make(chan error, 1)
	fault := make(chan any, 1)
	go func() {
		defer func() {
			if f := recover(); f != nil {
				fault <- f
			}
		}()
		done <- l.run(ctx)
	}()
	// Set again after each change, so that none comes early where one was late.
	tick := time.NewTimer(betweenUpdates)
	defer tick.Stop()
	last, since := 0, time.Now()
	for {
		select {
		case err := <-done:
			return err
		case f := <-fault:
			panic(f)
		case <-ctx.Done():
			return ctx.Err()
		case now := <-tick.C:
			step, loss := l.reached()
			if step == 0 && last == 0 {
				p.show(fmt.Sprintf("step 0/%d", p.steps))
			}
			if step > last {
				p.paced(now.Sub(since) / time.Duration(step-last))
				last, since = step, now
				p.show(fmt.Sprintf("step %d/%d loss %s rate %s, %s left", step, p.steps, loss, p.rate, p.left(step)))
			}
			tick.Reset(betweenUpdates)
		}
	}
}

// paced takes note of how long a step takes.
func (p *progress) paced(pace time.Duration) {
	const few = 15
	p.paces = append(p.paces, pace)
	p.paces = p.paces[max(0, len(p.paces)-few):]
}

// left is how long the rest takes, by the median of the last paces: one slow step
// does not sway it.
func (p *progress) left(step int) string {
	sorted := slices.Sorted(slices.Values(p.paces))
	d := sorted[len(sorted)/2] * time.Duration(p.steps-step)
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("about %d s", int(d.Seconds())+1)
	case d < 100*time.Minute:
		return fmt.Sprintf("about %d min", int(d.Minutes())+1)
	default:
		return fmt.Sprintf("about %d h", int(d.Hours())+1)
	}
}

// show puts a line in the place of the one before.
func (p *progress) show(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bundle, err := p.text(line)
	if err == nil {
		p.out.Update(p.id, bundle, nil)
	}
}
