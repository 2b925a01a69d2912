# SPDX-License-Identifier: MIT
"""gaia.Predictive compared with loops in NumPy, in copies and files, as a transformer, and in the results of a run."""
import copy
import pathlib
import pickle

import numpy as np
import pytest

import gaia
from refused import refused

STEPS, INPUTS, CLASSES = 60, 5, 3


@pytest.fixture
def digits():
    """Samples [steps, inputs] and their classes; every seventh has none."""
    random = np.random.default_rng(4)
    x = random.normal(size=(STEPS, INPUTS))
    classes = np.argmax(x[:, :CLASSES], axis=1).astype(float)
    classes[::7] = -1
    return x, classes


def made(**keys):
    keys = {"learning_rate": 0.1, "iterations": 8, "step": 0.2, **keys}
    return gaia.Hierarchy(gaia.Predictive([6, CLASSES], **keys), inputs=INPUTS, dtype="float64")


def loops(hierarchy, x, classes, exact, batch):
    """Answers and weights by the equations of docs/hierarchy.md, sample by sample."""
    arrays = {name: values.copy() for name, values in hierarchy.arrays().items()}
    w1, w2, b1, b2 = (arrays[name] for name in ("weights/1", "weights/2", "bias/1", "bias/2"))
    answers = []
    for first in range(0, len(x), batch):
        rows = range(first, min(first + batch, len(x)))
        dw1, dw2, db1, db2 = (np.zeros_like(one) for one in (w1, w2, b1, b2))
        for t in rows:
            mu = w1 @ x[t] + b1
            answers.append(w2 @ np.tanh(mu) + b2)
            if classes[t] < 0:
                continue
            target = np.eye(CLASSES)[int(classes[t])]
            h, e2 = mu.copy(), target - answers[-1]
            if exact:
                e1 = (1 - np.tanh(mu) ** 2) * (w2.T @ e2)
            else:
                for _ in range(8):
                    e2 = target - w2 @ np.tanh(h) - b2
                    h = h + 0.2 * (-(h - mu) + (1 - np.tanh(h) ** 2) * (w2.T @ e2))
                e1, e2 = h - mu, target - w2 @ np.tanh(h) - b2
            dw1, dw2 = dw1 + np.outer(e1, x[t]), dw2 + np.outer(e2, np.tanh(h))
            db1, db2 = db1 + e1, db2 + e2
        count = sum(classes[t] >= 0 for t in rows)
        if len(rows) < batch or not count:
            continue
        w1, w2, b1, b2 = (one + 0.1 / count * change
                          for one, change in zip((w1, w2, b1, b2), (dw1, dw2, db1, db2)))
    return np.array(answers), {"weights/1": w1, "weights/2": w2, "bias/1": b1, "bias/2": b2}


@pytest.mark.parametrize("batch", [1, 7, 40])
@pytest.mark.parametrize("when", ["settle", "exact"])
def test_it_learns_by_its_equations(digits, when, batch):
    x, classes = digits
    hierarchy = made(learn_when=when, batch=batch)
    answers, expected = loops(hierarchy, x, classes, when == "exact", batch)
    shown = hierarchy.process(x, signals={"labels": classes})[0]
    np.testing.assert_allclose(shown, answers, rtol=0, atol=1e-10)
    for name, values in expected.items():
        np.testing.assert_allclose(hierarchy.arrays()[name], values, rtol=0, atol=1e-10)


def test_it_learns_what_it_is_told(digits):
    x, classes = digits
    hierarchy = made()
    for _ in range(20):
        hierarchy.reset()
        hierarchy.process(x, signals={"labels": classes})
    shown = hierarchy.process(x, learn=False)[0]  # which asks for no labels
    known = classes >= 0
    assert np.mean(np.argmax(shown, axis=1)[known] == classes[known]) > 0.9


