#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs an implementation of local learning rules on the conformance vectors.

    run.py PROGRAM_OR_ADAPTER [VECTORS]

A name that ends in .py is an adapter: a module with can(case), which says why it cannot run a case or None,
and run(case), which returns what came out (README.md).  Cases that it names in KNOWN, with a reason, are known to
differ.  Anything else is taken for gaia's program.
Tells of every case the largest difference.  Exit codes: 0 all that could be run agree, but those known to differ;
1 one does not, one that is known to differ agrees, an adapter failed, or nothing could be run; 77 h5py or NumPy is
missing.
"""
import argparse
import importlib.util
import pathlib
import re
import shutil
import sys
import traceback
import types

if not all(importlib.util.find_spec(name) for name in ("h5py", "numpy")):
    print("h5py or NumPy is not installed")
    sys.exit(77)
import h5py
import numpy

HERE = pathlib.Path(__file__).resolve().parent
LAYOUT = 1                        # of the file: the first number of its version
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


class Case:
    """One case of the file.

    name, family, rule, neuron, equations, source, note, activation, normalization, memory_across_trials
    x [ticks, n_in] (of several streams [streams, ticks, n_in]), weights_initial [n_out, n_in]
    parameters, memory: numbers by name;  traces: time constants by name, numbers or names of parameters
    signals: by name pairs of what it is of ("layer", "neuron" or "labels") and its values
    seed: of random numbers;  draws: [ticks, n_out] for each call of uniform() or normal() in the text
    streams (0: one series, without an axis), trial_start, learning_ticks (ticks that learn, from 0)
    bound, bounds (low, high), homeostasis (target, strength): None where there is none
    ticks: how many ticks were done where weights, memory/..., trace/... and eligibility are compared
    expected: by name the arrays that should come out
    """

    def __init__(self, group):
        attributes = {name: value.item() if isinstance(value, numpy.generic) else value
                      for name, value in group.attrs.items()}
        self.name = group.name.strip("/")
        for name in ("family", "rule", "neuron", "equations", "source", "note", "activation", "normalization",
                     "memory_across_trials", "streams", "learning_ticks", "seed"):
            setattr(self, name, attributes[name])
        self.bound = attributes.get("bound")
        self.bounds = self._pair(attributes, "bounds_low", "bounds_high")
        self.homeostasis = self._pair(attributes, "homeostasis_target", "homeostasis_strength")
        self.parameters, self.memory, self.traces = (
            {name[len(prefix):]: value for name, value in attributes.items()
             if name.startswith(prefix) and name != "memory_across_trials"}
            for prefix in ("parameter_", "memory_", "trace_"))
        self.x, self.weights_initial = group["x"][...], group["weights_initial"][...]
        self.trial_start = group["trial_start"][...]
        self.signals = {name: (data.attrs["of"], data[...]) for name, data in group.get("signal", {}).items()}
        self.draws = [data[...] for _, data in sorted(group.get("draw", {}).items())]
        self.ticks = [int(tick) for tick in group["expected/ticks"][...]]
        self.expected = {}
        group["expected"].visititems(self._expect)

    def _expect(self, name, item):
        if isinstance(item, h5py.Dataset) and name != "ticks":
            self.expected[name] = item[...]

    @staticmethod
    def _pair(attributes, one, other):
        return (attributes[one], attributes[other]) if one in attributes else None

    def keep_the_end(self):
        """Leaves of what is compared at several ticks the last one."""
        self.ticks = self.ticks[-1:]
        self.expected = {name: values if name == "y" else values[-1:] for name, values in self.expected.items()}


def difference(found, expected):
    """Largest difference, relative to the largest number that is expected."""
    found = numpy.asarray(found, dtype=float)
    if found.shape != expected.shape:
        return numpy.inf, f"has the shape {list(found.shape)} in place of {list(expected.shape)}"
    apart = numpy.abs(found - expected)
    largest = numpy.abs(expected).max(initial=0.0)
    apart = numpy.where(numpy.isnan(apart), numpy.inf, apart) / (largest if largest > 0 else 1.0)
    place = numpy.unravel_index(int(apart.argmax()), apart.shape)
    where = f"{[int(at) for at in place]} is {found[place]!r}, expected {expected[place]!r}"
    return float(apart.max()), where


def compare(case, found):
    """The largest difference of a case, and of which number it is."""
    worst, why = 0.0, ""
    for name in ("y", "weights"):
        if name not in found:
            return numpy.inf, f"{name} is missing"
    for name in found:
        if name not in case.expected:
            return numpy.inf, f"{name} is not a result of this case"
    for name, values in found.items():
        apart, where = difference(values, case.expected[name])
        if apart > worst:
            worst, why = apart, f"{name} {where}"
    return worst, why


def load(path):
    specification = importlib.util.spec_from_file_location("adapter", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def run_all(adapter, cases, tolerance, quiet=False):
    """Whether all cases that the adapter can run agree; prints a line for each."""
    counts = {"passed": 0, "failed": 0, "left out": 0, "known to differ": 0}
    known = getattr(adapter, "KNOWN", {})
    for case in cases:
        reason = adapter.can(case)
        if reason:
            counts["left out"] += 1
            if not quiet:
                print(f"  -       {case.name}: left out, {reason}")
            continue
        try:
            worst, why = compare(case, adapter.run(case))
        except Exception as error:                       # an adapter is anybody's code
            worst, why = numpy.inf, f"{type(error).__name__}: {error}"
            if not isinstance(error, RuntimeError):
                traceback.print_exc()
        passed = worst <= tolerance
        if case.name in known:
            counts["failed" if passed else "known to differ"] += 1
            if passed:
                print(f"FAILED    {case.name}: agrees, and KNOWN says that it differs: {known[case.name]}")
            elif not quiet:
                print(f"  known   {case.name}: {worst:.3g}; {known[case.name]}")
            continue
        counts["passed" if passed else "failed"] += 1
        if not passed:
            print(f"FAILED    {case.name}: {worst:.3g}; {why}")
        elif not quiet:
            print(f"  {worst:7.1e} {case.name}")
    if not known:
        del counts["known to differ"]
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + f"; tolerance {tolerance:g}")
    return counts["failed"] == 0 and counts["passed"] > 0


def read(path, only=""):
    with h5py.File(path) as file:
        version = str(file.attrs["version"])
        if version.partition(".")[0] != str(LAYOUT):
            raise SystemExit(f"{path}: version {version} of the vectors; this run.py reads {LAYOUT}.x: take the one "
                             "that came with the file")
        return [Case(group) for name, group in file.items() if re.search(only, name)]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("implementation", metavar="PROGRAM_OR_ADAPTER")
    parser.add_argument("vectors", metavar="VECTORS", nargs="?", default=HERE / "vectors.h5")
    parser.add_argument("--dtype", choices=sorted(TOLERANCE), default="float64")
    parser.add_argument("--tolerance", type=float, help="default 1e-12, of float32 1e-4")
    parser.add_argument("--only", default="", help="cases whose name has this regular expression in it")
    parser.add_argument("--ends", action="store_true", help="weights and memories at the last tick alone")
    parser.add_argument("--quiet", action="store_true", help="only cases that fail")
    parser.add_argument("--executor", default="chunkwise", help="of gaia: chunkwise or stepwise")
    parser.add_argument("--threads", type=int, default=1, help="of gaia")
    parser.add_argument("--blocks", type=int, default=0, help="of gaia: cuts the series every so many steps")
    parser.add_argument("--named", action="store_true", help="of gaia: `rule: NAME` in place of equations")
    options = parser.parse_args(arguments)
    is_adapter = options.implementation.endswith(".py")
    found = options.implementation if is_adapter else shutil.which(options.implementation)
    if not found or not pathlib.Path(found).is_file():
        parser.error(f"{options.implementation} is neither an adapter's file nor a program that can be run")
    options.implementation = str(pathlib.Path(found).resolve())
    adapter = load(options.implementation if is_adapter else HERE / "adapters" / "gaia_program.py")
    if hasattr(adapter, "start"):
        adapter.start(types.SimpleNamespace(**vars(options)))
    tolerance = TOLERANCE[options.dtype] if options.tolerance is None else options.tolerance
    cases = read(options.vectors, options.only)
    if not options.quiet:
        with h5py.File(options.vectors) as file:
            print(f"vectors {file.attrs['version']}, {len(cases)} cases")
    if options.ends:
        for case in cases:
            case.keep_the_end()
    return 0 if run_all(adapter, cases, tolerance, options.quiet) else 1


if __name__ == "__main__":
    sys.exit(main())
