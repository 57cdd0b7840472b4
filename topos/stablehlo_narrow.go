package topos

// Sums and products of elements that accumulate in a wider type: they are
// written in that type, and their result is converted back.

// accumulated writes what is accumulated, as a name or, where the element has a
// wider accumulator, under a name of its own that is then converted. of is the
// node's name.
func (e *emitter) accumulated(of, name string, shape Shape, write func(name, element string)) {
	if e.accumulator == nil {
		write(name, e.element)
		return
	}
	wide := e.accumulator.stablehlo
	write(of+"_accumulated", wide)
	e.line("%s = stablehlo.convert %s_accumulated : (%s) -> %s", name, of, tensorType(shape, wide), e.typeOf(shape))
}

// product writes a dot_general of the element.
func (e *emitter) product(name, a, b, dims string, from, second, to Shape) {
	e.accumulated(name, name, to, func(name, element string) {
		e.dot(name, a, b, dims, from, second, tensorType(to, element))
	})
}

func (e *emitter) dot(name, a, b, dims string, from, second Shape, to string) {
	e.line("%s = stablehlo.dot_general %s, %s, %s : (%s, %s) -> %s", name, a, b, dims, e.typeOf(from), e.typeOf(second), to)
}

// total writes a sum along dimensions. Its seed has the accumulator's type, so
// the summands are converted first.
func (e *emitter) total(name, x string, dims, from, to Shape) {
	if wide := e.accumulator; wide != nil {
		e.line("%s_promoted = stablehlo.convert %s : (%s) -> %s", name, x, e.typeOf(from), tensorType(from, wide.stablehlo))
		x = name + "_promoted"
	}
	seed := name + "_seed"
	e.accumulated(name, name, to, func(name, element string) {
		e.line("%s = stablehlo.constant dense<%s> : %s", seed, e.zeroOf(element), tensorType(nil, element))
		e.reduction(name, x, seed, "add", dims, from, to, element)
	})
}

// zeroOf is 0 as a literal of the element or of its accumulator.
func (e *emitter) zeroOf(element string) string {
	if element == e.element {
		return e.number(0)
	}
	return string(e.accumulator.literal(nil, e.accumulator.fill(0), 0))
}
