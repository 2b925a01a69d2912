#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs hierarchies whose levels are Kalman filters, extended and unscented ones and regimes too, and recomputes from
each results file all that it says of them, in float64 by NumPy alone: means, covariances, log likelihoods, innovations,
NIS, probabilities, noise that adapts, and what the smoother computed from it.  Exits with 1 where one differs by more
than 1e-10 of the largest number, with 77 where h5py or NumPy is missing.

    recompute_filters.py GAIA WORK_DIR
"""
import json
import sys

from by_gaia import emptied, need, run

need("h5py", "numpy")
import h5py
import numpy as np

gaia, work = sys.argv[1], emptied(sys.argv[2])

ROWS, TRIAL = 400, 80
draws = np.random.default_rng(11)
walks = np.cumsum(draws.normal(size=(ROWS, 2)), axis=0) * 0.3 + draws.normal(size=(ROWS, 2))


def write(name, rows):
    """The rows as a CSV file with a column of trials; NaN as an empty cell."""
    lines = ["a,b,trial"]
    for t, row in enumerate(rows):
        lines.append(",".join("" if np.isnan(x) else f"{x:.17g}" for x in row) + f",{t // TRIAL}")
    (work / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


holes = walks.copy()
holes[draws.random(ROWS) < 0.2, 0] = np.nan
holes[draws.random(ROWS) < 0.1, 1] = np.nan
holes[100:110] = np.nan
holes[0] = np.nan
long = np.concatenate([walks, holes, walks[::-1]])
FILES = {"whole": walks, "holes": holes, "long": long}
for name, rows in FILES.items():
    write(f"{name}.csv", rows)


def blocks(block, count):
    return np.kron(np.eye(count), block)


def model_of(model, inputs):
    """A and H, block after block, a block for each number that is observed."""
    if isinstance(model, dict) and "A" in model:
        return np.array(model["A"], float), np.array(model["H"], float)
    if model == "level":
        a = np.array([[1.0]])
    elif model == "velocity":
        a = np.array([[1.0, 1.0], [0.0, 1.0]])
    elif model == "acceleration":
        a = np.array([[1.0, 1.0, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    elif "ar" in model:
        p = len(model["ar"])
        a = np.vstack([model["ar"], np.eye(p)[:-1]])
    else:
        p = model["seasonal"] - 1
        a = np.vstack([-np.ones(p), np.eye(p)[:-1]])
    return blocks(a, inputs), blocks(np.eye(len(a))[:1], inputs)


def text_step(x, t):
    """TEXTS' state, and its derivatives."""
    moved = x[0] + 0.5 * x[1]
    c = -0.1 * np.cos(moved)
    return np.array([moved, 0.9 * x[1] - 0.1 * np.sin(moved)]), np.array([[1.0, 0.5], [c, 0.9 + 0.5 * c]])


def text_observe(x, t):
    """The same of what is observed."""
    return (np.array([x[0], np.cos(x[0]) * x[1] + t / 100]),
            np.array([[1.0, 0.0], [-np.sin(x[0]) * x[1], np.cos(x[0])]]))


def functions_of(layer, inputs):
    """States, and step(x, t) and observe(x, t) with their derivatives."""
    if "state" in layer:
        return 2, text_step, text_observe
    A, H = model_of(layer["model"], inputs)
    return len(A), lambda x, t: (A @ x, A), lambda x, t: (H @ x, H)


def matrix_of(number, size):
    number = np.array(number, float)
    return np.eye(size) * number if number.ndim == 0 else np.diag(number) if number.ndim == 1 else number


