# SPDX-License-Identifier: MIT
"""Experiments of experiments/, shortened, give the same bytes from the command line and from Python.

One of each kind every day; all of them where GAIA_LONG_TESTS=1.
"""
import os
import pathlib
import struct
import subprocess

import numpy as np
import pytest

import gaia
from refused import refused

h5py = pytest.importorskip("h5py")

SOURCE = pathlib.Path(__file__).parents[3]
EXPERIMENTS = SOURCE / "experiments"
COMMAND = pathlib.Path(os.environ.get("GAIA_COMMAND") or pathlib.Path(gaia.__file__).parents[2] / "bin" / "gaia")

DIGITS = {"data.steps": 500, "hierarchy.freeze_after": 350, "hierarchy.schedule.cosine_to": 350}
IMAGES = {"data.folder": "images", "network.epochs": 2}
SHORTER = {
    "bandit": {"environment.steps": 60},
    "bars": {"data.steps": 1000, "hierarchy.freeze_after": 500, "hierarchy.schedule.tenth_after": 250},
    "bcm_selectivity": {"data.steps": 6000},
    "competition_digits": DIGITS,
    "consensus": {"data.steps": 2000, "data.drift[0].from": 1700, "data.drift[0].to": 1700},
    "digits": DIGITS,
    "ecg": {"data.steps": 5000},
    "fashion_mnist_conv": IMAGES,
    "fashion_mnist_dense": IMAGES,
    "grid_learning": {"environment.episodes": 6},
    "hebbian_growth": {"data.steps": 2000},
    "intrinsic_plasticity": {"data.steps": 2000, "hierarchy.freeze_after": 800},
    "lorenz_free_run": {"data.steps": 3000, "readouts[0].free_run.from": 1500, "readouts[0].free_run.steps": 100,
                        "readouts[0].free_run.repeat.every": 200, "readouts[0].free_run.repeat.count": 3,
                        "hierarchy.levels[0].layers[0].size": 60},
    "mackey_glass_free_run": {"data.steps": 3000, "readouts[0].free_run.from": 1500,
                              "readouts[0].free_run.repeat.count": 3, "hierarchy.levels[0].layers[0].size": 60},
    "mackey_glass_gru": {"data.steps": 600, "network.epochs": 2},
    "lateral_components": {"data.steps": 4000},
    "mnist": {"data.folder": "images", "data.train_samples": 80, "hierarchy.freeze_after": 80,
              "hierarchy.schedule.cosine_to": 80},
    "mountain_car": {"environment.episodes": 2, "environment.steps": 40, "agent.random_steps": 40},
    "narma10_reservoir": {"data.steps": 2000},
    "oja_principal_component": {"data.steps": 4000},
    "own_rule": {"data.steps": 6000, "hierarchy.freeze_after": 4200},
    "regimes_that_switch": {"data.steps": 1000},
    "regimes_that_switch_lstm": {"data.steps": 400, "network.epochs": 2},
    "reward_learning": DIGITS,
    "mountain_car_policy": {"environment.episodes": 3, "environment.steps": 40, "agent.random_steps": 20,
                            "agent.policy.teaching_episodes": 1},
    "pendulum_policy": {"environment.episodes": 3, "environment.steps": 30, "agent.random_steps": 20,
                        "agent.policy.teaching_episodes": 1},
    "pendulum": {"environment.episodes": 2, "environment.steps": 40, "agent.random_steps": 40},
    "search_digits": {"search.evaluations": 4, "search.seeds": 1},
    "search_front": {"search.population": 4, "search.generations": 1, "search.seeds": 1, "search.held_out_seeds": 1},
    "search_rule": {"search.evaluations": 4, "search.seeds": 1},
    "sensors_that_drop_out": {"data.steps": 1000},
    "sensors_that_drop_out_lstm": {"data.steps": 400, "network.epochs": 2},
    "stdp_window": {"data.steps": 20000},
    "sunspots": {},
    "sweep_oja_rate": {"data.steps": 2000},
    "sweep_one_shot_memory": {"data.steps": 200},
    "sweep_plastic_linear": {"data.steps": 600, "network.epochs": 2},
    "t_maze": {"environment.episodes": 12},
    "three_timescales": {"data.steps": 8192, "hierarchy.freeze_after": 2048},
    "turning_subspace": {"data.steps": 12000},
    "context_gain": {"data.steps": 4000, "hierarchy.schedule.cosine_to": 2000},
    "context_prior": {"data.steps": 4000, "hierarchy.freeze_after": 2000},
    "rewired_digits": {},
    "sources": {},
    "sparse_digits": {"data.folder": "images", "data.train_samples": 80, "hierarchy.schedule.cosine_to": 80,
                      "hierarchy.levels[0].layers[0].size": 20, "hierarchy.levels[0].layers[0].rewire.every": 20},
    "permuted_digits": {"network.epochs": 1, "data.tasks.permute": 2},
    "permuted_mnist": {"data.folder": "images", "data.train_samples": 80, "data.tasks.permute": 2},
    "predictive_coding": {"data.folder": "images", "hierarchy.epochs": 2, "hierarchy.freeze_after": 120,
                          "hierarchy.schedule.cosine_to": 120},
    "named_digits": {"data.folder": "images", "hierarchy.schedule.cosine_to": 120},
    "one_after_other": {"data.folder": "images"},
    "time_teaches": {"data.folder": "images", "hierarchy.freeze_after": 120, "hierarchy.schedule.cosine_to": 120},
    "values_that_are_missing": {"data.steps": 1000},
    "values_that_are_missing_lstm": {"data.steps": 400, "network.epochs": 2},
}
SWEEPS = {"sweep_oja_rate": 15, "sweep_one_shot_memory": 20, "sweep_plastic_linear": 20}  # and how many members they have
SEARCHES = {"search_digits", "search_front", "search_rule"}
# A hierarchy over a file, one over a generator with a text for a rule, a network, agents in both kinds of world.
DAILY = {"ecg", "own_rule", "fashion_mnist_dense", "grid_learning", "pendulum", "sweep_oja_rate", "search_rule"}
TRIED = SHORTER.keys() if os.environ.get("GAIA_LONG_TESTS") == "1" else DAILY
# How fast it was, which no two runs share.
CLOCK = {"steps_per_second", "samples_per_second", "seconds"}


