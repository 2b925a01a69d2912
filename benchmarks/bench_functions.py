#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares functions of arrays in Python with those of NumPy, SciPy and PyTorch.

    bench_functions.py [--package FOLDER] [--filter TEXT] [--rounds N] [--seconds S] [--threads N]
                       [--results FOLDER]

Cases come from the files of functions/, which says how one is added.  Every answer is compared with that
of the first peer before the clock starts; one that is wrong is not timed, and the exit code is 1.  Then the
libraries take turns in so many rounds; a figure is the median of all its times.  A case that takes longer
compared with the fastest peer than its limit is measured a second time, and marked if it does so again.  A library
that this interpreter does not have is left out, and a line says so.

The table goes to the standard output as Markdown, with --results also to DATE-functions.md and .json.
"""

import argparse
import datetime
import importlib
import os
import pathlib
import statistics
import sys

from peers_harness import measure, middle, number, processor, write_results

HERE = pathlib.Path(__file__).parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=pathlib.Path, default=pathlib.Path("build/release/python"),
                        help="folder in which the package `gaia` lies")
    parser.add_argument("--filter", default="", help="cases whose name has this text")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each library in each round, about")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path, help="folder of DATE-functions.md and .json")
    return parser.parse_args()


def find_peers(threads):
    """The libraries to compare with, and the versions of all."""
    import numpy as np
    from functions import Peers
    import gaia
    gaia.set_num_threads(threads)
    peers, versions = Peers(), [f"gaia {gaia.__version__}", f"NumPy {np.__version__}"]
    for name in ("scipy", "torch"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"{name}: left out, {sys.executable} does not have it", file=sys.stderr)
            continue
        setattr(peers, name, module)
        versions.append(f"{name} {module.__version__}")
    if peers.torch:
        peers.torch.set_num_threads(threads)
    return peers, versions


def arrays_of(answer):
    """An answer as a list of NumPy's arrays: that of several parts, and complex numbers, part by part."""
    import gaia
    import numpy as np
    if isinstance(answer, gaia.Complex):
        return [np.asarray(answer)]
    if isinstance(answer, (tuple, list)):
        return [array for part in answer for array in arrays_of(part)]
    if isinstance(answer, gaia.Tensor):
        answer = answer.detach().value
    return [np.asarray(answer)]


def difference(answer, wanted):
    """The largest one, relative to the largest number that is wanted; infinite where shapes or NaN differ."""
    import numpy as np
    ours, theirs = arrays_of(answer), arrays_of(wanted)
    if len(ours) != len(theirs):
        return float("inf")
    worst = 0.0
    for a, b in zip(ours, theirs):
        if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return float("inf")
        here = np.isfinite(b)
        if here.any():
            a, b = a[here] + 0.0, b[here] + 0.0
            largest = np.abs(b).max()
            worst = max(worst, float(np.abs(a - b).max() / (largest if largest > 0.0 else 1.0)))
    return worst


def check(case):
    """What is wrong with the answers of a case, by library."""
    names = list(case.ways)
    wanted = case.answer(case.ways[names[1]]())
    wrong = {}
    for name in names:
        if name != names[1]:
            worst = difference(case.answer(case.ways[name]()), wanted)
            if not worst <= case.tolerance:
                wrong[name] = f"differs from {names[1]} by {worst:.2g}, expected at most {case.tolerance:.2g}"
    return wrong


def times_of(case, settings):
    """Times by library, in seconds; libraries take turns."""
    times = {name: [] for name in case.ways}
    for _ in range(settings.rounds):
        for name, call in case.ways.items():
            times[name] += measure(call, 1000, settings.seconds, sample_seconds=settings.seconds / 20)[0]
    return times


def row_of(case, times, attempts):
    medians = {name: middle(measured) for name, measured in times.items()}
    best = min((name for name in medians if name != "gaia"), key=lambda name: medians[name][0])
    return {"name": case.name, "limit": case.limit, "attempts": attempts, "best": best,
            "ratio": medians["gaia"][0] / medians[best][0],
            "seconds": {name: median for name, (median, _) in medians.items()},
            "spread": {name: spread for name, (_, spread) in medians.items()}}


def measure_case(case, settings):
    """The row of a case, measured again if it takes too long."""
    row = row_of(case, times_of(case, settings), 1)
    if row["ratio"] > case.limit:
        again = row_of(case, times_of(case, settings), 2)
        row = min(row, again, key=lambda one: one["ratio"]) | {"attempts": 2}
    return row


def markdown(result):
    context = result["context"]
    peers = [name for name in ("numpy", "scipy", "torch")
             if any(name in row["seconds"] for row in result["rows"])]
    lines = [f"# Functions from Python, {context['date']}", "",
             f"{context['cpu']}, {context['threads']} thread(s); {', '.join(context['versions'])}. Made by "
             "`benchmarks/bench_functions.py`, which says what is measured. Medians of "
             f"{context['rounds']} rounds, in microseconds. Load of the machine when it began and ended: "
             f"{context['load'][0]:.1f} and {context['load'][1]:.1f} on {context['processors']} processors.",
             "", f"| case | gaia | {' | '.join(peers)} | times the fastest | limit |",
             f"|---|---|{'---|' * len(peers)}---|---|"]
    for row in result["rows"]:
        cells = [number(1e6 * row["seconds"][name]) if name in row["seconds"] else "" for name in peers]
        mark = " **slower**" if row["ratio"] > row["limit"] else ""
        lines.append(f"| {row['name']} | {number(1e6 * row['seconds']['gaia'])} | {' | '.join(cells)} | "
                     f"{row['ratio']:.2f}{mark} | {row['limit']:g} |")
    ratios = [row["ratio"] for row in result["rows"]]
    if ratios:
        slower = sum(row["ratio"] > row["limit"] for row in result["rows"])
        lines += ["", f"{len(ratios)} cases; median {statistics.median(ratios):.2f} times the fastest peer; {slower} "
                  "over the limit."]
    return "\n".join(lines) + "\n"


def main():
    settings = parse_arguments()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(settings.threads)  # before NumPy is loaded
    sys.path[:0] = [str(settings.package.resolve()), str(HERE)]
    load = [os.getloadavg()[0]]
    peers, versions = find_peers(settings.threads)
    rows, failed = [], False
    for file in sorted((HERE / "functions").glob("[a-z]*.py")):
        for case in importlib.import_module(f"functions.{file.stem}").cases(peers):
            if settings.filter not in case.name:
                continue
            if wrong := check(case):
                failed = True
                for name, what in wrong.items():
                    print(f"{case.name}: {name} {what}; nothing measured", file=sys.stderr)
                continue
            print(case.name, file=sys.stderr, flush=True)
            rows.append(measure_case(case, settings))
    result = {"context": {"date": datetime.date.today().isoformat(), "cpu": processor(),
                          "threads": settings.threads, "rounds": settings.rounds, "versions": versions,
                          "processors": os.cpu_count(), "load": [*load, os.getloadavg()[0]]}, "rows": rows}
    text = markdown(result)
    print(text, end="")
    if settings.results:
        write_results(settings.results, "functions", text, result)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
