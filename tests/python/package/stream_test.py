# SPDX-License-Identifier: MIT
"""gaia.Stream: rows of every form, answers as a run has them, states, trials, threads and event loops."""
import asyncio
import collections
import gc
import json
import os
import pathlib
import subprocess
import threading
import warnings

import numpy as np
import pytest

import gaia
from refused import refused

h5py = pytest.importorskip("h5py")
COMMAND = pathlib.Path(os.environ.get("GAIA_COMMAND") or pathlib.Path(gaia.__file__).parents[2] / "bin" / "gaia")


@pytest.fixture
def table(series):
    """Columns a, b, c, a target and a class."""
    return {"a": series[:, 0], "b": series[:, 1], "c": series[:, 2], "gain": np.cos(0.3 * np.arange(len(series))),
            "state": np.where(series[:, 1] > 0, "up", "down")}


@pytest.fixture
def result(table):
    """A run over the table with a forecast, a readout of the target and one of the classes."""
    experiment = {
        "experiment": "live", "seed": 3, "device": "cpu", "dtype": "float64",
        "data": {"columns": ["a", "b", "c"], "targets": ["gain"], "labels": "state", "normalize": "zscore"},
        "hierarchy": {"levels": [
            {"layers": [{"type": "hebbian", "size": 2, "rule": "sanger", "learning_rate": 0.005}]},
            {"temporal_resolution": 4, "pooling": "mean",
             "layers": [{"type": "hebbian", "size": 2, "rule": "oja_subspace", "learning_rate": 0.01}]}]},
        "readouts": [
            {"name": "next", "target": {"channel": "a", "horizon": 1}, "levels": [0, 1]},
            {"name": "live", "type": "online", "method": "rls", "forgetting": 0.999, "target": {"column": "gain"},
             "levels": [0]},
            {"name": "state", "type": "logistic", "target": {"label": True}, "levels": [0, 1]}]}
    return gaia.run(experiment, table, output="live.h5", progress="none")


def rows_of(table, count=40):
    return [{name: values[t].item() for name, values in table.items()} for t in range(count)]


def answers(stream, rows):
    return list(stream.run(rows))


def assert_equal(one, other):
    """Bit for bit, NaN being NaN."""
    assert len(one) == len(other)
    for left, right in zip(one, other):
        assert left.keys() == right.keys()
        for name in left:
            same = left[name] == right[name] or (left[name] != left[name] and right[name] != right[name])
            assert same, (name, left[name], right[name])


def test_fields_have_the_names_of_readouts_and_classes(result, table):
    stream = gaia.Stream(result)
    assert stream.columns == ("a", "b", "c") and stream.targets == ("gain",) and stream.label == "state"
    assert stream.fields["next"] == () and set(stream.fields["state"]) == {"up", "down"}
    assert stream.step == 0 and stream.state_path.endswith("live.stream.h5")
    out = answers(stream, rows_of(table, 8))
    assert [one["step"] for one in out] == list(range(8)) and stream.step == 8
    assert list(out[0]) == ["step", *stream.fields]
    last = out[-1]
    assert type(last["next"]) is float and last["state"] in ("up", "down")
    assert last["state.up"] + last["state.down"] == pytest.approx(1.0)
    assert (last["state.up"] > last["state.down"]) == (last["state"] == "up")


def test_levels_are_what_apply_shows(result, table):
    """Against another way through the library: the levels of gaia.apply, over the same rows from a file."""
    with open("new.csv", "w", encoding="utf-8") as file:
        file.write(",".join(table) + "\n")
        file.writelines(",".join(map(str, row.values())) + "\n" for row in rows_of(table))
    shown = gaia.apply(result, "new.csv", progress="none").level(0).representation.values
    stream = gaia.Stream(result, outputs=["level 0"])
    names = list(stream.fields)
    streamed = np.array([[out[name] for name in names] for out in stream.run(rows_of(table))])
    assert names == ["level 0.0", "level 0.1"]
    np.testing.assert_allclose(streamed, shown, rtol=0, atol=1e-10)


