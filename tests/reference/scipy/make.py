#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes filters.h beside it: sections of second order as SciPy designs them, and what they make of a series.

    python3 -m venv VENV && VENV/bin/pip install scipy
    VENV/bin/python tests/reference/scipy/make.py [--out FILE]

Number t of the series is computed from whole numbers and halves, so that both sides have the same bits:
((7 t² + 3 t) mod 32) / 8 - 1.5.
"""
import argparse
import pathlib

import numpy as np
import scipy
from scipy import signal

# Name of the kind in SciPy, order, edges, rate; ripple in dB of Chebyshev's.
CASES = [
    ("low", 1, [10], 100, 0), ("low", 2, [30], 250, 0), ("low", 4, [0.1], 1, 0), ("low", 5, [40], 250, 0),
    ("low", 9, [100], 1000, 0),
    ("high", 1, [0.5], 250, 0), ("high", 3, [1], 250, 0), ("high", 4, [0.25], 1, 0), ("high", 6, [20], 50, 0),
    ("band", 1, [8, 12], 256, 0), ("band", 4, [1, 40], 250, 0), ("band", 3, [0.1, 0.2], 1, 0), ("band", 5, [8, 30], 100, 0),
    ("stop", 1, [49, 51], 500, 0), ("stop", 2, [48, 52], 250, 0), ("stop", 3, [0.2, 0.3], 1, 0), ("stop", 4, [5, 40], 100, 0),
    ("low", 8, [0.8 / 2 / 2], 1, 0.05), ("low", 8, [0.8 / 10 / 2], 1, 0.05), ("low", 8, [0.8 / 64 / 2], 1, 0.05),
    ("low", 3, [20], 100, 1),
]
KINDS = {"low": "lowpass", "high": "highpass", "band": "bandpass", "stop": "bandstop"}
LENGTH = 400
EVERY = 37  # of which numbers are kept


def design(kind, order, edges, rate, ripple):
    edges = edges[0] if len(edges) == 1 else edges
    if ripple:
        return signal.cheby1(order, ripple, edges, KINDS[kind], fs=rate, output="sos")
    return signal.butter(order, edges, KINDS[kind], fs=rate, output="sos")


def numbers(values):
    return "{" + ", ".join(repr(float(value)) for value in values) + "}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=pathlib.Path(__file__).with_name("filters.h"), type=pathlib.Path)
    out = parser.parse_args().out
    t = np.arange(LENGTH)
    series = ((7 * t * t + 3 * t) % 32) / 8 - 1.5
    lines = [
        "// SPDX-License-Identifier: MIT", "/// \\file", "/// Filters as SciPy designs and applies them.",
        f"/// Made by make.py with SciPy {scipy.__version__}.", "#pragma once", "", "#include <cstdint>",
        "#include <vector>", "", '#include "../../../src/formulas/butterworth.h"', "", "// clang-format off",
        "namespace gaia::test::scipy {", "", "struct FilterCase {", "  PassBand pass;", "  std::int64_t order;",
        "  std::vector<double> edges;", "  double rate;", "  double ripple;  ///< dB; 0: Butterworth's.",
        "  std::vector<std::vector<double>> sos;  ///< [sections, 6].",
        "  std::vector<double> steady;            ///< sosfilt_zi, [sections, 2].",
        f"  std::vector<double> filtered;          ///< Numbers 0, {EVERY}, {2 * EVERY} ... from that state times the first.",
        "};", "", f"inline constexpr std::int64_t kLength = {LENGTH};", f"inline constexpr std::int64_t kEvery = {EVERY};", "",
        "inline const std::vector<FilterCase> cases = {",
    ]
    for case in CASES:
        kind, order, edges, rate, ripple = case
        sos = design(*case)
        zi = signal.sosfilt_zi(sos)
        filtered, _ = signal.sosfilt(sos, series, zi=zi * series[0])
        rows = ",\n     ".join(numbers(row) for row in sos)
        lines.append(f"  {{PassBand::{kind}, {order}, {numbers(edges)}, {float(rate)!r}, {float(ripple)!r},\n    {{{rows}}},\n"
                     f"    {numbers(zi.ravel())},\n    {numbers(filtered[::EVERY])}}},")
    lines += ["};", "", "}  // namespace gaia::test::scipy", ""]
    out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
