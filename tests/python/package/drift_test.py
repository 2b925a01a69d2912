# SPDX-License-Identifier: MIT
"""Arrays whose rows are put in order, and whose channels drift: recomputed in NumPy from what the results say."""
import h5py
import numpy as np
import pytest

import gaia

ROWS, CHANNELS = 300, 5


def table():
    """Channels, of which the first is the number of the row, and a class for each row."""
    draw = np.random.default_rng(2)
    x = draw.normal(size=(ROWS, CHANNELS))
    x[:, 0] = np.arange(ROWS)
    return {**{f"c{i}": x[:, i] for i in range(CHANNELS)}, "class": draw.integers(0, 3, ROWS)}, x


def samples(data, output, epochs=1, **options):
    experiment = {"experiment": "d", "seed": 6, "dtype": "float64", "output": {"inputs": "all"},
                  "data": {"labels": "class", **options},
                  "hierarchy": {"epochs": epochs, "levels": [
                      {"layers": [{"type": "hebbian", "size": 2, "rule": "oja", "learning_rate": 1e-6}]}]}}
    path = gaia.run(experiment, data, output=output, progress="none").path
    with h5py.File(path) as file:
        moved = file.get("data/drift/0")
        return file["data/samples"][:], {} if moved is None else {name: moved[name][:] for name in moved}


@pytest.mark.filterwarnings("ignore")
def test_arrays_are_put_in_order(folder):
    data, x = table()
    for name, order in (("shuffle", "shuffle"), ("runs", {"runs": 6}), ("draw", {"draw": [{"count": 500}]})):
        read, _ = samples(data, f"{name}.h5", order=order)
        source = read[:, 0].astype(int)
        assert (read == x[source]).all()
        if name == "draw":
            assert len(source) == 500
            continue
        assert sorted(source) == list(range(ROWS)) and (source != np.arange(ROWS)).any()
        classes = data["class"][source]
        changes = 1 + (classes[1:] != classes[:-1]).sum()
        assert changes < ROWS / 4 if name == "runs" else changes > ROWS / 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("epochs", [1, 2])
def test_wires_of_arrays_are_swapped(folder, epochs):
    data, x = table()
    end = (epochs - 1) * ROWS + 250
    read, moved = samples(data, "swap.h5", epochs, drift=[{"kind": "swap", "from": 40, "to": end}])
    assert len(moved["step"]) == CHANNELS - 1
    assert (moved["step"] == [40 + k * (end - 40) // (CHANNELS - 1) for k in range(CHANNELS - 1)]).all()
    wires = np.arange(CHANNELS)
    for step in range(epochs * ROWS):
        for a, b in zip(moved["a"][moved["step"] == step], moved["b"][moved["step"] == step]):
            wires[[a, b]] = wires[[b, a]]
        if step >= (epochs - 1) * ROWS:  # the last one is recorded
            assert (read[step % ROWS] == x[step % ROWS][wires]).all()
    assert (wires != np.arange(CHANNELS)).all()


@pytest.mark.filterwarnings("ignore")
def test_order_comes_before_scaling_and_scaling_before_drift(folder):
    data, _ = table()
    order = {"draw": [{"share": 0.5, "count": 400}]}
    plain, _ = samples(data, "plain.h5", order=order)
    scaled, _ = samples(data, "scaled.h5", order=order, normalize="zscore")
    np.testing.assert_allclose(scaled, (plain - plain.mean(0)) / plain.std(0), atol=1e-12)
    white, _ = samples(data, "white.h5", order=order, whiten="zca", whiten_epsilon=0)
    np.testing.assert_allclose(np.cov(white.T), np.eye(CHANNELS), atol=1e-9)
    turned, moved = samples(data, "turned.h5", order=order, normalize="zscore",
                            drift=[{"kind": "turn", "axes": ["c1", "c3"], "angle": 90, "from": 100, "to": 300}])
    angle = np.radians(np.interp(np.arange(400), moved["step"], moved["angle"]))
    expected = scaled.copy()
    expected[:, 1] = np.cos(angle) * scaled[:, 1] - np.sin(angle) * scaled[:, 3]
    expected[:, 3] = np.sin(angle) * scaled[:, 1] + np.cos(angle) * scaled[:, 3]
    np.testing.assert_allclose(turned, expected, atol=1e-12)
