package magic

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// Train is how a loss is trained; the loss itself, and with respect to what, are
// the magic's Request.
type Train struct {
	Steps     int    // 1 to MaxSteps
	Rate      string // a finite number as it was written, to be rounded to the element once
	Optimizer string // one of Optimizers
}

// Optimizers are the ways to step, the default first.
var Optimizers = []string{"sgd", "adam", "adamw"}

// MaxSteps is the most steps of one training: its curve holds them all.
const MaxSteps = 10_000_000

// Where an option is left out.
const (
	defaultSteps = 40
	defaultRate  = "0.05"
)

var trainUsage = fmt.Sprintf("%%train [LOSS] [--wrt NAMES] [--steps %d] [--rate %s] [--optimizer %s] [--exact]", defaultSteps, defaultRate, strings.Join(Optimizers, "|"))

// train parses a loss, the names and the options of a training.
func train(l *line) {
	l.Train = Train{defaultSteps, defaultRate, Optimizers[0]}
	l.Request.Kind = topos.GradientReading
	given := map[string]bool{}
	for l.at < len(l.words) {
		w := l.words[l.at]
		if !strings.HasPrefix(w.text, "--") {
			l.loss()
			continue
		}
		option, value, has := strings.Cut(w.text, "=")
		set, ok := trainOptions[option]
		if !ok {
			if !l.option([]string{"loss", "wrt", "exact"}) {
				return
			}
			continue
		}
		if given[option] {
			l.fail(w, "%s is given twice", option)
		}
		given[option] = true
		l.at++
		if !has {
			if w, has = l.next(); !has {
				l.fail(l.words[l.at-1], "%s needs a value: %s", option, trainUsage)
			}
			value = w.text
		}
		if err := set(&l.Train, value); err != nil {
			l.fail(w, "%s", err)
		}
	}
}

// trainOptions read the value of an option.
var trainOptions = map[string]func(t *Train, value string) error{
	"--steps": func(t *Train, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > MaxSteps {
			return fmt.Errorf("--steps is a number from 1 to %d, not %s", MaxSteps, quoted(value))
		}
		t.Steps = n
		return nil
	},
	"--rate": func(t *Train, value string) error {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(value, "xX_") {
			return fmt.Errorf("--rate is a number such as %s, not %s", defaultRate, quoted(value))
		}
		t.Rate = value
		return nil
	},
	"--optimizer": func(t *Train, value string) error {
		if !slices.Contains(Optimizers, value) {
			return fmt.Errorf("--optimizer is %s, not %s", alternatives(Optimizers), quoted(value))
		}
		t.Optimizer = value
		return nil
	},
}
