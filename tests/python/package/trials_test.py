# SPDX-License-Identifier: MIT
"""Arrays of trials from memory: the same results as from files, with labels, and experiments to begin with."""
import numpy as np
import pytest

import gaia

h5py = pytest.importorskip("h5py")

TRIALS, TIMES, CHANNELS = 20, 30, 3


def contents(path):
    """Every dataset of a results file but how fast it was and which files it read."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
    return {name: values for name, values in found.items()
            if name != "metrics/steps_per_second" and not name.startswith("data/files")}


def assert_same(one, other):
    one, other = contents(one), contents(other)
    assert one.keys() == other.keys() and "data/trial_start" in one
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.fixture
def trials():
    """Trials of two classes, of which one is louder, [trials, times, channels]."""
    random = np.random.default_rng(11)
    labels = np.array(["quiet", "loud"] * (TRIALS // 2))
    random.shuffle(labels)
    noise = random.normal(size=(TRIALS, TIMES, CHANNELS))
    return noise * np.where(labels == "loud", 3.0, 1.0)[:, None, None] + 1.0, labels


@pytest.fixture
def experiment():
    return {
        "experiment": "trials", "seed": 3, "device": "cpu",
        "data": {"window": 2, "normalize": "zscore", "labels": "label"},
        "hierarchy": {"levels": [
            {"layers": [{"type": "hebbian", "size": 2, "rule": "sanger", "learning_rate": 0.005},
                        {"type": "reactive", "size": 16, "activation": "relu"}]},
        ]},
        "readouts": [{"name": "class", "type": "logistic", "target": {"label": True, "per": "trial"}, "levels": [0],
                      "folds": 4}],
    }


def of_file(experiment, path, axes, labels=None):
    data = {**experiment["data"], "source": "file", "path": path, "trials": {"axes": axes}}
    return {**experiment, "data": {**data, "labels": labels} if labels else data}


def test_an_array_of_trials_gives_what_a_file_of_it_gives(experiment, trials):
    eeg, labels = trials
    axes = ["trial", "time", "channel"]
    np.save("eeg.npy", eeg)
    np.save("labels.npy", labels)
    gaia.run(of_file(experiment, "eeg.npy", axes, "labels.npy"), output="file.h5")
    rows = gaia.run(experiment, {"eeg": eeg, "label": labels}, output="rows.h5")
    assert_same("file.h5", "rows.h5")
    np.testing.assert_array_equal(contents("rows.h5")["data/trial_start"], np.arange(TRIALS) * (TIMES - 1))
    assert rows.scores[0]["numbers"]["accuracy"] > 0.9
    # The same numbers in another order, which the experiment tells of as it does of a file.
    across = np.ascontiguousarray(eeg.transpose(0, 2, 1))
    other = {**experiment, "data": {**experiment["data"], "trials": {"axes": ["trial", "channel", "time"]}}}
    gaia.run(other, {"eeg": across, "label": labels}, output="across.h5")
    assert_same("rows.h5", "across.h5")
    # And as they lie, without a copy.
    gaia.run(experiment, {"eeg": across.transpose(0, 2, 1), "label": labels}, output="strided.h5")
    assert_same("rows.h5", "strided.h5")


def test_an_array_alone_and_its_hash(experiment, trials):
    eeg, _ = trials
    del experiment["data"]["labels"]
    experiment["readouts"] = [{"name": "next", "target": {"channel": 0, "horizon": 1}, "levels": [0]}]
    np.save("eeg.npy", eeg.astype(np.float32))
    file = gaia.run(of_file(experiment, "eeg.npy", ["trial", "time", "channel"]), output="file.h5")
    rows = gaia.run(experiment, eeg.astype(np.float32), output="rows.h5")
    assert_same("file.h5", "rows.h5")
    assert file.attrs["input_sha256"] == rows.attrs["input_sha256"]


def test_classes_that_are_integers_and_targets_of_trials(experiment, trials):
    eeg, labels = trials
    gaia.run(experiment, {"x": eeg, "label": labels}, output="texts.h5")
    gaia.run(experiment, {"x": eeg, "label": (labels == "quiet").astype(np.int64)}, output="numbers.h5")
    np.testing.assert_array_equal(contents("texts.h5")["readouts/class/target"],
                                  contents("numbers.h5")["readouts/class/target"])
    # loud is 0 and quiet 1, in alphabetical order and in that of the numbers.
    strength = np.array([trial.std() for trial in eeg])
    experiment["data"] = {**experiment["data"], "targets": ["strength"]}
    del experiment["data"]["labels"]
    experiment["readouts"] = [{"name": "strength", "target": {"column": "strength"}, "levels": [0], "split": 0.5}]
    result = gaia.run(experiment, {"x": eeg, "strength": strength}, output="targets.h5")
    target = contents(result.path)["readouts/strength/target"].ravel()
    np.testing.assert_allclose(target, np.repeat(strength[TRIALS // 2:], TIMES - 1))


def test_an_xarray_of_trials_in_any_order(experiment, trials):
    xr = pytest.importorskip("xarray")
    eeg, labels = trials
    array = xr.DataArray(eeg.transpose(2, 0, 1), dims=("sensor", "epoch", "time"),
                         coords={"time": np.arange(TIMES) / 100, "sensor": ["a", "b", "c"], "label": ("epoch", labels)})
    result = gaia.run(experiment, array, output="xarray.h5")
    gaia.run(experiment, {"x": eeg, "label": labels}, output="rows.h5")
    np.testing.assert_array_equal(contents("xarray.h5")["readouts/class/prediction"],
                                  contents("rows.h5")["readouts/class/prediction"])
    time = contents(result.path)["levels/0/time"]
    np.testing.assert_allclose(time[:TIMES], np.append(np.arange(1, TIMES), 1) / 100)  # and anew in the second trial


def test_what_does_not_fit_is_refused(experiment, trials):
    eeg, labels = trials
    with pytest.raises(gaia.errors.DataError, match="one value for each of 20 trials in 'label', got shape \\[19\\]"):
        gaia.run(experiment, {"x": eeg, "label": labels[1:]})
    with pytest.raises(gaia.errors.DataError, match="expected shape"):
        gaia.run(experiment, eeg[None])
    with pytest.raises(gaia.errors.ConfigError, match="trials.axes"):
        gaia.run({**experiment, "data": {"trials": {"axes": ["trial", "time", "channel"]}}}, eeg[0])


@pytest.mark.parametrize("make", [lambda eeg, label, subject: {"eeg": eeg, "label": label},
                                  lambda eeg, label, subject: {"eeg": eeg, "y": (label == "loud") * 1},
                                  lambda eeg, label, subject: {"eeg": eeg, "condition": label, "subject": subject}])
def test_an_experiment_to_begin_with_runs_at_once(make):
    random = np.random.default_rng(12)
    labels = random.permutation(["quiet", "loud"] * 15)
    data = make(random.normal(size=(30, 50, 2)) * np.where(labels == "loud", 3.0, 1.0)[:, None, None], labels,
                np.arange(30) // 5)
    text = gaia.init(data, "trials.yaml")
    assert "trials: {axes: [trial, time, channel]}" in text
    name = [key for key in data if key in ("label", "y", "condition")][0]
    assert f'  labels: "{name}"  # a class for each trial' in text and "per: trial" in text
    assert ('groups: "subject"' in text) == ("subject" in data)
    result = gaia.run("trials.yaml", data, output="trials.h5")
    assert result.scores[0]["name"] == "class" and result.scores[0]["numbers"]["accuracy"] > 0.8
    assert gaia.verdict("trials.yaml", data, seeds=2).text


def test_an_experiment_for_trials_whose_last_axis_is_time(trials):
    eeg, labels = trials
    data = {"eeg": eeg.transpose(0, 2, 1), "label": labels}
    assert "trials: {axes: [trial, channel, time]}" in gaia.init(data, "across.yaml")
    result = gaia.run("across.yaml", data, output="across.h5")
    assert result.scores[0]["name"] == "class" and result.scores[0]["numbers"]["accuracy"] > 0.8


def test_trials_that_doubles_cannot_tell_apart():
    random = np.random.default_rng(13)
    frame = {"trial": np.repeat(2 ** 53 + np.arange(6), 50), "x": random.normal(size=300)}
    assert "in 6 trials" in gaia.init(frame)


def test_a_frame_of_trials(trials):
    pd = pytest.importorskip("pandas")
    eeg, labels = trials
    frame = pd.DataFrame(eeg.reshape(-1, CHANNELS), columns=["a", "b", "c"])
    frame.insert(0, "trial", np.repeat([f"t{k:02}" for k in range(TRIALS)], TIMES))
    frame["label"] = np.repeat(labels, TIMES)
    text = gaia.init(frame, "frame.yaml")
    assert 'trials: {column: "trial"}' in text and 'labels: "label"  # a class for each trial' in text
    assert 'columns: ["a", "b", "c"]' in text
    result = gaia.run("frame.yaml", frame, output="frame.h5")
    assert len(contents(result.path)["data/trial_start"]) == TRIALS
