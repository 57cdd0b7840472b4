package session

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos"
)

var (
	modelSeeds = flag.Uint64("modelseeds", 40, "random notebooks that TestRandomNotebooks runs")
	modelFrom  = flag.Uint64("modelfrom", 1, "the first of their seeds")
)

// recording is a run of a cell that recorded something, as the model has it.
type recording struct {
	id, code   string
	superseded bool
	nothing    bool              // it withdrew what its cell recorded formerly
	live       map[string]string // bits of its parameters that are not as recorded, by name and how often it was bound before
}

// model is what DESIGN promises of a session, in a few lines: which runs are on the
// tape. What they record is asked of a session of its own, in which they are run as
// cells without ids, one after another.
type model struct {
	t       *testing.T
	rng     *rand.Rand
	room    *room
	d       *desk
	clean   *desk
	runs    []*recording
	cells   []run             // the notebook
	carries map[string]string // live of the former run of the cell that runs
	over    bool              // nothing more can be said
	said    []string
}

// TestRandomNotebooks runs random cells in random order, edits them, fails,
// interrupts and kills, and holds the session against a model.
func TestRandomNotebooks(t *testing.T) {
	for seed := *modelFrom; seed < *modelFrom+*modelSeeds && !t.Failed(); seed++ {
		m := &model{t: t, rng: rand.New(rand.NewPCG(seed, 7)), room: newRoom(t), clean: newDesk(t)}
		m.d = m.room.desk("k")
		for i := range 3 + m.rng.IntN(3) {
			m.cells = append(m.cells, run{string(rune('a' + i)), ""})
			m.cells[i].code = m.text(i)
		}
		for i := 0; i < 14 && !m.over; i++ {
			m.act()
			if t.Failed() {
				t.Errorf("seed %d:\n%s", seed, strings.Join(m.said, "\n"))
				break
			}
		}
	}
}

func (m *model) say(format string, args ...any) {
	m.said = append(m.said, fmt.Sprintf(format, args...))
}

// text is a random cell at a place of the notebook. It reads names that cells
// above it may bind.
func (m *model) text(place int) string {
	names := []string{"w", "v", "x", "h", "g"}
	some := func() string { return names[m.rng.IntN(len(names))] }
	if place == 0 {
		return "%%tape\nw = parameter [2] {1, 2}\nx = leaf [2] {0.5, 0.25}\nl = sum(w * x)\nh = x\ng = w\nv = w"
	}
	lines := []string{"%%tape"}
	for range 1 + m.rng.IntN(3) {
		a, b := some(), some()
		switch m.rng.IntN(11) {
		case 0:
			lines = append(lines, fmt.Sprintf("%s = parameter [2] {0.%d, 1}", []string{"w", "v"}[m.rng.IntN(2)], m.rng.IntN(9)))
		case 1:
			lines = append(lines, fmt.Sprintf("%s = leaf [2] {1, %d}", []string{"x", "h"}[m.rng.IntN(2)], m.rng.IntN(9)))
		case 2, 3:
			lines = append(lines, fmt.Sprintf("h = tanh(%s)", a))
		case 4:
			lines = append(lines, fmt.Sprintf("%s = %s * %s", some(), a, b))
		case 5:
			lines = append(lines, fmt.Sprintf("g = %s", a))
		case 6:
			lines = append(lines, fmt.Sprintf("l = sum(%s * %s)", a, b))
		case 7:
			lines = append(lines, "%gradient l --wrt "+[]string{"w", "v"}[m.rng.IntN(2)])
		case 8:
			lines = append(lines, "%train l --wrt w --steps 1 --rate 0.01 --optimizer "+[]string{"sgd", "adam"}[m.rng.IntN(2)])
		case 9:
			lines = append(lines, fmt.Sprintf("%s = parameter [2] {0.%d, 1}", some(), m.rng.IntN(9)))
		case 10:
			lines = append(lines, "# nothing", "%names")
		}
	}
	return strings.Join(lines, "\n")
}

