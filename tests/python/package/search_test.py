# SPDX-License-Identifier: MIT
"""gaia.search: over functions and over experiments."""
import json
import math
import os
import pathlib
import subprocess

import gaia
import numpy as np
import pytest

COMMAND = pathlib.Path(os.environ.get("GAIA_COMMAND") or pathlib.Path(gaia.__file__).parents[2] / "bin" / "gaia")
EXPERIMENT = {
    "experiment": "rate",
    "seed": 3,
    "hierarchy": {"levels": [{"layers": [
        {"type": "hebbian", "size": 1, "rule": "oja", "learning_rate": 1e-6, "init": "normal"}]}]},
    "readouts": [{"name": "first", "target": {"channel": 0}, "levels": [0],
                  "split": {"train": 0.4, "validation": 0.3, "test": 0.3}}],
    "search": {
        "parameters": {"hierarchy.levels[0].layers[0].learning_rate": {"log_range": [1e-5, 0.1]}},
        "objective": {"readout": "first", "score": "r2"},
        "evaluations": 12,
        "seeds": 2,
    },
}


def waves():
    return np.random.default_rng(5).normal(size=(3000, 4)) * [2.0, 1.0, 0.7, 0.5]


def test_a_function_is_searched_over_ranges_logarithms_integers_and_choices():
    def objective(values):
        assert isinstance(values["size"], int)
        return ((math.log10(values["rate"]) + 2) ** 2 + abs(values["size"] - 16)
                + {"oja": 0, "bcm": 1, "sanger": 2}[values["rule"]])

    space = {"rate": {"log_range": [1e-5, 1]}, "size": {"range": [4, 64], "integer": True},
             "rule": ["oja", "bcm", "sanger"]}
    found = gaia.search(objective, space, evaluations=600, seed=1)
    assert found.objective < 1e-3
    assert found.best["size"] == 16 and found.best["rule"] == "oja"
    assert found.best["rate"] == pytest.approx(0.01, rel=0.1)
    assert found.objective == min(trial["objective"] for trial in found.history)
    assert all(1e-5 <= trial["values"]["rate"] <= 1 for trial in found.history)
    again = gaia.search(objective, space, evaluations=600, seed=1)
    assert again.history == found.history
    assert gaia.search(objective, space, evaluations=60, seed=2).history != found.history[:60]
    luck = gaia.search(objective, space, method="random", evaluations=600, seed=1)
    assert luck.objective > found.objective


def test_a_search_begins_and_ends_where_it_is_told():
    first = []
    gaia.search(lambda v: first.append(v["a"]) or 0.0, {"a": {"range": [0, 100]}}, start={"a": 90.0}, step=1e-6,
                evaluations=4)
    assert np.allclose(first, 90.0, atol=0.1)
    found = gaia.search(lambda v: (v["a"] - 3) ** 2 + (v["b"] + 1) ** 2,
                        {"a": {"range": [0, 10]}, "b": {"range": [-5, 5]}}, target=1e-6, seed=0)
    assert found.objective <= 1e-6 and len(found.history) < 1000


def test_nan_is_the_worst_and_errors_of_the_function_are_raised():
    found = gaia.search(lambda v: math.nan if v["a"] > 0.5 else v["a"], {"a": {"range": [0, 1]}}, evaluations=100, seed=0)
    assert found.best["a"] < 0.1
    nothing = gaia.search(lambda v: math.nan, {"a": {"range": [0, 1]}}, evaluations=10, seed=0)
    assert nothing.best is None and math.isnan(nothing.objective)
    with pytest.raises(ZeroDivisionError):
        gaia.search(lambda v: 1 / 0, {"a": {"range": [0, 1]}})


@pytest.mark.parametrize("space, options, message", [
    ({}, {}, "space: expected a dict"),
    ({"a": 3}, {}, "a: expected {'range'"),
    ({"a": {"range": [0]}}, {}, "a: expected {'range'"),
    ({"a": {"range": [0, 1], "steps": 3}}, {}, "a: expected {'range'"),
    ({"a": {"range": [1, 0]}}, {}, "a"),
    ({"a": {"log_range": [0, 1]}}, {}, "a"),
    ({"a": ["one"]}, {}, "at least two choices"),
    ({"a": {"range": [0, 1]}}, {"method": "cmaes"}, "method: expected 'cma_es'"),
    ({"a": {"range": [0, 1]}}, {"start": {"b": 1}}, "start: expected a value for each of"),
    ({"a": {"range": [0, 1]}}, {"start": {"a": 2}}, "a': expected a value from 0.0 to 1.0, got 2.0"),
    ({"a": {"range": [0, 1]}}, {"evaluations": 0}, "evaluations"),
])
def test_wrong_options_are_told(space, options, message):
    with pytest.raises(gaia.ArgumentError) as error:
        gaia.search(lambda v: 0.0, space, **options)
    assert message in str(error.value)


def test_an_experiment_is_searched_over_rows_in_memory(tmp_path):
    found = gaia.search(EXPERIMENT, waves(), output=tmp_path / "out", progress="none")
    key = "hierarchy.levels[0].layers[0].learning_rate"
    kinds = [candidate["kind"] for candidate in found.candidates]
    assert kinds[0] == "own" and kinds.count("searched") == kinds.count("random") >= 12
    assert found.own["values"][key] == 1e-6
    assert 1e-5 <= found.best[key] <= 0.1
    assert found.score == max(c["mean"] for c in found.candidates if c["kind"] == "searched")
    assert found.score > found.own["mean"] + 0.1
    assert "What was found is better than the file's own values" in str(found)
    assert len(found.conclusions) == 2
    assert "other seeds" in str(found) and all(sentence in str(found) for sentence in found.conclusions)
    assert "seeds that chose neither" in found.conclusions[0]
    assert all(candidate["reason"] == "" for candidate in found.candidates)
    assert found.result.status == "complete"
    assert (tmp_path / "out" / "history.csv").read_text().count("\n") == 1 + len(found.candidates)
    # Runs that are there are not run again.
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("member-*.h5")}
    again = gaia.search(EXPERIMENT, waves(), output=tmp_path / "out", progress="none")
    assert again.candidates == found.candidates
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("member-*.h5")}
    with pytest.raises(gaia.OutputError, match="of another search or of other data"):
        gaia.search(EXPERIMENT, waves() + 1, output=tmp_path / "out", progress="none")


@pytest.mark.skipif(not COMMAND.exists(), reason="the command gaia is not built")
def test_a_search_finds_the_same_from_the_command_line(tmp_path):
    np.save(tmp_path / "waves.npy", waves())
    experiment = {**EXPERIMENT, "data": {"source": "file", "path": "waves.npy"},
                  "search": {**EXPERIMENT["search"], "evaluations": 4}}
    (tmp_path / "e.yaml").write_text(json.dumps(experiment))
    subprocess.run([COMMAND, "search", "e.yaml", "--output", "there", "--quiet"], cwd=tmp_path, check=True)
    gaia.search(tmp_path / "e.yaml", output=tmp_path / "here", progress="none")
    assert (tmp_path / "here" / "history.csv").read_bytes() == (tmp_path / "there" / "history.csv").read_bytes()


def test_a_section_that_is_wrong_is_told_with_its_place():
    wrong = {**EXPERIMENT, "search": {**EXPERIMENT["search"], "objective": {"readout": "second", "score": "r2"}}}
    with pytest.raises(gaia.ConfigError, match="there is no readout 'second'"):
        gaia.search(wrong, waves())
