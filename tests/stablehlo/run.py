"""Runs one StableHLO module on one engine and prints its results.

    python tests/stablehlo/run.py parser|interpreter|xla|iree MODULE.mlir [VALUE ...]

Each value is JSON: a number or nested lists, in the order of the module's arguments.
"""

import json
import pathlib
import re
import sys

import numpy

import engines
import runs


def signature(text):
    """The arguments of @main: shape and element of each."""
    header = re.search(r"func\.func @main\((.*?)\) ->", text, re.DOTALL)
    return [([int(x) for x in kind.split("x")[:-1]], kind.split("x")[-1]) for kind in re.findall(r"tensor<([^>]*)>", header[1])]


def main(engine, path, *values):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    wanted = signature(text)
    if len(values) != len(wanted):
        sys.exit(f"{path} takes {len(wanted)} arguments, not {len(values)}: {', '.join(f'{element} {shape}' for shape, element in wanted)}")
    arguments = []
    for value, (shape, element) in zip(values, wanted):
        arguments.append(engines.payload(numpy.array(json.loads(value), numpy.float64).astype(engines.ELEMENTS[element]).reshape(shape)))
    (answer,), _ = runs.run(engine, [{"name": path, "module": text, "arguments": arguments}])
    if "refused" in answer:
        sys.exit(f"{engine} refuses {path}: {answer['refused']}")
    for result in answer["results"]:
        print(f"{result['element']} {result['shape']} {engines.array(result).tolist()}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
