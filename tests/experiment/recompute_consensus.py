#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs experiments whose readouts are fused, and recomputes S, fused predictions, outliers and variances from each
results file alone, as docs/experiments.md says.  Exits with 77 where h5py or NumPy is missing, with 1 where
something differs by more than 1e-10.

    recompute_consensus.py GAIA WORK_DIR
"""
import math
import sys

from by_gaia import emptied, need, run, write_rows

need("h5py", "numpy")
import h5py
import numpy as np

STEPS, CHANNELS = 3000, 4

EXPERIMENT = """
experiment: fused
seed: 3
dtype: float64
data: {{source: file, path: data.csv, columns: [c0, c1, c2, c3], normalize: zscore}}
hierarchy:
  levels:
    - layers: [{{type: hebbian, size: 3, rule: sanger, learning_rate: 0.001}}]
    - {{temporal_resolution: {middle}, pooling: mean, layers: [{{type: reactive, size: 3, activation: tanh}}]}}
    - {{temporal_resolution: {slow}, pooling: last, layers: [{{type: reactive, size: 4, activation: tanh}}]}}
readouts:
  - {{name: a, target: {{channel: {channel}, horizon: {horizon}}}, levels: [0], {part}}}
  - {{name: fused, type: consensus, of: [a, b, c, d], covariance: {covariance}}}
  - {{name: b, target: {{channel: {channel}, horizon: {horizon}}}, levels: [1], {part}}}
  - {{name: c, target: {{channel: {channel}, horizon: {horizon}}}, levels: [2], {part}}}
  - {{name: d, target: {{channel: {channel}, horizon: {horizon}}}, levels: [2, 0], {part}}}
controls: [frozen, same_past]
output: {{path: result.h5, inputs: all}}
"""

RUNS = [dict(slow=4, channel=[0, 2], horizon=1, part="split: {train: 0.4, validation: 0.3, test: 0.3}",
             covariance="joint"),
        dict(slow=3, channel=1, horizon=2, part="split: 0.6", covariance="joint"),
        dict(slow=4, channel=[0, 1, 3], horizon=3, part="split: {train: 0.5, validation: 0.3, test: 0.2}",
             covariance="intersection"),
        dict(slow=1, channel=[0, 1], horizon=1, part="folds: 4", covariance="joint")]


def series():
    """Channels that follow two hidden series, with spikes that reach levels at different times."""
    draw = np.random.default_rng(4)
    hidden = np.zeros((STEPS, 2))
    for t in range(1, STEPS):
        hidden[t] = [0.97, 0.8] * hidden[t - 1] + draw.normal(size=2)
    x = hidden @ draw.normal(size=(2, CHANNELS)) + draw.normal(size=(STEPS, CHANNELS))
    x[STEPS * 3 // 4::23] += 40 * draw.normal(size=x[STEPS * 3 // 4::23].shape)
    return x


def shown(file, levels):
    """What levels show at every step, held between ticks: [steps, neurons]."""
    parts = []
    for level in levels:
        group = file[f"levels/{level}"]
        parts.append(group["representation"][()][np.searchsorted(group["step"][()], np.arange(STEPS), "right") - 1])
    return np.concatenate(parts, axis=1)


def said(file, name, levels):
    """What a readout says at every step, by its weights, [steps, numbers]."""
    group = file[f"readouts/{name}"]
    w, b = np.atleast_2d(group["weights"][()]), np.atleast_1d(group["intercept"][()])
    assert group["neuron"].shape[0] == w.shape[1]
    return shown(file, levels) @ w.T + b


def parts_of(group, spacing):
    """Steps of a readout's training and validation part, without what is purged."""
    attrs = group.attrs
    ticks = np.arange(0, STEPS - int(attrs["target_horizon"]), spacing)
    n, reach = len(ticks), int(attrs["purge"]) // spacing
    if "split_train" in attrs:
        train, validation = attrs["split_train"], attrs["split_validation"]
        first, second = int(train * n + 1e-9), int((train + validation) * n + 1e-9)
    else:
        first = second = int(attrs["split"] * n)
    training = ticks[:max(0, first - reach)]
    return training, ticks[first:max(first, second - reach)] if second > first else ticks[:0]


