#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares libraries with the papers, rule by rule, and writes docs/conformance.md and, beside it, differences.md.

    compare.py [--python PYTHON]... [--gaia PROGRAM] [--output OUT.md] [ADAPTER...]

Runs every adapter (default: all of adapters/ that name a library) in a process of its own, with the Python where the
libraries are installed, on the cases of vectors.h5 that are a rule with a name; gaia's program too where it is
given.  A library that is not installed is left out, and the page says so.  Same input, same bytes.
Exit codes: 0 written; 1 an adapter failed, or what it says of a deviation is not so; 77 h5py or NumPy is missing.
"""
import argparse
import copy
import importlib.metadata
import itertools
import json
import os
import pathlib
import subprocess
import sys
import traceback
import types
import warnings

import run as runner  # exits with 77 where h5py or NumPy is missing
import numpy as np
import readings

HERE = pathlib.Path(__file__).resolve().parent
RULES = ("hebbian", "anti_hebbian", "oja", "anti_oja", "oja_subspace", "sanger", "bcm", "law_cooper", "covariance",
         "abcd", "foldiak_trace", "competitive", "online_k_means", "macqueen", "softhebb", "krotov_hopfield", "stdp",
         "stdp_multiplicative", "stdp_soft_bounds", "triplet_stdp", "reward_stdp", "intrinsic_plasticity", "lif",
         "delta", "perceptron", "logistic", "nlms")
COLUMNS = ("gaia", "NumPy by hand", "PyTorch by hand", "Brian2", "NEST", "Nengo", "BindsNET", "SpikingJelly",
           "snnTorch", "Norse", "Sinabs", "Inferno", "ngc-learn", "ReservoirPy", "scikit-learn", "MiniSom", "river",
           "padasip", "adaptfilt")
MISSING = 3                       # exit code of a process whose library is not installed
reference = runner.load(HERE / "adapters" / "numpy_by_hand.py")


# ------------------------------------------------------------------------------ one library, in its process

def small_cases(case, most):
    """Cases of the same rule from the smallest on: few neurons, inputs and ticks, and few numbers that are not 0."""
    spiking = "spike" in case.signals or case.name == "lif"
    weights = np.array([[0.5, 0.25], [0.25, 0.75]])
    scales = (1, -1) if not spiking else (1, 3) if case.name == "lif" else (1, 1 / 16)
    least = int(case.parameters.get("k", 1))
    shapes = sorted(((n_out, n_in, ticks) for n_out in (1, 2) for n_in in (1, 2) for ticks in (1, 2, 3, 4)
                     if n_out >= least), key=lambda shape: (np.prod(shape), shape[2]))
    count = 0
    for n_out, n_in, ticks in shapes:
        own = ticks * n_out if case.signals.keys() & {"spike", "target"} else 0
        places = ticks * n_in + own
        if places > 8:
            continue
        for numbers in sorted(itertools.product((0.0, 1.0), repeat=places), key=sum):
            for scale in scales:
                count += 1
                if count > most:
                    return
                x = np.array(numbers[:ticks * n_in]).reshape(ticks, n_in)
                if not x.any():
                    continue
                small = copy.copy(case)
                small.x, small.weights_initial = x, weights[:n_out, :n_in] * scale
                small.ticks, small.trial_start = list(range(1, ticks + 1)), np.array([0])
                small.learning_ticks = ticks
                small.signals = {}
                for name in case.signals:
                    values = np.array(numbers[ticks * n_in:]).reshape(ticks, n_out)
                    small.signals[name] = ("layer", np.ones(ticks)) if name == "reward" else ("neuron", values)
                yield small


def expected(case, rule=None):
    """What NumPy computes of a case, by its rule or by another function in its place."""
    return reference.run(case, rule)


def seen(found):
    """What can be seen from outside: no memories and traces."""
    return {name: found[name] for name in ("y", "weights")}


def smallest(case, run, tolerance, most):
    """The first of the small cases where answers or weights of the library and of the paper are apart."""
    for small in small_cases(case, most):
        small.expected = expected(small)
        try:
            found = run(small)
        except Exception:                                # a library may refuse so small a case
            continue
        worst, _ = runner.compare(small, seen(found))
        if worst > tolerance and np.isfinite(worst):
            return told(small, small.expected, found)
    return None


def told(case, paper, library):
    """A case and both results as plain numbers."""
    return {
        "x": case.x.tolist(), "weights_initial": case.weights_initial.tolist(), "parameters": case.parameters,
        "memory": case.memory,
        "signals": {name: np.asarray(values).tolist() for name, (_, values) in case.signals.items()},
        "y": [paper["y"].tolist(), library["y"].tolist()],
        "weights": [paper["weights"].tolist(), library["weights"].tolist()]}


def where_apart(case, found, tolerance):
    """In words, the first place of a case where the library is apart (used where no small case shows it)."""
    for name in ("y", "weights"):
        difference = np.abs(found[name] - case.expected[name]) > tolerance * np.abs(case.expected[name]).max()
        if difference.any():
            place = tuple(np.argwhere(difference)[0])
            tick = place[0] + 1 if name == "y" else case.ticks[place[0]]
            return (f"in the case itself, after tick {tick}, where {name} {[int(at) for at in place[1:]]} is "
                    f"{digits(case.expected[name][place])} by the paper and {digits(found[name][place])} by the "
                    "library")
    return "in a memory or trace only"


def while_finite(case, run):
    """The ticks of a case before the library's numbers run away, all of them where they do not."""
    y = np.abs(np.asarray(run(case)["y"], dtype=float)).max(axis=1)
    away = np.flatnonzero(~(y < 1e6))
    if not len(away):
        return case
    short = copy.copy(case)
    short.x = case.x[:away[0]]
    short.ticks = [tick for tick in case.ticks if tick <= away[0]]
    short.signals = {name: (of, values[:away[0]]) for name, (of, values) in case.signals.items()}
    return short


