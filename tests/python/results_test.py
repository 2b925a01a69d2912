#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads results with python/gaia_results.py and compares them with what h5py sees.  Exits with 77 where h5py or
xarray is not installed.

    results_test.py GAIA SOURCE_DIR WORK_DIR
"""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import time

if not all(importlib.util.find_spec(name) for name in ("h5py", "xarray")):
    print("h5py or xarray is not installed")
    sys.exit(77)

import h5py
import numpy as np
import xarray as xr

gaia, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
sys.path.insert(0, str(source / "python"))
import gaia_results


def run(name, file, *settings):
    arguments = [word for setting in settings for word in ("--set", setting)]
    subprocess.run([gaia, "run", source / "experiments" / file, "--quiet", "--output", work / name, *arguments],
                   check=True)
    return work / name


def refuses(error, function, *arguments):
    try:
        function(*arguments)
    except error as caught:
        return str(caught)
    raise AssertionError(f"{function} took {arguments}")


def test_hierarchy():
    path = run("ecg.h5", "ecg.yaml", "data.steps=3001", "output.inputs=all", "output.weights={every: 1000}")
    with gaia_results.open(path) as result, h5py.File(path) as file:
        assert result.attrs["experiment"] == "ecg" and result.attrs["status"] == "complete"
        assert isinstance(result.attrs["seed"], int) and result.steps_done == 3001
        assert not result.is_network and result.levels == [0, 1, 2]
        assert "complete, 3001 of 3001 steps" in repr(result)
        level = result.level(1)
        assert level.representation.dims == ("step", "neuron") and level.representation.shape == (751, 32)
        assert level.attrs["pooling"] == "mean" and level.time.attrs["units"] == "s"
        assert np.array_equal(level.representation, file["levels/1/representation"])
        assert list(level.step.values[:3]) == [0, 4, 8]
        # Expanded: every step shows the tick at or before it, at a time of its own.
        expanded = result.expanded(2)
        assert expanded.shape == (3001, 16)
        ticks = file["levels/2/representation"][()]
        for step in (0, 1, 15, 16, 3000):
            assert np.array_equal(expanded.sel(step=step), ticks[step // 16]), step
        assert abs(float(expanded.time[1] - expanded.time[0]) - 1 / 360) < 1e-12
        assert float(expanded.time[0]) == float(level.time[0])
        assert result.readouts == ["ahead_100ms", "ahead_100ms_level0", "ahead_28ms"]
        readout = result.readout("ahead_28ms")
        assert set(readout) == {"prediction", "target"} and readout.attrs["target_horizon"] == 10
        error = float(((readout.prediction - readout.target) ** 2).mean() ** 0.5 / readout.target.std())
        assert abs(error - readout.attrs["nrmse"]) < 1e-9
        scores = result.scores()
        assert float(scores.nrmse.sel(readout="ahead_28ms")) == readout.attrs["nrmse"]
        metrics = result.metrics()
        assert metrics.weight_norm.dims == ("step", "level") and int(metrics.step[-1]) == 3001
        weights = result.weights(0, 0)
        assert weights.dims == ("neuron", "input")
        assert np.array_equal(weights, file["levels/0/layers/0/weights"])
        assert not np.array_equal(weights, result.weights(0, 0, initial=True))
        bcm = result.layer(2, 0)
        assert bcm.attrs["rule"] == "bcm" and bcm.theta.dims == ("neuron",)
        history = result.weight_history(0, 0)
        assert list(history.step.values) == [0, 1000, 2000, 3000]
        assert np.array_equal(history[0], result.weights(0, 0, initial=True))
        theta = result.memory(2, 0, "theta")
        assert theta.dims == ("neuron",) and np.array_equal(theta, bcm.theta) and theta.attrs["initial"] == 1.0
        assert "there is no /levels/2/layers/0/memory/phi" in refuses(KeyError, result.memory, 2, 0, "phi")
        assert "there is no /levels/0/layers/0/theta" in refuses(KeyError, result.memory, 0, 0, "theta")
        assert np.array_equal(result.memory_history(2, 0, "theta"), result.threshold_history(2, 0))
        thresholds = result.threshold_history(2, 0)
        assert thresholds.dims == ("step", "neuron")
        assert np.array_equal(thresholds[0], np.full(len(bcm.theta), bcm.attrs["theta"]))
        assert result.samples().shape == (3001, 32)
        assert "there is no /levels/9; /levels has 0, 1, 2" in refuses(KeyError, result.level, 9)
        for read in (result.layer, result.weights, result.weight_history):
            assert "/levels/0/layers has 0" in refuses(KeyError, read, 0, 7), read
        assert "of a hierarchy there are metrics()" in refuses(KeyError, result.history)
        assert "/levels/0/layers/0/theta" not in file
        assert "history/theta; it was not recorded" in refuses(KeyError, result.threshold_history, 0, 0)
        if importlib.util.find_spec("yaml"):
            assert result.config["data"]["window"] == 32


def test_epochs():
    path = run("epochs.h5", "sunspots.yaml", "hierarchy.epochs=3")
    with gaia_results.open(path) as result:
        steps = int(result.file["data"].attrs["samples"])
        assert result.steps_done == 3 * steps and result.series_done == steps
        assert list(result.level(0).step.values) == list(range(steps))
        assert len(result.expanded(1)) == steps and int(result.metrics().step[-1]) == 3 * steps
        name = result.readouts[0]
        found = result.readout_weights(name)
        assert found.weights.dims == ("feature",) and len(found.level) == len(found.weights)
        assert np.isfinite(float(found.intercept))


def test_phase():
    path = run("phase.h5", "sunspots.yaml", "data.trials={length: 23}", "readouts=[]",
               "hierarchy.levels[1].temporal_resolution=5", "hierarchy.levels[1].phase=3")
    with gaia_results.open(path) as result:
        steps = int(result.series_done)
        starts = list(result.file["data/trial_start"])
        assert len(starts) > 2 and starts[1] % 5 != 0
        ticks = [step for step in range(steps) if (step - max(s for s in starts if s <= step)) % 5 == 3]
        assert list(result.level(1).step.values) == ticks
        rows, held = result.level(1).representation.values, None
        expanded = result.expanded(1)
        assert expanded.dims == ("step", "neuron") and len(expanded) == steps
        for step in range(steps):  # zeros before the first tick of a trial
            if step in starts:
                held = np.zeros(rows.shape[1])
            if step in ticks:
                held = rows[ticks.index(step)]
            assert np.array_equal(expanded.sel(step=step), held), step
        assert np.array_equal(result.expanded(0), result.level(0).representation)


def test_controls():
    path = run("controls.h5", "sunspots.yaml")
    frozen = run("frozen.h5", "sunspots.yaml", "hierarchy.learn=false")
    with gaia_results.open(path) as result, gaia_results.open(frozen) as alone:
        scores = result.scores()
        assert list(scores.frozen_r2.dims) == ["readout"]
        for key in ("nrmse", "r2"):
            assert float(scores["frozen_" + key][0]) == float(alone.scores()[key][0]), key
        assert "frozen_r2" not in alone.scores()


def test_thinned():
    path = run("thin.h5", "sunspots.yaml", "output.representations={every: 3}")
    with gaia_results.open(path) as result:
        assert list(result.level(1).step.values[:2]) == [0, 6]
        assert "every 6 steps" in refuses(ValueError, result.expanded, 1)
    path = run("none.h5", "sunspots.yaml", "output.representations=none")
    with gaia_results.open(path) as result:
        assert "was not recorded" in refuses(ValueError, result.expanded, 0)
        assert "/data/samples; it was not recorded" in refuses(KeyError, result.samples)


def test_network():
    path = run("gru.h5", "mackey_glass_gru.yaml", "data.steps=600", "network.epochs=2")
    with gaia_results.open(path) as result:
        assert result.is_network and result.levels == [] and result.readouts == []
        assert result.history().loss.dims == ("epoch",) and len(result.history().loss) == 2
        scores = result.scores()
        assert list(scores.readout) == ["test"]
        for key in ("loss", "nrmse", "r2", "baseline_nrmse", "baseline_r2"):
            assert float(scores[key][0]) == result.file["test"].attrs[key], key
        for read in (result.layer, result.weights, result.weight_history):
            assert "of a network there are history()" in refuses(KeyError, read, 0, 0), read
        assert "of a network there are" in refuses(KeyError, result.level, 0)


def test_agent():
    path = run("maze.h5", "t_maze.yaml", "environment.episodes=30")
    with h5py.File(path) as file:
        agent = file["agent"]
        assert agent.attrs["environment"] == "t_maze" and agent["reward"].attrs["units"] == "nat"
        returns = agent["reward"][:].reshape(30, 2).sum(1)
        assert np.array_equal(returns, agent["episodes/return"])
        assert agent.attrs["mean_return"] == returns.mean()
        assert list(agent["place_state"].attrs["labels"]) == ["centre", "left arm", "right arm", "cue"]
        assert set(agent["controls"]) == {"random", "no_epistemic"}
    with gaia_results.open(path) as result:
        steps, plans, episodes = result.agent(), result.agent("plans"), result.agent("episodes")
        random = result.agent("controls/random")
        assert result.attrs["verdict"] == steps.attrs["verdict"] + "; of one seed"
        assert "controls has no_epistemic, random" in refuses(KeyError, result.agent, "controls/frozen")
    assert steps.belief_place.dims == ("step", "place_state")
    assert float(abs(steps.belief_side.sum("side_state") - 1).max()) < 1e-12
    assert plans.posterior.dims == ("step", "policy")
    assert plans.policy_action.dims == ("policy", "plan_step", "factor")
    assert float(abs(plans.G - plans.risk - plans.ambiguity).max()) < 1e-9
    # The policies that are held to be best begin with the action that was taken.
    best = plans.policy_action.isel(policy=plans.posterior.argmax("policy"), plan_step=0, factor=0)
    assert np.array_equal(best.values, steps.action_place.values)
    assert episodes["return"].dims == ("episode",) and np.array_equal(episodes["return"], returns)
    assert random.attrs["mean_return"] == float(random["return"].mean())
    if importlib.util.find_spec("h5netcdf"):
        for group, read in (("agent", steps), ("agent/plans", plans), ("agent/controls/random", random)):
            opened = xr.open_dataset(path, engine="h5netcdf", group=group)
            assert set(opened) == set(read) and opened.sizes == read.sizes, group
    path = run("grid.h5", "grid_learning.yaml", "environment.episodes=5")
    with gaia_results.open(path) as result:
        learnt = result.agent("learnt").transition_cell
    assert learnt.dims == ("cell_next", "cell_state", "cell_action")
    assert round(float(learnt.sum()) - 16 * 16 * 5 * 0.1, 6) == 5 * 12


def test_growing():
    """A file is read while it is written, and never beyond what is safe."""
    path = work / "growing.h5"
    process = subprocess.Popen([gaia, "run", source / "experiments/ecg.yaml", "--quiet", "--output", path, "--threads",
                                "1", "--set", "hierarchy.executor=stepwise"])
    partial = pathlib.Path(str(path) + ".partial")
    seen = []
    try:
        while process.poll() is None:
            try:
                result = gaia_results.open(partial)
            except (FileNotFoundError, ValueError):
                time.sleep(0.01)
                continue
            with result:
                done = result.steps_done
                level = result.level(1)
                assert len(level.step) == len(level.representation) == len(level.time) == -(-done // 4)
                assert not np.isnan(level.representation.values).any()
                result.refresh()
                assert result.steps_done >= done and len(result.level(1).step) == -(-result.steps_done // 4)
                seen.append(done)
    finally:
        process.wait()
    assert process.returncode == 0
    print(f"looked {len(seen)} times at a growing file, from {min(seen, default=0)} to {max(seen, default=0)} steps")
    # One that was cut.
    cut = work / "cut.h5"
    subprocess.run([gaia, "run", source / "experiments/ecg.yaml", "--quiet", "--output", cut, "--max-time", "0.05s"])
    with gaia_results.open(str(cut) + ".partial") as result:
        assert result.attrs["status"] == "interrupted"
        assert len(result.level(0).step) == result.steps_done < 107969


def test_refusals():
    refuses(FileNotFoundError, gaia_results.open, work / "none.h5.partial")
    (work / "text.h5").write_text("text")
    assert "cannot be read as HDF5" in refuses(ValueError, gaia_results.open, work / "text.h5")
    with h5py.File(work / "other.h5", "w"):
        pass
    assert "no schema_version" in refuses(ValueError, gaia_results.open, work / "other.h5")
    with h5py.File(work / "later.h5", "w") as file:
        file.attrs["schema_version"] = 2
    assert "expected schema_version 1, got 2" in refuses(ValueError, gaia_results.open, work / "later.h5")
    subprocess.run([gaia, "sweep", source / "experiments/sweep_oja_rate.yaml", "--quiet", "--output", work / "sweep",
                    "--set", "data.steps=1000", "--set", "sweep={seeds: 2}"], check=True)
    for path in (work / "sweep", work / "sweep/index.h5"):
        told = refuses(ValueError, gaia_results.open, path)
        assert str(work / "sweep/member-00000.h5") in told and "xarray.open_dataset" in told, told
    assert "is a folder" in refuses(ValueError, gaia_results.open, work)


def test_example():
    if not importlib.util.find_spec("matplotlib"):
        print("matplotlib is not installed; example_plots.py is not run")
        return
    picture = work / "ecg.png"
    subprocess.run([sys.executable, source / "python/example_plots.py", work / "ecg.h5", picture], check=True)
    assert picture.stat().st_size > 20000


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
for test in (test_hierarchy, test_epochs, test_phase, test_thinned, test_network, test_agent, test_growing,
             test_refusals, test_example):
    test()
    print(test.__name__, "passed")
