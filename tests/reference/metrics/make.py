#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes metrics.h beside it: small data, and what the formulas of the papers make of them.

    make.py

Loops in float64 and NumPy's singular values; nothing of gaia.  Data are rounded to a few digits, so that
what stands in the file is exactly what was computed with.
"""
import math
import pathlib
import textwrap

import numpy as np

random = np.random.default_rng(20)


def rounded(array):
    return np.round(array, 3)


def ranks(y):
    s = np.linalg.svd(y, compute_uv=False)
    p = s / s.sum()
    return [math.exp(-sum(v * math.log(v) for v in p)), (s**2).sum() ** 2 / (s**4).sum()]


def sparseness(y):
    n = len(y)
    a = (sum(y) / n) ** 2 / (sum(v * v for v in y) / n)
    return (1 - a) / (1 - 1 / n)


def cosines(w):
    values = []
    for i in range(len(w)):
        for j in range(i + 1, len(w)):
            values.append(sum(a * b for a, b in zip(w[i], w[j]))
                          / math.sqrt(sum(a * a for a in w[i]) * sum(b * b for b in w[j])))
    return values


def reconstruction(x, w):
    given_back = x @ np.linalg.pinv(w) @ w
    return ((x - given_back) ** 2).sum() / (x**2).sum()


def subspace(w, u):
    # cos of the principal angles are the singular values of Q_w Q_u^T.
    q_w, q_u = np.linalg.qr(w.T)[0], np.linalg.qr(u.T)[0]
    return (np.linalg.svd(q_w.T @ q_u, compute_uv=False) ** 2).sum() / len(u)


def path(w):
    change = sum(abs(w[t] - w[t - 1]).sum() for t in range(1, len(w)))
    net = abs(w[-1] - w[0]).sum()
    return [change, net, net / change, change / np.mean([abs(v).sum() for v in w])]


def forgetting(r, untrained, alone):
    t = len(r)
    of_task = [max(r[i][j] for i in range(t - 1)) - r[t - 1][j] for j in range(t - 1)]
    return of_task, [
        sum(of_task) / (t - 1),
        sum(r[t - 1]) / t,
        sum(r[t - 1][j] - r[j][j] for j in range(t - 1)) / (t - 1),
        sum(r[j - 1][j] - untrained[j] for j in range(1, t)) / (t - 1),
        sum(alone[j] - r[j][j] for j in range(t)) / t,
    ]


def tradeoff(r, ideal):
    later = range(1, len(r))
    base = np.mean([r[i][0] / ideal for i in later])
    new = np.mean([r[i][i] for i in later])
    everything = np.mean([np.mean(r[i][: i + 1]) / ideal for i in later])
    return [base, new, everything, 2 * base * new / (base + new)]


values = {}
responses = rounded(random.normal(size=(9, 5)) * [3, 1, 0.5, 2, 0.1] + [1, 0, -1, 5, 0])
values["responses"] = responses
values["centred_ranks"] = ranks(responses - responses.mean(0))
values["plain_ranks"] = ranks(responses)
values["wide_ranks"] = ranks(responses.T - responses.T.mean(0))
rates = abs(responses)
values["selectivity"] = [1 - np.mean(y) / max(y) for y in rates.T]
values["lifetime"] = [sparseness(list(y)) for y in rates.T]
values["population"] = [sparseness(list(y)) for y in rates]
weights = rounded(random.normal(size=(3, 5)))
values["weights"] = weights
values["orthogonality"] = 1 - np.mean(np.square(cosines(weights)))
values["coherence"] = max(abs(c) for c in cosines(weights))
values["reconstruction"] = reconstruction(responses, weights)
values["centred_reconstruction"] = reconstruction(responses - responses.mean(0), weights)
directions = rounded(random.normal(size=(2, 5)))
values["directions"] = directions
values["subspace"] = subspace(weights, directions)
trajectory = rounded(np.cumsum(random.normal(size=(6, 2, 3)), axis=0) + 1)
values["trajectory"] = trajectory
values["path"] = path(trajectory)
scores = rounded(random.uniform(0.2, 0.9, size=(4, 4)))
untrained, alone = rounded(random.uniform(0, 0.3, size=4)), rounded(random.uniform(0.7, 1, size=4))
values["scores"], values["untrained"], values["alone"] = scores, untrained, alone
values["of_task"], values["transfers"] = forgetting(scores, untrained, alone)
values["ideal"] = 0.93
values["tradeoff"] = tradeoff(scores, 0.93)

lines = ["// SPDX-License-Identifier: MIT", "/// \\file",
         "/// Small data, and what the formulas of the papers make of them.  Made by make.py with NumPy "
         f"{np.__version__}.", "#pragma once", "", "#include <vector>", "", "// clang-format off",
         "namespace gaia::test::metrics_reference {", ""]
for key, value in values.items():
    array = np.asarray(value, dtype=float)
    words = [repr(float(v)) for v in array.ravel()]
    if array.ndim == 0:
        lines += [f"inline constexpr double {key} = {words[0]};", ""]
        continue
    lines.append(f"/// [{', '.join(str(n) for n in array.shape)}]")
    lines.append(f"inline const std::vector<double> {key} = {{")
    lines += textwrap.wrap(", ".join(words), 100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    lines += ["};", ""]
lines += ["}  // namespace gaia::test::metrics_reference", ""]
(pathlib.Path(__file__).parent / "metrics.h").write_text("\n".join(lines))