def looked_into(adapter, case, others, deviation, tolerance):
    """A deviation that an adapter names, checked: (what is written, what is wrong about it)."""
    run, problems = deviation.run or adapter.run, []
    found = run(case)
    worst, why = runner.compare(case, found)
    if worst <= tolerance:
        problems.append(f"{case.name}: is said to differ by its {deviation.kind} and does not")
    if deviation.reading:
        again = copy.copy(while_finite(case, run))
        again.expected = expected(again, deviation.reading)
        worst, why = runner.compare(again, seen(run(again)))
        if worst > tolerance:
            problems.append(f"{case.name}: is not what its reading computes: {worst:.3g}; {why}")
    if deviation.variant:
        other = others[deviation.variant]
        worst, why = runner.compare(other, seen(run(other)))
        if worst > tolerance:
            problems.append(f"{case.name}: is not the variant {deviation.variant}: {worst:.3g}; {why}")
    if not readings.of(case.name, deviation.kind):
        problems.append(f"{case.name}: readings.py has none of its {deviation.kind}")
    example = smallest(case, run, tolerance, getattr(adapter, "SMALL_CASES", 400))
    return {"kind": deviation.kind, "text": deviation.text, "variant": deviation.variant, "example": example,
            "allowed": deviation.allowed, "default": deviation.run is not None,
            "place": "" if example else where_apart(case, found, tolerance)}, problems


def load(path, gaia):
    adapter = runner.load(path)
    if gaia:                          # the adapter of a program: it is given which, and has no package in this Python
        adapter.start(types.SimpleNamespace(implementation=gaia, executor="chunkwise", threads=1, blocks=0, named=True,
                                            dtype="float64"))
        version = subprocess.run([gaia, "--version"], check=True, text=True, capture_output=True).stdout.split()[1]
        adapter.LIBRARY, adapter.PACKAGES, adapter.DTYPE, adapter.VERSIONS = "gaia", (), "float64", {"gaia": version}
        adapter.__doc__ = ("This is gaia's program, whose rules and neurons are taken by their names. `run.py PROGRAM` "
                           "without `--named` gives it the equations of each case.")
    return adapter


