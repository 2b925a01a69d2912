#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The best rivals of the experiments in docs/gallery.md, on the same data: what they score over seeds.

    python3 benchmarks/peers_gallery.py [--mnist FOLDER] [--seeds 10] [--first-seed 11] [--voices RESULT.h5 ...]
                                        [--edges RESULT.h5 ...]

The folder has the four IDX files of MNIST.  Voices are results of experiments/sources.yaml with
`output.inputs: all`, one for each seed, whose samples and voices are read; edges are such results of
experiments/gallery/oriented_edges.yaml.  Needs numpy, scikit-learn, h5py and
scipy.  Rivals see all that they want at once and as often as they want; only what is scored is kept from them.

named            MiniBatchKMeans whose centres ask for a label as gaia's neurons do; logistic regression on the very
                 pictures that they ask for
time_teaches     the aim of the rule solved by eigenvalues, on the same whitened pictures in runs
one_after_other  linear discriminants from the means of classes and one covariance (streaming LDA, Hayes & Kanan
                 2020), which forget nothing; nearest mean; softmax regression by stochastic gradients, which does
sources          FastICA (Hyvärinen 1999)
quantisation     KMeans with 64 centres, mean squared distance of the 540 digits of experiments/data/digits.csv that it
                 was not fitted to: the best of ten starts, and one random start
edges            FastICA, as many components as there are neurons, from the part that these learn from
"""
import argparse
import gzip
import pathlib

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.linear_model import LogisticRegression


def idx(path):
    raw = gzip.open(path).read()
    shape = [int.from_bytes(raw[4 + 4 * i:8 + 4 * i], "big") for i in range(raw[3])]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape)


def digits(folder):
    """Training pictures [n, 784] in 0 ... 1 and their classes, test pictures and theirs."""
    x, y, xt, yt = (idx(pathlib.Path(folder) / f"{name}-ubyte.gz") for name in (
        "train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"))

    def flat(pictures):
        return pictures.reshape(len(pictures), -1).astype(np.float32) / 255

    return flat(x), y.astype(int), flat(xt), yt.astype(int)


def nearest(x, centres):
    return ((centres * centres).sum(1)[None] - 2 * x @ centres.T).argmin(1)


def logistic(x, y, xt, yt, l2=0.01):
    """Accuracy of logistic regression as gaia's readouts have it: l2 relative to the mean variance."""
    scale = 1 / (len(x) * l2 * ((x - x.mean(0)) ** 2).mean())
    return LogisticRegression(C=scale, max_iter=1000).fit(x, y).score(xt, yt)


def named(data, seed):
    x, y, xt, yt = data
    centres = MiniBatchKMeans(100, random_state=seed, n_init=1, batch_size=1024).fit(x).cluster_centers_
    asked = ((x * x).sum(1)[:, None] + (centres * centres).sum(1)[None] - 2 * x @ centres.T).argmin(0)
    yield "MiniBatchKMeans that asks", (y[asked][nearest(xt, centres)] == yt).mean()
    yield "logistic regression on what it asks", logistic(x[asked], y[asked], xt, yt)


def in_runs(y, random, length):
    """Every picture once, in runs of one class, geometric of this mean."""
    left = [list(random.permutation(np.flatnonzero(y == c))) for c in range(10)]
    order, last = [], -1
    while any(left):
        open_classes = [c for c in range(10) if left[c] and (c != last or sum(map(bool, left)) == 1)]
        last = random.choice(open_classes)
        for _ in range(min(random.geometric(1 / length), len(left[last]))):
            order.append(left[last].pop())
    return np.array(order)


def time_teaches(data, seed):
    x, y, xt, yt = data
    random = np.random.default_rng(seed)
    mean = x.mean(0)
    values, vectors = np.linalg.eigh(np.cov((x - mean).T, bias=True).astype(np.float64))
    whitening = (vectors / np.sqrt(values + 0.1 * values.mean())) @ vectors.T
    white, white_test = (((part - mean) @ whitening).astype(np.float32) for part in (x, xt))
    keep, trace, traces = np.exp(-1 / 10.0), np.zeros(784, np.float32), np.empty_like(white)
    for t, row in enumerate(in_runs(y, random, 20.0)):
        trace = keep * trace + white[row]
        traces[t] = trace
    slow = np.linalg.eigh((traces.T @ traces / len(traces)).astype(np.float64))[1][:, -10:].astype(np.float32)
    some = np.concatenate([random.choice(np.flatnonzero(y == c), 10, replace=False) for c in range(10)])
    yield "the same aim by eigenvalues", logistic(white[some] @ slow, y[some], white_test @ slow, yt)