@pytest.mark.parametrize("how", ["pickle", "deepcopy", "file"])
def test_copies_go_on_with_the_batch_that_waits(digits, how):
    x, classes = digits
    hierarchy = made(batch=7)
    hierarchy.process(x[:17], signals={"labels": classes[:17]})
    if how == "pickle":
        other = pickle.loads(pickle.dumps(hierarchy))
    elif how == "file":
        hierarchy.save("h.npz")
        other = gaia.Hierarchy.load("h.npz")
    else:
        other = copy.deepcopy(hierarchy)
    rest = {"signals": {"labels": classes[17:]}}
    np.testing.assert_array_equal(hierarchy.process(x[17:], **rest)[0], other.process(x[17:], **rest)[0])
    for name, values in hierarchy.arrays().items():
        np.testing.assert_array_equal(values, other.arrays()[name])


def test_it_is_told_and_written():
    hierarchy = made(batch=7)
    assert "predictive 3" in repr(hierarchy)
    assert "sizes: [6, 3]" in hierarchy.to_yaml() and "batch: 7" in hierarchy.to_yaml()
    assert np.shares_memory(hierarchy.weights(), hierarchy.arrays()["weights/1"])
    hierarchy.set_weights(np.ones((6, INPUTS)))
    assert (hierarchy.arrays()["weights/1"] == 1).all()


def test_what_is_wrong_is_told(digits):
    x, classes = digits
    refused(gaia.ArgumentError, "'labels', which is not given", lambda: made().process(x))
    refused(gaia.ArgumentError, "classes below 3", lambda: made().process(x, signals={"labels": classes + 2}))
    refused(gaia.Error, "sizes", lambda: gaia.Hierarchy(gaia.Predictive([]), inputs=INPUTS))
    refused(gaia.Error, "learn_when", lambda: made(learn_when="later"))


def test_columns_are_targets():
    x = np.random.default_rng(5).normal(size=(STEPS, INPUTS))
    hierarchy = gaia.Hierarchy(gaia.Predictive([4, 2], top="target", target=["force", "angle"], learning_rate=0.1),
                               inputs=INPUTS, dtype="float64")
    targets = {"force": x[:, 0], "angle": x[:, 1] - x[:, 2]}
    first = None
    for _ in range(30):
        hierarchy.reset()
        shown = hierarchy.process(x, signals=targets)[0]
        error = np.mean((shown - np.stack([targets["force"], targets["angle"]], axis=1)) ** 2)
        first = first or error
    assert error < first / 4


def test_a_transformer_shows_its_top(digits):
    pytest.importorskip("sklearn")
    from gaia.sklearn import HierarchyTransformer

    x, _ = digits
    shown = HierarchyTransformer([gaia.Level(gaia.Predictive([6, CLASSES], learn=False))]).fit(x)
    assert shown.transform(x).shape == (STEPS, CLASSES)
    assert len(shown.get_feature_names_out()) == CLASSES


def test_results_have_every_matrix(digits):
    x, classes = digits
    pytest.importorskip("xarray")
    rows = ["a,b,c,d,e,kind"] + [",".join([*map(repr, map(float, row)), "" if c < 0 else f"k{int(c)}"])
                                 for row, c in zip(x, classes)]
    pathlib.Path("d.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    result = gaia.run({"experiment": "predictive",
                       "data": {"source": "file", "path": "d.csv", "columns": ["a", "b", "c", "d", "e"],
                                "labels": "kind"},
                       "hierarchy": {"levels": [{"layers": [{"type": "predictive", "sizes": [6, 3]}]}]},
                       "output": {"path": "r.h5", "weights": {"every": 20}}})
    with result as run:
        assert run.status == "complete"
        assert run.weights(0, 0, number=1).shape == (6, INPUTS)
        assert run.weights(0, 0, number=2).dims == ("neuron_2", "input_2")
        history = run.weight_history(0, 0, number=2)
        assert history.shape == (4, 3, 6)
        np.testing.assert_array_equal(history[0], run.weights(0, 0, initial=True, number=2))
        np.testing.assert_array_equal(history[-1], run.weights(0, 0, number=2))
        with pytest.raises(KeyError):
            run.weights(0, 0, number=3)
