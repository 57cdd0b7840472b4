"""How far an engine's results lie from the interpreter's."""

import dataclasses

import numpy

from engines import WORDS, array

# From 1 to the next number.
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}


@dataclasses.dataclass
class Distance:
    """The largest distances over the results of one module."""

    units: int = 0  # in the last place, where nothing excuses one
    excused: int = 0  # in the last place, behind erf or erf_derivative
    scaled: float = 0.0  # in epsilons of the largest finite magnitude among arguments and results
    classes: str = ""  # another count, shape, element, or a number for an infinity or NaN
    signs: str = ""  # a zero of the other sign, where nothing leaves that open
    open: int = 0  # results that the text does not determine, which are not compared

    @property
    def fault(self):
        return self.classes or self.signs

    def add(self, other):
        self.units, self.excused = max(self.units, other.units), max(self.excused, other.excused)
        self.scaled = max(self.scaled, other.scaled)
        self.classes, self.signs = self.classes or other.classes, self.signs or other.signs
        self.open += other.open


def ranks(values):
    """The place of each number in the order of its element; both zeros have the place 0."""
    width = values.dtype.itemsize
    sign = 1 << (8 * width - 1)
    return [word if word < sign else sign - word for word in values.view(WORDS[width]).tolist()]


def scale(module):
    """The largest finite magnitude among a module's arguments and results."""
    values = [array(p).astype(numpy.float64).reshape(-1) for p in [*module["arguments"], *module["results"]]]
    magnitudes = numpy.abs(numpy.concatenate(values))
    return float(numpy.max(magnitudes, where=numpy.isfinite(magnitudes), initial=0.0))


def distance(module, results):
    """Compares a module's expected results with an engine's."""
    if len(results) != len(module["results"]):
        return Distance(classes=f"{len(results)} results for {len(module['results'])}")
    worst, largest = Distance(), scale(module)
    for at, (want, got) in enumerate(zip(module["results"], results)):
        if (want["shape"], want["element"]) != (got["shape"], got["element"]):
            return Distance(classes=f"result {at} is {got['element']} {got['shape']}, not {want['element']} {want['shape']}")
        worst.add(between(want, array(want), array(got), largest))
    return worst


def between(want, expected, got, largest):
    found = Distance(open=bool(want.get("open")))
    if not expected.size or found.open:
        return found
    a, b = expected.reshape(-1).astype(numpy.float64), got.reshape(-1).astype(numpy.float64)
    same = (numpy.isnan(a) & numpy.isnan(b)) | (a == b)
    classes = numpy.isfinite(a) != numpy.isfinite(b)
    signs = same & (a == 0) & (numpy.signbit(a) != numpy.signbit(b))
    if (classes & ~same).any():
        at = int(numpy.argmax(classes & ~same))
        found.classes = f"{b[at]} where the interpreter has {a[at]}"
    if signs.any() and not want.get("unsigned"):
        found.signs = "a zero of the other sign, and no sum or product before it"
    units = max((abs(x - y) for x, y in zip(ranks(expected.reshape(-1)[~same]), ranks(got.reshape(-1)[~same]))), default=0)
    if want.get("erf"):
        found.excused = units
    else:
        found.units = units
    finite = numpy.isfinite(a) & numpy.isfinite(b)
    if finite.any() and largest > 0:
        found.scaled = float(max(abs(a[finite] - b[finite]))) / (largest * EPSILON[want["element"]])
    return found