def one_after_other(data, seed):
    x, y, xt, yt = data
    random = np.random.default_rng(seed)
    means = np.stack([x[y == c].mean(0) for c in range(10)])
    rest = x - means[y]
    covariance = 0.9999 * (rest.T @ rest / len(x)).astype(np.float64) + 1e-4 * np.eye(784)
    towards = np.linalg.solve(covariance, means.T)
    yield "streaming LDA", ((xt @ towards - 0.5 * (means.T * towards).sum(0)).argmax(1) == yt).mean()
    yield "nearest mean of a class", (nearest(xt, means) == yt).mean()
    weights, bias = np.zeros((784, 10), np.float32), np.zeros(10, np.float32)
    for c in random.permutation(10):
        for row in random.permutation(np.flatnonzero(y == c)):
            z = x[row] @ weights + bias
            p = np.exp(z - z.max())
            p /= p.sum()
            p[c] -= 1
            weights -= 0.01 * np.outer(x[row], p)
            bias -= 0.01 * p
    yield "softmax regression, one by one", ((xt @ weights + bias).argmax(1) == yt).mean()


def sources(paths, seed):
    import h5py
    from scipy.optimize import linear_sum_assignment
    from sklearn.decomposition import FastICA

    with h5py.File(paths[seed]) as file:
        x, step, voices = (file[path][:] for path in ("data/samples", "readouts/voices/step", "readouts/voices/target"))
    found = FastICA(voices.shape[1], random_state=seed, whiten="unit-variance", max_iter=500).fit(x[:step[0]])
    y = found.transform(x[step])
    r = np.abs(np.corrcoef(y.T, voices.T)[:y.shape[1], y.shape[1]:])
    yield "FastICA", r[linear_sum_assignment(-r)].mean()


def quantisation(data, seed):
    seen, rest = data[:1257], data[1257:]
    for name, model in (("k-means, the best of ten starts", KMeans(64, n_init=10, random_state=seed)),
                        ("k-means, one random start", KMeans(64, init="random", n_init=1, random_state=seed))):
        centres = model.fit(seen).cluster_centers_
        yield name, ((rest[:, None] - centres[None]) ** 2).sum(2).min(1).mean()


def edges(paths, seed):
    """Mean excess kurtosis of FastICA's answers to the whitened patches of the last fifth."""
    import h5py
    from sklearn.decomposition import FastICA
    with h5py.File(paths[seed]) as file:
        neurons = file["levels/0/layers/0/weights"].shape[0]
        samples = file["data/samples"]
        x = samples[:len(samples) // int(file["levels"].attrs["epochs"])].astype(float)
    first = len(x) * 4 // 5
    found = FastICA(neurons, random_state=seed, whiten="unit-variance", max_iter=100, tol=1e-3).fit(x[:first])
    answers = found.transform(x[first:])
    answers = (answers - answers.mean(0)) / answers.std(0)
    yield "FastICA", (answers ** 4).mean() - 3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mnist")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=11)
    parser.add_argument("--voices", nargs="*")
    parser.add_argument("--edges", nargs="*")
    options = parser.parse_args()
    shipped = pathlib.Path(__file__).resolve().parent.parent / "experiments" / "data" / "digits.csv"
    tasks = [(quantisation, np.loadtxt(shipped, delimiter=",", skiprows=1)[:, :64])]
    if options.mnist:
        data = digits(options.mnist)
        tasks += [(task, data) for task in (named, time_teaches, one_after_other)]
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    if options.voices:
        tasks.append((sources, dict(zip(seeds, options.voices))))
    if options.edges:
        tasks.append((edges, dict(zip(seeds, options.edges))))
    for task, data in tasks:
        scores = {}
        for seed in seeds:
            for name, score in task(data, seed):
                scores.setdefault(name, []).append(score)
        for name, values in scores.items():
            spread = np.std(values, ddof=1) if len(values) > 1 else 0.0
            print(f"{task.__name__:16} {name:36} {np.mean(values):.4f} ± {spread:.4f}  ({len(values)} seeds)", flush=True)


main()
