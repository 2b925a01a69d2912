# SPDX-License-Identifier: MIT
"""gaia.search: over functions and over experiments."""
import json
import math
import os
import pathlib
import subprocess

import gaia
from refused import refused
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
    refused(gaia.ConfigError, "there is no readout 'second'", lambda: gaia.search(wrong, waves()))


def test_a_hypervolume_is_what_random_points_say():
    rng = np.random.default_rng(2)
    for objectives in (2, 3, 4):
        values = rng.random((15, objectives))
        points = rng.random((200_000, objectives))
        share = np.zeros(len(points), bool)
        for row in values:
            share |= (points >= row).all(1)
        assert gaia.hypervolume(values, [1.0] * objectives) == pytest.approx(share.mean(), abs=0.005)
        all_of_it = gaia.hypervolume(values, [1.0] * objectives)
        for k, adds in enumerate(gaia.hypervolume_contributions(values, [1.0] * objectives)):
            assert adds == pytest.approx(all_of_it - gaia.hypervolume(np.delete(values, k, 0), [1.0] * objectives))
    refused(gaia.errors.ArgumentError, "a reference of 2 objectives", lambda: gaia.hypervolume([[0, 1]], [1]))
    refused(gaia.errors.ArgumentError, r"\[candidates, objectives\], got \[2\]", lambda: gaia.hypervolume([0, 1], [1, 1]))


def test_ranks_and_crowding_are_those_of_plain_comparison():
    values = np.random.default_rng(3).integers(0, 6, size=(30, 2)).astype(float)
    left, rank, expected = set(range(30)), 0, np.zeros(30, int)
    while left:
        front = [i for i in left if not any((values[k] <= values[i]).all() and (values[k] < values[i]).any() for k in left)]
        expected[front] = rank
        left -= set(front)
        rank += 1
    assert (gaia.non_dominated_ranks(values) == expected).all()
    distances = gaia.crowding_distances([[0, 8], [4, 0], [1, 4], [3, 2]])
    assert distances.tolist() == pytest.approx([np.inf, np.inf, 1.5, 1.25])


def test_mo_cma_es_finds_a_front_and_the_same_again():
    def run():
        strategy = gaia.MoCmaEs(np.random.default_rng(1).random((20, 3)), 0.1, low=[0, 0, 0], high=[1, 1, 1], seed=1)
        for _ in range(60):
            x = strategy.ask()
            strategy.tell(np.column_stack([(x**2).sum(1), ((x - 1)**2).sum(1)]))
        return strategy

    strategy = run()
    assert strategy.generation == 60 and strategy.why_stopped == ""
    assert strategy.points.shape == (20, 3) and strategy.values.shape == (20, 2) and (strategy.steps > 0).all()
    even = np.linspace(0, 1, 20)
    best = gaia.hypervolume(np.column_stack([3 * even**2, 3 * (1 - even)**2]), [3, 3])
    assert best - 0.1 < gaia.hypervolume(strategy.values, [3, 3]) < 7.5  # 9 (1 - 1/6), of the whole front
    assert (run().ask() == strategy.ask()).all()
    refused(gaia.errors.ArgumentError, "the step must be > 0", lambda: gaia.MoCmaEs([[0.0]], 0))


def test_an_experiment_is_searched_for_a_front(tmp_path):
    section = {"parameters": {"hierarchy.levels[0].layers[0].learning_rate": {"log_range": [1e-5, 0.1]},
                              "hierarchy.levels[0].layers[0].size": {"range": [1, 3], "integer": True}},
               "objectives": [{"readout": "first", "score": "r2"}, "weights"], "reference": [-1, 40],
               "population": 4, "generations": 2, "seeds": 1}
    found = gaia.search({**EXPERIMENT, "search": section}, waves(), output=tmp_path / "out", progress="none")
    searched = [one for one in found.candidates if one["kind"] == "searched"]
    values = np.array([[-one["objectives"]["first_r2"], one["objectives"]["weights"]] for one in searched])
    assert [searched.index(one) for one in found.front] == np.flatnonzero(gaia.non_dominated_ranks(values) == 0).tolist()
    assert found.hypervolume == pytest.approx(gaia.hypervolume(values, [1, 40]))
    assert found.best == max(searched, key=lambda one: one["mean"])["values"]
    assert (tmp_path / "out" / "best-weights.yaml").exists() and "hypervolume" in found.text


def test_an_experiment_is_searched_by_short_runs_first(tmp_path):
    section = {**EXPERIMENT["search"], "method": "random", "evaluations": 9, "held_out_seeds": 2,
               "halving": {"factor": 3, "rungs": 3}}
    halved = {**EXPERIMENT, "data": {"steps": 2700}, "search": section}
    found = gaia.search(halved, waves(), output=tmp_path / "out", progress="none")
    rungs = [[one for one in found.candidates if one["kind"] == "searched" and one["generation"] == rung]
             for rung in range(3)]
    assert [[one["steps"] for one in rung] for rung in rungs] == [[2 * 300] * 9, [2 * 900] * 3, [2 * 2700]]
    for before, after in zip(rungs, rungs[1:]):
        stay = sorted(before, key=lambda one: -one["mean"])[:len(after)]
        assert [one["begun_as"] for one in after] == sorted(one["begun_as"] for one in stay)
    for one in rungs[0] + rungs[1] + rungs[2]:
        assert one["values"] == found.candidates[one["begun_as"]]["values"]
    assert found.best == rungs[2][0]["values"] and list(found.best) == list(section["parameters"])
    assert found.score == rungs[2][0]["mean"] and len(found.conclusions) == 1
    assert "halving  9, 3, 1 candidates, 16 200 steps; all of them to the end: 48 600" in found.text
    with pytest.raises(gaia.ConfigError, match="expected data.steps to be a whole number of at least 9 in the file"):
        gaia.search({**EXPERIMENT, "search": section}, waves(), output=tmp_path / "none", progress="none")
    several = {**section, "objectives": [section["objective"], "weights"]}
    del several["objective"]
    with pytest.raises(gaia.ConfigError, match="is for one objective, by which candidates stay"):
        gaia.search({**halved, "search": several}, waves(), output=tmp_path / "none", progress="none")
