#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether two results of gaia hold the same numbers, but for rounding.

    compare_runs.py ONE.h5 OTHER.h5 --tolerance T

Differences are relative to the largest number of a dataset.  Exit codes: 0 the same, 1 not, 77
there is no h5py.
"""
import argparse
import sys

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"no {missing.name}")
    sys.exit(77)


def numbers_of(path):
    found = {}

    def note(name, item):
        # Metrics are noted by the clock: there may be more or fewer rows of them.
        if isinstance(item, h5py.Dataset) and not name.startswith("metrics/"):
            if item.dtype.kind == "f":
                found[name] = numpy.asarray(item[...], dtype=float)

    with h5py.File(path) as file:
        file.visititems(note)
    return found


def difference(one, other):
    if one.shape != other.shape or (numpy.isnan(one) != numpy.isnan(other)).any():
        return numpy.inf
    apart = numpy.abs(numpy.nan_to_num(one) - numpy.nan_to_num(other))
    largest = numpy.abs(numpy.nan_to_num(one)).max(initial=0.0)
    return 0.0 if not apart.any() else apart.max() / largest if largest > 0 else numpy.inf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("one")
    parser.add_argument("other")
    parser.add_argument("--tolerance", type=float, required=True)
    arguments = parser.parse_args()
    one, other = numbers_of(arguments.one), numbers_of(arguments.other)
    if set(one) != set(other) or not one:
        print("the results hold other datasets:", *sorted(set(one) ^ set(other)))
        return 1
    worst = 0.0
    for name in sorted(one):
        found = difference(one[name], other[name])
        worst = max(worst, found)
        if not found <= arguments.tolerance:
            print(f"{name} differs by {found:.3g} of its largest number")
    print(f"{len(one)} datasets, at most {worst:.3g} apart, {arguments.tolerance:g} allowed")
    return 0 if worst <= arguments.tolerance else 1


if __name__ == "__main__":
    sys.exit(main())