def fuse(m, s, numbers, covariance, kept):
    """The fusion of those that are kept: weights [numbers, kept numbers], covariance."""
    index = np.concatenate([np.arange(i * numbers, (i + 1) * numbers) for i in kept])
    if covariance == "joint":
        j = np.tile(np.eye(numbers), (len(kept), 1))
        information = np.linalg.solve(s[np.ix_(index, index)], j).T
    else:
        at = [np.arange(i * numbers, (i + 1) * numbers) for i in kept]
        information = np.concatenate([np.linalg.inv(s[np.ix_(i, i)]) / len(kept) for i in at], axis=1)
    p = np.linalg.inv(sum(information[:, k * numbers:(k + 1) * numbers] for k in range(len(kept))))
    return p @ information, p, index


def chi_squared_quantile(probability, degrees):
    """Quantile by bisection of the series of the incomplete gamma function."""
    def below(x):
        a, h, total, n = degrees / 2, x / 2, 0.0, 0
        term = math.exp(a * math.log(h) - h - math.lgamma(a + 1))
        while term > 1e-18 * total or n < h:
            total, n = total + term, n + 1
            term *= h / (a + n)
        return total
    low, high = 1e-9, 1000.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
    return low


def least(distances):
    return next(i for i, d in enumerate(distances) if d <= min(distances) * (1 + 1e-9))


def consensus(m, s, covariance):
    """Mean, covariance and outliers of estimates [L, d]."""
    count, numbers = m.shape
    limit = chi_squared_quantile(0.999, numbers)
    block = [s[i * numbers:(i + 1) * numbers, i * numbers:(i + 1) * numbers] for i in range(count)]
    median, mean = np.median(m, 0), np.mean(block, 0)
    far = [(m[i] - median) @ np.linalg.solve(max(1 - 2 / count, 0.1) * block[i] + np.pi / (2 * count) * mean,
                                             m[i] - median) for i in range(count)]
    kept, seen = [], []
    while len(kept) < count // 2 + 1:
        kept.append(least(far))
        far[kept[-1]] = np.inf
    kept = sorted(kept)
    while kept not in seen:
        seen.append(kept)
        distances = np.zeros(count)
        for i in range(count):
            others = [j for j in kept if j != i]
            if not others:
                continue
            weights, _, index = fuse(m, s, numbers, covariance, others)
            a = np.zeros((numbers, count * numbers))
            a[:, i * numbers:(i + 1) * numbers] = np.eye(numbers)
            a[:, index] -= weights
            e = a @ m.ravel()
            distances[i] = e @ np.linalg.solve(a @ s @ a.T, e)
        kept = [i for i in range(count) if distances[i] <= limit] or [least(list(distances))]
    weights, p, _ = fuse(m, s, numbers, covariance, kept)
    return weights @ m[kept].ravel(), p, [int(i not in kept) for i in range(count)]


def largest(a, b):
    return np.abs(np.asarray(a, float) - np.asarray(b, float)).max() if np.size(a) else 0.0


def by_folds(group, everything, target, horizon):
    """Of folds the file has the weights that all of them have taught, by which S is that of all ticks."""
    errors = (everything - target[:, None])[:STEPS - horizon].reshape(STEPS - horizon, -1)
    s = errors.T @ errors / len(errors)
    assert group["step"][()].tolist() == list(range(STEPS - horizon))
    wrong = {"S": largest(s, group["error_covariance"][()]) / np.abs(s).max(),
             "target": largest(target[:STEPS - horizon], group["target"][()])}
    # What a fold has predicted is close to what all of them would say where nothing was left out.
    kept = ~group["outlier"][()].astype(bool).any(1)
    weights = fuse(None, s, target.shape[1], "joint", range(everything.shape[1]))[0]
    fused = everything[:STEPS - horizon].reshape(len(kept), -1) @ weights.T
    far = np.sqrt(np.mean((fused - group["prediction"][()])[kept] ** 2) / np.mean(errors ** 2))
    print("folds: differences " + ", ".join(f"{key} {value:.1e}" for key, value in wrong.items()) + f"; {far:.2f} of an "
          "error from what all folds teach")
    assert 0 < far < 0.3
    return wrong


