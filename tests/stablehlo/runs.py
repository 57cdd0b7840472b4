"""Gives modules to an engine in a process of its own, and starts another where one module ends it."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

ENGINES = pathlib.Path(__file__).with_name("engines.py")
HUNG = 600  # seconds without an answer, which no module needs


def reason(text):
    """One line that names why an engine refused, without places, addresses and values."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if re.search(r"\b(error|unsupported|unhandled)\b", line, re.IGNORECASE)] or lines or ["no reason was given"]
    line = re.sub(r"^.*?\berror: ?|^LLVM ERROR: ", "", named[0])
    line = re.sub(r"%[a-z0-9_]+|\bloc\([^)]*\)|0x[0-9a-f]+", "...", line)
    return line.split(". ")[0][:160]


def watched(process):
    """The lines that a process prints; it is killed when none comes for too long."""
    while True:
        watch = threading.Timer(HUNG, process.kill)
        watch.start()
        line = process.stdout.readline()
        watch.cancel()
        if not line:
            return
        yield line


def run(engine, modules):
    """The engine's answer to each module, a dictionary with `results` or `refused`, and how many processes that took."""
    answers, processes = [], 0
    with tempfile.TemporaryDirectory(prefix="topos-stablehlo-") as folder:
        path = pathlib.Path(folder) / "modules.jsonl"
        with path.open("w", encoding="utf-8") as lines:
            for module in modules:
                lines.write(json.dumps({key: module[key] for key in ("name", "module", "arguments")}) + "\n")
        while len(answers) < len(modules):
            processes += 1
            before = len(answers)
            with (pathlib.Path(folder) / "stderr").open("w+", encoding="utf-8", errors="replace") as stderr:
                command = [sys.executable, str(ENGINES), engine, str(path), str(before)]
                begun = False
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, stdin=subprocess.DEVNULL, text=True) as process:
                    for line in watched(process):
                        begun = line == "begin\n"
                        if not begun:
                            answers.append(json.loads(line))
                stderr.seek(0)
                said = stderr.read()
            if len(answers) == len(modules):
                break
            if not begun:
                raise RuntimeError(f"{engine} does not start: {said[-2000:]}")
            answers.append({"refused": "it ends the process: " + (reason(said) if said.strip() else f"status {process.returncode}")})
    for answer in answers:
        if "refused" in answer:
            answer["refused"] = reason(answer["refused"])
    return answers, processes
