# SPDX-License-Identifier: MIT
"""Experiments from Python: the same results as from files, errors of their kinds, runs that are cut."""
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import gaia
from refused import refused

h5py = pytest.importorskip("h5py")


def datasets(path):
    """Every dataset of a results file but how fast it was."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
    found.pop("metrics/steps_per_second", None)
    return found


def assert_same(one, other):
    one, other = datasets(one), datasets(other)
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_an_array_gives_what_a_file_of_it_gives(experiment, series):
    np.save("a.npy", series)
    of_file = gaia.run({**experiment, "data": {**experiment["data"], "source": "file", "path": "a.npy"}},
                       output="file.h5")
    of_rows = gaia.run(experiment, series, output="rows.h5")
    assert_same(of_file.path, of_rows.path)
    with open("a.npy", "rb") as file:
        assert of_rows.attrs["input_sha256"] == hashlib.sha256(file.read()).hexdigest()
    assert of_rows.status == "complete"
    assert of_rows.scores[0]["name"] == "next"
    assert of_rows.verdict == of_file.verdict != ""


def test_a_layer_begins_with_rows_of_the_data(series):
    levels = [{"layers": [{"type": "hebbian", "size": 9, "rule": "macqueen", "init": "samples"}]}]
    made = gaia.run({"experiment": "first", "hierarchy": {"levels": levels}}, series, output="first.h5")
    with h5py.File(made.path) as file:
        begun = file["levels/0/layers/0/weights_initial"][()]
    rows = {tuple(row) for row in series.astype(np.float32)}
    assert len({tuple(row) for row in begun}) == 9 and all(tuple(row) in rows for row in begun)


def test_tables_of_every_kind_are_the_same(experiment, series):
    gaia.run(experiment, series, output="array.h5")
    gaia.run(experiment, np.asfortranarray(series), output="fortran.h5")
    gaia.run(experiment, {str(i): series[:, i] for i in range(3)}, output="dict.h5")
    for name in ("fortran", "dict"):
        assert_same("array.h5", f"{name}.h5")


def test_a_frame_gives_names_and_times(experiment, series):
    pd = pytest.importorskip("pandas")
    index = pd.date_range("2024-01-01", periods=len(series), freq="h", name="hour")
    frame = pd.DataFrame(series, index=index, columns=["a", "b", "c"])
    experiment["readouts"][0]["target"]["channel"] = "b"
    result = gaia.run(experiment, frame)
    with h5py.File(result.path) as file:
        assert list(file["data"].attrs["channel_names"]) == ["a", "b", "c"]
    assert result.scores[0]["target"].endswith("(b)")
    shown = result.level(0)
    assert shown.representation.shape == (399, 2)


def test_dates_with_a_time_zone_tell_when_rows_were_taken(experiment, series):
    pd = pytest.importorskip("pandas")
    in_utc = pd.date_range("2024-01-01", periods=len(series), freq="h", tz="UTC")
    gaia.run(experiment, pd.DataFrame(series, index=in_utc.tz_localize(None)), output="naive.h5")
    gaia.run(experiment, pd.DataFrame(series, index=in_utc.tz_convert("Europe/Zurich")), output="zone.h5")
    with h5py.File("zone.h5") as file:
        assert "time" in file["levels/0"]
    assert_same("naive.h5", "zone.h5")


@pytest.mark.parametrize("zone", [None, "Europe/Zurich"])
@pytest.mark.parametrize("is_named", [True, False])
def test_a_column_of_dates_tells_when_rows_were_taken(experiment, series, zone, is_named):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(series, columns=["a", "b", "c"])
    frame.insert(1, "t", pd.date_range("2024-01-01", periods=len(series), freq="h", tz=zone))
    gaia.run(experiment, frame.set_index("t"), output="index.h5")
    if is_named:
        experiment["data"]["time"] = "t"
    gaia.run(experiment, frame, output="column.h5")
    with h5py.File("index.h5") as one, h5py.File("column.h5") as other:
        assert list(other["data"].attrs["channel_names"]) == ["a", "b", "c"]
        np.testing.assert_array_equal(one["levels/0/time"][()], other["levels/0/time"][()])
    frame["u"] = frame["t"]
    with pytest.raises(gaia.DataError, match="expected one column of dates.*'t', 'u'.*leave out the others"):
        gaia.run(experiment, frame, overwrite=True)
    with pytest.raises(gaia.DataError, match="column 'u': expected numbers, got datetime64.*set_index"):
        gaia.run(experiment, frame.set_index("t"), overwrite=True)


def test_columns_of_texts_that_nothing_reads_are_named(experiment, series, capfd):
    columns = {"a": series[:, 0], "b": series[:, 1], "state": np.where(series[:, 0] > 0, "up", "down")}
    experiment["readouts"] = []
    gaia.run(experiment, columns)
    assert "left out, since they hold text: 'state'" in capfd.readouterr().err
    experiment["data"]["columns"] = ["a", "b"]
    gaia.run(experiment, columns, overwrite=True)
    assert "hold text" not in capfd.readouterr().err


def test_complex_numbers_are_refused(experiment, series):
    for data in (series + 1j, {"a": series[:, 0], "b": series[:, 1] * 1j}):
        refused(gaia.DataError, "expected numbers, got complex128 .*real part", lambda: gaia.run(experiment, data))


def test_a_file_that_is_opened_has_the_scores_of_its_run(experiment, series):
    experiment["readouts"].append({"name": "two", "target": {"channel": 1, "horizon": 3}, "levels": [0]})
    experiment["readouts"].append({"name": "odd", "type": "anomaly", "levels": [0]})
    experiment["readouts"].append({"name": "state", "type": "logistic", "target": {"label": True}, "levels": [0]})
    experiment["data"]["labels"] = "state"
    columns = {"a": series[:, 0], "b": series[:, 1], "state": (series[:, 0] > 0).astype(float)}
    result = gaia.run(experiment, columns)
    opened = gaia.open(result.path).scores
    assert [one["name"] for one in opened] == ["next", "odd", "state", "two"]
    for ours, theirs in zip(opened, sorted(result.scores, key=lambda one: one["name"])):
        ours["others"].sort(key=lambda one: one["name"])
        theirs["others"].sort(key=lambda one: one["name"])
        assert ours == theirs


def test_a_file_that_is_there_is_refused_in_words_of_python(experiment, series):
    gaia.run(experiment, series, output="a.h5")
    with pytest.raises(gaia.OutputError, match="a.h5 exists; use overwrite=True to replace it, or output= for another"):
        gaia.run(experiment, series, output="a.h5")


def test_labels_may_be_texts(experiment, series):
    experiment["data"]["labels"] = "state"
    experiment["readouts"] = [{"name": "state", "target": {"label": True}, "levels": [0], "type": "logistic"}]
    columns = {"a": series[:, 0], "b": series[:, 1], "state": np.where(series[:, 0] > 0, "up", "down")}
    result = gaia.run(experiment, columns)
    assert "accuracy" in result.scores[0]["numbers"]


def test_xarray_gives_names_and_times(experiment, series):
    xr = pytest.importorskip("xarray")
    array = xr.DataArray(series, {"when": np.arange(400) * 0.5, "channel": ["a", "b", "c"]}, ("when", "channel"))
    result = gaia.run(experiment, array)
    with h5py.File(result.path) as file:
        assert list(file["data"].attrs["channel_names"]) == ["a", "b", "c"]


def test_errors_are_of_their_kinds(experiment, series):
    experiment["hierarchy"]["levels"][0]["layers"][0]["rule"] = "ojja"
    with pytest.raises(gaia.ConfigError, match="ojja") as caught:
        gaia.run(experiment, series)
    assert caught.value.line > 1 and caught.value.column > 1
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, gaia.Error)
    refused(gaia.ConfigError, "no such file", lambda: gaia.run("not_there.yaml"))
    with pytest.raises(FileNotFoundError):
        gaia.open("not_there.h5")
    refused(TypeError, "expected dicts", lambda: gaia.run({"experiment": object()}))


def test_errors_of_data_are_of_their_kinds(experiment, series):
    refused(gaia.DataError, "memory", lambda: gaia.run(experiment, np.full((100, 2), np.nan)))
    refused(gaia.DataError, "expected numbers", lambda: gaia.run(experiment, np.array([["a", "b"]] * 100)))
    refused(gaia.DataError, "expected shape", lambda: gaia.run(experiment, np.zeros((10, 2, 2, 2))))


def test_a_result_that_is_there_stays(experiment, series):
    first = gaia.run(experiment, series)
    refused(gaia.OutputError, "exists", lambda: gaia.run(experiment, series))
    assert gaia.run(experiment, series, overwrite=True).path == first.path == "results/small.h5"


def test_settings_and_progress(experiment, series):
    told = []
    result = gaia.run(experiment, series, set={"hierarchy.levels[0].layers[0].size": 3}, seed=5,
                      progress=lambda text, share: told.append((text, share)))
    assert result.weights(0, 0).shape == (3, 6)
    assert result.attrs["seed"] == 5
    assert told and told[-1][1] == 1.0 and "steps" in told[-1][0]


def test_what_a_progress_function_raises_ends_the_run(experiment, series):
    def fail(text, share):
        raise LookupError("no more")

    refused(LookupError, "no more", lambda: gaia.run(experiment, series, progress=fail))


def test_check_says_what_is_needed(experiment, series):
    checked = gaia.check(experiment, series)
    assert checked["steps"] == 399 and checked["features"] == 6
    assert "rule: sanger" in checked["config"]
    assert checked["memory_bytes"] > 0


def test_a_verdict_is_over_seeds(experiment, series):
    verdict = gaia.verdict(experiment, series, seeds=2)
    assert verdict.seeds == 2 and verdict.diverged == []
    assert len(verdict.readouts[0]["scores"]) == 2
    assert {other["name"] for other in verdict.readouts[0]["others"]} >= {"frozen", "same_past"}
    assert os.path.exists(verdict.file)
    assert "next" in str(verdict)


def test_a_verdict_says_why_seeds_diverged(experiment, series):
    verdict = gaia.verdict(experiment, series, seeds=2, set={"hierarchy.levels[0].layers[0].learning_rate": 1000.0})
    assert sorted(verdict.reasons) == verdict.diverged == [verdict.first_seed, verdict.first_seed + 1]
    for reason in verdict.reasons.values():
        assert "level 0, layer 0" in reason and "at step " in reason and "learning_rate 1000.0" in reason
    assert "has no score: all 2 runs diverged" in str(verdict) and "NaN or Inf in the " in str(verdict)


def test_a_run_says_that_it_is_one_seed(experiment, series):
    result = gaia.run(experiment, series)
    assert result.verdict.endswith("; of one seed")
    assert "gaia.verdict in Python" in result.text
    assert gaia.open(result.path).verdict == result.verdict


def test_a_sweep_runs_its_members(experiment, series):
    experiment["sweep"] = {"hierarchy.levels[0].layers[0].learning_rate": [0.001, 0.01]}
    results = gaia.sweep(experiment, series)
    assert [result.status for result in results] == ["complete", "complete"]
    assert [list(result.settings.values()) for result in results] == [[0.001], [0.01]]
    assert gaia.sweep(experiment, series)[1].attrs["status"] == "complete"


def test_apply_takes_new_data(experiment, series):
    np.savetxt("new.csv", series[:100], delimiter=",", header="a,b,c", comments="")
    result = gaia.run(experiment, dict(zip("abc", series.T)))
    applied = gaia.apply(result, "new.csv")
    assert applied.level(0).representation.shape == (99, 2)


def test_init_writes_an_experiment_that_runs(series, folder):
    np.savetxt("new.csv", series, delimiter=",", header="a,b,c", comments="")
    text = gaia.init("new.csv", "new.yaml")
    assert (folder / "new.yaml").read_text() == text
    assert gaia.run("new.yaml").status == "complete"
    with pytest.raises(gaia.OutputError):
        gaia.init("new.csv", "new.yaml")


def test_a_report_is_html(experiment, series):
    result = gaia.run(experiment, series)
    assert result.report().lower().startswith("<!doctype html")
    assert "<iframe" in result._repr_html_()


def test_resume_goes_on_with_the_same_rows(experiment, series):
    whole = gaia.run(experiment, series, output="whole.h5")

    def stop(text, share):
        raise KeyboardInterrupt

    rows = np.tile(series, (2000, 1))
    gaia.run(experiment, rows, output="long.h5")
    with pytest.raises(KeyboardInterrupt) as caught:
        gaia.run(experiment, rows, output="cut.h5", progress=stop)
    if not os.path.exists("cut.h5.partial"):
        pytest.skip("the run was over before it could be cut")
    assert caught.value.file == "cut.h5.partial"
    with pytest.raises(gaia.ConfigError):
        gaia.resume("cut.h5")
    assert gaia.resume("cut.h5", rows).status == "complete"
    assert_same("cut.h5", "long.h5")
    assert gaia.resume(whole).status == "complete"


def test_errors_name_what_python_calls(experiment, series):
    def stop(text, share):
        raise KeyboardInterrupt

    rows = np.tile(series, (2000, 1))
    with pytest.raises(KeyboardInterrupt):
        gaia.run(experiment, rows, output="cut.h5", progress=stop)
    if not os.path.exists("cut.h5.partial"):
        pytest.skip("the run was over before it could be cut")
    with pytest.raises(gaia.OutputError) as caught:
        gaia.run(experiment, rows, output="cut.h5", progress="none")
    assert "`gaia.resume` goes on" in str(caught.value)
    for command in ("`gaia resume`", "`gaia run", "--overwrite", "--output"):
        assert command not in str(caught.value)


QUIET = """
import gaia, numpy as np
gaia.run({"experiment": "quiet", "device": "auto", "hierarchy": {"levels": [{"layers": [
    {"type": "hebbian", "size": 2, "rule": "oja", "learning_rate": "auto"}]}]}},
    np.random.default_rng(0).normal(size=(400, 3)), output="quiet.h5", overwrite=True, progress=%s)
