# SPDX-License-Identifier: MIT
"""Runs a case with gaia's program: an experiment as YAML, its series as CSV, the numbers from its results.

What is there only at the end of a run (weights, memories, traces, eligibility) is read from runs of as
many steps as were done at the ticks that are compared.
"""
import functools
import json
import pathlib
import shutil
import subprocess
import tempfile

import h5py
import numpy

OPTIONS = None
FOLDER = tempfile.TemporaryDirectory(prefix="conformance-")


def start(options):
    global OPTIONS
    OPTIONS = options


@functools.lru_cache
def names_of(kind):
    """Names that the key `rule` or `neuron` takes, from the program's own schema."""
    schema = subprocess.run([OPTIONS.implementation, "schema"], check=True, text=True, capture_output=True).stdout
    names = set()

    def look(node, key=""):
        if isinstance(node, dict):
            if key == kind:
                names.update(name for option in [node, *node.get("anyOf", []), *node.get("oneOf", [])]
                             for name in [*option.get("enum", []), option.get("const")] if name)
            for name, value in node.items():
                look(value, name)
        elif isinstance(node, list):
            for value in node:
                look(value)

    look(json.loads(schema))
    return names


def can(case):
    if case.streams:
        return "the program reads one series"
    if OPTIONS.named and not (case.rule or case.neuron):
        return "no rule with a name"
    for kind, name in (("rule", case.rule), ("neuron", case.neuron)):
        if OPTIONS.named and name and name not in names_of(kind):
            return f"this program has no {kind} {name}"
    return None


