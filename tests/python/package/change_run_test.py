# SPDX-License-Identifier: MIT
"""Readouts that tell of changes, and inputs that leave their moments: all of it once more from the results."""
import numpy as np
import pytest

import gaia

h5py = pytest.importorskip("h5py")


def rows(seed=4, count=3000):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(count, 3))
    x[1800:, 1] += 3.0
    x[2400:, 2] *= 9.0
    return x


def experiment(readouts, **data):
    return {"experiment": "changes", "seed": 2, "dtype": "float64", "data": {"normalize": "zscore", **data},
            "hierarchy": {"levels": [
                {"layers": [{"type": "hebbian", "size": 2, "rule": "oja_subspace", "learning_rate": 0.002}]},
                {"temporal_resolution": 3, "layers": [{"type": "reactive", "size": 2}]}]},
            "readouts": readouts, "controls": "none", "output": {"inputs": "all"}}


FORECAST = {"name": "forecast", "target": {"channel": 1, "horizon": 2}, "levels": [0], "split": 0.4}
LIVE = {"name": "live", "type": "online", "target": {"channel": 1, "horizon": 1}, "levels": [0]}
METHODS = {"adwin": (gaia.Adwin, {"delta": 0.05, "clock": 8}),
           "page_hinkley": (gaia.PageHinkley, {"threshold": 12.0, "delta": 0.05})}


def told(series, method):
    """What a detector of its own says of each number: detected, statistic, estimate."""
    make, settings = METHODS[method]
    detector, found = make(**settings), []
    for x in series:
        detected = detector.update(x)
        found.append((detected, detector.statistic, detector.estimation))
    return [np.array(part) for part in zip(*found)]


def check_against(group, columns, method):
    """Compares everything of the group with what detectors say of these series."""
    changes = []
    for k, series in enumerate(columns):
        detected, statistic, estimate = told(series, method)
        pick = (slice(None), k) if len(columns) > 1 else slice(None)
        np.testing.assert_array_equal(group["detected"][pick], detected)
        np.testing.assert_allclose(group["statistic"][pick], statistic, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(group["estimate"][pick], estimate, rtol=1e-10, atol=1e-12)
        changes += [(int(group["step"][row]), k) for row in np.flatnonzero(detected)]
    assert group.attrs["changes"] == len(changes)
    if changes:
        stored = list(zip(group["changes/step"][:].tolist(), group["changes/series"][:].tolist()))
        assert stored == sorted(changes)
    return changes


@pytest.mark.parametrize("method", list(METHODS))
def test_changes_follow_from_what_is_watched(tmp_path, method):
    keys = {"type": "change", "method": method, **METHODS[method][1]}
    path = tmp_path / "r.h5"
    gaia.run(experiment([FORECAST, LIVE, {"name": "errors", "readout": "forecast", **keys},
                         {"name": "live_errors", "readout": "live", **keys},
                         {"name": "inputs", "of": "input", **keys},
                         {"name": "mean", "of": "input", "watch": "mean", **keys},
                         {"name": "answers", "of": "levels", "levels": [0, 1], **keys},
                         {"name": "slow", "of": "levels", "levels": [1], "watch": "mean", **keys}]),
             rows(), output=path, progress="none")
    with h5py.File(path) as file:
        readouts = file["readouts"]
        for name, of, horizon in (("errors", "forecast", 2), ("live_errors", "live", 1)):
            heard = readouts[of]
            np.testing.assert_array_equal(readouts[name]["step"][:], heard["step"][:] + horizon)
            check_against(readouts[name], [np.abs(heard["prediction"][:] - heard["target"][:])], method)
        assert check_against(readouts["errors"], [np.abs(readouts["forecast/prediction"][:]
                                                         - readouts["forecast/target"][:])], method)
        x = file["data/samples"][:]
        start = int(readouts["inputs/step"][0])
        assert check_against(readouts["inputs"], list(x[start:].T), method)
        check_against(readouts["mean"], [x[start:].mean(axis=1)], method)
        fast = file["levels/0/representation"][:]
        slow = file["levels/1/representation"][:]
        held = slow[np.arange(len(fast)) // 3]
        check_against(readouts["answers"], list(np.concatenate([fast, held], axis=1)[start:].T), method)
        steps = file["levels/1/step"][:]
        first = int(readouts["slow/step"][0])
        check_against(readouts["slow"], [slow[steps >= first].mean(axis=1)], method)
        assert readouts["inputs"].attrs["score_undefined"]


def test_a_cut_run_tells_the_same_changes(tmp_path):
    readouts = [FORECAST, {"name": "errors", "type": "change", "readout": "forecast", "clock": 4, "delta": 0.2},
                {"name": "inputs", "type": "change", "of": "input", "method": "page_hinkley", "threshold": 12}]
    x = rows(count=30000)
    x[20000:, 1] += 4.0
    gaia.run(experiment(readouts), x, output=tmp_path / "whole.h5", progress="none")
    gaia.run(experiment(readouts), x, output=tmp_path / "cut.h5", progress="none", max_seconds=0)
    gaia.resume(tmp_path / "cut.h5", x, progress="none")
    with h5py.File(tmp_path / "whole.h5") as whole, h5py.File(tmp_path / "cut.h5") as cut:
        for name in ("errors", "inputs"):
            for dataset in ("step", "detected", "statistic", "estimate", "changes/step", "changes/statistic"):
                assert whole[f"readouts/{name}/{dataset}"][:].tobytes() == cut[f"readouts/{name}/{dataset}"][:].tobytes()
        assert list(whole["data"].attrs["noticed"]) == list(cut["data"].attrs["noticed"])


def test_inputs_that_leave_their_moments_are_told(tmp_path):
    trained = gaia.run(experiment([FORECAST]), rows(), output=tmp_path / "r.h5", progress="none")
    with h5py.File(tmp_path / "r.h5") as file:
        noticed = np.atleast_1d(file["data"].attrs["noticed"]).tolist()
    # Channel 1 is 3 deviations off, and 2 nine times as wide; only what is behind the training part is watched.
    assert any(one.startswith("channel 2: from step ") for one in noticed)
    assert not any(one.startswith("channel 0") for one in noticed)
    usual = np.random.default_rng(9).normal(size=(2000, 3))
    np.save(tmp_path / "usual.npy", usual)
    gaia.apply(trained, tmp_path / "usual.npy", output=tmp_path / "usual.h5", progress="none")
    off = usual.copy()
    off[960:, 0] = 7.0
    np.save(tmp_path / "off.npy", off)
    gaia.apply(trained, tmp_path / "off.npy", output=tmp_path / "off.h5", progress="none")
    with h5py.File(tmp_path / "usual.h5") as fits, h5py.File(tmp_path / "off.h5") as left:
        assert "noticed" not in fits["data"].attrs
        noticed = np.atleast_1d(left["data"].attrs["noticed"]).tolist()
        assert len(noticed) == 1 and noticed[0].startswith("channel 0: from step 960 on")


@pytest.mark.parametrize("readout, message", [
    ({"name": "c", "type": "change"}, "readout: missing"),
    ({"name": "c", "type": "change", "readout": "forcast"}, "did you mean"),
    ({"name": "c", "type": "change", "readout": "c"}, "is of type change"),
    ({"name": "c", "type": "change", "readout": "forecast", "target": {"channel": 0}}, "has no place here"),
    ({"name": "c", "type": "change", "of": "input", "delta": 2}, "delta"),
])
def test_what_cannot_be_watched_is_an_error(readout, message):
    with pytest.raises(gaia.ConfigError, match=message):
        gaia.check(experiment([FORECAST, readout]), rows(count=200))
