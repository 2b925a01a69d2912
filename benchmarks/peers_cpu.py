#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NumPy, PyTorch or gaia's own package of Python on what bench_operations measures, on the CPU.

    bench_operations --list | peers_cpu.py --peer numpy|torch|gaia [--threads N] [--repeats N]
                              [--seconds S] [--quick] [--json FILE]

Reads names of cases, which hold operation, sizes and dtype (benchmarks/cases.h), and does the same
work, written from the equations.  Where a library has several ways (a fresh result or `out=`, a
formula or a function of its own), each is checked and timed, and the fastest counts.  Every answer
is compared with NumPy in float64 before the clock starts; a wrong one is not timed, and the exit
code is 1.  77 if the library is not installed.
"""

import argparse
import json
import os
import statistics
import sys

from peers_harness import measure, record


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", choices=("numpy", "torch", "gaia"), required=True)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.5, help="spent on a case, about")
    parser.add_argument("--quick", action="store_true", help="few calls")
    parser.add_argument("--json")
    return parser.parse_args()


def open_library(name, threads):
    """\\raises ImportError where it is not installed."""
    if name == "numpy":
        from peers_cpu_work import NumPy
        return NumPy()
    if name == "gaia":
        from peers_cpu_gaia import Gaia
        return Gaia(threads)
    from peers_cpu_torch import Torch
    return Torch(threads)


def measure_case(case, settings):
    """The record of the fastest way, or of what went wrong."""
    name, ways = case
    best = None
    for way in ways:
        error = way.error()
        if not error <= way.tolerance:
            message = f"differs from the reference by {error:.1e}, more than {way.tolerance:.0e}"
            print(f"{name}: {message}; not timed", file=sys.stderr)
            return {"name": name, "run_type": "iteration", "error_occurred": True,
                    "error_message": message}
        measured = measure(way.run, *settings, way.reset)
        if best is None or statistics.median(measured[0]) < statistics.median(best[0]):
            best, its_error = measured, error
    return record(name, *best, "us", error=its_error, times=[one * 1e6 for one in best[0]])


def main():
    arguments = parse_arguments()
    names = sys.stdin.read().split()
    # One library computes in a process: two pools of threads would disturb each other.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(arguments.threads)
    if arguments.peer != "numpy":  # which checks them, and computes nothing else
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        library = open_library(arguments.peer, arguments.threads)
    except ImportError as error:
        print(f"{arguments.peer} is not installed: {error}", file=sys.stderr)
        sys.exit(77)
    settings = (arguments.repeats, 0.01 if arguments.quick else arguments.seconds,
                1e-4 if arguments.quick else 2e-3)
    records = []
    for name in names:
        ways = library.ways(name)
        if ways:
            records.append(measure_case((name, ways), settings))
            records[-1]["threads"] = arguments.threads
            if "real_time" in records[-1]:
                print(f"{name:52} {records[-1]['real_time']:12.3f} us", flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"context": {"library": library.version, "num_threads": arguments.threads},
                       "benchmarks": records}, file, indent=1)
    sys.exit(1 if any("error_occurred" in record for record in records) else 0)


if __name__ == "__main__":
    main()