// act does one thing that a user does.
func (m *model) act() {
	i := m.rng.IntN(len(m.cells))
	c := &m.cells[i]
	switch m.rng.IntN(16) {
	case 0, 1, 2, 3:
		m.run(*c)
	case 4, 5:
		c.code = m.text(i)
		m.run(*c)
	case 6:
		m.run(run{c.id, c.code + "\nq = nobody"})
	case 7:
		m.interrupt(*c)
	case 8:
		m.killed(nil)
	case 9:
		m.killed(c)
	case 10:
		m.reset()
	case 11:
		m.rerecord()
	case 12:
		m.verify()
	case 13:
		m.run(run{"", m.text(1)})
	default:
		m.fromTheTop()
	}
	m.check()
}

// tail is the last run on the tape, nil where there is none.
func (m *model) tail() *recording {
	if len(m.runs) == 0 {
		return nil
	}
	return m.runs[len(m.runs)-1]
}

// standing are the runs that are not superseded and did not withdraw one.
func (m *model) standing() []*recording {
	return slices.DeleteFunc(slices.Clone(m.runs), func(r *recording) bool { return r.superseded || r.nothing })
}

func (m *model) former(id string) *recording {
	for _, r := range slices.Backward(m.runs) {
		if r.id == id && id != "" {
			return r
		}
	}
	return nil
}

// outcome is what a run of a cell comes to: what is on the tape before it, and
// whether it fails or records nothing.
func (m *model) outcome(c run) (before []*recording, empty bool, err error) {
	before = m.runs
	if t := m.tail(); t != nil && t == m.former(c.id) {
		before = before[:len(before)-1]
	}
	m.replay(before)
	n := len(m.clean.state().segments)
	_, err = m.clean.cell("", c.code)
	return before, len(m.clean.state().segments) == n, err
}

// replay runs what is recorded on the clean desk.
func (m *model) replay(runs []*recording) {
	m.t.Helper()
	m.clean.must("", "%tape new")
	for _, r := range runs {
		if _, err := m.clean.cell("", r.code); err != nil {
			m.t.Errorf("what stands cannot be run: %v\n%s", err, r.code)
		}
	}
}

// run runs a cell on both.
func (m *model) run(c run) error {
	m.say("run %s %q", c.id, strings.TrimPrefix(c.code, "%%tape\n"))
	before, empty, want := m.outcome(c)
	was, symbols := m.d.shape(), m.symbols()
	m.carries = nil
	if former := m.former(c.id); former != nil {
		m.carries = former.live
	}
	text, err := m.d.cell(c.id, c.code)
	m.say("  %s %v", account.ReplaceAllString(text, ""), err)
	if (err == nil) != (want == nil) {
		m.t.Errorf("fails with %v, in a clean session with %v", err, want)
		return err
	}
	if err != nil {
		if now := m.d.shape(); now != was {
			m.t.Errorf("a failed cell left\n%s\nof\n%s", now, was)
		}
		m.observe(c, false)
		return err
	}
	former := m.former(c.id)
	switch {
	case !empty:
		m.runs = append(slices.Clone(before), &recording{id: c.id, code: c.code})
		if former != nil {
			former.superseded = true
		}
	case len(before) < len(m.runs) && !m.d.withdrew(c):
		m.runs = before
	case m.d.withdrew(c): // edited, or another cell has recorded the derivative
		m.runs = append(slices.Clone(before), &recording{id: c.id, code: c.code, nothing: true})
		former.superseded = true
	case former != nil && !m.d.stands(former):
		former.superseded = true // and nothing was in the way of leaving it out at once
	}
	m.settled(symbols)
	m.observe(c, true)
	return nil
}