def filtered(rows, starts, layer, learns_until):
    """What a level makes of the rows that it reads at its ticks; trials begin at the ticks `starts`."""
    observes = layer.get("observes", list(range(rows.shape[1])))
    rows = rows[:, observes]
    m_count = rows.shape[1]
    n, step, observe = functions_of(layer, m_count)
    Q, R, P0 = (matrix_of(layer.get(key, default), size)
                for key, default, size in (("Q", 0.01, n), ("R", 1.0, m_count), ("P0", 1.0, n)))
    b, adapt, seen = layer.get("forgetting", 0.995), layer.get("adapt", "none"), 0
    out = {name: [] for name in ("mean", "covariance", "log_likelihood", "innovation", "nis", "before", "Q")}
    for t, row in enumerate(rows):
        if t in starts:
            m, P, tick = np.zeros(n), P0, 0
        out["Q"].append(Q)
        m, A = step(m, tick)
        P = A @ P @ A.T + Q
        expected, H = observe(m, tick)
        there = np.flatnonzero(~np.isnan(row))
        innovation, likelihood, nis = np.full(m_count, np.nan), 0.0, np.nan
        if len(there):
            h, r = H[there], R[np.ix_(there, there)]
            v = row[there] - expected[there]
            S = h @ P @ h.T + r
            K = np.linalg.solve(S, h @ P).T
            innovation[there] = v
            nis = v @ np.linalg.solve(S, v)
            likelihood = -0.5 * (len(there) * np.log(2 * np.pi) + np.linalg.slogdet(S)[1] + nis)
            m = m + K @ v
            J = np.eye(n) - K @ h
            P = J @ P @ J.T + K @ r @ K.T
            P = (P + P.T) / 2
            if adapt != "none" and t < learns_until:
                d = (1 - b) / (1 - b ** (seen + 1))
                if seen >= 20 and adapt == "R":
                    e = row[there] - observe(m, tick)[0][there]
                    C = R[:, there] @ np.linalg.inv(r)
                    R = R + d * C @ (np.outer(e, e) + h @ P @ h.T - r) @ C.T
                if seen >= 20 and adapt == "Q":
                    G = Q @ h.T @ np.linalg.inv(S)
                    w = G @ v
                    Q = Q + d * (np.outer(w, w) - G @ h @ Q)
                    Q = (Q + Q.T) / 2
                seen += 1
        tick += 1
        for name, value in (("mean", m), ("covariance", P), ("log_likelihood", likelihood), ("nis", nis),
                            ("innovation", innovation)):
            out[name].append(value)
    made = {name: np.array(values) for name, values in out.items() if values}
    if "model" in layer:
        made["smoothed"], made["smoothed_covariance"] = smoothed(made, starts, A)
    made["noise"] = Q, R
    return made


def by_points(rows, starts, layer, _):
    """The same of an unscented filter."""
    n, step, observe = functions_of(layer, rows.shape[1])
    m_count = rows.shape[1]
    Q, R, P0 = (matrix_of(layer.get(key, default), size)
                for key, default, size in (("Q", 0.01, n), ("R", 1.0, m_count), ("P0", 1.0, n)))
    alpha, beta = layer.get("alpha", 1.0), layer.get("beta", 0.0)
    kappa = layer.get("kappa", max(3.0 - n, 0.0))
    spread = alpha ** 2 * (n + kappa)
    w = np.full(2 * n + 1, 0.5 / spread)
    w[0] = 1 - n / spread
    c = w.copy()
    c[0] += 1 - alpha ** 2 + beta

    def points(m, P):
        L = np.sqrt(spread) * np.linalg.cholesky(P).T
        return np.vstack([m, m + L, m - L])

    out = {name: [] for name in ("mean", "covariance", "log_likelihood", "innovation", "nis")}
    for t, row in enumerate(rows):
        if t in starts:
            m, P, tick = np.zeros(n), P0, 0
        moved = np.array([step(x, tick)[0] for x in points(m, P)])
        m = w @ moved
        P = (moved - m).T @ np.diag(c) @ (moved - m) + Q
        there = np.flatnonzero(~np.isnan(row))
        innovation, likelihood, nis = np.full(m_count, np.nan), 0.0, np.nan
        if len(there):
            at = points(m, P)
            seen = np.array([observe(x, tick)[0][there] for x in at])
            y = w @ seen
            S = (seen - y).T @ np.diag(c) @ (seen - y) + R[np.ix_(there, there)]
            K = np.linalg.solve(S, (seen - y).T @ np.diag(c) @ (at - m)).T
            v = row[there] - y
            innovation[there] = v
            nis = v @ np.linalg.solve(S, v)
            likelihood = -0.5 * (len(there) * np.log(2 * np.pi) + np.linalg.slogdet(S)[1] + nis)
            m, P = m + K @ v, P - K @ S @ K.T
        tick += 1
        for name, value in (("mean", m), ("covariance", P), ("log_likelihood", likelihood), ("nis", nis),
                            ("innovation", innovation)):
            out[name].append(value)
    made = {name: np.array(values) for name, values in out.items()}
    made["noise"] = Q, R
    return made