def test_rows_of_every_form_are_the_same(result, table):
    rows = rows_of(table, 12)
    plain = [[row["a"], row["b"], row["c"]] for row in rows]
    Row = collections.namedtuple("Row", ["c", "b", "a", "other"])
    forms = {
        "lists": plain,
        "tuples": [tuple(row) for row in plain],
        "arrays": np.array(plain),
        "of numbers": [[np.float64(value) for value in row] for row in plain],
        "generators": [iter(row) for row in plain],
        "dicts in another order": [{"c": row["c"], "unknown": "text", "b": row["b"], "a": row["a"]} for row in rows],
        "named tuples": [Row(row["c"], row["b"], row["a"], None) for row in rows],
        "structured": np.array([tuple(row) for row in plain], [("a", float), ("b", float), ("c", float)]),
    }
    expected = answers(gaia.Stream(result), [{name: row[name] for name in "abc"} for row in rows])
    for name, form in forms.items():
        assert_equal(answers(gaia.Stream(result), form), expected), name


def test_tables_go_row_by_row(result, table):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({name: table[name][:10] for name in "abc"})
    expected = answers(gaia.Stream(result), frame.to_numpy())
    assert_equal(answers(gaia.Stream(result), frame), expected)
    stream = gaia.Stream(result)
    assert_equal([stream.push(row) for _, row in frame.iterrows()], expected)
    polars = pytest.importorskip("polars")
    assert_equal(answers(gaia.Stream(result), polars.from_dict({name: table[name][:10] for name in "abc"})), expected)
    arrow = pytest.importorskip("pyarrow")
    assert_equal(answers(gaia.Stream(result), arrow.Table.from_pandas(frame)), expected)


def test_float32_rows_are_the_numbers_that_they_are(result, table):
    rows = np.array([[row["a"], row["b"], row["c"]] for row in rows_of(table, 5)], np.float32)
    assert_equal(answers(gaia.Stream(result), rows), answers(gaia.Stream(result), rows.astype(np.float64)))


def test_what_is_missing_is_told_by_its_column(result):
    pandas = pytest.importorskip("pandas")
    stream = gaia.Stream(result)
    stream.push([0.1, 0.2, 0.3])
    for missing in (None, float("nan"), np.float32("nan"), pandas.NA, pandas.NaT):
        refused(gaia.DataError, "b", lambda: stream.push([0.1, missing, 0.3]))
    refused(gaia.DataError, "c", lambda: stream.push([0.1, 0.2, float("inf")]))
    assert stream.step == 1  # such rows have changed nothing
    other = gaia.Stream(result)
    other.push([0.1, 0.2, 0.3])
    assert_equal([stream.push([0.4, 0.5, 0.6])], [other.push([0.4, 0.5, 0.6])])


@pytest.mark.parametrize("row, error, text", [
    ({"a": 1.0, "b": 2.0}, gaia.DataError, "expected the column 'c' in the row, got a, b"),
    ({}, gaia.DataError, "expected the column 'a' in the row, got none"),
    ([1.0, 2.0], gaia.ShapeError, r"expected 3 values \(a, b, c\), got 2"),
    ([], gaia.ShapeError, "got 0"),
    (np.zeros((1, 3)), gaia.ShapeError, r"expected shape \[3\], got \[1, 3\]"),
    (["x", 1.0, 2.0], gaia.DataError, "a: expected a number, got 'x'"),
    ([1j, 1.0, 2.0], gaia.DataError, "a: expected a number"),
    ("123", gaia.ShapeError, "got 1"),
    (7, gaia.ShapeError, "got 1"),
    ([[1.0], 1.0, 2.0], gaia.DataError, r"a: expected a number, got \[1.0\]"),
])
def test_rows_that_are_none_say_so(result, row, error, text):
    stream = gaia.Stream(result)
    refused(error, text, lambda: stream.push(row))
    assert stream.step == 0


def test_targets_and_labels_of_every_form_are_the_same(result, table):
    rows = rows_of(table, 60)

    def learnt(push):
        stream = gaia.Stream(result, learn=True)
        return [push(stream, row) for row in rows]

    expected = learnt(lambda stream, row: stream.push(row))
    values = [lambda row: [row["a"], row["b"], row["c"]], lambda row: row]
    targets = [lambda row: row["gain"], lambda row: [row["gain"]], lambda row: {"gain": row["gain"]},
               lambda row: np.array([row["gain"]])]
    for of_values in values:
        for of_targets in targets:
            assert_equal(learnt(lambda stream, row: stream.push(of_values(row), targets=of_targets(row),
                                                                label=row["state"])), expected)
    without = learnt(lambda stream, row: stream.push([row["a"], row["b"], row["c"]]))
    assert without[-1]["live"] != expected[-1]["live"]  # so the targets are learnt from