// settled takes over which superseded runs have left the tape: all of them or none.
func (m *model) settled(symbols map[topos.Symbol]*recording) {
	standing := m.standing()
	real := m.d.runs()
	switch {
	case slices.Equal(real, codes(standing)):
		m.runs = standing
	case slices.Equal(real, codes(m.runs)):
	default:
		m.t.Errorf("on the tape are\n%q\nwant\n%q or\n%q", real, codes(m.runs), codes(standing))
	}
	for at, r := range symbols {
		if !slices.Contains(m.runs, r) {
			if topos.Refused(func() { m.d.state().tape.Node(at) }) == nil {
				m.t.Errorf("a symbol of %q, which is gone, is taken", r.code)
			}
		}
	}
}

// symbols are those of the nodes of each run.
func (m *model) symbols() map[topos.Symbol]*recording {
	all := map[topos.Symbol]*recording{}
	for i, g := range m.d.state().segments {
		for n := g.from; n < g.to; n++ {
			all[m.d.state().tape.Value(n).Symbol()] = m.runs[i]
		}
	}
	return all
}

func codes(runs []*recording) []run {
	var all []run
	for _, r := range runs {
		all = append(all, run{r.id, r.code})
	}
	return all
}

// observe holds the payloads against those before: a cell that trains may change
// them, and they are taken over from it; no other.
func (m *model) observe(c run, ok bool) {
	now := m.d.payloads()
	if len(now) != len(m.runs) {
		return // told already
	}
	trains := strings.Contains(c.code, "%train")
	for i, r := range m.runs {
		want := r.live
		if ok && r == m.tail() && want == nil {
			want = m.carried(c)
		}
		if !trains && !equal(want, now[i]) {
			m.t.Errorf("payloads of run %d %q are %v, want %v", i, r.code, now[i], want)
		}
		for name := range want {
			if now[i][name] == "" {
				m.t.Errorf("the trained payload of %s of run %d %q is gone", name, i, r.code)
			}
		}
		r.live = now[i]
	}
}

