#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what gaia costs from Python, compared with gaia in C++, and with NumPy and PyTorch by hand.

    python_speed.py [--program BENCH_OPERATIONS] [--package FOLDER] [--rounds N] [--seconds S]
                    [--threads N] [--results FOLDER]

Two cases of bench_operations: the headline hierarchy, 100 -> 200 -> 400 -> 800 at resolutions 1, 2
and 4, which learns over 10 000 steps; and 10 000 calls of one step of a hierarchy so small that the
call counts.  Every answer is compared with the equations in float64 before the clock starts; one that
is wrong is not timed, and the exit code is 1.  Then the programs take turns, each in a process of its
own, in so many rounds; a figure is the median of all its times.  What this interpreter does not have
is left out, and a line says so.

The table goes to the standard output as Markdown, with --results also to DATE-python.md and .json.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from peers_harness import middle, number, processor, write_results

HERE = pathlib.Path(__file__).parent
HEADLINE = "hierarchy/oja/100x200x400x800/10000/float32"
STEPS = "steps/oja/3x2x2/10000/float32"
COUNT = 10_000  # of steps, in both
TITLES = {"cpp": "gaia in C++", "gaia": "gaia in Python", "numpy": "NumPy by hand",
          "torch": "PyTorch by hand"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/benchmarks/bench_operations")
    parser.add_argument("--package", type=pathlib.Path, default=pathlib.Path("build/release/python"),
                        help="folder in which the package `gaia` lies")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each case in each turn, about")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path, help="folder of DATE-python.md and .json")
    return parser.parse_args()


def turn(program, case, settings):
    """The record of a case and the version of the program, or None where it is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "times.json"
        shared = ["--threads", str(settings.threads), "--seconds", str(settings.seconds),
                  "--json", str(file)]
        if program == "cpp":
            command = [settings.program, "--filter", case, *shared]
        else:
            command = [sys.executable, str(HERE / "peers_cpu.py"), "--peer", program, *shared]
        environment = os.environ | {"PYTHONPATH": str(settings.package.resolve())}
        done = subprocess.run(command, input=case, capture_output=True, text=True, env=environment)
        if done.returncode == 77:
            return None
        if not file.exists():
            sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
        told = json.loads(file.read_text(encoding="utf-8"))
    record = next(row for row in told["benchmarks"] if row["name"] == case)
    if "error_message" in record:
        sys.exit(f"{TITLES[program]}: {case}: {record['error_message']}; nothing measured")
    return record, told["context"]["library"]


def measure(case, programs, settings):
    """Times of a step by program, in microseconds, and the versions."""
    times, versions = {program: [] for program in programs}, {}
    for number_of_round in range(settings.rounds):
        for program in list(times):
            print(f"{case}: round {number_of_round + 1} of {settings.rounds}, {TITLES[program]}",
                  file=sys.stderr, flush=True)
            told = turn(program, case, settings)
            if told is None:
                print(f"{TITLES[program]}: left out, {sys.executable} does not have it",
                      file=sys.stderr)
                del times[program]
                continue
            record, versions[program] = told
            times[program] += [one / COUNT for one in record.get("times", [record["real_time"]])]
    return times, versions


def row_of(case, program, times, own):
    """What a table says of a program; `own` are the times of C++."""
    median, spread = middle(times)
    return {"name": case, "program": TITLES[program], "microseconds": median, "fastest": min(times),
            "spread": spread, "times_cpp": median / statistics.median(own),
            "fastest_times_cpp": min(times) / min(own)}


def markdown(result):
    context = result["context"]
    lines = [f"# gaia from Python, {context['date']}", "",
             f"{context['cpu']}, {context['threads']} thread(s); {', '.join(context['versions'])}. Made by "
             "`benchmarks/python_speed.py`, which says what is measured. Medians of "
             f"{context['rounds']} rounds; spread: the middle half, relative to the median. Load of the "
             f"machine when it began and ended: {context['load'][0]:.1f} and {context['load'][1]:.1f} on "
             f"{context['processors']} processors.", "",
             "The headline hierarchy, 100 → 200 → 400 → 800 at resolutions 1, 2 and 4, learning over "
             "10 000 steps in float32:", "",
             "| program | steps/s | spread | times as long as C++ | fastest |", "|---|---|---|---|---|"]
    for row in result["rows"]:
        if row["name"] == HEADLINE:
            lines.append(f"| {row['program']} | {number(1e6 / row['microseconds'])} | "
                         f"{100 * row['spread']:.0f} % | {row['times_cpp']:.2f} | "
                         f"{row['fastest_times_cpp']:.2f} |")
    cpp, own = (row for row in result["rows"] if row["name"] == STEPS)
    lines += ["", "One step of a small hierarchy, 3 → 2 → 2, over 10 000 calls:", "",
              "| program | a call | spread | fastest |", "|---|---|---|---|"]
    lines += [f"| {row['program']} | {row['microseconds']:.2f} µs | {100 * row['spread']:.0f} % | "
              f"{row['fastest']:.2f} µs |" for row in (cpp, own)]
    lines += ["", f"Python adds {own['microseconds'] - cpp['microseconds']:.2f} µs to a step "
              f"({own['fastest'] - cpp['fastest']:.2f} µs of the fastest times)."]
    return "\n".join(lines) + "\n"


def main():
    settings = parse_arguments()
    load = [os.getloadavg()[0]]
    headline, versions = measure(HEADLINE, list(TITLES), settings)
    steps, _ = measure(STEPS, ["cpp", "gaia"], settings)
    rows = [row_of(case, program, times[program], times["cpp"])
            for case, times in ((HEADLINE, headline), (STEPS, steps)) for program in times]
    result = {"context": {"date": datetime.date.today().isoformat(), "cpu": processor(),
                          "threads": settings.threads, "rounds": settings.rounds,
                          "versions": list(versions.values()), "processors": os.cpu_count(),
                          "load": [*load, os.getloadavg()[0]]}, "rows": rows}
    text = markdown(result)
    print(text, end="")
    if settings.results:
        write_results(settings.results, "python", text, result)


if __name__ == "__main__":
    main()
