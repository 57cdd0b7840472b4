"""What each engine must do with a module.

- The parser takes every module, and what it prints reads back as the same.
- The reference interpreter runs every module but those that hold a batch norm, which it lacks. Under Exact it answers the values of our
  interpreter to the bit for f32, bf16 and f16, where a zero after a sum or product may have either sign. Excepted are erf and
  erf_derivative and all that lies behind them, the inputs in misrounded.txt, on which it does not round correctly and is off by one
  unit, and results that are marked open, which the text does not determine.
- XLA and IREE run every module but those of what LACKING names. They fuse, reorder sums and have maps of their own, so where a module is
  tame their results lie within an envelope, in epsilons of the largest magnitude in the module. Tame are single operations on moderate
  numbers, golden programs, and random programs without kinks, poles and infinities.
"""

import pathlib
import re

import compare

# What an engine does not have, by the words of its refusal.
LACKING = {
    "interpreter": ("stablehlo.batch_norm_training", "stablehlo.batch_norm_inference"),
    "iree": ("undefined symbol: sin", "undefined symbol: cos", "undefined symbol: tanh"),
}
# IREE rewrites a product of extents 1 into a multiplication of both operands' own element, also where they are of 16 bits and the result
# is f32: it then fails at one of these. The text asks for f32 since sums of 16 bits accumulate in it.
NARROW_PRODUCT = ("failed to legalize operation 'stablehlo.multiply'", "failed to legalize unresolved source materialization")
# In epsilons of a module's scale, by engine: about four times what was measured, since other processors have other instructions.
ENVELOPE = {"interpreter": 8, "xla": 16, "iree": 16}
# A batch norm takes epsilon as f32 whatever the element, so over f64 it moves by some f32 epsilons of epsilon.
NORM_OVER_F64 = 2.0**20


def misrounded():
    """The listed inputs, as bits, by kind of map."""
    listed = {}
    for line in pathlib.Path(__file__).with_name("misrounded.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, bits = line.split()
            listed.setdefault(kind, set()).add(bits)
    return listed


MISROUNDED = misrounded()


def suite(module):
    return module["name"].split("/")[0]


def element(module):
    return module["results"][0]["element"]


def operation(module):
    return module["name"].split("/")[1]


def tame(module):
    if suite(module) == "random":
        return int(module["name"].split("/")[2]) % 3 == 0
    return not operation(module).endswith("(special)")


def envelope(engine, module):
    if element(module) == "f64" and "stablehlo.batch_norm" in module["module"]:
        return NORM_OVER_F64
    return ENVELOPE[engine]


def lacks(engine, module):
    """Names what the engine is known to lack of a module's operations, so that one module is enough to show it."""
    return next((words for words in LACKING.get(engine, ()) if words.startswith("stablehlo.") and words in module["module"]), None)


def narrow_product(verdict):
    """Is it the refusal that IREE has for some products of 16 bits?"""
    text = verdict.module["module"]
    product = element(verdict.module) in ("bf16", "f16") and re.search(r"dot_general .*tensor<(1x)*1x(bf16|f16)>.* -> tensor<[^>]*f32>", text)
    return verdict.engine == "iree" and product and any(words in verdict.refused for words in NARROW_PRODUCT)


class Verdict:
    """What an engine did with a module."""

    def __init__(self, engine, module, answer):
        self.engine, self.module, self.refused = engine, module, answer.get("refused")
        self.distance = compare.Distance()
        self.strange = []  # hard inputs with another answer, as bits
        if self.refused is None and engine != "parser":
            self.distance = compare.distance(module, answer["results"])
            if suite(module) == "hard":
                pairs = zip(module["arguments"][0]["bits"], module["results"][0]["bits"], answer["results"][0]["bits"], strict=True)
                self.strange = [x for x, want, got in pairs if want != got]

    @property
    def exact(self):
        """Must the results be the interpreter's bits?"""
        return self.engine == "interpreter" and self.module["numerics"] == "exact" and element(self.module) != "f64"

    def fault(self):
        """One line, or nothing."""
        why = self.complaint()
        return f"{self.engine} {self.module['name']}: {why}" if why else None

    def complaint(self):
        if self.refused is not None:
            lacking = any(words in self.refused for words in LACKING.get(self.engine, ())) or narrow_product(self)
            must = self.engine == "interpreter" and self.module["numerics"] == "exact"
            return f"refused: {self.refused}" if must or not lacking else None
        if self.engine == "parser":
            return None
        d = self.distance
        if self.exact and suite(self.module) == "hard":
            unlisted = set(self.strange) - MISROUNDED.get(operation(self.module), set())
            return d.fault or (f"another answer at {sorted(unlisted)}" if unlisted and d.units else f"{d.units} units in the last place" if d.units > 1 else None)
        if self.exact:
            return d.fault or (f"{d.units} units in the last place" if d.units else None)
        if tame(self.module):
            limit = envelope(self.engine, self.module)
            return d.classes or (f"{d.scaled:.3g} epsilons of the scale, the envelope is {limit}" if d.scaled > limit else None)
        return None


def missing(verdicts):
    """Listed exceptions that no longer are any, and suites that did not run."""
    faults = []
    hard = {operation(v.module): v for v in verdicts if v.exact and suite(v.module) == "hard" and v.refused is None}
    for kind, bits in sorted(MISROUNDED.items()):
        if kind in hard and (stale := bits - set(hard[kind].strange)):
            faults.append(f"{kind} is rounded correctly at {sorted(stale)}: misrounded.txt need not list it")
    for engine in sorted({v.engine for v in verdicts}):
        ran = {suite(v.module) for v in verdicts if v.engine == engine and v.refused is None}
        faults += [f"{engine} ran no module of the suite {name}" for name in sorted({suite(v.module) for v in verdicts} - ran)]
    return faults