def datasets(path):
    """{name: (dtype, shape, bytes)} of every dataset of a file but those of the clock."""
    found = {}

    def note(name, item):
        if isinstance(item, h5py.Dataset) and name.rpartition("/")[2] not in CLOCK:
            values = item[()]
            is_text = h5py.check_string_dtype(item.dtype) is not None
            elements = np.asarray(values).tolist() if is_text else np.asarray(values).tobytes()
            found[name] = (str(item.dtype), item.shape, elements)

    with h5py.File(path) as file:
        file.visititems(note)
    return found


def assert_same_bytes(one, other):
    one, other = datasets(one), datasets(other)
    assert len(one) > 2 and one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []


def command(*arguments):
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND}: no command line; name it by GAIA_COMMAND")
    done = subprocess.run([str(COMMAND), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def write_images(folder):
    """A data set in MNIST's format: 120 pictures to learn from, 40 to test with."""
    folder.mkdir()
    random = np.random.default_rng(3)
    for name, count in (("train", 120), ("t10k", 40)):
        labels = np.arange(count, dtype=np.uint8) % 10
        pictures = random.integers(0, 100, (count, 28, 28), dtype=np.uint8)
        pictures[np.arange(count), labels * 2] += 150
        (folder / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">4i", 0x803, count, 28, 28) + pictures.tobytes())
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, count) + labels.tobytes())


def test_every_experiment_is_compared():
    assert {path.stem for path in EXPERIMENTS.glob("*.yaml")} == SHORTER.keys()


@pytest.mark.parametrize("name", sorted(TRIED - SWEEPS.keys() - SEARCHES))
def test_the_command_line_and_python_write_the_same_bytes(name, folder):
    settings = dict(SHORTER[name])
    if "data.folder" in settings:
        write_images(folder / "images")
        settings["data.folder"] = str(folder / "images")
    changes = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command("run", EXPERIMENTS / f"{name}.yaml", "--quiet", "--output", "command.h5", *changes)
    result = gaia.run(EXPERIMENTS / f"{name}.yaml", set=settings, output="python.h5")
    assert result.status == "complete"
    assert_same_bytes("command.h5", "python.h5")
    again = gaia.replay("command.h5")
    assert again["equal"], again["text"]
    assert again["datasets"] > 15 and again["attributes"] > 100 and again["file"] is None


