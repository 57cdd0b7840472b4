package render

import (
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// nodes are the rows of a reading by what finds and names them: their nodes.
type nodes struct {
	rows   []topos.Row
	anchor string
	place  map[int]int // node index to its place among the rows; nil where that is the index
	reads  []int       // of every row, the indices of those that read it, one row after another
	until  []int       // where those of each row end
	labels []label
}

// label is how a row is called. It is made when it is first asked for: few rows
// are named as often as a graph's hubs, and none is to be worded twice.
type label struct {
	id    string // of its anchor, ending in the node's number
	reads string // "reads 2 MatMul [1, 2]"
}

const (
	idMark    = "-n"     // between a card's anchor and the node
	readsWord = "reads " // before a row's phrase, in the title of a link from its reader
)

func newNodes(rows []topos.Row, anchor string) *nodes {
	n := &nodes{rows: rows, anchor: anchor, labels: make([]label, len(rows))}
	for i := range rows {
		if rows[i].Index != i {
			n.place = make(map[int]int, len(rows))
			break
		}
	}
	for i := range rows {
		if n.place != nil {
			n.place[rows[i].Index] = i
		}
	}
	n.findReaders()
	return n
}

// at is the place of a node's row, if there is one.
func (n *nodes) at(node int) (place int, ok bool) {
	if n.place == nil {
		return node, 0 <= node && node < len(n.rows)
	}
	place, ok = n.place[node]
	return place, ok
}

// findReaders counts who is read, and then puts each reader where it belongs.
func (n *nodes) findReaders() {
	n.until = make([]int, len(n.rows))
	total := 0
	n.eachRead(func(at, _ int) {
		n.until[at]++
		total++
	})
	start := 0
	for i, count := range n.until {
		n.until[i] = start
		start += count
	}
	n.reads = make([]int, total)
	n.eachRead(func(at, reader int) {
		n.reads[n.until[at]] = reader
		n.until[at]++
	})
}

// eachRead calls f for every row that a row reads, with the place of the first and
// the index of the second, which ascends as the rows do.
func (n *nodes) eachRead(f func(at, reader int)) {
	for i := range n.rows {
		for _, operand := range distinct(n.rows[i].Operands) {
			if at, ok := n.at(operand); ok {
				f(at, n.rows[i].Index)
			}
		}
	}
}

// readers are the rows that read a node, in the order of the rows.
func (n *nodes) readers(node int) []int {
	at, ok := n.at(node)
	if !ok {
		return nil
	}
	start := 0
	if at > 0 {
		start = n.until[at-1]
	}
	return n.reads[start:n.until[at]:n.until[at]]
}

// id is the anchor of the row at a place.
func (n *nodes) id(at int) string {
	l := &n.labels[at]
	if l.id == "" {
		l.id = n.anchor + idMark + strconv.Itoa(n.rows[at].Index)
	}
	return l.id
}

// number is the node's number of the row at a place.
func (n *nodes) number(at int) string { return n.id(at)[len(n.anchor)+len(idMark):] }

// readsPhrase is "reads " and the phrase of the row at a place.
func (n *nodes) readsPhrase(at int) string {
	l := &n.labels[at]
	if l.reads == "" {
		l.reads = readsWord + describe(n.rows[at])
	}
	return l.reads
}

// phrase names the row at a place.
func (n *nodes) phrase(at int) string { return n.readsPhrase(at)[len(readsWord):] }

// distinct is a list without its repeats, in order. The caller leaves it as it is.
func distinct(list []int) []int {
	const few = 8
	if len(list) <= few && !repeats(list) {
		return list
	}
	seen := make(map[int]bool, len(list))
	var out []int
	for _, x := range list {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// repeats says whether a short list has an entry twice.
func repeats(list []int) bool {
	for i, x := range list {
		for _, y := range list[:i] {
			if x == y {
				return true
			}
		}
	}
	return false
}

// describe names a row in one phrase: "2 MatMul [1, 2]".
func describe(row topos.Row) string {
	b := strconv.AppendInt(make([]byte, 0, 64), int64(row.Index), 10)
	b = append(append(append(b, ' '), row.Opcode...), ' ')
	b = appendShape(b, row.Shape)
	if row.Name != "" {
		b = append(append(b, ' '), row.Name...)
	}
	return string(b)
}

// shape prints the extents of a shape: "[1, 2]"; a scalar's is "[]".
func shape(extents []int) string { return string(appendShape(make([]byte, 0, 32), extents)) }

func appendShape(b []byte, extents []int) []byte {
	return append(appendJoined(append(b, '['), extents), ']')
}

func joined(list []int) string { return string(appendJoined(make([]byte, 0, 32), list)) }

func appendJoined(b []byte, list []int) []byte {
	for i, x := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return b
}
