# SPDX-License-Identifier: MIT
"""How peers are checked and timed, and how their times are reported: what peers_cpu.py, peers_gpu.py,
peers_rules.py, python_speed.py and report.py have in common."""

import dataclasses
import json
import math
import statistics
import time
import typing


@dataclasses.dataclass
class Way:
    """A way to do what a case's name says."""
    run: typing.Callable
    error: typing.Callable  # largest difference from float64, relative
    tolerance: float = 2e-5
    reset: typing.Callable = None


def relative_error(answer, wanted):
    import numpy as np
    answer = np.asarray(answer, dtype="float64")
    if not np.isfinite(answer).all() or answer.shape != wanted.shape:
        return math.inf
    difference = np.abs(answer - wanted).max()
    return float(difference / np.abs(wanted).max()) if difference else 0.0


def sizes_of(text):
    return [int(size) for size in text.split("x")]


# ---------------------------------------------------------------------------------------- times

def measure(call, repeats, seconds, sample_seconds=0.0, reset=None, synchronize=lambda: None):
    """Times of one call, each the mean of as many as take `sample_seconds`; calls; CPU time."""
    begin = time.perf_counter()

    def sample(calls):
        if reset:
            reset()
        synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        synchronize()
        return time.perf_counter() - start

    calls, once = 1, sample(1)
    # What took longer than all the time there is counts as it is.
    times = [once] if once > seconds else []
    while not reset and once < sample_seconds:
        calls = max(calls + 1, int(calls * min(10, 1.2 * sample_seconds / once)))
        once = sample(calls)
    before = time.process_time()
    while not times or (len(times) < repeats and time.perf_counter() - begin < seconds):
        times.append(sample(calls) / calls)
    cpu = (time.process_time() - before) / calls / len(times)
    return times, calls, max(cpu, 0.0) or statistics.mean(times)


def quantile(ordered, fraction):
    position = fraction * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def middle(values):
    """Median, and the width of the middle half relative to it."""
    ordered, median = sorted(values), statistics.median(values)
    return median, (quantile(ordered, 0.75) - quantile(ordered, 0.25)) / median


def record(name, times, calls, cpu, unit, /, **more):
    """google-benchmark's keys, with the quartiles."""
    scale, ordered = {"us": 1e6, "ms": 1e3}[unit], sorted(times)
    return {"name": name, "run_type": "iteration", "iterations": calls * len(times),
            "real_time": statistics.median(times) * scale, "cpu_time": cpu * scale,
            "time_unit": unit,
            "lower_quartile": quantile(ordered, 0.25) * scale,
            "upper_quartile": quantile(ordered, 0.75) * scale, **more}


# --------------------------------------------------------------------------------------- reports

def number(value):
    """Three digits."""
    return f"{float(f'{value:.3g}'):,.0f}".replace(",", " ") if value >= 100 else f"{value:.3g}"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return "an unknown processor"


def write_results(folder, kind, text, result):
    """DATE-KIND.md and .json of a report."""
    path = folder / f"{result['context']['date']}-{kind}"
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    path.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
