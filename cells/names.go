package cells

import (
	"slices"
	"strings"
	"unicode"

	"github.com/topos-notebook/topos/topos"
)

// binding is a name and the node that it was bound to.
type binding struct {
	name   string
	symbol topos.Symbol
}

func (b *record) bind(name string, at topos.Symbol) {
	b.names = append(b.names, binding{name, at})
}

// resume gives a parameter that is recorded again the payload it had. Of a name that
// was of several, the first takes what the first one had, and so on; one that does not
// fit waits.
func (b *record) resume(name string, at topos.Symbol) {
	n := b.tape.Node(at)
	if len(b.again[name]) == 0 || n.Opcode().Kind != topos.OpParameter || at.Index() < b.base || b.resumed[at] {
		return
	}
	p := b.again[name][0]
	if p != nil && !n.Shape().Equal(p.Shape()) {
		return
	}
	b.again[name] = b.again[name][1:]
	b.resumed[at] = true
	if p != nil {
		b.live[at] = p
	}
}

// isName says whether a name is spelled as the tape language has it.
func isName(name string) bool {
	for i, c := range name {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return name != ""
}

func (b *record) label(at topos.Symbol) string {
	for i, x := range slices.Backward(b.names) {
		if x.symbol == at && !b.rebound(i) {
			return x.name
		}
	}
	return ""
}

// rebound says whether the name of a binding means another node by now.
func (b *record) rebound(i int) bool {
	for _, x := range b.names[i+1:] {
		if x.name == b.names[i].name {
			return true
		}
	}
	return false
}

// spoken is how a node is spoken of: by name, else by number.
func (b *record) spoken(at topos.Symbol) string {
	if name := b.label(at); name != "" {
		return name
	}
	return "#" + decimal(at.Index())
}

// derived says what a node is the gradient of: "d loss / d w", or "". The node's
// origin tells: it is the last sum of cotangents for a node in a derivative,
// which begins with the seed of its target.
func (b *record) derived(at topos.Symbol) string {
	nodes := b.tape.Nodes()
	i := at.Index()
	o := nodes[i].Origin()
	if o.Part != topos.PartSum && o.Part != topos.PartStart {
		return ""
	}
	for _, later := range nodes[i+1:] {
		x := later.Origin()
		if x.Part <= topos.PartSeed {
			break
		}
		if x.Part == topos.PartSum && x.Of == o.Of {
			return ""
		}
	}
	for i >= 0 && nodes[i].Origin().Part != topos.PartSeed {
		i--
	}
	if i < 0 {
		return ""
	}
	target := nodes[nodes[i].Origin().Of].Symbol()
	return strings.Join([]string{"d ", b.spoken(target), " / d ", b.spoken(nodes[o.Of].Symbol())}, "")
}
