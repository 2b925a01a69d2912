# SPDX-License-Identifier: MIT
"""Streams by river's protocol: in river where it is installed, and by what river asks of an estimator anywhere."""
import inspect

import numpy as np
import pytest

import gaia
from gaia.river import StreamClassifier, StreamRegressor

pytest.importorskip("h5py")


@pytest.fixture
def rows(series):
    """(x, y) as river has them: y is a target that follows from x."""
    return [({"a": float(x[0]), "b": float(x[1]), "c": float(x[2])}, 2.0 * float(x[0]) - float(x[1])) for x in series]


def run_over(rows, readout, labels=None, targets=("y",)):
    table = {name: np.array([x[name] for x, _ in rows]) for name in "abc"}
    data = {"columns": ["a", "b", "c"], "normalize": "zscore"}
    if labels is None:
        table["y"] = np.array([y for _, y in rows])
        data["targets"] = list(targets)
    else:
        table["y"] = np.array(labels)
        data["labels"] = "y"
    experiment = {"experiment": "river", "device": "cpu", "dtype": "float64", "data": data,
                  "hierarchy": {"levels": [{"layers": [
                      {"type": "reactive", "size": 8, "activation": "tanh"},
                      {"type": "hebbian", "size": 4, "rule": "oja_subspace", "learning_rate": 0.001}]}]},
                  "readouts": [readout]}
    return gaia.run(experiment, table, output=readout["name"] + ".h5", progress="none")


@pytest.fixture
def regressor(rows):
    readout = {"name": "live", "type": "online", "method": "rls", "forgetting": 0.999, "target": {"column": "y"},
               "levels": [0]}
    return StreamRegressor(run_over(rows, readout).path)


@pytest.fixture
def classifier(rows):
    readout = {"name": "kind", "type": "logistic", "target": {"label": True}, "levels": [0]}
    return StreamClassifier(run_over(rows, readout, ["high" if y > 0 else "low" for _, y in rows]).path)


def test_predicting_and_learning_read_each_row_once(regressor, rows):
    for x, y in rows[:20]:
        said = regressor.predict_one(x)
        assert regressor.predict_one(dict(x)) == said  # the same row once more is no new one
        regressor.learn_one(x, y)
    assert regressor.stream.step == 20
    regressor.learn_one(rows[20][0], rows[20][1])  # without a prediction before it
    assert regressor.stream.step == 21


def test_what_is_learnt_is_what_a_stream_learns(regressor, rows):
    stream = gaia.Stream(regressor.result, learn=True, outputs=["live"], anew=True)
    for x, y in rows[:50]:
        out = stream.push(x)
        stream.teach(out["step"], targets={"y": y})
        said = regressor.predict_one(x)
        assert said == out["live"] or (said is None and np.isnan(out["live"]))
        regressor.learn_one(x, y)


def test_truths_that_come_late_are_of_their_rows(regressor, rows):
    """It goes as river's `delay` has it: several rows are predicted before the first of them is learnt."""
    twin = gaia.Stream(regressor.result, learn=True, outputs=["live"], anew=True)
    for t, (x, _) in enumerate(rows[:60]):
        regressor.predict_one(x)
        twin.push(x)
        if t >= 5:
            regressor.learn_one(*rows[t - 5])
            twin.teach(t - 5, targets={"y": rows[t - 5][1]})
    assert regressor.stream.step == 60
    assert regressor.predict_one(rows[60][0]) == twin.push(rows[60][0])["live"]


def test_classes_are_called_as_they_were_learnt(classifier, rows):
    x, y = rows[0]
    assert set(classifier.predict_proba_one(x)) == {"high", "low"}
    assert sum(classifier.predict_proba_one(x).values()) == pytest.approx(1.0)
    right = 0
    for x, y in rows[1:]:
        name = "high" if y > 0 else "low"
        right += classifier.predict_one(x) == name
        classifier.learn_one(x, name)
    assert right > 0.8 * len(rows)
    assert classifier.stream.step == len(rows)


def test_whole_numbers_stay_classes(rows):
    readout = {"name": "kind", "type": "logistic", "target": {"label": True}, "levels": [0]}
    model = StreamClassifier(run_over(rows, readout, [int(y > 0) for _, y in rows]).path)
    for x, y in rows[:30]:
        model.learn_one(x, int(y > 0))
    assert model.predict_one(rows[30][0]) in (0, 1)


def test_what_does_not_fit_is_told(regressor, classifier):
    with pytest.raises(gaia.ArgumentError, match="expected one readout of classes, got none"):
        StreamClassifier(regressor.result, output="live").stream  # noqa: B018
    with pytest.raises(gaia.ArgumentError, match="target: expected one of y, got 'z'"):
        StreamRegressor(regressor.result, target="z").stream  # noqa: B018
    with pytest.raises(gaia.DataError, match="expected the column 'b'"):
        regressor.predict_one({"a": 1.0, "c": 2.0})


@pytest.mark.parametrize("kind", [StreamRegressor, StreamClassifier])
def test_an_estimator_has_what_river_asks_for(kind):
    """Parameters under their names, and methods of (x, y) and (x): what clone and evaluate rely on."""
    names = list(inspect.signature(kind.__init__).parameters)[1:]
    made = kind("nowhere.h5", output="one", learn=False)
    for name in names:
        assert hasattr(made, name)
    assert (made.result, made.output, made.learn) == ("nowhere.h5", "one", False)
    assert list(inspect.signature(kind.learn_one).parameters) == ["self", "x", "y"]
    assert list(inspect.signature(kind.predict_one).parameters) == ["self", "x"]


def test_river_scores_a_regressor(regressor, rows):
    river = pytest.importorskip("river")
    from river import evaluate, metrics
    assert isinstance(regressor, river.base.Regressor)
    mine = evaluate.progressive_val_score(rows[:300], regressor.clone(), metrics.MAE())
    idle = np.mean([abs(y) for _, y in rows[:300]])
    assert mine.get() < 0.5 * idle
    late = evaluate.progressive_val_score(rows[:300], regressor.clone(), metrics.MAE(), delay=5)
    assert late.get() < 0.5 * idle


def test_river_scores_a_classifier(classifier, rows):
    river = pytest.importorskip("river")
    from river import evaluate, metrics
    assert isinstance(classifier, river.base.Classifier)
    named = [(x, "high" if y > 0 else "low") for x, y in rows]
    assert evaluate.progressive_val_score(named, classifier.clone(), metrics.Accuracy()).get() > 0.8
    assert evaluate.progressive_val_score(named, classifier.clone(), metrics.CrossEntropy()).get() < np.log(2)
