# SPDX-License-Identifier: MIT
"""Parquet files as data of experiments: the same results as of the table in memory."""
import sys

import numpy as np
import pytest

import gaia
from refused import refused

h5py = pytest.importorskip("h5py")
arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def table(series):
    """Dates, three channels and a class; written to x.parquet."""
    when = np.datetime64("2024-01-01T00:00:00", "ns") + np.arange(len(series)) * np.timedelta64(1, "s")
    made = arrow.table({"when": arrow.array(when), "a": series[:, 0], "b": series[:, 1], "c": series[:, 2],
                        "state": np.where(series[:, 1] > 0, "up", "down")})
    parquet.write_table(made, "x.parquet")
    return made


def datasets(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, one: found.__setitem__(name, one[()]) if isinstance(one, h5py.Dataset) else None)
    return {name: values for name, values in found.items() if "per_second" not in name}


def assert_same(one, other):
    one, other = datasets(one), datasets(other)
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def with_columns(experiment):
    experiment["data"].update({"columns": ["a", "b", "c"], "labels": "state"})
    experiment["readouts"][0]["target"]["channel"] = "b"
    return experiment


def test_a_path_is_the_table_in_it(experiment, table):
    with_columns(experiment)
    gaia.run(experiment, table, output="table.h5", progress="none")
    gaia.run(experiment, "x.parquet", output="path.h5", progress="none")
    assert_same("table.h5", "path.h5")
    experiment["data"].update({"source": "file", "path": "x.parquet"})
    gaia.run(experiment, output="key.h5", progress="none")
    assert_same("table.h5", "key.h5")
    times = datasets("path.h5")["levels/0/time"]
    assert times.dtype == np.int64 and times[-1] == np.datetime64("2024-01-01T00:06:39", "ns").astype(np.int64)


def test_an_index_of_pandas_tells_the_time(experiment, series):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(series, columns=["a", "b", "c"])
    frame.to_parquet("counted.parquet")
    dated = frame.set_index(pandas.date_range("2024-01-01", periods=len(frame), freq="h", name="hour"))
    dated.to_parquet("dated.parquet")
    for name, given in (("counted", frame), ("dated", dated)):
        gaia.run(experiment, given, output=f"{name}.h5", progress="none")
        gaia.run(experiment, f"{name}.parquet", output=f"{name}_path.h5", progress="none")
        assert_same(f"{name}.h5", f"{name}_path.h5")


def test_a_first_experiment_of_a_file_runs(table):
    text = gaia.init("x.parquet", "x.yaml")
    assert text == gaia.init(table)
    assert gaia.run("x.yaml", "x.parquet", progress="none").status == "complete"


def test_apply_reads_what_a_csv_file_has(experiment, table):
    from pyarrow import csv
    result = gaia.run(with_columns(experiment), table, output="r.h5", progress="none")
    gaia.apply(result, "x.parquet", output="of_parquet.h5", progress="none")
    csv.write_csv(table, "x.csv")
    gaia.apply(result, "x.csv", output="of_csv.h5", progress="none")
    assert_same("of_parquet.h5", "of_csv.h5")
    np.testing.assert_array_equal(datasets("of_parquet.h5")["levels/0/time"], datasets("r.h5")["levels/0/time"])
    assert gaia.apply(result, "x.parquet", progress="none").path == "r.x.h5"


def test_files_that_are_none_say_so(experiment):
    refused(gaia.ConfigError, "nowhere.parquet: no such file", lambda: gaia.run(experiment, "nowhere.parquet"))
    with open("bad.parquet", "wb") as file:
        file.write(b"PAR1 and nothing else PAR1")
    refused(gaia.DataError, "bad.parquet: cannot be read as Parquet", lambda: gaia.run(experiment, "bad.parquet"))
    parquet.write_table(arrow.table({"a": [[1.0], [2.0]]}), "nested.parquet")
    with pytest.raises(gaia.DataError):
        gaia.run(experiment, "nested.parquet")
    with pytest.raises(gaia.DataError, match="got 'x.csv'; files of other kinds are read by data: {source: file"):
        gaia.run(experiment, "x.csv")


def test_a_truncated_file_is_an_error(experiment, table):
    with open("x.parquet", "rb") as file:
        whole = file.read()
    for length in (5, len(whole) // 2, len(whole) - 1):
        with open("cut.parquet", "wb") as file:
            file.write(whole[:length])
        refused(gaia.DataError, "cut.parquet: cannot be read as Parquet", lambda: gaia.run(experiment, "cut.parquet"))


def test_without_pyarrow_the_way_to_get_it_is_told(experiment, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(ImportError, "pip install pyarrow", lambda: gaia.run(experiment, "x.parquet"))
