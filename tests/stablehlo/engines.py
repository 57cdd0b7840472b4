"""Runs StableHLO modules on one engine, many in one process.

    python engines.py parser|interpreter|xla|iree MODULES.jsonl SKIP

Each line of the file is a module with its arguments: {"name", "module", "arguments": [{"shape", "element", "bits"}]}. The first SKIP
lines are passed over. Answers are lines on stdout: `begin` before each module, so that whoever reads knows which one ended the process
(the reference interpreter aborts on what it lacks), then one JSON object {"results": [...]} or {"refused": reason}. stderr must be a
file: it holds what the engine said of the module at hand.
"""

import json
import os
import sys
import warnings

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
warnings.filterwarnings("ignore")

import ml_dtypes  # noqa: E402
import numpy  # noqa: E402

ELEMENTS = {"f16": numpy.dtype(numpy.float16), "bf16": numpy.dtype(ml_dtypes.bfloat16),
            "f32": numpy.dtype(numpy.float32), "f64": numpy.dtype(numpy.float64)}
WORDS = {2: numpy.uint16, 4: numpy.uint32, 8: numpy.uint64}


def array(payload):
    """An array of the payload's very bits."""
    element = ELEMENTS[payload["element"]]
    words = numpy.frombuffer(bytes.fromhex("".join(payload["bits"])), f">u{element.itemsize}").astype(WORDS[element.itemsize])
    if len(words) == 1:
        words = numpy.repeat(words, int(numpy.prod(payload["shape"], dtype=int)))
    return words.view(element).reshape(payload["shape"])


def payload(values):
    values = numpy.asarray(values)
    element = next(name for name, kind in ELEMENTS.items() if kind == values.dtype)
    width = values.dtype.itemsize
    digits = numpy.ascontiguousarray(values).reshape(-1).view(WORDS[width]).astype(f">u{width}").tobytes().hex()
    return {"shape": list(values.shape), "element": element, "bits": [digits[at : at + 2 * width] for at in range(0, len(digits), 2 * width)]}


class Refused(Exception):
    """An engine does not take a module; the text is the reason."""


def said():
    """What the engine wrote to stderr about the module at hand."""
    os.lseek(2, 0, os.SEEK_SET)
    return os.read(2, 1 << 20).decode(errors="replace")


class Parser:
    """StableHLO's own parser and verifier, and what they print, read again."""

    def __init__(self):
        from jaxlib.mlir import ir
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext
        from jaxlib.mlir.dialects import chlo, stablehlo
        self.ir, self.stablehlo, self.chlo = ir, stablehlo, chlo
        self.registry = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(self.registry)
        stablehlo.register_stablehlo_passes()
        self.kept, self.uses = None, 0

    def context(self):
        """A new one now and then, since what a context has read stays in it."""
        self.uses += 1
        if self.uses % 20 != 1:
            return self.kept
        self.kept = made = self.ir.Context()
        made.append_dialect_registry(self.registry)
        made.load_all_available_dialects()
        self.stablehlo.register_dialect(made)
        self.chlo.register_dialect(made)
        return made

    def parsed(self, text):
        try:
            module = self.ir.Module.parse(text)
            module.operation.verify()
        except self.ir.MLIRError as error:
            raise Refused(str(error)) from None
        return module

    def without_chlo(self, module):
        """chlo is no part of StableHLO: its operations are spelled out."""
        from jaxlib.mlir.passmanager import PassManager
        PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))").run(module.operation)
        return module

    def run(self, text, arguments):
        with self.context() as context, self.ir.Location.unknown():
            module = self.parsed(text)
            main = next(op for op in module.body.operations if op.operation.name == "func.func")
            taken = [str(kind) for kind in main.type.inputs]
            given = [f"tensor<{'x'.join([*map(str, a['shape']), a['element']])}>" for a in arguments]
            if taken != given:
                raise Refused(f"the module takes {taken}, its arguments are {given}")
            for generic in (False, True):
                printed = module.operation.get_asm(print_generic_op_form=generic)
                if self.parsed(printed).operation.get_asm(print_generic_op_form=generic) != printed:
                    raise Refused("what the parser prints is read as something else")
            plain, version = str(self.without_chlo(module)), self.stablehlo.get_current_version()
            kept = self.stablehlo.serialize_portable_artifact_str(plain, version)
            again = str(self.stablehlo.deserialize_portable_artifact(context, kept))
            if self.stablehlo.serialize_portable_artifact_str(again, version) != kept:
                raise Refused("the portable artifact is read back as something else")
        return []


