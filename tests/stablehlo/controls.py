"""Faults made on purpose, which every run must find: a changed constant, operation, attribute and shape, and changed bits of an answer."""

import judge

VALUES = ("interpreter", "xla", "iree")
ALL = ("parser", *VALUES)
# The module, what is written in place of what, and the engines that must notice.
CHANGES = {
    "constant": ("emission/leaf scalar/f32/exact", "dense<1.0e-7>", "dense<1.001e-7>", VALUES),
    "last bit of a constant": ("emission/leaf scalar/f32/exact", "dense<1.0e-7>", "dense<0x33D6BF96>", ("interpreter",)),
    "operation": ("operation/Add/f32", "stablehlo.add", "stablehlo.subtract", VALUES),
    "attribute": ("operation/Narrow/f32", "[0:2, 1:3]", "[0:2, 0:2]", VALUES),
    "shape": ("operation/Reshape/f32", "tensor<4x3xf32>", "tensor<3x4xf32>", VALUES),
    "shape that does not fit": ("operation/Reshape/f32", "tensor<4x3xf32>", "tensor<4x2xf32>", ALL),
    "name of an operation": ("operation/Add/f32", "stablehlo.add", "stablehlo.addd", ALL),
}


def made(engine, modules):
    """The modules with a fault that the engine, or the comparison of its answers, must find."""
    named = {m["name"]: m for m in modules}
    faulty = []
    for what, (name, old, new, engines) in CHANGES.items():
        if engine in engines:
            text = named[name]["module"]
            if old not in text:
                raise ValueError(f"{name} holds no {old}")
            faulty.append(named[name] | {"module": text.replace(old, new), "control": what})
    return faulty


def answers(engine, verdicts):
    """Verdicts over right answers of which bits were changed: the leading ones, and of the exact engine also the last."""
    if engine == "parser":
        return []
    right = next(v for v in verdicts if v.engine == engine and v.module["name"] == "operation/Add/f32" and not control(v))
    result = right.module["results"][0]
    wrong = []
    for what, flip in {"bits of an answer": 0x00800000, "last bit of an answer": 1}.items():
        if flip > 1 or engine == "interpreter":
            bits = [f"{int(result['bits'][0], 16) ^ flip:08x}", *result["bits"][1:]]
            wrong.append(judge.Verdict(engine, right.module | {"control": what}, {"results": [result | {"bits": bits}]}))
    return wrong


def control(verdict):
    """What was changed on purpose, or nothing."""
    return verdict.module.get("control")


def unnoticed(verdicts):
    """One line for each fault made on purpose that nothing noticed."""
    return [f"{v.engine}: a changed {control(v)} passes" for v in verdicts if not v.fault()]