def by_models(rows, starts, layer, _):
    """The same of filters that take turns (Blom and Bar-Shalom 1988)."""
    rows = rows[:, layer.get("observes", list(range(rows.shape[1])))]
    m_count, turns = rows.shape[1], np.array(layer["transition"], float)
    each = []
    for model in layer["models"]:
        A, H = model_of(model["model"], m_count)
        n = len(A)
        each.append((A, H, *(matrix_of(model.get(key, default), size)
                             for key, default, size in (("Q", 0.01, n), ("R", 1.0, m_count), ("P0", 1.0, n)))))
    # Where turns lead in the long run from equal ones: the mean over many steps of a chain that may have a period.
    at_first = np.full(len(each), 1 / len(each)) @ np.linalg.matrix_power((np.eye(len(each)) + turns) / 2, 1 << 20)

    def mixed(weights, means, covariances):
        mean = weights @ means
        return mean, sum(w * (P + np.outer(m - mean, m - mean)) for w, m, P in zip(weights, means, covariances))

    out = {name: [] for name in ("mean", "covariance", "log_likelihood", "innovation", "nis", "probability")}
    for t, row in enumerate(rows):
        if t in starts:
            mu, means, covariances = at_first, np.zeros((len(each), n)), np.array([P0 for *_, P0 in each])
        before = mu @ turns
        came = [mixed(turns[:, j] * mu / before[j], means, covariances) for j in range(len(each))]
        mu, likelihood = before, 0.0
        there = np.flatnonzero(~np.isnan(row))
        innovation, nis = np.full(m_count, np.nan), np.nan
        means, covariances, v, S, density = [], [], [], [], []
        for (A, H, Q, R, _), (m, P) in zip(each, came):
            m, P = A @ m, A @ P @ A.T + Q
            h, r = H[there], R[np.ix_(there, there)]
            v.append(row[there] - h @ m)
            S.append(h @ P @ h.T + r)
            if len(there):
                K = np.linalg.solve(S[-1], h @ P).T
                away = v[-1] @ np.linalg.solve(S[-1], v[-1])
                density.append(np.exp(-0.5 * away) / np.sqrt(np.linalg.det(2 * np.pi * S[-1])))
                m, P = m + K @ v[-1], P - K @ S[-1] @ K.T
            means.append(m)
            covariances.append(P)
        means, covariances = np.array(means), np.array(covariances)
        if len(there):
            likelihood = np.log(before @ density)
            mu = before * density / (before @ density)
            seen, spread = mixed(before, np.array(v), np.array(S))
            innovation[there] = seen
            nis = seen @ np.linalg.solve(spread, seen)
        m, P = mixed(mu, means, covariances)
        for name, value in (("mean", m), ("covariance", P), ("log_likelihood", likelihood), ("nis", nis),
                            ("innovation", innovation), ("probability", mu)):
            out[name].append(value)
    made = {name: np.array(values) for name, values in out.items()}
    made["noise"] = (sum(w * Q for w, (_, _, Q, _, _) in zip(at_first, each)),
                     sum(w * R for w, (_, _, _, R, _) in zip(at_first, each)))
    return made


def smoothed(made, starts, A):
    """Rauch, Tung and Striebel (1965), trial by trial; the noise of a tick is that which it was predicted with."""
    means, covariances = made["mean"].copy(), made["covariance"].copy()
    for t in range(len(means) - 2, -1, -1):
        if t + 1 in starts:
            continue
        m, P = made["mean"][t], made["covariance"][t]
        ahead = A @ P @ A.T + made["Q"][t + 1]
        G = np.linalg.solve(ahead, A @ P).T
        means[t] = m + G @ (means[t + 1] - A @ m)
        covariances[t] = P + G @ (covariances[t + 1] - ahead) @ G.T
    return means, covariances