"""


def test_a_run_without_progress_says_nothing_but_warnings(tmp_path):
    def said(progress):
        return subprocess.run([sys.executable, "-c", QUIET % progress], cwd=tmp_path, check=True, capture_output=True,
                              text=True).stderr

    assert said("'auto'") != ""
    assert said("False") == said("'none'") == ""


LONG = """
import gaia, numpy as np
gaia.run({"experiment": "long", "device": "cpu", "data": {}, "hierarchy": {"epochs": 100000, "levels": [
    {"layers": [{"type": "hebbian", "size": 8, "rule": "oja", "learning_rate": 0.0001}]}]}},
    np.random.default_rng(0).normal(size=(10000, 16)), output="long.h5", progress=lambda text, share: print(text, flush=True))
"""


def test_control_c_stops_a_run_and_keeps_its_state():
    process = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt: stored after" in errors
    with h5py.File("long.h5.partial") as file:
        assert file.attrs["status"] in ("interrupted", b"interrupted")


def test_the_gil_is_free_while_a_run_goes_on(experiment, series):
    counted = 0
    thread = threading.Thread(target=gaia.run, args=(experiment, np.tile(series, (3000, 1))), kwargs={"output": "busy.h5"})
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(0.001)
    assert counted > 10


def test_nothing_is_started_and_no_path_is_needed(experiment, series, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(subprocess, "Popen", None)
    assert gaia.run(experiment, series).status == "complete"


def test_a_result_is_opened_again(experiment, series):
    result = gaia.run(experiment, series)
    again = gaia.open(result.path)
    assert again.verdict == result.verdict != ""
    assert again.status == "complete" and again.text == ""
    assert repr(again) == f"<gaia.Result {result.path}: opened>"
    assert again._repr_html_().startswith("<iframe")
    with pytest.raises(AttributeError):
        again.no_such_thing
    with pytest.raises(FileNotFoundError):
        gaia.open("none.h5")
    open("text.h5", "w").write("this is no HDF5 file")
    refused(gaia.DataError, "text.h5: expected a results file", lambda: gaia.open("text.h5"))


@pytest.mark.parametrize("module, use", [
    ("matplotlib.pyplot", lambda result: result.plot()),
    ("h5py", lambda result: result.level(0)),
    ("xarray", lambda result: result.weights(0, 0)),
    ("pandas", lambda result: result.readout("next")),
])
def test_what_is_not_installed_is_named(experiment, series, monkeypatch, module, use):
    result = gaia.run(experiment, series)
    monkeypatch.setitem(sys.modules, module, None)
    refused(ImportError, "pip install " + module.partition(".")[0], lambda: use(result))
    result.report("page.html")  # needs none of them
    assert "report" in dir(result)


def test_a_level_is_drawn(experiment, series):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    result = gaia.run(experiment, series)
    axes = result.plot(1)
    assert len(axes.lines) == 2 and axes.get_ylabel() == "level 1"
    assert result.plot(0, axes=axes) is axes and len(axes.lines) == 4
    bare = gaia.run(experiment, series, set={"output.representations": "none"}, output="bare.h5")
    refused(gaia.DataError, "output.representations", lambda: bare.plot())


def test_columns_of_different_lengths_are_refused(experiment):
    refused(gaia.DataError, "of one length.*'a': 3", lambda: gaia.run(experiment, {"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0]}))
    refused(gaia.ArgumentError, "progress", lambda: gaia.run(experiment, np.ones((4, 2)), progress="loud"))
