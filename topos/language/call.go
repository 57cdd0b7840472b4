package language

import "fmt"

// call reads the arguments of a function, each by the kind its table asks for.
func (p *parser) call(word token) {
	f, ok := lookup(word.text)
	if _, isSource := sources[word.text]; isSource {
		p.fail(word.span, "%s is not called: a shape or a number follows it, as in %s [1, 2]", word.text, word.text)
	}
	if !ok {
		p.fail(word.span, "unknown function %s%s", quoted(word.text), meant(nearest(word.text, functionNames)))
	}
	open := p.take()
	p.enter(open.span)
	s := step{kind: callStep, text: f.Name}
	arguments := f.Arguments
	if f.Repeats {
		arguments = f.repeated(p.count())
	}
	given := 0
	for !p.peek().is(")") {
		if p.peek().kind == endToken {
			p.fail(open.span, "( is not closed")
		}
		if given == len(arguments) {
			p.fail(p.peek().span, "%s takes %s: %s", f.Name, f.counted(), f.Signature())
		}
		p.argument(f, arguments[given], &s)
		given++
		if !p.skip(",") {
			break
		}
		if p.peek().is(")") {
			p.fail(p.peek().span, "an argument is missing: %s", f.Signature())
		}
	}
	p.close(open, ")")
	p.leave()
	s.span = word.through(p.tokens[p.at-1].span)
	if given < len(arguments) {
		p.fail(s.span, "%s takes %s, not %d: %s", f.Name, f.counted(), given, f.Signature())
	}
	p.steps = append(p.steps, s)
}

// count is how many arguments are left: the commas of the outermost level.
func (p *parser) count() int {
	n, level := 1, 0
	for _, t := range p.tokens[p.at:] {
		switch {
		case t.kind != markToken:
		case t.text == "," && level == 0:
			n++
		case t.text == "(" || t.text == "[" || t.text == "{":
			level++
		case t.text == ")" || t.text == "]" || t.text == "}":
			if level--; level < 0 {
				return n
			}
		}
	}
	return n
}

func (p *parser) argument(f *Function, a Argument, s *step) {
	t := p.peek()
	switch a.Kind {
	case ValueArgument:
		if t.is("[") {
			p.fail(t.span, "%s must be a value, not a list: %s", a.Name, f.Signature())
		}
		p.expression()
		s.values++
	case IntegerArgument:
		s.integers = append(s.integers, p.integer(fmt.Sprintf("%s of %s", a.Name, f.Name)))
	case ListArgument:
		if !t.is("[") {
			p.fail(t.span, "%s must be a list such as [2, 3]: %s", a.Name, f.Signature())
		}
		s.list = p.list(fmt.Sprintf("a number in the %s of %s", a.Name, f.Name))
	}
}
