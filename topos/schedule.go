package topos

// schedule is a plan without numbers: which nodes to evaluate, in recording
// order, and when each is no longer needed.
type schedule struct {
	order     []int  // nodes evaluated
	readable  []int  // declared results: roots, then observes
	declared  []bool // by node: whether it is readable
	roots     int    // how many of them are roots
	last      []int  // by node: position's node after which it is released; -1 kept
	freed     []int  // nodes in the order they are released
	until     []int  // by position: how many of freed are released by then
	retain    bool
	retained  []bool // by node, in a retaining schedule: needed by a backward sweep
	whole     bool   // an interpreter's run, which releases nothing
	made      []int  // nodes whose values are made: all but those inside elected patterns
	live      []int  // live elements at each of them
	peak      int
	peakNode  int
	retainAll int
	fused     []bool // by node: an interior of an elected pattern; nil where there is none
	groups    int    // elected patterns
	replaced  int    // their interiors
}

// newSchedule derives the schedule of a declaration, without its accounting.
func newSchedule(g *graph, readable []int, roots int, retain bool) *schedule {
	sc := &schedule{readable: readable, roots: roots, retain: retain}
	wanted := g.ancestors(readable...)
	sc.last = make([]int, len(wanted))
	for i := range sc.last {
		sc.last[i] = -1
	}
	for i, w := range wanted {
		g.pause(i)
		if !w {
			continue
		}
		sc.order = append(sc.order, i)
		xs, n := g.records[i].operands()
		for _, x := range xs[:n] {
			sc.last[x] = i
		}
	}
	sc.declared = make([]bool, len(wanted))
	for _, i := range readable {
		sc.last[i], sc.declared[i] = -1, true
	}
	if retain {
		sc.retained = neededBackward(g, sc.order)
		for i, r := range sc.retained {
			if r {
				sc.last[i] = -1
			}
		}
	}
	return sc
}

// account walks the schedule: a node's volume becomes live, the total is noted,
// then what this node read for the last time is released.
func (sc *schedule) account(g *graph) {
	sc.releases()
	live, done := 0, 0
	for at, i := range sc.order {
		g.pause(at)
		if !sc.isFused(i) {
			volume := g.shape(i).Volume()
			live += volume
			sc.retainAll += volume
			sc.live = append(sc.live, live)
			sc.made = append(sc.made, i)
			if live > sc.peak {
				sc.peak, sc.peakNode = live, i
			}
		}
		for _, x := range sc.freed[done:sc.until[at]] {
			if !sc.isFused(x) {
				live -= g.shape(x).Volume()
			}
		}
		done = sc.until[at]
	}
}

// releases sorts the released nodes by the position that releases them, by
// counting: a map would cost more than the rest of the schedule.
func (sc *schedule) releases() {
	position := make([]int, len(sc.last))
	for at, i := range sc.order {
		position[i] = at
	}
	sc.until = make([]int, len(sc.order))
	for _, i := range sc.order {
		if after := sc.last[i]; after >= 0 {
			sc.until[position[after]]++
		}
	}
	total := 0
	next := make([]int, len(sc.order))
	for at, n := range sc.until {
		next[at] = total
		total += n
		sc.until[at] = total
	}
	sc.freed = make([]int, total)
	for _, i := range sc.order {
		if after := sc.last[i]; after >= 0 {
			at := position[after]
			sc.freed[next[at]] = i
			next[at]++
		}
	}
}

// neededBackward marks the values that the rules of a backward sweep read.
func neededBackward(g *graph, order []int) []bool {
	needed := make([]bool, len(g.records))
	for at, i := range order {
		g.pause(at)
		xs, n := g.records[i].operands()
		retains := kindFacts[g.records[i].kind].retains
		for j, x := range xs[:n] {
			needed[x] = needed[x] || retains&(left<<j) != 0
		}
		needed[i] = needed[i] || retains&output != 0
	}
	return needed
}
