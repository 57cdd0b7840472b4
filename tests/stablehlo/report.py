"""The tables of a run: what was measured, to read, and what is accepted, for topos/STABLEHLO.md."""

import collections
import importlib.metadata
import pathlib
import platform
import string
import sys

import judge

ELEMENTS = ("f32", "f64", "bf16", "f16")
NAMES = {"parser": "parser and verifier", "interpreter": "reference interpreter", "xla": "XLA CPU", "iree": "IREE"}
PACKAGES = ("jax", "jaxlib", "numpy", "ml_dtypes", "iree-base-compiler", "iree-base-runtime")


def summary(verdicts):
    """Prints a row per engine, suite and element, then the distances per operation."""
    groups = collections.defaultdict(list)
    for v in verdicts:
        kind = judge.suite(v.module) + ("" if judge.tame(v.module) else ", wild")
        groups[v.engine, kind, judge.element(v.module)].append(v)
    print(f"\n{'engine':12} {'suite':16} {'element':7} {'modules':>7} {'refused':>7} {'units':>8} {'behind erf':>10} {'of the scale':>12} {'other class':>11} {'open':>6}")
    for (engine, kind, element), of in groups.items():
        ran = [v.distance for v in of if v.refused is None]
        units, excused = max((d.units for d in ran), default=0), max((d.excused for d in ran), default=0)
        scaled, other = max((d.scaled for d in ran), default=0), sum(bool(d.classes) for d in ran)
        undetermined = sum(d.open for d in ran)
        print(f"{engine:12} {kind:16} {element:7} {len(of):7} {len(of) - len(ran):7} {short(units):>8} {short(excused):>10} {scaled:12.3g} {other:11} {undetermined:6}")
    for reason, count in collections.Counter((v.engine, v.refused) for v in verdicts if v.refused is not None).items():
        print(f"refused by {reason[0]}, {count} modules: {reason[1]}")
    distances(verdicts)


def short(units):
    return str(units) if units < 1e7 else f"{units:.0e}"


def distances(verdicts):
    """Prints how far each engine is off in each operation on moderate numbers, in units in the last place."""
    engines = [e for e in NAMES if e != "parser" and any(v.engine == e for v in verdicts)]
    cells = {}
    for v in verdicts:
        if judge.suite(v.module) == "operation" and judge.tame(v.module) and v.refused is None:
            cells[judge.operation(v.module), v.engine, judge.element(v.module)] = max(v.distance.units, v.distance.excused)
    print("\nunits in the last place, by operation on moderate numbers: " + ", ".join(ELEMENTS))
    for operation in dict.fromkeys(o for o, _, _ in cells):
        rows = [f"{e} {' '.join(short(cells[operation, e, x]) if (operation, e, x) in cells else '-' for x in ELEMENTS)}" for e in engines]
        if any(set(row.split()[1:]) - {"0"} for row in rows):
            print(f"   {operation:45} {'   '.join(f'{row:24}' for row in rows)}")
    print()


def accepted(verdicts):
    """Rows of the table: operation, and per engine what takes it."""
    notes, rows = [], []
    operations = collections.defaultdict(dict)
    for v in verdicts:
        if judge.suite(v.module) == "operation" and judge.tame(v.module):
            operations[judge.operation(v.module)][v.engine, judge.element(v.module)] = v.refused
    for operation, answers in operations.items():
        cells = []
        for engine in NAMES:
            of = {e: answers[engine, e] for e in ELEMENTS if (engine, e) in answers}
            cells.append(cell(of, notes))
        rows.append(f"| {operation} | {' | '.join(cells)} |")
    return rows, notes


def behind_erf(verdicts):
    """How far the reference interpreter is off in the maps that are excepted."""
    said = []
    for kind, name in (("Erf", "erf"), ("ErfDerivative", "erf_derivative")):
        units = {judge.element(v.module): v.distance.excused for v in verdicts if v.engine == "interpreter" and v.module["name"].startswith(f"operation/{kind}/")}
        said.append(f"{', '.join(str(units[e]) for e in ELEMENTS)} (`{name}`)")
    return " and ".join(said)


def cell(answers, notes):
    """Which elements an engine takes; refusals are numbered notes."""
    refused = {element: reason for element, reason in answers.items() if reason is not None}
    if not answers:
        return "not run"
    taken = [e for e in answers if e not in refused]
    said = "all" if len(taken) == len(ELEMENTS) else ", ".join(taken)
    for reason in dict.fromkeys(refused.values()):
        if reason not in notes:
            notes.append(reason)
        without = ", ".join(e for e in refused if refused[e] == reason)
        said += f"{'; ' if said else ''}not {'any' if without == ', '.join(ELEMENTS) else without} [{notes.index(reason) + 1}]"
    return said


def versions():
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def pinned():
    """Are all packages those that the document names?"""
    lists = [pathlib.Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("requirements.txt", "requirements-iree.txt")]
    wanted = dict(line.split("==") for text in lists for line in text.split())
    return all(f"{name} {version}" in versions() for name, version in wanted.items() if name in PACKAGES)


def document(verdicts, path, update):
    """Compares the document with this run, or writes it; answers complaints."""
    from jaxlib.mlir.dialects import stablehlo
    if not pinned() or {v.engine for v in verdicts} != set(NAMES):
        print(f"{path.name} is not compared: it is made with all engines at the versions of requirements.txt")
        return []
    rows, notes = accepted(verdicts)
    text = string.Template(pathlib.Path(__file__).with_name("document.md").read_text(encoding="utf-8")).substitute(
        rows="\n".join(rows), notes="\n".join(f"{at}. {note}" for at, note in enumerate(notes, 1)), stablehlo=stablehlo.get_current_version(),
        requirements=", ".join(v for v in versions() if not v.startswith("Python")), erf=behind_erf(verdicts), **judge.ENVELOPE)
    if update:
        path.write_text(text, encoding="utf-8")
        return []
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        print(f"FAULT {path.name} differs from this run, which is:\n{text}", file=sys.stderr)
        return [f"{path.name} differs"]
    return []
