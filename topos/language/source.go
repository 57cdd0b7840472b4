package language

import "github.com/topos-notebook/topos/topos"

// sources are the words that, followed by a shape or a number, record a source.
var sources = map[string]topos.Kind{"parameter": topos.OpParameter, "input": topos.OpInput, "leaf": topos.OpLeaf}

// isSource tells a source from a name so called by what follows the word.
func (p *parser) isSource() bool {
	word, t := p.peek(), p.after()
	if _, ok := sources[word.text]; !ok || word.kind != nameToken {
		return false
	}
	if t.is("[") || t.is("{") || t.kind == numberToken {
		return true
	}
	return t.is("-") && p.signed(p.at+1) && t.from > word.to && p.at+4 == len(p.tokens)
}

// signed says whether a minus sign touches a number after it.
func (p *parser) signed(at int) bool {
	return at+1 < len(p.tokens) && p.tokens[at+1].kind == numberToken && p.tokens[at].to == p.tokens[at+1].from
}

// sourceForm reads the word of a source, then a number, or a shape and perhaps
// its elements.
func (p *parser) sourceForm() {
	word := p.take()
	s := &source{kind: sources[word.text], span: word.span}
	switch t := p.peek(); {
	case t.is("{"):
		p.fail(word.through(t.span), "%s needs a shape before its elements, as in %s [2] {1, 2}", word.text, word.text)
	case t.is("["):
		s.shape = p.list("an extent")
		if p.peek().is("{") {
			s.given = true
			p.elements(s)
		}
	default:
		s.given = true
		s.shape = []int{}
		s.elements = []element{p.element()}
	}
	s.span = word.through(p.tokens[p.at-1].span)
	p.source = s
}

// element reads a number with an optional minus sign.
func (p *parser) element() element {
	from, sign := p.peek(), ""
	if p.skip("-") {
		sign = "-"
	}
	t := p.peek()
	if t.kind != numberToken {
		p.fail(t.span, "an element must be a number, not %v", t)
	}
	p.at++
	return element{sign + t.text, from.through(t.span)}
}

// elements reads numbers in braces. Inner braces only group.
func (p *parser) elements(s *source) {
	var open []token
	for {
		for p.peek().is("{") {
			open = append(open, p.take())
			p.enter(open[len(open)-1].span)
		}
		if p.peek().kind == endToken {
			p.fail(open[0].span, "{ is not closed")
		}
		if !p.peek().is("}") || len(open) > 1 || len(s.elements) > 0 {
			s.elements = append(s.elements, p.element())
		}
		for !p.skip(",") {
			p.close(open[len(open)-1], "}")
			p.leave()
			if open = open[:len(open)-1]; len(open) == 0 {
				return
			}
		}
	}
}
