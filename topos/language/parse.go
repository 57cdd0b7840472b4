package language

import (
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// deepest is how far parentheses, calls, minus signs and braces may nest. The
// parser recurses over nothing else.
const deepest = 200

// parser reads one line by recursive descent and emits an expression in postfix
// order, which is the order of recording.
type parser struct {
	lineNumber int
	line       string
	tokens     []token
	at         int
	depth      int

	name   string
	source *source
	steps  []step
}

type stepKind uint8

const (
	loadStep    stepKind = iota // a name
	literalStep                 // a number
	callStep                    // a function, an operator or a minus sign
)

// step is one instruction over a stack of values.
type step struct {
	kind     stepKind
	text     string // the name, the number as written, or the function's name
	values   int    // how many values a call takes from the stack
	integers []int
	list     []int
	span
}

// source is a right-hand side that records a source.
type source struct {
	kind     topos.Kind
	shape    []int
	elements []element
	given    bool // elements were written, rather than to be drawn
	span
}

// element is a number as written, with its sign.
type element struct {
	text string
	span
}

func (p *parser) peek() token { return p.tokens[p.at] }

// next is the token after the present one, or the end.
func (p *parser) after() token { return p.tokens[min(p.at+1, len(p.tokens)-1)] }

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

func (p *parser) skip(mark string) bool {
	if p.peek().is(mark) {
		p.at++
		return true
	}
	return false
}

// enter counts a level of nesting.
func (p *parser) enter(at span) {
	if p.depth++; p.depth > deepest {
		p.fail(at, "nested more than %d deep", deepest)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) assignment() {
	first := p.take()
	if !p.peek().is("=") {
		if i := p.equals(); i >= 0 {
			p.fail(first.through(p.tokens[i-1].span), "only a name can be bound, not %s", quoted(p.line[first.from:p.tokens[i-1].to]))
		}
		if p.peek().kind == endToken && first.kind == nameToken {
			p.fail(first.span, "= is missing: a line binds a name, as in y = %s", quoted(first.text))
		}
		p.fail(first.through(p.tokens[len(p.tokens)-1].span), "= is missing: a line binds a name, as in y = tanh(x)")
	}
	equals := p.take()
	if first.kind != nameToken {
		p.fail(first.span, "only a name can be bound, not %v", first)
	}
	p.name = first.text
	if p.peek().kind == endToken {
		p.fail(equals.span, "nothing is right of =")
	}
	if !p.isSource() {
		p.expression()
	} else {
		p.sourceForm()
	}
	p.end()
}

// equals is the position of the line's first equals sign that follows another
// token, or -1.
func (p *parser) equals() int {
	for i, t := range p.tokens {
		if i > 0 && t.is("=") {
			return i
		}
	}
	return -1
}

// end refuses what is left of the line.
func (p *parser) end() {
	t := p.peek()
	rest := t.through(p.tokens[len(p.tokens)-1].span)
	switch {
	case t.kind == endToken:
	case p.source != nil:
		p.fail(rest, "%v is the whole right-hand side: bind it to a name on a line of its own", p.source.kind.Spelling())
	case t.is(")") || t.is("]") || t.is("}"):
		p.fail(t.span, "%v closes nothing", t)
	default:
		p.fail(rest, "unexpected %v after the expression", t)
	}
}

func (p *parser) expression() {
	from := p.peek().span
	p.product()
	for p.peek().is("+") || p.peek().is("-") {
		op := p.take()
		p.product()
		p.operate(op, from)
	}
}

func (p *parser) product() {
	from := p.peek().span
	p.unary()
	for p.peek().is("*") || p.peek().is("/") || p.peek().is("@") {
		op := p.take()
		p.unary()
		p.operate(op, from)
	}
}

var operators = map[string]string{"+": "add", "-": "sub", "*": "mul", "/": "div", "@": "matmul"}

func (p *parser) operate(op token, from span) {
	p.steps = append(p.steps, step{kind: callStep, text: operators[op.text], values: 2, span: from.through(p.tokens[p.at-1].span)})
}

func (p *parser) unary() {
	first := p.at
	for p.peek().is("-") {
		p.enter(p.take().span)
	}
	minuses := p.at - first
	p.primary()
	for i := minuses - 1; i >= 0; i-- {
		p.leave()
		p.steps = append(p.steps, step{kind: callStep, text: "neg", values: 1, span: p.tokens[first+i].through(p.tokens[p.at-1].span)})
	}
}

func (p *parser) primary() {
	t := p.take()
	switch {
	case t.kind == numberToken:
		p.steps = append(p.steps, step{kind: literalStep, text: t.text, span: t.span})
	case t.kind == nameToken && p.peek().is("("):
		p.call(t)
	case t.kind == nameToken:
		p.refuseInnerSource(t)
		p.steps = append(p.steps, step{kind: loadStep, text: t.text, span: t.span})
	case t.is("("):
		p.enter(t.span)
		p.expression()
		p.close(t, ")")
		p.leave()
	case t.kind == endToken:
		p.fail(t.span, "the line ends where a value is missing")
	default:
		p.fail(t.span, "unexpected %v where a value should be", t)
	}
}

func (p *parser) refuseInnerSource(word token) {
	t := p.peek()
	if _, ok := sources[word.text]; ok && (t.is("[") || t.is("{") || t.kind == numberToken) {
		p.fail(word.through(t.span), "%s stands alone on the right of =: bind it to a name on a line of its own", word.text)
	}
}

// close expects the mark that closes what open opened.
func (p *parser) close(open token, mark string) {
	t := p.peek()
	switch {
	case t.is(mark):
		p.at++
	case t.kind == endToken:
		p.fail(open.span, "%s is not closed", open.text)
	default:
		p.fail(t.span, "unexpected %v: %s is closed by %s", t, open.text, mark)
	}
}

// integer reads a whole number with an optional minus sign. what names it.
func (p *parser) integer(what string) int {
	sign, from := "", p.peek()
	if p.skip("-") {
		sign = "-"
	}
	t := p.peek()
	if t.kind != numberToken || strings.Trim(t.text, "0123456789") != "" {
		if t.kind != endToken {
			t.span = from.through(t.span)
		}
		p.fail(t.span, "%s must be a whole number, not %s%v", what, sign, t)
	}
	p.at++
	n, err := strconv.ParseInt(sign+t.text, 10, 64)
	if err != nil || n > topos.MaxVolume || n < -topos.MaxVolume {
		p.fail(from.through(t.span), "%s of %s%s is out of range: at most %d", what, sign, quoted(t.text), topos.MaxVolume)
	}
	return int(n)
}

// list reads whole numbers in brackets. what names one of them.
func (p *parser) list(what string) []int {
	open := p.take()
	list := []int{}
	if p.skip("]") {
		return list
	}
	for {
		if p.peek().kind == endToken {
			p.fail(open.span, "[ is not closed")
		}
		if p.peek().is("[") {
			p.fail(p.peek().span, "brackets of a shape or an order do not nest")
		}
		list = append(list, p.integer(what))
		if p.skip(",") {
			continue
		}
		p.close(open, "]")
		return list
	}
}
