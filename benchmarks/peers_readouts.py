#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how long a logistic readout takes to fit, in gaia and in scikit-learn.

    peers_readouts.py [--program BENCH_READOUTS] [--images FOLDER] [--rounds N] [--threads N]
                      [--results FOLDER]

Each case is one problem with one l2, solved by both: gaia's LogisticRegression, and scikit-learn's
with C = 1 / (rows l2 s), s being the mean variance of the features, by which both minimise the same
function.  scikit-learn stops where it says that it has converged (lbfgs, tol 1e-4).  Before the clock
counts, the value and the gradient of that function are computed at gaia's answer by NumPy: the
gradient must be below 1e-8, and the value at most 1e-6 above scikit-learn's; the exit code is 1
otherwise.  Then the two take turns, gaia, scikit-learn, gaia, ..., each in a process of its own, and a
figure is the median of all its times.

Cases: the 1 797 digits that scikit-learn ships; 20 000 rows of 64 numbers around ten centres; and with
--images the first 20 000 pictures of a folder with MNIST's or Fashion-MNIST's IDX files, as pixels and
as 64 rectified random projections of them.  The table goes to the standard output as Markdown, with
--results also to DATE-readouts.md and .json.
"""

import argparse
import datetime
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

from peers_harness import processor, write_results

L2 = 1e-4


def idx(path):
    """The numbers of an IDX file of bytes, packed by gzip or not."""
    packed = path.with_name(path.name + ".gz")
    data = gzip.open(packed).read() if packed.exists() else path.read_bytes()
    shape = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def cases(images):
    """Name, rows and codes of each problem."""
    from sklearn.datasets import load_digits
    digits = load_digits()
    yield "digits, 1 797 x 64", digits.data / 16, digits.target
    random = numpy.random.default_rng(1)
    codes = random.integers(0, 10, 20_000)
    yield ("ten clouds, 20 000 x 64",
           random.normal(size=(20_000, 64)) + 0.5 * random.normal(size=(10, 64))[codes], codes)
    if not images:
        return
    pixels = idx(images / "train-images-idx3-ubyte")[:20_000].reshape(20_000, -1) / 255
    codes = idx(images / "train-labels-idx1-ubyte")[:20_000]
    yield f"{images.name}, 20 000 x 784", pixels, codes
    projection = random.normal(size=(784, 64)) / 28
    yield f"{images.name}, 64 projections", numpy.maximum(pixels @ projection, 0), codes


def value_and_gradient(rows, codes, weights, intercepts):
    """The function that both minimise, and the largest number of its gradient."""
    count, penalty = len(rows), L2 * rows.var(axis=0).mean()
    shown = rows @ weights.T + intercepts
    shown -= shown.max(axis=1, keepdims=True)
    p = numpy.exp(shown)
    total = p.sum(axis=1)
    own = shown[numpy.arange(count), codes]
    value = (numpy.log(total) - own).mean() + 0.5 * penalty * (weights ** 2).sum()
    p /= total[:, None]
    p[numpy.arange(count), codes] -= 1
    slopes = p.T @ rows / count + penalty * weights
    return value, max(abs(slopes).max(), abs(p.mean(axis=0)).max())


def fit_by_sklearn(path, rounds):
    """Seconds and solution, as bench_readouts writes them."""
    from sklearn.linear_model import LogisticRegression
    with open(path, "rb") as file:
        count, features = numpy.fromfile(file, numpy.int64, 2)
        rows = numpy.fromfile(file, numpy.float64, count * features).reshape(count, features)
        codes = numpy.fromfile(file, numpy.int64, count)
    seconds = []
    for _ in range(rounds):
        model = LogisticRegression(C=1 / (count * L2 * rows.var(axis=0).mean()), max_iter=100_000)
        start = time.perf_counter()
        model.fit(rows, codes)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": seconds, "steps": int(model.n_iter_[0]),
                      "converged": bool(model.n_iter_[0] < 100_000),
                      "weights": model.coef_.ravel().tolist(), "intercepts": model.intercept_.tolist()}))


def turn(program, path, threads, settings):
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    if program == "gaia":
        command = [settings.program, path, "--l2", str(L2), "--threads", str(threads)]
    else:
        command = [sys.executable, __file__, "--fit", path]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{program}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measure(name, rows, codes, folder, settings):
    """A row of the table."""
    path = os.path.join(folder, "problem.bin")
    with open(path, "wb") as file:
        numpy.array(rows.shape, numpy.int64).tofile(file)
        rows.astype(numpy.float64).tofile(file)
        codes.astype(numpy.int64).tofile(file)
    # scikit-learn is not always faster with more threads: it gets the number that suits it.
    ways = {("gaia", settings.threads): [], ("scikit-learn", 1): [], ("scikit-learn", settings.threads): []}
    found = {}
    for number in range(settings.rounds):
        for program, threads in ways:
            print(f"{name}: round {number + 1} of {settings.rounds}, {program}, {threads} thread(s)",
                  file=sys.stderr, flush=True)
            told = turn(program, path, threads, settings)
            if number == 0:
                shape = (len(told["intercepts"]), rows.shape[1])
                found[program] = value_and_gradient(rows, codes, numpy.reshape(told["weights"], shape),
                                                    numpy.array(told["intercepts"])), told["steps"]
            ways[program, threads] += told["seconds"]
    (value, gradient), steps = found["gaia"]
    (peer_value, peer_gradient), peer_steps = found["scikit-learn"]
    gaia = statistics.median(ways["gaia", settings.threads])
    peer, threads = min((statistics.median(times), threads)
                        for (program, threads), times in ways.items() if program != "gaia")
    return {"name": name, "gaia": gaia, "scikit_learn": peer, "threads_of_scikit_learn": threads,
            "steps": steps, "steps_of_scikit_learn": peer_steps, "gradient": gradient,
            "gradient_of_scikit_learn": peer_gradient, "value_above": value - peer_value,
            "wrong": not (gradient < 1e-8 and value - peer_value < 1e-6)}


def markdown(result):
    context = result["context"]
    lines = [f"# Logistic readouts, {context['date']}", "",
             f"{context['cpu']}, {context['threads']} thread(s), {context['versions']}. Made by "
             f"`benchmarks/peers_readouts.py`, which says what is measured. Medians of {context['rounds']} "
             f"rounds in turns; load of the machine when it began and ended: {context['load'][0]:.1f} and "
             f"{context['load'][1]:.1f} on {context['processors']} processors.", "",
             "| problem | gaia | scikit-learn | times as fast | gradient | scikit-learn's | minimum against its |",
             "|---|---|---|---|---|---|---|"]
    for row in result["rows"]:
        lines.append(f"| {row['name']} | {1e3 * row['gaia']:.0f} ms | {1e3 * row['scikit_learn']:.0f} ms "
                     f"({row['threads_of_scikit_learn']} thread(s)) | "
                     f"{row['scikit_learn'] / row['gaia']:.2f} | {row['gradient']:.1e} | "
                     f"{row['gradient_of_scikit_learn']:.1e} | {row['value_above']:+.1e} |")
    return "\n".join(lines) + "\n"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/benchmarks/bench_readouts")
    parser.add_argument("--images", type=pathlib.Path, help="folder of IDX files")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path, help="folder of DATE-readouts.md and .json")
    parser.add_argument("--fit", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    settings = parse_arguments()
    if settings.fit:
        return fit_by_sklearn(settings.fit, 1)
    import sklearn
    load = [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(*case, folder, settings) for case in cases(settings.images)]
    result = {"context": {"date": datetime.date.today().isoformat(), "cpu": processor(),
                          "threads": settings.threads, "rounds": settings.rounds,
                          "versions": f"scikit-learn {sklearn.__version__}, NumPy {numpy.__version__}",
                          "processors": os.cpu_count(), "load": [*load, os.getloadavg()[0]]},
              "rows": rows}
    text = markdown(result)
    print(text, end="")
    if settings.results:
        write_results(settings.results, "readouts", text, result)
    for row in rows:
        if row["wrong"]:
            print(f"{row['name']}: gaia's answer is not the minimum", file=sys.stderr)
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
