# SPDX-License-Identifier: MIT
"""Tasks one after another: importances are recomputed from a results file by loops over samples in NumPy."""
import gzip
import pathlib
import struct

import numpy as np
import pytest

import gaia
from refused import refused

h5py = pytest.importorskip("h5py")

DIGITS = pathlib.Path(__file__).parents[3] / "experiments" / "data" / "digits"

EXPERIMENT = """experiment: tasks
seed: 3
dtype: float64
device: cpu
data: {{source: images, folder: {folder}, train_samples: 300, tasks: {{permute: 3}}}}
network:
  layers:
    - {{type: flatten}}
    - {{type: dense, size: 9, activation: relu}}
    - {{type: dense, size: 10}}
  optimizer: {{type: sgd, learning_rate: 0.1}}
  consolidate: {{method: ewc, strength: 5, samples: 70}}
  epochs: 2
  batch_size: 16
output: {{path: {output}}}
"""


def idx(name):
    data = gzip.decompress((DIGITS / f"{name}.gz").read_bytes())
    axes = data[3]
    shape = struct.unpack(f">{axes}I", data[4:4 + 4 * axes])
    return np.frombuffer(data[4 + 4 * axes:], np.uint8).reshape(shape)


def answer(x, w, b, v, c):
    h = np.maximum(x @ w.T + b, 0)
    return h, h @ v.T + c


@pytest.fixture(name="result")
def run(tmp_path):
    output = tmp_path / "r.h5"
    file = tmp_path / "e.yaml"
    file.write_text(EXPERIMENT.format(folder=DIGITS, output=output))
    gaia.run(file)
    return output


def test_importance_and_accuracy_follow_from_the_file(result):
    pixels = idx("train-images-idx3-ubyte").reshape(-1, 64)[:300] / 255
    classes = idx("train-labels-idx1-ubyte")[:300]
    test_x = idx("t10k-images-idx3-ubyte").reshape(-1, 64) / 255
    test_y = idx("t10k-labels-idx1-ubyte")
    with h5py.File(result) as file:
        order = file["tasks/permutation"][()]
        names = ["1.weights", "1.bias", "2.weights", "2.bias"]
        ends = [file[f"tasks/weights/{name}"][()] for name in names]
        stored = [file[f"tasks/importance/{name}"][()] for name in names]
        accuracy = file["tasks/accuracy"][()]
        mean, forgetting = (file["tasks"].attrs[name] for name in ("mean_accuracy", "forgetting"))
    found = [np.zeros_like(one) for one in stored]
    for task in range(3):
        w, b, v, c = (end[task] for end in ends)
        for n in range(70):
            x = pixels[n][order[task]]
            h, z = answer(x, w, b, v, c)
            d = np.exp(z - z.max())
            d /= d.sum()
            d[classes[n]] -= 1
            e = (d @ v) * (h > 0)
            for total, gradient in zip(found, (np.outer(e, x), e, np.outer(d, h), d)):
                total += gradient ** 2 / 70
        for tested in range(3):
            share = np.mean(answer(test_x[:, order[tested]], w, b, v, c)[1].argmax(1) == test_y)
            if tested <= task:
                assert accuracy[task, tested] == pytest.approx(share, abs=1e-12)
            else:
                assert np.isnan(accuracy[task, tested])
    for one, other in zip(found, stored):
        assert np.abs(one - other).max() <= 1e-10 * np.abs(other).max() and np.abs(other).max() > 0
    assert mean == pytest.approx(accuracy[2].mean())
    lost = [np.nanmax(accuracy[:2, task]) - accuracy[2, task] for task in range(2)]
    assert forgetting == pytest.approx(np.mean(lost))


def test_the_path_of_weights_is_followed_as_a_loop_follows_it():
    random = np.random.default_rng(5)
    x, y = random.normal(size=(2, 12, 3)), random.normal(size=(2, 12, 2))
    net = gaia.nn.Sequential(gaia.nn.Dense(3, 2, bias=False, dtype="float64"))
    (weights,) = net.parameters()
    w = np.array(weights)
    held = gaia.nn.Consolidation(net.parameters(), "synaptic_intelligence", strength=0.7, damping=0.05)
    optimiser = gaia.nn.Optimiser(net.parameters(), "sgd", learning_rate=0.1)
    anchor, importance = w.copy(), np.zeros_like(w)
    for task in range(2):
        start, path = w.copy(), np.zeros_like(w)
        gaia.nn.fit(net, gaia.array(x[task]), gaia.array(y[task]), "mse", optimiser, epochs=4, batch_size=4,
                    shuffle=False, consolidation=held)
        held.end_task(net, gaia.array(x[task]), gaia.array(y[task]), "mse")
        for _ in range(4):
            for at in range(0, 12, 4):
                bx, by = x[task, at:at + 4], y[task, at:at + 4]
                g = 2 * (bx @ w.T - by).T @ bx / by.size
                step = -0.1 * (g + np.minimum(2 * 0.7 * importance, 10) * (w - anchor))
                path -= g * step
                w = w + step
        importance = importance + np.maximum(path, 0) / ((w - start) ** 2 + 0.05)
        anchor = w.copy()
        np.testing.assert_allclose(np.array(held.importance[0]), importance, rtol=1e-10)
        np.testing.assert_allclose(np.array(held.anchors[0]), anchor, rtol=1e-10)
    assert held.tasks == 2


def test_wrong_numbers_are_refused():
    net = gaia.nn.Sequential(gaia.nn.Dense(3, 2))
    refused(gaia.ArgumentError, "strength", lambda: gaia.nn.Consolidation(net.parameters(), strength=-1))
    refused(gaia.ArgumentError, "consolidate.method", lambda: gaia.nn.Consolidation(net.parameters(), "ewk"))
    refused(gaia.ArgumentError, "density", lambda: gaia.nn.RewiredDense(3, 2, density=0, every=10))


def test_a_rewired_layer_keeps_its_density():
    layer = gaia.nn.RewiredDense(20, 10, density=0.2, every=3, by="products", share=0.5)
    before = np.array(layer.mask)
    net = gaia.nn.Sequential(layer)
    random = np.random.default_rng(1)
    x, y = (gaia.array(random.normal(size=(40, n)).astype("float32")) for n in (20, 10))
    gaia.nn.fit(net, x, y, "mse", gaia.nn.Optimiser(net.parameters(), "adam"), epochs=4)
    after = np.array(layer.mask)
    assert before.sum() == after.sum() == 40 and (before != after).any()
    assert (np.array(layer.weights)[after == 0] == 0).all()
