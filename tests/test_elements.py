"""A session of 16 bits: a tape cell begins it, a Go cell goes on from it, and another element is refused."""

import pytest

from client import GO_HEAD

F16_HEAD = """import (
    "github.com/topos-notebook/topos/cells"
    "github.com/topos-notebook/topos/topos/f16"
)

var s = cells.Open(f16.F16)
"""

SESSIONS = {
    # element: what a Go cell opens, 257 and a little more than half way to the number after 1, their sum of squares
    "bf16": (GO_HEAD.replace("F32", "BF16"), "[1.0078125, 256]", "65536"),
    "f16": (F16_HEAD, "[1.0039063, 257]", "inf"),
}

TAPE = """%%tape
%tape new {}
x = parameter [2] {{1.00390625000001, 257}}
%values x
"""


@pytest.mark.parametrize("element", SESSIONS)
def test_a_session_of_16_bits(kernel, element):
    head, rounded, total = SESSIONS[element]
    assert f"x {rounded}\n" in kernel.ok(TAPE.format(element)).plain
    shown = kernel.ok(head + '%%\nx := s.Get("x")\ns.Name("loss", x.Mul(x).Sum())\ncells.Show(s.Get("loss"))\n').plain
    assert f"#2 Sum [] {element}\n" in shown
    assert f"loss {total}\n" in kernel.ok("%%tape\n%values loss\n").plain
    assert f"tensor<2x{element}>" in kernel.ok("%%tape\n%stablehlo loss\n").plain
    error = kernel.refused(GO_HEAD + '%%\ns.Name("y", s.Get("x"))\n')
    advice = f"the session records {element}, not f32: open it with {element.upper()}, or begin a new tape with %tape new f32"
    assert advice in "\n".join(error["traceback"])


OWN = """import (
	"math/big"

	"github.com/topos-notebook/topos/cells"
	"github.com/topos-notebook/topos/topos"
)

type fraction struct{ *big.Rat }

func (a fraction) Add(b fraction) fraction   { return fraction{new(big.Rat).Add(a.Rat, b.Rat)} }
func (a fraction) Sub(b fraction) fraction   { return fraction{new(big.Rat).Sub(a.Rat, b.Rat)} }
func (a fraction) Mul(b fraction) fraction   { return fraction{new(big.Rat).Mul(a.Rat, b.Rat)} }
func (a fraction) Neg() fraction             { return fraction{new(big.Rat).Neg(a.Rat)} }
func (a fraction) FromInt(x int64) fraction  { return fraction{big.NewRat(x, 1)} }
func (a fraction) String() string            { return a.RatString() }

%%
tape := topos.New(topos.Own[fraction]("fraction"))
x := tape.Parameter(topos.Shape{2}, fraction{big.NewRat(1, 3)}, fraction{big.NewRat(2, 7)})
loss := x.Mul(x).Sum()
gradients := tape.Differentiate(loss, x)
view := tape.View()
plan := topos.Must(view.Entry(gradients.Roots()...).Lower())
cells.Show(tape, topos.Must(plan.Forward(view.Parameters())))
"""


def test_a_number_of_the_cells_own(kernel):
    """A tape of a number that only the cell knows is shown like any other, and leaves the session alone."""
    shown = kernel.ok(OWN).plain
    assert "tape: " in shown and "#2 85/441\n" in shown and "[2/3, 4/7]" in shown
    error = kernel.refused('%%\ncells.Open(topos.Own[fraction]("fraction"))\n')
    assert "the session records f32, not fraction: a number of your own works on a tape of its own" in "\n".join(error["traceback"])