def one(path, vectors, gaia=""):
    """Verdicts of one adapter on every named rule, as a dict that JSON can hold."""
    adapter = load(path, gaia)
    tolerance = runner.TOLERANCE[adapter.DTYPE]
    cases = {case.name: case for case in runner.read(vectors)}
    rules, problems = {}, []
    for case in cases.values():
        if case.name not in RULES:
            continue
        reason = adapter.can(case)
        if reason:
            rules[case.name] = {"verdict": "cannot", "reason": reason}
            continue
        verdict = {"verdict": "equals", "way": getattr(adapter, "WAYS", {}).get(case.name, ""), "deviations": []}
        try:
            found = adapter.run(case)
            worst, why = runner.compare(case, found)
            if worst > tolerance:
                verdict["verdict"] = "differs"
            deviations = getattr(adapter, "DEVIATIONS", {}).get(case.name, [])
            for deviation in deviations:
                written, wrong = looked_into(adapter, case, cases, deviation, tolerance)
                verdict["deviations"].append(written)
                problems += wrong
            if worst > tolerance and not any(not each["default"] for each in verdict["deviations"]):
                example = smallest(case, adapter.run, tolerance, getattr(adapter, "SMALL_CASES", 400))
                verdict["deviations"].append({
                    "kind": "not explained", "text": "", "variant": "", "allowed": False, "default": False,
                    "example": example, "place": "" if example else where_apart(case, found, tolerance)})
        except Exception as error:                       # an adapter is anybody's code
            traceback.print_exc()
            problems.append(f"{case.name}: {type(error).__name__}: {error}")
            verdict = {"verdict": "failed"}
        rules[case.name] = verdict
    beside = adapter.beside(cases) if hasattr(adapter, "beside") else ""
    return {"library": adapter.LIBRARY, "dtype": adapter.DTYPE, "rules": rules, "problems": problems, "beside": beside,
            "about": " ".join((adapter.__doc__ or "").split()),
            "versions": getattr(adapter, "VERSIONS", {}) | {name: importlib.metadata.version(name)
                                                            for name in adapter.PACKAGES}}


def one_in_its_process(path, vectors, gaia):
    warnings.simplefilter("ignore")
    answer = os.dup(1)                                   # libraries print what they like: it goes to stderr
    os.dup2(2, 1)
    try:
        result = one(path, vectors, gaia)
    except ImportError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        if isinstance(error, ModuleNotFoundError):
            os.write(answer, error.name.encode())
            return MISSING
        return 1
    with os.fdopen(answer, "w") as out:
        json.dump(result, out)
    return 0


# --------------------------------------------------------------------------------------------- the page

def digits(number):
    return f"{number:.6g}" if number else "0"


def numbers(values):
    values = np.asarray(values, dtype=float)
    if values.size == 1:
        return digits(values.item())
    if values.ndim == 1:
        return "(" + ", ".join(map(digits, values)) + ")"
    return "(" + "; ".join(", ".join(map(digits, row)) for row in values) + ")"


def example_table(example):
    """What goes in, and what comes out by the paper and by the library, tick by tick."""
    names = list(example["signals"])
    lines = ["initial weights " + numbers(example["weights_initial"]) + "; "
             + ", ".join(f"{name} {digits(value)}" for name, value in
                         (example["parameters"] | {f"{name} at first": value for name, value in
                                                   example["memory"].items()}).items()), ""]
    shown = {what: values for what, values in (("answer", example["y"]), ("weights", example["weights"]))
             if not np.allclose(*values, rtol=1e-4, atol=1e-6)}
    head = ["tick", "input", *names, *(f"{what}, {whose}" for what in shown for whose in ("paper", "library"))]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for t, x in enumerate(example["x"]):
        row = [str(t + 1), numbers(x), *(numbers(example["signals"][name][t]) for name in names)]
        row += [numbers(values[t]) for both in shown.values() for values in both]
        lines.append("| " + " | ".join(row) + " |")
    return lines


def cell(verdict):
    if verdict["verdict"] == "cannot":
        return "–"
    if verdict["verdict"] == "failed":
        return "failed"
    if verdict["verdict"] == "differs":
        those = [each for each in verdict["deviations"] if not each["default"]]
        return ("convention: " if all(each["allowed"] for each in those) else "**differs**: ") + kinds(those)
    if verdict["deviations"]:
        return f"equals (by default: {kinds(verdict['deviations'])})"
    return "equals"


def kinds(deviations):
    return ", ".join(dict.fromkeys(each["kind"] for each in deviations))