class Interpreter(Parser):
    """StableHLO's reference interpreter."""

    def attribute(self, given):
        values = array(given)
        kind = self.ir.Type.parse(given["element"])
        return self.ir.DenseElementsAttr.get(values.view(WORDS[values.dtype.itemsize]), type=kind, shape=given["shape"])

    def widened(self, module):
        """Has the module answer f32 for what Python cannot read out of an attribute. That loses no bit."""
        ir = self.ir
        main = next(op for op in module.body.operations if op.operation.name == "func.func")
        last = list(main.entry_block.operations)[-1]
        elements, kinds = [], []
        for at, value in enumerate(last.operands):
            kind = ir.RankedTensorType(value.type)
            elements.append(str(kind.element_type))
            if elements[-1] == "bf16":
                kind = ir.RankedTensorType.get(kind.shape, ir.F32Type.get())
                with ir.InsertionPoint(last):
                    last.operands[at] = self.stablehlo.ConvertOp(kind, value).result
            kinds.append(kind)
        main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(main.type.inputs, kinds))
        return elements

    def run(self, text, arguments):
        with self.context() as context, self.ir.Location.unknown():
            self.stablehlo.register_interpreter_dialect(context)
            module = self.without_chlo(self.parsed(text))
            elements = self.widened(module)
            try:
                answers = self.stablehlo.eval_module(module, [self.attribute(a) for a in arguments])
            except (ValueError, RuntimeError) as error:
                raise Refused(str(error)) from None
            results = []
            for answer, element in zip(answers, elements, strict=True):
                shape = self.ir.RankedTensorType(answer.type).shape
                flat = numpy.array(answer) if not answer.is_splat else numpy.full(shape, answer.get_splat_value().value)
                results.append(payload(flat.reshape(shape).astype(ELEMENTS[element])))
            return results


class XLA(Parser):
    """XLA's compiler for this machine's processor, through jax's client."""

    def __init__(self):
        super().__init__()
        import jax
        import jax.extend.backend
        from jaxlib import _jax
        jax.config.update("jax_enable_x64", True)
        self.put = jax.device_put
        self.client = jax.extend.backend.get_backend("cpu")
        self.options = _jax.CompileOptions()
        self.options.num_replicas = self.options.num_partitions = 1
        self.devices = _jax.DeviceList(tuple(self.client.local_devices()[:1]))

    def run(self, text, arguments):
        with self.context(), self.ir.Location.unknown():
            module = self.parsed(text)
            try:
                program = self.client.compile_and_load(module, self.devices, self.options)
                run = program.execute_sharded([self.put(array(a)) for a in arguments])
                answers = [a[0] for a in run.disassemble_into_single_device_arrays()]
                return [payload(numpy.asarray(a)) for a in answers]
            except RuntimeError as error:
                raise Refused(str(error)) from None


class IREE:
    """IREE's compiler and runtime, with its own parser."""

    FLAGS = ("--iree-input-type=stablehlo", "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
             "--iree-llvmcpu-target-cpu=host", "--iree-input-demote-f64-to-f32=false")

    def __init__(self):
        from iree import runtime
        from iree.compiler import api
        self.api, self.runtime = api, runtime
        self.configuration = runtime.Config("local-sync")

    def compiled(self, text):
        api = self.api
        with api.Session() as session:
            session.set_flags(*self.FLAGS)
            source = api.Source.wrap_buffer(session, text.encode() + b"\0")
            with session.invocation() as invocation:
                invocation.enable_console_diagnostics()
                if not invocation.parse_source(source) or not invocation.execute():
                    raise Refused(said())
                output = api.Output.open_membuffer()
                invocation.output_vm_bytecode(output)
                return bytes(output.map_memory())

    def run(self, text, arguments):
        runtime = self.runtime
        module = runtime.VmModule.copy_buffer(self.configuration.vm_instance, self.compiled(text))
        try:
            main = runtime.load_vm_module(module, self.configuration)["main"]
            answers = main(*[array(a) for a in arguments])
        except (RuntimeError, ValueError) as error:
            raise Refused(str(error)) from None
        if not isinstance(answers, (tuple, list)):
            answers = [answers]
        return [payload(a.to_host()) for a in answers]


ENGINES = {"parser": Parser, "interpreter": Interpreter, "xla": XLA, "iree": IREE}


def main(name, path, skip):
    engine = ENGINES[name]()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    with open(path, encoding="utf-8") as lines:
        for at, line in enumerate(lines):
            if at < int(skip):
                continue
            case = json.loads(line)
            os.ftruncate(2, 0)
            os.lseek(2, 0, os.SEEK_SET)
            print("begin", file=answers, flush=True)
            try:
                answer = {"results": engine.run(case["module"], case["arguments"])}
            except Refused as refusal:
                answer = {"refused": str(refusal)}
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