def test_late_targets_are_learnt_from(result, table):
    taught, untaught = gaia.Stream(result, learn=True), gaia.Stream(result, learn=True)
    for row in rows_of(table, 30):
        x = [row["a"], row["b"], row["c"]]
        step = taught.push(x)["step"]
        untaught.push(x)
        taught.teach(step, targets=row["gain"])
    x = [0.3, -0.2, 0.1]
    assert taught.push(x)["live"] != untaught.push(x)["live"]
    refused(gaia.DataError, "99", lambda: taught.teach(99, targets=1.0))
    refused(gaia.ArgumentError, "expected some of gain, got 'loss'", lambda: taught.teach(1, targets={"loss": 1.0}))
    refused(gaia.ShapeError, r"targets: expected 1 values \(gain\), got 2", lambda: taught.teach(1, targets=[1.0, 2.0]))


def test_classes_that_are_not_known_are_refused(result):
    stream = gaia.Stream(result, learn=True)
    refused(gaia.DataError, "sideways", lambda: stream.push([0.1, 0.2, 0.3], label="sideways"))
    assert stream.step == 0
    for unknown in (None, float("nan")):
        stream.push([0.1, 0.2, 0.3], label=unknown)
    assert stream.step == 2


def test_without_learn_nothing_changes(result, table):
    with open(result.path, "rb") as file:
        before = file.read()
    rows = rows_of(table)
    once = gaia.Stream(result)
    first = answers(once, rows)
    once.begin_trial()
    again = answers(once, rows)
    for one, other in zip(first, again):
        assert one["next"] == other["next"] or np.isnan(one["next"])
    learning = answers(gaia.Stream(result, learn=True), rows)
    assert any(one["next"] != other["next"] for one, other in zip(first[5:], learning[5:]))
    with open(result.path, "rb") as file:
        assert file.read() == before


def test_a_state_goes_on_where_it_was_kept(result, table):
    rows = rows_of(table)
    whole = answers(gaia.Stream(result, learn=True), rows)
    with gaia.Stream(result, learn=True, state="s.h5") as stream:
        first = answers(stream, rows[:17])
    with gaia.Stream(result, learn=True, state="s.h5") as stream:
        assert stream.step == 17
        rest = answers(stream, rows[17:])
    assert_equal(first + rest, whole)
    anew = gaia.Stream(result, learn=True, state="s.h5", anew=True)
    assert anew.step == 0
    assert_equal(answers(anew, rows[:5]), whole[:5])