INTRODUCTION = (
    "# What libraries compute, compared with the papers\n"
    "\n"
    "The [conformance vectors](../conformance/README.md) hold small cases of local learning rules, computed from "
    "the equations of their papers by loops that share nothing with any library. Here public libraries run "
    "{count} rules and neurons of the catalogue on them. `conformance/compare.py` made this page.\n"
    "\n"
    "A library takes part with its own learning rule or its own neuron, set up as its documentation says. "
    "Parameters are converted where a library defines them otherwise: a trace that falls by 1/tau of itself, and not "
    "by exp(-1/tau), gets the tau with which both are the same. PyTorch and NumPy have no rules and stand for the "
    "loops that people write by hand; Brian2 has equations in place of rules.\n"
    "\n"
    "- **equals**: answers and weights agree at every tick that is kept, to 1e-12 of the largest number in "
    "float64, and to 1e-4 in float32.\n"
    "- **equals (by default: …)**: they agree with the settings that are named below; set up by default, or as "
    "the documentation writes it, the library differs in what the bracket says.\n"
    "- **convention: …**: no setting that we found makes them agree, and the paper leaves open what they differ "
    "in, above all what happens within one tick of the clock.\n"
    "- **differs: …**: no setting that we found makes them agree, and the paper says otherwise.\n"
    "- **–**: the library has no such rule; the reason stands below.\n"
    "\n"
    "[differences.md](differences.md) describes each difference: what the paper says, how the vectors and the library "
    "read it, and the smallest input that shows it. What a library computes in place of the paper's equations stands "
    "in its adapter as a NumPy function, and the library agrees with that function on the case; where the numbers of "
    "the library diverge, it agrees until they do. Differences are no mistakes by themselves: most are choices that "
    "the documentation states. Anyone who compares numbers of two programs needs to know them.\n")

DIFFERENCES = (
    "# Where libraries and papers differ\n"
    "\n"
    "This page describes each difference of [conformance.md](conformance.md) by itself: what the paper says, how the "
    "[vectors](../conformance/README.md) read it, how the library reads it, and the smallest input that we found to "
    "show it. Such a difference is seldom a mistake. A paper in continuous time has to be cut into ticks, the "
    "documentation of a library may say plainly that it does otherwise, and two papers may use one name. "
    "`conformance/compare.py` made this page and ran every line of it; what is wrong here is a mistake of ours, and we "
    "want to hear of it.\n"
    "\n"
    "*By default* says that there is a setting with which the library equals the vectors.\n")


BY_HAND = ("gaia", "NumPy by hand", "PyTorch by hand")


def summary(results, rules):
    """How often libraries agree, and where they do not, in a sentence or two."""
    cells = [(rule, each["library"], cell(each["rules"][rule])) for rule in rules for each in results
             if each["library"] not in BY_HAND]
    count = {word: sum(text.startswith(word) for _, _, text in cells)
             for word in ("equals", "equals (", "convention", "**differs**")}
    total = count["equals"] + count["convention"] + count["**differs**"]
    said = (f"Without gaia and what is written by hand, the table compares {total} pairs of a rule and a library: "
            f"{count['equals']} equal the paper, {count['equals (']} of them not by default; {count['convention']} "
            f"differ where the paper leaves it open; {count['**differs**']} differ from the paper")
    differing = [f"{library} in {rule}" for rule, library, text in cells if text.startswith("**differs**")]
    return said + (f": {', '.join(differing)}." if differing else ".")