def pooled(rows, resolution, starts, pooling):
    """What a level of this resolution reads at its ticks, and which of these begin trials."""
    ends = list(starts[1:]) + [len(rows)]
    read, begins = [], []
    for begin, end in zip(starts, ends):
        begins.append(len(read))
        for t in range(begin, end, resolution):
            window = rows[max(begin, t - resolution + 1):t + 1]
            if pooling == "concat":
                empty = np.zeros((resolution - len(window), rows.shape[1]))
                read.append(np.concatenate([empty, window]).ravel())
            else:
                read.append(rows[t] if pooling == "last" else window.mean(axis=0))
    return np.array(read), begins


def yaml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {yaml(of)}" for key, of in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(yaml(of) for of in value) + "]"
    if isinstance(value, str) and "=" in value:
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


EXPERIMENT = """experiment: filters
dtype: {dtype}
data:
  source: file
  path: {path}
  columns: [a, b]
  missing: keep
{trials}
hierarchy:
{learning}
  levels:
{levels}output: {{path: result.h5}}
"""
TURN = {"A": [[0.9, 0.3, 0.0], [-0.3, 0.9, 0.1], [0.0, 0.0, 1.0]], "H": [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]}
FULL = {"Q": [[0.05, 0.01, 0.0], [0.01, 0.04, 0.0], [0.0, 0.0, 0.02]], "R": [[1.0, 0.2], [0.2, 0.5]], "P0": [1.0, 2.0, 3.0]}
TEXTS = {"state": "x = x + 0.5*v\nv = 0.9*v - drag*sin(x)", "parameters": {"drag": 0.1},
         "observation": "p = x\nq = cos(x)*v + t/100"}
EXTENDED, UNSCENTED = {"type": "extended_kalman", **TEXTS}, {"type": "unscented_kalman", **TEXTS}
REGIMES = {"type": "regimes", "models": [{"model": "level"}, {"model": "level", "Q": 1.0, "R": [0.5, 2.0]}],
           "transition": [[0.95, 0.05], [0.2, 0.8]]}
CASES = [
    {"levels": [{"model": "level"}]},
    {"levels": [{"model": "velocity", "Q": 0.001, "covariance": True}], "trials": True},
    {"levels": [{"model": "acceleration", "Q": [1e-4] * 6, "form": "root", "covariance": True}], "holes": True},
    {"levels": [{"model": {"ar": [0.6, 0.3]}, "adapt": "R", "R": 4.0, "covariance": True}], "holes": True, "trials": True},
    {"levels": [{"model": "level", "adapt": "Q", "Q": 0.05, "forgetting": 0.98, "smooth": True}], "trials": True},
    {"levels": [{"model": {"seasonal": 4}, "adapt": "Q", "observes": [1], "smooth": True}], "holes": True},
    {"levels": [{"model": TURN, **FULL, "smooth": True}], "holes": True, "trials": True},
    {"levels": [{"model": TURN, **FULL, "form": "root", "adapt": "R", "smooth": True}], "holes": True},
    {"levels": [{"model": "velocity", "Q": 0.01}, {"model": "level", "R": 0.1, "covariance": True}], "trials": True, "holes": True},
    {"levels": [{"model": "level"}, {"model": "velocity", "adapt": "R", "smooth": True}], "resolution": 4, "pooling": "mean"},
    {"levels": [{"model": "velocity", "covariance": True}], "first": 2, "pooling": "concat", "trials": True},
    {"levels": [{"model": "level", "adapt": "R"}], "freeze_after": 150},
    {"levels": [{"model": "velocity", "smooth": True}], "holes": True, "dtype": "float32"},
    {"levels": [{**EXTENDED, "covariance": True}], "trials": True},
    {"levels": [{**EXTENDED, "covariance": True, "adapt": "R", "Q": [[0.2, 0.05], [0.05, 0.1]]}], "holes": True, "trials": True},
    {"levels": [{**EXTENDED, "covariance": True, "adapt": "Q", "form": "root", "R": [0.5, 2.0]}], "holes": True},
    {"levels": [{**UNSCENTED, "covariance": True}], "trials": True},
    {"levels": [{**UNSCENTED, "covariance": True, "alpha": 0.5, "beta": 2.0, "kappa": 2.0, "Q": [[0.2, 0.05], [0.05, 0.1]]}],
     "holes": True, "trials": True},
    {"levels": [{**REGIMES, "covariance": True}], "trials": True},
    {"levels": [{**REGIMES, "covariance": True}], "holes": True},
    {"levels": [{"model": "velocity"}, {"type": "regimes", "observes": [2, 0], "covariance": True,
                                        "transition": [[0.8, 0.2, 0.0], [0.0, 0.7, 0.3], [1.0, 0.0, 0.0]],
                                        "models": [{"model": "velocity", "R": 0.1}, {"model": {"ar": [0.5, 0.4]}, "Q": 0.1},
                                                   {"model": "velocity", "form": "root", "P0": [1, 2, 1, 2]}]}],
     "holes": True, "trials": True},
    # More ticks than are smoothed at a time.
    {"levels": [{"model": "acceleration", "Q": 0.01, "smooth": True}], "long": True},
    {"levels": [{"model": "level", "adapt": "Q", "Q": 0.05, "smooth": True}], "long": True, "dtype": "float32"},
]


