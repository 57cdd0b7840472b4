package session

import (
	"fmt"
	"maps"
	"slices"

	"github.com/topos-notebook/topos/topos"
)

// What a training and Keep put in place outlives the cell, however it ends. What
// %tape reset and %checkpoint load put there is the cell's, as what it records is:
// where the cell fails it was not to be.

// lasting puts a payload in a slot for good.
func (t *try[T]) lasting(slot int, payload *topos.Tensor[T]) {
	t.setLive(slot, payload)
	delete(t.undone, slot)
}

// passing puts a payload in a slot, nil for the recorded initial, as long as the
// cell does not fail.
func (t *try[T]) passing(slot int, payload *topos.Tensor[T]) {
	before := t.liveAt(slot)
	if _, ok := t.undone[slot]; !ok && slot < t.slots {
		t.undone[slot] = before
	}
	if before != payload {
		t.setLive(slot, payload)
	}
}

// takeBack undoes what the cell did in passing. What optimizers remembered of
// parameters comes back with them.
func (t *try[T]) takeBack() {
	all := t.tape.Parameters()
	var back []topos.Symbol
	for _, slot := range sortedKeys(t.undone) {
		back = append(back, all[slot])
		t.setLive(slot, t.undone[slot])
	}
	clear(t.undone)
	stepped := slices.Collect(maps.Keys(t.stepped))
	for _, key := range sortedKeys(t.oldMemories) {
		m := t.oldMemories[key]
		if t.memories[key] == nil && m.Knows(back) && !m.Knows(stepped) {
			t.remembering(key, m)
		}
	}
}

// reset gives parameters their initial payloads, all of them where none are named,
// and says how many.
func (t *try[T]) reset(names []string) (note string, err error) {
	if len(names) == 0 {
		for slot := range t.live {
			t.passing(slot, nil)
		}
		for name := range t.formerly {
			t.forget(name)
		}
		t.resumed = nil
		t.forgetMemories(nil)
		return asRecorded(len(t.tape.Parameters())), nil
	}
	slots := make([]int, len(names))
	for i, name := range names {
		at, ok := t.names.Lookup(name)
		if slots[i] = -1; ok {
			slots[i] = t.slotOf(at)
		}
		trained := slices.ContainsFunc(t.formerly[name], func(f former[T]) bool { return f.payload != nil })
		if slots[i] < 0 && !trained {
			return "", fmt.Errorf("%s is no parameter", name)
		}
	}
	distinct := map[any]bool{} // a parameter may have several names
	for i, name := range names {
		some := t.parameterOf(name, slots[i])
		t.forget(name)
		t.resumed = slices.DeleteFunc(t.resumed, func(resumed string) bool { return resumed == name })
		if slots[i] >= 0 {
			t.passing(slots[i], nil)
			distinct[slots[i]] = true
		} else {
			distinct[name] = true
		}
		t.forgetMemories(some)
	}
	return asRecorded(len(distinct)), nil
}

// asRecorded is the line of a reset.
func asRecorded(n int) string {
	switch n {
	case 0:
		return "no parameter is recorded"
	case 1:
		return "1 parameter is as it was recorded"
	}
	return fmt.Sprintf("%d parameters are as they were recorded", n)
}

// forget has nothing of what a name was of be resumed.
func (t *try[T]) forget(name string) {
	for i := range t.formerly[name] {
		t.formerly[name][i].payload = nil
	}
}

// parameterOf is the parameter of a slot, and those that a name was of before
// this cell recorded it again.
func (t *try[T]) parameterOf(name string, slot int) []topos.Symbol {
	some := []topos.Symbol{}
	if slot >= 0 {
		at := t.tape.Parameters()[slot]
		some = append(some, at)
		if was, ok := t.heirs[at]; ok {
			some = append(some, was)
		}
	}
	for _, f := range t.formerly[name] {
		some = append(some, f.at)
	}
	return some
}
