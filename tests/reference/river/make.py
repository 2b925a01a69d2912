#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes change.h beside it: which changes river finds in series of numbers, and what its detectors know there.

    python3 -m venv VENV && VENV/bin/pip install river
    VENV/bin/python tests/reference/river/make.py [--every N] [--out FILE]

The series are built from the same uniform numbers as in tests/learning/change_detectors_test.cpp, bit for bit, so only
what river says of them stands in the file: every step at which it reports a change, and its state at every Nth step
(151), at the first five changes and at the end.
"""
import argparse
import pathlib

import river
from river import drift

MASK = (1 << 64) - 1


class Uniform:
    """SplitMix64 (Steele, Lea and Flood 2014), as numbers from 0 to 1."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 11) * 2.0 ** -53

    def bell(self):
        """About normal: the sum of twelve, of mean 0 and variance 1."""
        total = -6.0
        for _ in range(12):
            total += self.next()
        return total


STEPS = [0.0, 0.25, 0.75, -0.5, -0.5, 1.5, 1.0, 0.0]

# Length, and number t of the series.
SERIES = [
    (2000, lambda t, u: u.next()),
    (3000, lambda t, u: u.bell()),
    (1500, lambda t, u: 0.25 * u.bell() + (1.0 if t >= 700 else 0.0)),
    (2000, lambda t, u: 0.25 * u.bell() + 0.001953125 * t),
    (2500, lambda t, u: 1.0 if u.next() < (0.125 if t < 1000 else 0.375) else 0.0),
    (4000, lambda t, u: 0.5 * u.bell() + STEPS[t // 500]),
    (1200, lambda t, u: u.bell() * (1.0 if t < 600 else 4.0)),
    (20, lambda t, u: u.next()),
    (300, lambda t, u: 3.0),
]

PAGE_HINKLEY = [
    {},
    dict(min_instances=10, delta=0.01, threshold=5.0, alpha=0.99),
    dict(threshold=8.0, alpha=1.0, mode="up"),
    dict(threshold=8.0, mode="down"),
]
ADWIN = [
    {},
    dict(delta=0.1, clock=1, max_buckets=3, min_window_length=2, grace_period=5),
    dict(delta=0.01, clock=8, max_buckets=8, min_window_length=10, grace_period=50),
]


def page_hinkley_state(detector):
    return [detector._x_mean.n, detector._x_mean.get(), detector._sum_increase, detector._sum_decrease,
            detector._min_increase, detector._max_decrease]


def adwin_state(detector):
    # What river calls the variance is the sum of squared distances from the mean.
    return [detector.width, detector.estimation, detector.variance]


def cases(make, settings, state, every):
    for number, (length, value) in enumerate(SERIES):
        for which, keywords in enumerate(settings):
            uniform, detector, changes, rows = Uniform(1000 + number), make(**keywords), [], []
            for t in range(length):
                detector.update(value(t, uniform))
                if detector.drift_detected:
                    changes.append(t)
                if t % every == 0 or t in changes[:5] or t == length - 1:
                    rows.append([t, *state(detector)])
            yield number, which, changes, rows


def text(name, struct, made):
    lines = [f"inline const std::vector<{struct}> {name} = {{"]
    for number, which, changes, rows in made:
        states = ", ".join("{" + ", ".join(map(repr, row)) + "}" for row in rows)
        lines.append(f"  {{{number}, {which}, {{{', '.join(map(str, changes))}}}, {{{states}}}}},")
    return lines + ["};", ""]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=151)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "change.h")
    options = parser.parse_args()
    lines = ["// SPDX-License-Identifier: MIT", "/// \\file", "/// Changes that river finds in series of numbers.",
             f"/// Made by make.py with river {river.__version__}.", "#pragma once", "", "#include <cstdint>",
             "#include <vector>", "", "// clang-format off", "namespace gaia::test::river {", "",
             "/// What a detector says of one series.", "struct Case {",
             "  std::size_t series;    ///< Its number.", "  std::size_t settings;  ///< Number of the detector's.",
             "  std::vector<std::int64_t> changes;       ///< Steps at which it tells of a change.",
             "  std::vector<std::vector<double>> rows;   ///< A step, and the state behind it.", "};", "",
             "/// State: numbers since the start, their mean, sum up, sum down, least of up, most of down."]
    lines += text("page_hinkley", "Case", cases(drift.PageHinkley, PAGE_HINKLEY, page_hinkley_state, options.every))
    lines.append("/// State: width, mean, sum of squared distances from the mean.")
    lines += text("adwin", "Case", cases(drift.ADWIN, ADWIN, adwin_state, options.every))
    lines += ["}  // namespace gaia::test::river", ""]
    options.out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
