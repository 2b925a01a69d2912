#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Candidates per second of the rediscovery of Oja's rule, in gaia and in NumPy, side by side.

    python3 benchmarks/rediscover.py --program build/release/benchmarks/rediscover

A candidate is a neuron of 10 inputs that learns from 5 000 samples by a polynomial of 12 terms.  In
NumPy the whole population is one array and a sample one step of a loop.  Both programs get the
same candidates; their objectives are compared before anything is timed.
"""
import argparse
import subprocess
import sys
import tempfile
import time

import numpy as np

RATE, LOOKS, INPUTS = 0.01, 10, 10


def oja(samples, initial):
    """Weights of a neuron under Oja's rule, at every look."""
    w, way = initial.copy(), []
    for t, x in enumerate(samples, start=1):
        y = w @ x
        w = w + RATE * y * (x - y * w)
        if t % (len(samples) // LOOKS) == 0:
            way.append(w.copy())
    return np.array(way)


def population(samples, initial, way, k):
    """The objective of every candidate of k [candidates, 12]."""
    w = np.tile(initial, (len(k), 1))
    one, x1, y1, w1, xy, yy, xw, yw, xyy, yyw, xyw, xyyw = (RATE * column[:, None] for column in k.T)
    sums, look, piece = np.zeros(len(k)), 0, len(samples) // LOOKS
    with np.errstate(all="ignore"):
        for t, x in enumerate(samples, start=1):
            y = (w @ x)[:, None]
            y2 = y * y
            w = w + ((one + y1 * y + yy * y2) + (x1 + xy * y + xyy * y2) * x
                     + ((w1 + yw * y + yyw * y2) + (xw + xyw * y + xyyw * y2) * x) * w)
            if t % piece == 0:
                sums += ((w - way[look]) ** 2).sum(axis=1) / (way[look] ** 2).sum()
                look += 1
    return sums / LOOKS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", default="build/release/benchmarks/rediscover")
    parser.add_argument("--candidates", type=int, nargs="+", default=[11, 44, 176])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print("| candidates at once | gaia, one thread | gaia, all threads | NumPy | gaia, all threads : NumPy |")
    print("|---|---|---|---|---|")
    for count in arguments.candidates:
        # Around Oja's rule, where a search spends its time, and with weights that stay finite.
        k = 0.1 * np.random.default_rng(count).normal(size=(count, 12))
        k[:, 4] += 1.0
        k[:, 9] -= 1.0
        k[:, [8, 11]] *= 0.1
        text = "\n".join(" ".join(repr(float(v)) for v in row) for row in k)
        rates = {}
        with tempfile.TemporaryDirectory() as folder:
            for threads in (1, 0):
                done = subprocess.run(
                    [arguments.program, "--population", folder, "--threads", str(threads), "--repeats",
                     str(arguments.rounds)], input=text, capture_output=True, text=True, check=True)
                *objectives, seconds = (float(line) for line in done.stdout.split())
                rates[threads] = count / seconds
            samples = np.fromfile(folder + "/samples.f64").reshape(-1, INPUTS)
            initial = np.fromfile(folder + "/initial.f64")
        way = oja(samples, initial)
        expected = population(samples, initial, way, k)
        same = np.isclose(objectives, expected, rtol=1e-9, atol=1e-12) | (
            ~np.isfinite(objectives) & ~np.isfinite(expected))
        if not same.all():
            sys.exit(f"candidate {np.flatnonzero(~same)[0]}: the objectives differ; nothing is timed")
        times = []
        for _ in range(arguments.rounds):
            start = time.perf_counter()
            population(samples, initial, way, k)
            times.append(time.perf_counter() - start)
        rate = count / sorted(times)[len(times) // 2]
        print(f"| {count} | {rates[1]:,.0f}/s | {rates[0]:,.0f}/s | {rate:,.0f}/s | {rates[0] / rate:.1f} |")


if __name__ == "__main__":
    main()