// carried are the payloads that a cell's parameters have from its former run.
func (m *model) carried(c run) map[string]string {
	binds := map[string]int{}
	for _, line := range strings.Split(c.code, "\n") {
		if name, _, is := strings.Cut(line, " = parameter"); is {
			binds[name]++
		}
	}
	live := map[string]string{}
	for name, bits := range m.carries {
		word, _, _ := strings.Cut(name, " ")
		var at int
		fmt.Sscan(name[len(word)+1:], &at)
		if at < binds[word] {
			live[name] = bits
		}
	}
	return live
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// check compares the session with what the runs record in a clean one.
func (m *model) check() {
	if m.t.Failed() || m.over {
		return
	}
	m.replay(m.runs)
	if got, want := m.d.shape(), m.clean.shape(); got != want {
		m.t.Errorf("the session is\n%s\nthe same runs in a clean one give\n%s", got, want)
	}
}

// fuse is a context that ends after it was asked so often.
type fuse struct {
	context.Context
	left int
}

func (f *fuse) Err() error {
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return nil
}

// interrupt runs a cell and interrupts it between two lines.
func (m *model) interrupt(c run) {
	m.say("interrupt %s %q", c.id, c.code)
	was := m.d.shape()
	x, err := m.d.Begin(server.Cell{ID: c.id, Count: 50, Code: c.code, StoreHistory: true})
	if err != nil {
		m.t.Fatal(err)
	}
	err = x.Before(&fuse{context.Background(), m.rng.IntN(6)}, &outputs{})
	x.Rollback()
	if now := m.d.shape(); now != was {
		m.t.Errorf("%v left\n%s\nof\n%s", err, now, was)
	}
	m.observe(run{c.id, c.code}, false)
}

// killed ends the kernel, in the middle of a cell or between two, and opens the
// session again.
func (m *model) killed(c *run) {
	if m.d.keeper.log == nil {
		return
	}
	m.say("kill %v", c)
	was, sight := entire(m.d.notebook), m.d.sight()
	if c != nil {
		if x, _, err := m.d.begin(c.id, c.code); err == nil {
			m.d.die()
			x.Rollback()
		}
	}
	m.d.die()
	m.d = m.room.desk("k")
	m.d.must("", "%session open previous")
	trains := c != nil && strings.Contains(c.code, "%train")
	if now := entire(m.d.notebook); now != was && !trains {
		m.t.Errorf("opened again\n%s\nwas\n%s", now, was)
	}
	if now := m.d.sight(); now != sight && !trains {
		m.t.Errorf("opened again\n%s\nwas\n%s", now, sight)
	}
	if c == nil {
		c = &run{}
	}
	m.observe(*c, false) // one that failed before has trained
}

// reset gives parameters their initial payloads.
func (m *model) reset() {
	m.say("%%tape reset")
	if _, err := m.d.cell("r", "%tape reset"); err != nil {
		m.t.Error(err)
	}
	for _, r := range m.runs {
		r.live = map[string]string{}
	}
	m.observe(run{}, false)
}

// rerecord records the cells in order.
func (m *model) rerecord() {
	m.say("%%rerecord")
	was := m.d.shape()
	text, err := m.d.cell("r", "%rerecord")
	m.say("  %s %v", text, err)
	if err != nil {
		if now := m.d.shape(); now != was {
			m.t.Errorf("a failed %%rerecord left\n%s\nof\n%s", now, was)
		}
		return
	}
	var runs []*recording
	standing := m.standing()
	for _, c := range m.d.runs() {
		i := slices.IndexFunc(standing, func(r *recording) bool { return r.id == c.id && r.code == c.code })
		if i < 0 {
			m.t.Errorf("%%rerecord recorded %v", c)
			return
		}
		standing[i].nothing = m.d.state().segments[len(runs)].empty() // another cell has its derivative now
		runs = append(runs, standing[i])
		standing = slices.Delete(standing, i, i+1)
	}
	m.runs = runs
	// Of a training the derivative is recorded, which there may be where it would train
	// nothing: the model ends there.
	m.clean.must("", "%tape new")
	for i, r := range runs {
		if _, err := m.clean.cell("", r.code); err != nil && strings.Contains(r.code, "%train") {
			m.say("given up: %v", err)
			m.over = true
			return
		} else if err != nil {
			m.t.Errorf("run %d was recorded anew and cannot be run: %v", i, err)
		}
	}
	m.observe(run{}, false)
}

// verify asks whether a clean tape would be the same, which then it must be.
func (m *model) verify() {
	_, err := m.d.cell("v", "%verify")
	status := m.d.must("v", "%tape")
	m.say("%%verify %v\n%s", err, status)
	if err != nil && !strings.Contains(status, "\nfresh") {
		return
	}
	m.replay(m.standing())
	same := m.d.state().tape.Describe() == m.clean.state().tape.Describe()
	if strings.Contains(status, "\nfresh") && (!same || m.d.shape() != m.clean.shape()) {
		m.t.Errorf("%%tape says\n%s\nof\n%s\nwhat stands gives\n%s", status, m.d.shape(), m.clean.shape())
	}
	if err == nil && !same {
		m.t.Errorf("%%verify is content with\n%s\nwhat stands gives\n%s", m.d.shape(), m.clean.shape())
	}
}

// fromTheTop runs the notebook, which must give what a fresh session gives: at once
// where the order of the notebook shows in the runs before, else the second time.
func (m *model) fromTheTop() {
	for pass := range 2 {
		m.say("from the top, pass %d", pass+1)
		for _, c := range m.cells {
			if m.run(c) != nil || m.t.Failed() {
				return
			}
		}
		m.clean.must("", "%tape new")
		for _, c := range m.cells {
			if _, err := m.clean.cell(c.id, c.code); err != nil {
				return // it read a name that no cell binds any more
			}
		}
		got, want := m.d.structure(), m.clean.structure()
		if got == want || slices.ContainsFunc(m.runs, func(r *recording) bool { return r.id == "" }) {
			return
		}
		if pass == 1 {
			m.t.Errorf("from the top\n%s\nfresh\n%s", got, want)
		}
	}
}
