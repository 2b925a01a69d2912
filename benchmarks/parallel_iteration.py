#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what a task costs in addition to its own work: gaia.par_iter and gaia.scope, concurrent.futures and joblib.

    PYTHONPATH=build/release/python python3 benchmarks/parallel_iteration.py

Prints microseconds for each item, the median of several passes that take turns; with joblib where it is installed.
"""
import concurrent.futures
import statistics
import time

import numpy as np

import gaia

try:
    import joblib
except ImportError:
    joblib = None

PASSES = 7
MATRIX = np.random.default_rng(0).normal(size=(64, 64))


def add_one(x):
    return x + 1


def sleep(x):
    time.sleep(0.01)
    return x


def product(x):
    return float((MATRIX @ MATRIX)[0, 0]) + x


def spawn(function, count, workers):
    with gaia.scope(workers=workers) as tasks:
        for x in range(count):
            tasks.spawn(function, x)
        return tasks.wait_all()


def ways(function, count, workers, threads, processes):
    """Each way by its name, as a function that gives the list of all answers."""
    items = range(count)
    yield "a loop", lambda: [function(x) for x in items]
    if threads:
        yield "gaia.par_iter", lambda: gaia.par_iter(items, workers=workers).map(function).collect()
        yield "gaia.scope", lambda: spawn(function, count, workers)
        pool = concurrent.futures.ThreadPoolExecutor(workers)
        yield "concurrent.futures threads", lambda: list(pool.map(function, items))
        if joblib:
            yield "joblib threading", lambda: joblib.Parallel(workers, backend="threading")(
                joblib.delayed(function)(x) for x in items)
    if processes:
        yield "gaia.par_iter processes", lambda: gaia.par_iter(items, workers=workers, processes=True).map(
            function).collect()

        def in_new_processes():
            with concurrent.futures.ProcessPoolExecutor(workers) as pool:
                return list(pool.map(function, items, chunksize=max(1, count // (4 * workers))))

        yield "concurrent.futures processes", in_new_processes
        if joblib:
            yield "joblib loky", lambda: joblib.Parallel(workers)(joblib.delayed(function)(x) for x in items)


def measure(title, function, count, workers, threads=True, processes=False, passes=PASSES):
    print(f"{title}, {count} items, {workers} workers")
    all_ways = list(ways(function, count, workers, threads, processes))
    expected = all_ways[0][1]()
    times = {name: [] for name, _ in all_ways}
    for _ in range(passes):
        for name, way in all_ways:
            begin = time.perf_counter()
            made = way()
            times[name].append((time.perf_counter() - begin) / count * 1e6)
            assert made == expected, name
    for name, taken in times.items():
        print(f"  {name:30} {statistics.median(taken):10.2f} us an item")


def main():
    measure("x + 1", add_one, 10_000, 4)
    measure("x + 1", add_one, 100, 4)
    measure("64 x 64 product", product, 2000, 4)
    measure("sleep of 10 ms", sleep, 100, 10, passes=3)
    measure("x + 1", add_one, 10_000, 2, threads=False, processes=True, passes=3)


if __name__ == "__main__":
    main()
