# SPDX-License-Identifier: MIT
"""What lateral connections are there for, measured on results of experiments/ and compared with runs without them.

Run as a program it prints these figures for ten seeds: lateral_figures_test.py [SEEDS].  As a test it looks at two of
them, at all ten where GAIA_LONG_TESTS=1.
"""
import os
import pathlib
import sys
import tempfile

import numpy as np
import pytest

import gaia

h5py = pytest.importorskip("h5py")

EXPERIMENTS = pathlib.Path(__file__).parents[3] / "experiments"
SEEDS = range(1, 11 if os.environ.get("GAIA_LONG_TESTS") == "1" else 3)
ALONE = {"hierarchy.levels[0].layers[0].lateral": "none"}


def run(folder, name, seed, changes=()):
    """Samples and answers of a run [steps, n], its weights and its lateral connections, None without them."""
    path = pathlib.Path(folder) / f"{name}.h5"
    changes = {"output.inputs": "all", **dict(changes)}
    gaia.run(EXPERIMENTS / f"{name}.yaml", set=changes, seed=seed, output=str(path), overwrite=True, progress="none")
    with h5py.File(path) as file:
        layer = file["levels/0/layers/0"]
        connections = layer["lateral/weights"][()] if "lateral" in layer else None
        return file["data/samples"][()], file["levels/0/representation"][()], layer["weights"][()], connections


def correlations(answers, others):
    """|correlation| of each column of the one with each of the other; 0 for one that never changes."""
    count = answers.shape[1]
    with np.errstate(all="ignore"):
        return np.abs(np.nan_to_num(np.corrcoef(answers.T, others.T)[:count, count:]))


def bars(folder, seed, changes=()):
    """How many bars have a neuron that answers to them, and the largest correlation of two neurons' answers.

    Of the last 20 000 samples, which are not learnt: a bar is found where a neuron's answers correlate with it by more
    than 0.9.
    """
    samples, answers, _, _ = run(folder, "bars", seed, changes)
    pictures, answers = samples[-20000:].reshape(-1, 8, 8), answers[-20000:]
    there = np.concatenate([pictures.min(axis=2), pictures.min(axis=1)], axis=1)
    between = correlations(answers, answers)
    return (correlations(answers, there).max(axis=0) > 0.9).sum(), (between - np.diag(np.diag(between))).max()


def components(folder, seed, changes=()):
    """|cosine| of each neuron's weights with the component of its number, and the largest |U|."""
    samples, _, weights, connections = run(folder, "lateral_components", seed, changes)
    vectors = np.linalg.eigh(np.cov(samples.T))[1][:, ::-1]
    cosines = np.abs(np.sum(weights.T * vectors[:, : len(weights)], axis=0)) / np.linalg.norm(weights, axis=1)
    return cosines, 0.0 if connections is None else np.abs(connections).max()


def test_neurons_that_inhibit_each_other_find_all_bars(tmp_path):
    found, largest = np.transpose([bars(tmp_path, seed) for seed in SEEDS])
    assert (found == 16).mean() >= 0.9
    assert largest.mean() < 0.06
    alone, alike = bars(tmp_path, SEEDS[0], ALONE)
    assert alone == 0 and alike > 0.9


@pytest.mark.parametrize("rule", ["rubner_tavan", "apex"])
def test_a_triangle_finds_the_components_in_order(tmp_path, rule):
    changes = {"hierarchy.levels[0].layers[0].lateral.rule": rule}
    for seed in SEEDS:
        cosines, connections = components(tmp_path, seed, changes)
        assert cosines.min() >= 0.985
        assert 0.0 < connections <= 0.15
    alone, _ = components(tmp_path, SEEDS[0], ALONE)
    assert alone[0] > 0.985 and alone[1:].max() < 0.2  # all have the first component


def main():
    seeds = range(1, 1 + int(sys.argv[1] if len(sys.argv) > 1 else 10))
    with tempfile.TemporaryDirectory() as folder:
        for title, changes in (("bars", {}), ("bars without lateral", ALONE)):
            found, largest = np.transpose([bars(folder, seed, changes) for seed in seeds])
            print(f"{title}: found {found.astype(int)}, largest correlation {largest.round(3)}, "
                  f"mean {largest.mean():.3f} +- {largest.std(ddof=1):.3f}", flush=True)
        rule = "hierarchy.levels[0].layers[0].lateral.rule"
        for title, changes in (("triangle", {}), ("apex", {rule: "apex"}), ("oja alone", ALONE)):
            cosines, connections = zip(*(components(folder, seed, changes) for seed in seeds))
            print(f"{title}: least cosine of {len(seeds)} seeds {np.min(cosines, axis=0).round(4)}, "
                  f"largest {np.max(cosines, axis=0).round(4)}, largest |U| {max(connections):.3f}", flush=True)


if __name__ == "__main__":
    main()