def page(results, missing):
    rules = [rule for rule in RULES if any(rule in each["rules"] for each in results)]
    lines = [INTRODUCTION.format(count=len(rules)), "## Libraries", "", "| library | versions | numbers |",
             "|---|---|---|"]
    for each in results:
        versions = ", ".join(f"{name} {version}" for name, version in each["versions"].items())
        lines.append(f"| {each['library']} | {versions} | {each['dtype']} |")
    if missing:
        lines += ["", f"These are left out, because the Python package is not installed: {', '.join(missing)}."]
    lines += ["", "## Verdicts", "", summary(results, rules), "",
              "| rule | " + " | ".join(each["library"] for each in results) + " |",
              "|---|" + "---|" * len(results)]
    for rule in rules:
        lines.append(f"| {rule} | " + " | ".join(cell(each["rules"][rule]) for each in results) + " |")
    for each in results:
        lines += ["", f"## {each['library']}", "", each["about"]]
        ways = [f"- {rule}: {each['rules'][rule]['way']}." for rule in rules if each["rules"][rule].get("way")]
        if ways:
            lines += ["", "The rules are set up in these ways:", "", *ways]
        if each["beside"]:
            lines += ["", each["beside"]]
        count = sum(len(each["rules"][rule].get("deviations", [])) for rule in rules)
        if count:
            lines += ["", f"[{count} difference{'s' if count > 1 else ''}](differences.md#{anchor(each['library'])})."]
        reasons = {}
        for rule in rules:
            if each["rules"][rule]["verdict"] == "cannot":
                reasons.setdefault(each["rules"][rule]["reason"], []).append(rule)
        if reasons:
            lines += ["", "It cannot express these:", ""]
            lines += [f"- {', '.join(names)}: {reason}." for reason, names in reasons.items()]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def anchor(heading):
    """What a heading is called in an address, as GitHub has it."""
    return "".join(letter for letter in heading.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


def difference(each, rule, deviation):
    """The lines of one difference."""
    lines = ["", f"### {each['library']}, {rule}: {deviation['kind']}", ""]
    text = [deviation["text"].strip()] if deviation["text"] else []
    if deviation["variant"]:
        text.append(f"It equals the case `{deviation['variant']}` of the vectors.")
    text.append("The paper allows it." if deviation["allowed"] else "")
    if any(text):
        where = "By default" if deviation["default"] else "Whatever is set"
        lines += [f"*{where}.* " + " ".join(part for part in text if part), ""]
    for paper, vectors, other in readings.of(rule, deviation["kind"]):
        lines += [f"- The paper: {paper}", f"- Read here: {vectors}", f"- Read otherwise: {other}"]
    way = each["rules"][rule]["way"]
    if deviation["default"] and way:
        lines += ["", f"With these settings it equals the vectors: {way}."]
    if deviation["example"]:
        first, _, *table = example_table(deviation["example"])
        lines += ["", f"This is the smallest input that shows it: {first}.", "", *table]
    else:
        lines += ["", "It shows " + deviation["place"] + "."]
    return lines


def differences(results):
    """The page of all differences, library by library."""
    lines = [DIFFERENCES]
    for each in results:
        told = [(rule, deviation) for rule in RULES for deviation in each["rules"].get(rule, {}).get("deviations", [])]
        if told:
            versions = ", ".join(f"{name} {version}" for name, version in each["versions"].items())
            lines += ["", f"## {each['library']}", "",
                      f"The adapter ran with {versions}, in {each['dtype']}. {each['about']}"]
            for rule, deviation in told:
                lines += difference(each, rule, deviation)
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def adapters():
    return [path for path in sorted((HERE / "adapters").glob("*.py")) if "\nLIBRARY = " in path.read_text()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adapters", metavar="ADAPTER", nargs="*", type=pathlib.Path)
    parser.add_argument("--python", action="append", help="the Python where the libraries are installed; may be given "
                        "several times where one cannot hold them all, and the first that has a library runs it")
    parser.add_argument("--gaia", default="", help="gaia's program, as a column of its own")
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parent / "docs" / "conformance.md")
    parser.add_argument("--vectors", type=pathlib.Path, default=HERE / "vectors.h5")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return one_in_its_process(options.adapters[0], options.vectors, options.gaia)
    results, missing, failed = [], [], False
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "JAX_PLATFORMS": "cpu"}
    peers = [(path, options.python or [sys.executable], []) for path in options.adapters or adapters()]
    if options.gaia:
        program = ["--gaia", str(pathlib.Path(options.gaia).resolve())]
        peers.append((HERE / "adapters" / "gaia_program.py", [sys.executable], program))
    for path, pythons, more in peers:
        for python in pythons:
            ran = subprocess.run([python, __file__, "--one", "--vectors", options.vectors, path, *more],
                                 capture_output=True, text=True, env=environment)
            if ran.returncode != MISSING:
                break
        if ran.returncode == MISSING:
            missing.append(ran.stdout)
            print(f"{path.stem}: left out, {ran.stdout} is not installed")
        elif ran.returncode == 77:
            print(ran.stdout or ran.stderr)
            return 77
        elif ran.returncode != 0:
            print(f"{path.stem}: failed\n{ran.stderr}")
            failed = True
        else:
            result = json.loads(ran.stdout)
            results.append(result)
            counts = [each["verdict"] for each in result["rules"].values()]
            print(f"{path.stem}: " + ", ".join(f"{counts.count(word)} {words}" for word, words in (
                ("equals", "equal"), ("differs", "differ"), ("cannot", "cannot be expressed"), ("failed", "failed"))
                if counts.count(word)))
            for problem in result["problems"]:
                print(f"  WRONG   {problem}")
                failed = True
            if "failed" in counts:
                print(ran.stderr)
    if not results:
        print("no adapter could run")
        return 1
    results.sort(key=lambda each: (COLUMNS.index(each["library"]) if each["library"] in COLUMNS else len(COLUMNS),
                                   each["library"]))
    options.output.write_text(page(results, missing))
    options.output.with_name("differences.md").write_text(differences(results))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
