package session

import (
	"fmt"
	"strings"
	"testing"
)

// A step that is not finite is not taken, and the message says where it begins.
func TestTrainStopsAtWhatIsNotFinite(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		train string
		want  string
		kept  string
	}{
		"overflow forward": {[]string{"w = parameter [2] {80, 1}", "h = exp(w)", "loss = 0 - sum(h)"}, "%train --rate 1e-33 --steps 9",
			"step 2 of 9 is not finite, first at h = #1 Exp [2] f32 (segment 1 line 3): the parameters are those after step 1", ""},
		"a source": {[]string{"w = parameter [2] {1, 2}", "n = leaf [2] {-1, 1}", "c = ln(n)", "loss = sum(w * c)"}, "%train",
			"step 1 of 40 is not finite, first at c = #2 Ln", "[1, 2]"},
		"backward": {[]string{"w = parameter [2] {0, 1}", "loss = sum(sqrt(w))"}, "%train --steps 3",
			"step 1 of 3 is not finite, first at #8 Div [2] f32 (g/(out + out), from the rule of 1 Sqrt; segment 2 line 2)", "[0, 1]"},
		"the step": {[]string{"w = parameter [2] {1, 1}", "loss = sum(w + w)"}, "%train --steps 3 --rate 3e38",
			"step 1 of 3 would make w = #0 Parameter [2] f32 not finite: the parameters are as they were; a smaller --rate may do", "[1, 1]"},
	} {
		d := newDesk(t)
		d.tape("a", c.lines...)
		before := d.state().tape.Describe()
		text, err := d.cell("b", "%%tape\n"+c.train)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v\nwant %s\n%s\n%s", name, err, c.want, text, d.state().tape.Describe())
		}
		if strings.Contains(text, "is appended") {
			t.Errorf("%s: what the cell recorded goes with it, and it says\n%s", name, text)
		}
		if got := d.state().table().Slot(0).String(); c.kept != "" && got != c.kept {
			t.Errorf("%s: holds %s", name, got)
		}
		if !d.state().table().Slot(0).Finite() || d.state().tape.Describe() != before {
			t.Errorf("%s: left %s", name, d.sight())
		}
	}
}

func TestRefusedTrainings(t *testing.T) {
	d := newDesk(t)
	if _, err := d.cell("b", "%%tape\nx = input 1\n%train x"); err == nil || !strings.Contains(err.Error(), "cell 1 line 3: the tape has no parameters") {
		t.Errorf("%v", err)
	}
	d.tape("a", append(small, "free = sum(x)", "apart = parameter [2]")...)
	before := entire(d.notebook)
	for code, want := range map[string]string{
		"%train h":                        "h is [4, 3], not rank 0: sum it first",
		"%train los":                      "unknown name los: did you mean loss?",
		"%train loss --wrt q":             "unknown name q",
		"%train loss --wrt x":             "x is an Input, not a parameter: only parameters are trained",
		"%train loss --wrt h":             "h is a Tanh, not a parameter",
		"%train loss --wrt w,apart":       "loss does not depend on apart, so that no step would change it",
		"%train free":                     "free reads no parameter, so there is nothing to train",
		"%train loss --rate 1e300":        "the rate 1e300 is no number of f32: it is out of range",
		"%train loss --rate fast":         "--rate is a number such as 0.05, not fast",
		"%train loss --rate nan":          "--rate is a number such as 0.05, not nan",
		"%train loss --steps 0":           "--steps is a number from 1 to 10000000, not 0",
		"%train loss --steps -3":          "--steps is a number from 1 to 10000000, not -3",
		"%train loss --steps 1.5":         "--steps is a number from 1 to 10000000, not 1.5",
		"%train loss --optimizer rmsprop": "--optimizer is sgd, adam or adamw, not rmsprop",
		"%train loss --steps":             "--steps needs a value",
		"%train loss --rate 1 --rate 2":   "--rate is given twice",
		"%train loss free":                "only one name can be differentiated",
		"%train loss --observe h":         "unknown option --observe",
		"%tape new bf16\nw = parameter [2]\nl = sum(w * w)\n%train l --optimizer adam": "adam averages by 0.999, which bf16 rounds to 1: train by sgd, or in a Go cell by optim.NewAdam with other numbers",
		"%tape new f16\nw = parameter [2]\nl = sum(w * w)\n%train l --rate 65520":      "the rate 65520 is no number of f16: it is out of range",
		"%tape new f16\nw = parameter [2]\nl = sum(w * w)\n%train l --optimizer adamw": "adamw divides by no less than 1e-8, which f16 rounds to 0: train by sgd, or in a Go cell by optim.NewAdamW with other numbers",
	} {
		_, err := d.cell("b", "%%tape\n"+code)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), fmt.Sprintf("TapeError: cell %d line ", d.count)) {
			t.Errorf("%s: %v, want %q", code, err, want)
		}
		if after := entire(d.notebook); after != before {
			t.Fatalf("%s left\n%s\nwant\n%s", code, after, before)
		}
	}
	// Infinite products are found before memory is taken.
	d.tape("c", "huge = sum(broadcast_to(broadcast_to(sum(w), [20000, 20000]), [20000, 20000]))")
	if _, err := d.cell("d", "%%tape\n%train huge"); err == nil || !strings.Contains(err.Error(), "elements at once") {
		t.Errorf("%v", err)
	}
}

// What a training has recorded is told once it is done: a cell that fails takes it
// along, whatever says no, and whenever.
func TestADerivativeIsSaidToBeAppendedOnlyIfItStays(t *testing.T) {
	for train, appends := range map[string]bool{"%train --steps 3 --rate 3e38": false, "%train --steps 9 --rate 1e19": false,
		"%train --rate 1e300": false, "%train --steps 3": true} {
		d := newDesk(t)
		d.tape("a", "w = parameter [2] {1, 1}", "loss = sum(w * w)")
		text, err := d.cell("b", "%%tape\n"+train)
		said := strings.Count(text, "the derivative of loss is appended, as nodes 3 to ")
		if (err == nil) != appends || (said == 1) != appends {
			t.Errorf("%s: %v\n%s", train, err, text)
		}
	}
}

// With respect to some names, the others stay, whatever the optimizer does to
// parameters without a gradient.
func TestOnlyWhatIsNamedIsTrained(t *testing.T) {
	for _, optimizer := range []string{"sgd", "adam", "adamw"} {
		d := newDesk(t)
		d.tape("a", append(small, "apart = parameter [2, 2] {1, 2, 3, 4}")...)
		d.tape("b", "%train loss --wrt w,v --optimizer "+optimizer)
		table, initial := d.state().table(), d.state().tape.InitialParameters()
		for slot, moved := range []bool{true, false, true, false} {
			if moved == table.Slot(slot).Equal(initial.Slot(slot)) {
				t.Errorf("%s: slot %d is %v", optimizer, slot, table.Slot(slot))
			}
		}
	}
}
