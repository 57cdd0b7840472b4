package magic

import (
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos/language"
)

// Option reads an option of a request. word is the option's first word, such as
// --wrt or --wrt=a,b; next takes the word after it. taken is false for an option
// that is none of a request's.
//
//	--target NAME       the name to differentiate
//	--wrt NAMES         what to differentiate with respect to
//	--observe NAMES     further names that a run may read
//	--exact             keep the recorded order of arithmetic
//	--primitive         spell out erf and batch norms in the module
func Option(q *readings.Request, word string, next func() (string, bool)) (taken bool, err error) {
	option, value, given := strings.Cut(word, "=")
	if set := map[string]*bool{"--exact": &q.Exact, "--primitive": &q.Primitive}[option]; set != nil {
		if given {
			return true, fmt.Errorf("%s takes no value", option)
		}
		*set = true
		return true, nil
	}
	if option != "--target" && option != "--wrt" && option != "--observe" {
		return false, nil
	}
	if !given {
		if value, given = next(); !given {
			return true, fmt.Errorf("%s needs a name", option)
		}
	}
	// A comma with a blank after it goes on with the next word.
	for option != "--target" && strings.HasSuffix(value, ",") {
		more, ok := next()
		if !ok {
			break
		}
		value += more
	}
	names, err := ParseNames(value)
	switch {
	case err != nil:
		return true, err
	case option == "--wrt":
		q.Wrt = append(q.Wrt, names...)
	case option == "--observe":
		q.Observe = append(q.Observe, names...)
	case len(names) != 1:
		return true, fmt.Errorf("--target takes one name, not %s", short(value))
	case q.Target != "":
		return true, fmt.Errorf("two targets, %s and %s: only one can be differentiated", short(q.Target), short(names[0]))
	default:
		q.Target = names[0]
	}
	return true, nil
}

// ParseNames reads names joined by commas.
func ParseNames(list string) ([]string, error) {
	var names []string
	for name := range strings.SplitSeq(strings.TrimSuffix(list, ","), ",") {
		if !language.IsName(name) {
			return nil, fmt.Errorf("%s is no name", quoted(name))
		}
		names = append(names, name)
	}
	return names, nil
}

// quoted shows a word, which may be empty.
func quoted(s string) string {
	if s = short(s); s != "" {
		return s
	}
	return `""`
}