@pytest.mark.parametrize("name", sorted(TRIED & SWEEPS.keys()))
def test_a_sweep_of_the_command_line_and_of_python_write_the_same_bytes(name, folder):
    yaml = pytest.importorskip("yaml")
    # Members are numbered alike; the folder is the experiment's own, so the command's is said.
    text = yaml.safe_load((EXPERIMENTS / f"{name}.yaml").read_text())
    for key, value in SHORTER[name].items():
        section, _, last = key.partition(".")
        text[section][last] = value
    (folder / "sweep.yaml").write_text(yaml.safe_dump(text))
    command("sweep", folder / "sweep.yaml", "--quiet", "--output", "command")
    results = gaia.sweep(folder / "sweep.yaml", output="python")
    assert len(results) == SWEEPS[name]
    of_command = sorted(pathlib.Path("command").glob("**/*.h5"))
    of_python = sorted(pathlib.Path(result.path) for result in results)
    members = [path for path in of_command if path.name in {path.name for path in of_python}]
    assert len(members) == SWEEPS[name]
    for one, other in zip(members, of_python):
        assert one.name == other.name
        assert_same_bytes(one, other)


@pytest.mark.parametrize("name", sorted(TRIED & SEARCHES))
def test_a_search_of_the_command_line_and_of_python_write_the_same_bytes(name):
    yaml = EXPERIMENTS / f"{name}.yaml"
    changes = [word for key, value in SHORTER[name].items() for word in ("--set", f"{key}={value}")]
    command("search", yaml, "--quiet", "--output", "command", *changes)
    found = gaia.search(yaml, set=SHORTER[name], output="python")
    assert len(found.candidates) > 9
    # A run that diverged has no result.
    names = [path.name for path in sorted(pathlib.Path("command").glob("member-*.h5"))]
    assert len(names) > 5 and names == [path.name for path in sorted(pathlib.Path("python").glob("member-*.h5"))]
    for name in names:
        assert_same_bytes(f"command/{name}", f"python/{name}")
    assert pathlib.Path("command/history.csv").read_bytes() == pathlib.Path("python/history.csv").read_bytes()


def test_a_difference_would_be_seen(folder):
    settings = SHORTER["oja_principal_component"]
    for seed in (1, 2):
        gaia.run(EXPERIMENTS / "oja_principal_component.yaml", set=settings, seed=seed, output=f"{seed}.h5")
    with pytest.raises(AssertionError):
        assert_same_bytes("1.h5", "2.h5")


def test_a_replay_says_which_number_was_changed(folder):
    result = gaia.run(EXPERIMENTS / "own_rule.yaml", set=SHORTER["own_rule"], output="r.h5")
    with h5py.File("r.h5", "r+") as file:
        ticks = file["levels/0/representation"]
        ticks[40, 0] += 0.25
        number = float(ticks[40, 0])
    again = gaia.replay(result, output="again.h5")
    assert not again["equal"] and again["file"] == "again.h5"
    (found,) = again["differences"]
    assert (found["path"], found["attribute"], found["first"]) == ("/levels/0/representation", "", (40, 0))
    assert found["count"] == 1 and found["expected"] == number
    assert found["got"] == pytest.approx(number - 0.25) and found["largest"] == pytest.approx(0.25)
    assert again["largest"] == found["relative"] and found["text"] in again["text"]
    assert gaia.replay("r.h5", against="again.h5", tolerance=1.0)["equal"]
    refused(gaia.ConfigError, "no such file", lambda: gaia.replay("none.h5"))


def test_a_replay_of_rows_in_memory_is_given_them_again(folder):
    table = np.random.default_rng(2).normal(size=(300, 3))
    experiment = {"experiment": "waves", "hierarchy": {"levels": [
        {"layers": [{"type": "hebbian", "size": 2, "rule": "oja", "learning_rate": 0.01}]}]}}
    result = gaia.run(experiment, table, output="r.h5")
    assert gaia.replay(result, table)["equal"]
    refused(gaia.DataError, "is not the file that the run has read", lambda: gaia.replay(result, table + 1))
    refused(gaia.DataError, "hand over its rows", lambda: gaia.replay(result))
