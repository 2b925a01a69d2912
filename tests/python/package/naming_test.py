# SPDX-License-Identifier: MIT
"""Names of neurons on the digits that ship with gaia, computed once more from the results file alone."""
import pathlib

import h5py
import numpy as np
import pytest

import gaia

DIGITS = pathlib.Path(__file__).parents[3] / "experiments" / "data" / "digits.csv"
TRAINED, STEPS, NEURONS = 1257, 1797, 40


def experiment(**readout):
    # Weights of length 1, of which the nearest is the one with the largest z.
    rule = {"equations": "won = winner(z - tired)\ntired = tired + 3*(won - 1/n_out)\ny = z\n"
                         "dw = rate*won*(x - w)\n",
            "parameters": {"rate": 0.05}}
    return {"experiment": "names", "seed": 3, "dtype": "float64",
            "data": {"source": "file", "path": str(DIGITS), "labels": "label", "normalize": "none"},
            "hierarchy": {"levels": [{"layers": [{"type": "hebbian", "size": NEURONS, "rule": rule,
                                                   "normalization": "l2"}]}]},
            "readouts": [{"name": "digit", "type": "naming", "target": {"label": True}, "levels": [0],
                          "split": (TRAINED + 2.5) / STEPS} | readout],
            "controls": ["frozen", "same_past"], "output": {"inputs": "all", "weights": {"every": TRAINED}}}


def run(made):
    """What the file has: samples, weights at the end of the training part, representations, the readout."""
    with h5py.File(gaia.run(made, output="names.h5", overwrite=True, progress="none").path) as file:
        layer, readout = file["levels/0/layers/0"], file["readouts/digit"]
        at = layer["history/step"][:].tolist().index(TRAINED)
        found = {name: thing[()] for name, thing in readout.items() if isinstance(thing, h5py.Dataset)}
        found |= {"samples": file["data/samples"][:], "shown": file["levels/0/representation"][:],
                  "weights": layer["history/weights"][at], "initial": layer["weights_initial"][:],
                  "attributes": dict(readout.attrs),
                  "frozen": readout["controls/frozen"].attrs["accuracy"]}
    labels = np.loadtxt(DIGITS, delimiter=",", skiprows=1, usecols=-1, dtype=int)
    return found, labels


def near(x, w):
    return x @ w.T


def by_majority(x, labels, w):
    won = near(x, w).argmax(1)
    counts = np.zeros((len(w), 10), int)
    np.add.at(counts, (won, labels), 1)
    return np.where(counts.sum(1) > 0, counts.argmax(1), -1), counts


@pytest.mark.parametrize("labels_of", [None, {"per_class": 10}])
def test_names_by_majority(labels_of):
    found, labels = run(experiment(**({"labels": labels_of} if labels_of else {})))
    told = np.arange(TRAINED)
    if labels_of:
        told = found["labelled_step"]
        assert (np.bincount(labels[told], minlength=10) == 10).all() and told.max() < TRAINED
    names, counts = by_majority(found["samples"][told], labels[told], found["weights"])
    assert (found["name"] == names).all()
    with np.errstate(invalid="ignore"):
        shares = np.nan_to_num(counts / counts.sum(1, keepdims=True))
    np.testing.assert_allclose(found["probability"], shares[found["shown"][found["step"]].argmax(1)])
    said = names[found["shown"][found["step"]].argmax(1)]
    assert (found["prediction"] == said).all() and (found["target"] == labels[found["step"]]).all()
    assert found["attributes"]["accuracy"] == pytest.approx((said == labels[found["step"]]).mean())
    still, _ = by_majority(found["samples"][told], labels[told], found["initial"])
    there = still[near(found["samples"][found["step"]], found["initial"]).argmax(1)]
    assert found["frozen"] == pytest.approx((there == labels[found["step"]]).mean())


def test_names_by_asking():
    found, labels = run(experiment(by="ask"))
    answers = near(found["samples"][:TRAINED], found["weights"])
    asked = []
    for neuron in range(NEURONS):
        asked.append(next(step for step in np.argsort(-answers[:, neuron], kind="stable") if step not in asked))
    assert (found["asked_step"] == asked).all() and (found["name"] == labels[asked]).all()
    said = labels[asked][found["shown"][found["step"]].argmax(1)]
    assert (found["prediction"] == said).all()
    assert found["attributes"]["accuracy"] == pytest.approx((said == labels[found["step"]]).mean())