def recompute(path, slow, covariance):
    """The largest difference of each thing that the file says of the consensus."""
    with h5py.File(path) as file:
        group = file["readouts/fused"]
        names, levels = list(group.attrs["readouts"]), {"a": [0], "b": [1], "c": [2], "d": [2, 0]}
        names = [name.decode() if isinstance(name, bytes) else name for name in names]
        assert names == ["a", "b", "c", "d"]
        first = file["readouts/a"].attrs
        channels = np.atleast_1d(np.array(str(first["target_channel"]).strip("[]").split(","), int))
        horizon = int(first["target_horizon"])
        target = np.full((STEPS, len(channels)), np.nan)
        target[:STEPS - horizon] = file["data/samples"][()][horizon:, channels]
        everything = np.stack([said(file, name, levels[name]) for name in names], axis=1)  # [steps, L, d]
        spacings = {"a": 1, "b": min(2, slow), "c": slow, "d": 1}
        if int(first.get("folds", 0)) > 0:
            return by_folds(group, everything, target, horizon)
        parts = [parts_of(file[f"readouts/{name}"], spacings[name]) for name in names]
        training, validation = (sorted(set.intersection(*(set(part[k]) for part in parts))) for k in (0, 1))
        measured = validation or training
        errors = (everything[measured] - target[measured][:, None]).reshape(len(measured), -1)
        s = errors.T @ errors / len(errors)
        steps = group["step"][()]
        tested = sorted(set.intersection(*(set(file[f"readouts/{name}/step"][()]) for name in names)))
        assert steps.tolist() == tested, "predicts at the ticks of all"
        assert int(group.attrs["training_ticks"]) == len(measured)
        found = [consensus(everything[step], s, covariance) for step in steps]
        shape = group["prediction"].shape
        wrong = {
            "S": largest(s, group["error_covariance"][()]) / np.abs(s).max(),
            "prediction": largest(np.reshape([mean for mean, _, _ in found], shape), group["prediction"][()]),
            "target": largest(target[steps].reshape(shape), group["target"][()]),
            "variance": largest(np.reshape([np.diag(p) for _, p, _ in found], shape), group["variance"][()]),
            "outlier": largest([outlier for _, _, outlier in found], group["outlier"][()]),
            "fused_covariance": largest(fuse(None, s, len(channels), covariance, range(len(names)))[1],
                                        group["fused_covariance"][()])}
        e = group["prediction"][()].reshape(len(steps), -1) - target[steps]
        share = np.mean(e ** 2, 0) / np.var(target[steps], 0)
        wrong["r2"] = abs(1 - share.mean() - group.attrs["r2"])
        print(f"{path.name}: {len(measured)} errors, {len(steps)} ticks, {100 * group['outlier'][()].mean():.1f} % left "
              f"out; differences " + ", ".join(f"{key} {value:.1e}" for key, value in wrong.items()))
        assert group["outlier"][()].any(), "no outlier, so nothing was tried"
        return wrong


def main(gaia, work):
    folder = emptied(work)
    header = ",".join(f"c{i}" for i in range(CHANNELS))
    write_rows(folder / "data.csv", series(), header)
    failed = False
    for options in RUNS:
        middle = min(2, options["slow"])
        if why := run(gaia, folder, EXPERIMENT.format(middle=middle, **options)):
            sys.exit(why)
        wrong = recompute(folder / "result.h5", options["slow"], options["covariance"])
        failed |= any(not value <= 1e-10 for value in wrong.values())
    sys.exit(1 if failed else 0)


main(*sys.argv[1:3])