def check(file, place, expected, where, bound=1e-10):
    got = file[place][()]
    assert got.shape == expected.shape, f"{where}, {place}: {got.shape}, expected {expected.shape}"
    assert (np.isnan(got) == np.isnan(expected)).all(), f"{where}, {place}: NaN in other places"
    scale = max(1.0, np.nanmax(np.abs(expected)))
    worst = np.nanmax(np.abs(got - expected), initial=0.0) / scale
    assert worst <= bound, f"{where}, {place}: differs by {worst:.2e} of the largest"


for case in CASES:
    data = next((name for name in FILES if case.get(name)), "whole")
    first = case.get("first", 1)
    resolution, pooling = case.get("resolution", 1), case.get("pooling", "last")
    levels, learns = "", "  learn: true"
    for n, layer in enumerate(case["levels"]):
        r = first if n == 0 else resolution
        levels += f"    - {{temporal_resolution: {r}, pooling: {pooling}, layers: [{yaml({'type': 'kalman', **layer})}]}}\n"
    if "freeze_after" in case:
        learns = f"  freeze_after: {case['freeze_after']}"
    dtype = case.get("dtype", "float64")
    trouble = run(gaia, work, EXPERIMENT.format(
        dtype=dtype, path=f"{data}.csv", levels=levels, learning=learns,
        trials="  trials: {column: trial}" if case.get("trials") else ""))
    assert not trouble, f"{case}: {trouble}"
    rows = FILES[data]
    if dtype == "float32":
        rows = rows.astype(np.float32).astype(float)
    starts = list(range(0, ROWS, TRIAL)) if case.get("trials") else [0]
    with h5py.File(work / "result.h5") as file:
        for n, layer in enumerate(case["levels"]):
            where = f"{case}, level {n}"
            r = first if n == 0 else resolution
            rows, begins = pooled(rows, r, starts, pooling)
            until = -(-case.get("freeze_after", len(rows) * r) // r)
            by = {"unscented_kalman": by_points, "regimes": by_models}.get(layer.get("type"), filtered)
            made = by(rows, begins, layer, until)
            level = file[f"levels/{n}"]
            assert level.attrs["output_size"] == made["mean"].shape[1], where
            check(level, "representation", made["mean"], where, 1e-10 if dtype == "float64" else 1e-6)
            for name in ("log_likelihood", "innovation", "nis"):
                check(level, name, made[name], where)
            smooth = layer.get("smooth", False)
            assert ("covariance" in level) == (layer.get("covariance", False) or smooth), where
            assert ("smoothed" in level) == smooth, where
            assert ("probability" in level) == ("probability" in made), where
            for name in ("covariance", "probability", "smoothed", "smoothed_covariance"):
                if name in level:
                    check(level, name, made[name], where)
                    assert level[name].dims[0][0].name == f"{level.name}/step", where
            for name, noise in zip("QR", made["noise"]):
                check(level, f"layers/0/{name}", noise, where)
            # A level above ticks at the ticks of this one.
            starts, rows = begins, made["mean"]
print(f"{len(CASES)} experiments: filters say what NumPy makes of their rows")