def gaia(folder, *arguments):
    done = subprocess.run([OPTIONS.implementation, *arguments], cwd=folder, text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")


@functools.lru_cache
def blank(inputs, neurons):
    """A result whose weights can be overwritten, from which a run takes its initial ones."""
    folder = pathlib.Path(FOLDER.name) / f"blank_{inputs}_{neurons}"
    folder.mkdir()
    (folder / "blank.yaml").write_text(f"""experiment: blank
dtype: {OPTIONS.dtype}
data: {{source: generator, kind: gaussian, spectrum: {[1.0] * inputs}, steps: 1}}
hierarchy: {{learn: false, levels: [{{layers: [{{type: hebbian, size: {neurons}}}]}}]}}
output: {{path: blank.h5}}
""")
    gaia(folder, "run", "blank.yaml", "--quiet")
    return folder / "blank.h5"


def columns_of(case):
    """The series as columns by name; and by signal what the experiment says of it."""
    ticks = len(case.x)
    columns = {f"x{j}": case.x[:, j] for j in range(case.x.shape[1])}
    signals, targets, labels = {}, [], None
    for name, (of, values) in case.signals.items():
        if of == "labels":
            labels, signals[name] = "label", "labels"
            columns["label"] = ["" if value < 0 else str(value) for value in values]
        elif of == "layer":
            signals[name] = f"s_{name}"
            columns[f"s_{name}"] = values
            targets.append(f"s_{name}")
        else:
            names = [f"s_{name}_{i}" for i in range(values.shape[1])]
            signals[name] = "[" + ", ".join(names) + "]"
            columns.update({each: values[:, i] for i, each in enumerate(names)})
            targets += names
    if len(case.trial_start) > 1:
        columns["trial"] = [str(sum(start <= t for start in case.trial_start)) for t in range(ticks)]
    return columns, signals, targets, labels


def experiment(case, steps):
    columns, signals, targets, labels = columns_of(case)
    inputs = [name for name in columns if name.startswith("x")]
    data = [f"source: file, path: series.csv, steps: {steps}, columns: [{', '.join(inputs)}]"]
    if targets:
        data.append(f"targets: [{', '.join(targets)}]")
    if labels:
        data.append(f"labels: {labels}")
    if len(case.trial_start) > 1:
        data.append("trials: {column: trial}")
    lines = ["experiment: conformance", f"seed: {case.seed}", f"dtype: {OPTIONS.dtype}", f"data: {{{', '.join(data)}}}", "hierarchy:",
             "  from: initial.h5", f"  executor: {OPTIONS.executor}"]
    if case.learning_ticks == 0:
        lines.append("  learn: false")
    elif case.learning_ticks < len(case.x):
        lines.append(f"  freeze_after: {case.learning_ticks}")
    lines += ["  levels:", "    - layers:", "        - type: hebbian",
              f"          size: {len(case.weights_initial)}"]
    inner = " " * 10
    assigned = {line.split("=")[0].strip() for line in case.equations.splitlines() if "=" in line}
    if OPTIONS.named:
        lines += [f"{inner}rule: {case.rule or 'hebbian'}", f"{inner}neuron: {case.neuron or 'none'}"]
        if not case.rule:
            lines.append(f"{inner}learn: false")
        elif "rate" not in case.parameters:
            lines.append(f"{inner}learning_rate: 1")
        # A key is only where a threshold begins, of what a rule remembers; the rest begins where the catalogue says.
        begins = {name: value for name, value in case.memory.items() if name == "theta"}
        for name, value in (case.parameters | begins).items():
            lines.append(f"{inner}{'learning_rate' if name == 'rate' else name}: {value!r}")
        if signals:
            lines.append(f"{inner}signals: {{{', '.join(f'{name}: {value}' for name, value in signals.items())}}}")
    else:
        lines += [f"{inner}rule:", f"{inner}  equations: |"]
        lines += [f"{inner}    {line}" for line in case.equations.splitlines()]
        for key, values in (("parameters", case.parameters), ("memory", case.memory), ("traces", case.traces),
                            ("signals", signals)):
            if values:
                text = ", ".join(f"{name}: {value}" for name, value in values.items())
                lines.append(f"{inner}  {key}: {{{text}}}")
        if case.memory_across_trials:
            lines.append(f"{inner}  memory_across_trials: true")
    if "y" not in assigned:
        lines.append(f"{inner}activation: {case.activation}")
    if case.bounds:
        lines.append(f"{inner}bounds: {{low: {case.bounds[0]}, high: {case.bounds[1]}}}")
    if case.homeostasis:
        lines.append(f"{inner}homeostasis: {{target: {case.homeostasis[0]}, strength: {case.homeostasis[1]}}}")
    if case.normalization != "none":
        lines.append(f"{inner}normalization: {case.normalization}")
        if case.bound is not None:
            lines.append(f"{inner}bound: {case.bound}")
    weights = f"{{every: {OPTIONS.blocks}}}" if OPTIONS.blocks else "final"
    lines += ["controls: none", f"output: {{path: result.h5, weights: {weights}}}"]
    return "\n".join(lines) + "\n"


def run(case):
    folder = pathlib.Path(tempfile.mkdtemp(prefix=case.name + "-", dir=FOLDER.name))
    shutil.copy(blank(case.x.shape[1], len(case.weights_initial)), folder / "initial.h5")
    with h5py.File(folder / "initial.h5", "r+") as file:
        file["levels/0/layers/0/weights"][...] = case.weights_initial
    columns = columns_of(case)[0]
    with open(folder / "series.csv", "w") as file:
        file.write(",".join(columns) + "\n")
        for t in range(len(case.x)):
            file.write(",".join(values[t] if isinstance(values, list) else repr(float(values[t]))
                                for values in columns.values()) + "\n")
    found = {}
    for steps in case.ticks:
        (folder / "experiment.yaml").write_text(experiment(case, steps))
        gaia(folder, "run", "experiment.yaml", "--quiet", "--overwrite", "--threads", str(OPTIONS.threads))
        with h5py.File(folder / "result.h5") as file:
            layer = file["levels/0/layers/0"]
            y = file["levels/0/representation"][...].astype(float)
            for name in case.expected:
                if name != "y":
                    path = name if name in layer or not OPTIONS.named else "theta"
                    found.setdefault(name, []).append(layer[path][...].astype(float))
    found = {name: numpy.array(values) for name, values in found.items()}
    shutil.rmtree(folder)
    return found | {"y": y}
