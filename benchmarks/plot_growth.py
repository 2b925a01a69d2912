#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plots how the cost of a layer that learns grows, from the JSON of scripts/benchmark.

    plot_growth.py RESULTS.json PICTURE.svg

Needs matplotlib.  Times of the `growth/` cases against neurons, ticks, streams and threads; a grey
line has the slope of a cost that grows as the work does.
"""

import argparse
import collections
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def read(path):
    """Milliseconds by threads and (streams, inputs, outputs, ticks)."""
    times = collections.defaultdict(dict)
    for row in json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["benchmarks"]:
        operation, *rest = row["name"].split("/")
        if operation == "growth":
            times[row["threads"]][tuple(int(n) for n in rest[0].split("x"))] = \
                row["real_time"] / 1000
    return times


def series(cases, axis):
    """The cases along `axis`, of which there are the most with all other sizes alike."""
    by_others = collections.defaultdict(list)
    for size, time in cases.items():
        others = tuple(n for i, n in enumerate(size) if i not in axis)
        if len({size[i] for i in axis}) == 1:
            by_others[others].append((size[axis[0]], time))
    return sorted(max(by_others.values(), key=len))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("picture")
    arguments = parser.parse_args()
    times = read(arguments.results)
    panels = [("neurons (and inputs)", (1, 2), 2), ("ticks", (3,), 1), ("streams", (0,), 1)]
    figure, axes = plt.subplots(1, len(panels) + 1, figsize=(13, 3.2), constrained_layout=True)
    for axis, (label, which, power) in zip(axes, panels):
        for threads, cases in sorted(times.items()):
            points = series(cases, which)
            axis.loglog(*zip(*points), "o-", ms=3, label=f"{threads} thread{'s' * (threads > 1)}")
        first, last = points[0][0], points[-1]
        axis.loglog([first, last[0]], [last[1] * (first / last[0]) ** power, last[1]], color="0.7",
                    zorder=0, label=f"∝ n{'²' if power == 2 else ''}")
        axis.set(xlabel=label, ylabel="ms")
        axis.legend(frameon=False, fontsize=8)
    largest = max(times[1], key=lambda size: size[0] * size[1] * size[2] * size[3])
    counts = sorted(times)
    axes[-1].loglog(counts, [times[count][largest] for count in counts], "o-", ms=3)
    axes[-1].loglog(counts, [times[1][largest] / count for count in counts], color="0.7", zorder=0)
    axes[-1].set(xlabel="threads", ylabel="ms", xticks=counts, xticklabels=counts)
    axes[-1].minorticks_off()
    figure.savefig(arguments.picture)


if __name__ == "__main__":
    main()