def test_the_command_gives_the_same_bytes(result, table):
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND}: no command line; name it by GAIA_COMMAND")
    rows = rows_of(table, 200)
    with gaia.Stream(result, learn=True, state="python.h5") as stream:
        expected = answers(stream, rows)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run([COMMAND, "stream", result.path, "--learn", "--state", "command.h5"], input=text,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    got = [json.loads(line) for line in done.stdout.splitlines()]
    classes = {name for name, of in stream.fields.items() if of}
    for row in got:
        row.update({name: np.nan for name, value in row.items() if value is None and name not in classes})
    assert_equal(got, expected)
    with h5py.File("python.h5") as python, h5py.File("command.h5") as command:
        assert python.attrs["sha256"] == command.attrs["sha256"]  # of all that is in it


def test_a_state_knows_that_a_trial_begins(result, table):
    rows = rows_of(table, 30)
    whole = gaia.Stream(result, learn=True, state="whole.h5")
    expected = answers(whole, rows[:13])
    whole.begin_trial()
    expected += answers(whole, rows[13:])
    with gaia.Stream(result, learn=True) as stream:
        one = answers(stream, rows[:13])
        stream.begin_trial()
    with gaia.Stream(result, learn=True) as stream:
        assert_equal(one + answers(stream, rows[13:]), expected)


def test_a_with_that_fails_keeps_the_rows_that_were_answered(result, table):
    with pytest.raises(RuntimeError, match="mine"):
        with gaia.Stream(result, learn=True) as stream:
            answers(stream, rows_of(table, 9))
            raise RuntimeError("mine")
    assert gaia.Stream(result, learn=True).step == 9
    refused(gaia.ArgumentError, "closed", lambda: stream.push([1.0, 2.0, 3.0]))
    stream.close()
    assert "closed" in repr(stream)


def test_states_are_kept_every_so_many_rows(result, table):
    stream = gaia.Stream(result, learn=True, keep_every=10)
    answers(stream, rows_of(table, 25))
    del stream
    gc.collect()
    assert gaia.Stream(result, learn=True).step == 20


def test_a_column_of_trials_begins_them(table, experiment):
    series = np.stack([table["a"], table["b"]], axis=1)
    run = {**experiment, "data": {"trials": {"column": "run"}, "columns": ["a", "b"]}}
    run["readouts"] = [{"name": "next", "target": {"channel": "a", "horizon": 1}, "levels": [0, 1]}]
    trial = np.arange(len(series)) // 100
    result = gaia.run(run, {"a": series[:, 0], "b": series[:, 1], "run": trial}, output="trials.h5", progress="none")
    by_column, by_hand = gaia.Stream(result, outputs=["level 1"]), gaia.Stream(result, outputs=["level 1"])
    assert by_column.trials == "run"
    one, other = [], []
    for t in range(14):
        x = {"a": series[t, 0], "b": series[t, 1]}
        one.append(by_column.push({**x, "run": np.int64(t // 6)}))
        if t in (6, 12):
            by_hand.begin_trial()
        other.append(by_hand.push(x))
    assert_equal(one, other)
    assert one[6]["level 1.0"] != one[5]["level 1.0"]  # six is no multiple of four: a trial has begun


def test_an_iterator_is_as_long_as_what_it_goes_over(result, table):
    """Rows are asked for one by one, and answers given as they are asked for."""
    asked = []

    def endless():
        for t in range(10 ** 9):
            asked.append(t)
            yield {name: table[name][t % 400] for name in "abc"}

    stream = gaia.Stream(result)
    answered = stream.run(endless())
    assert not asked
    for expected in range(5):
        assert next(answered)["step"] == expected
    assert asked == list(range(5)) and stream.step == 5
    with pytest.raises(gaia.ArgumentError, match="push takes one row"):
        next(stream.run({"a": 1.0}))


def test_rows_that_come_asynchronously_are_answered_so(result, table):
    rows = rows_of(table, 20)

    async def arriving():
        for row in rows:
            await asyncio.sleep(0)
            yield row

    async def all_of(stream):
        return [out async for out in stream.arun(arriving())]

    assert_equal(asyncio.run(all_of(gaia.Stream(result))), answers(gaia.Stream(result), rows))


def test_threads_push_one_row_at_a_time(result, table):
    stream = gaia.Stream(result, learn=True)
    rows = rows_of(table, 50)
    steps = []
    threads = [threading.Thread(target=lambda: steps.extend(stream.push(row)["step"] for row in rows)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(steps) == list(range(200)) and stream.step == 200


@pytest.mark.parametrize("given, error, text", [
    ({"moments": "walking"}, gaia.ArgumentError, "expected 'stored' or 'running', got 'walking'"),
    ({"outputs": ["nxt"]}, gaia.ConfigError, "next"),
    ({"moments": "running"}, gaia.ConfigError, "learn"),
    ({"keep_every": -1}, gaia.ConfigError, "keep_every"),
])
def test_options_that_cannot_be_say_so(result, given, error, text):
    refused(error, text, lambda: gaia.Stream(result, **given))


def test_a_file_that_is_no_result_is_refused():
    refused(gaia.ConfigError, "nowhere.h5", lambda: gaia.Stream("nowhere.h5"))
    with open("x.h5", "w", encoding="utf-8") as file:
        file.write("no HDF5")
    refused(gaia.DataError, "x.h5", lambda: gaia.Stream("x.h5"))


def test_what_a_row_says_is_a_warning_of_the_caller(result, table):
    stream = gaia.Stream(result)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(3000):
            stream.push([50.0, -50.0, 50.0])  # far from all that the run has seen
    assert all(one.category is UserWarning for one in told)
    assert len({str(one.message) for one in told}) == len(told)  # each once
