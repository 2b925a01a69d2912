# SPDX-License-Identifier: MIT
"""gaia.export: what is written reads back as the results file has it, by readers of others."""
import os
import sys
import zipfile

import numpy as np
import pytest

import gaia

h5py = pytest.importorskip("h5py")


@pytest.fixture
def result(experiment, series):
    experiment["data"]["sample_rate"] = 10
    return gaia.run(experiment, series, output="r.h5", progress="none")


def datasets(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, one: found.__setitem__(name, one[()]) if isinstance(one, h5py.Dataset) else None)
    return found


def test_an_archive_holds_every_dataset_as_it_is(result):
    assert gaia.export(result, "npz") == ["r.npz"]
    assert zipfile.ZipFile("r.npz").testzip() is None
    stored = datasets("r.h5")
    with np.load("r.npz") as archive:
        assert set(archive.files) == {name for name in stored if not name.startswith("checkpoint/")}
        for name in archive.files:
            assert archive[name].dtype == stored[name].dtype and archive[name].shape == stored[name].shape, name
            np.testing.assert_array_equal(archive[name], stored[name], err_msg=name)


def test_arrays_by_themselves(result):
    files = gaia.export(result, "npy", ["levels/0/representation", "/levels/1/representation"], "arrays")
    assert files == [os.path.join("arrays", f"levels.{n}.representation.npy") for n in (0, 1)]
    stored = datasets("r.h5")
    for n in (0, 1):
        np.testing.assert_array_equal(np.load(files[n], mmap_mode="r"), stored[f"levels/{n}/representation"])


def test_a_table_has_steps_and_times_before_its_numbers(result):
    pandas = pytest.importorskip("pandas")
    path, = gaia.export(result, "csv", "/levels/1/representation")
    assert path == "r.levels.1.representation.csv"
    stored = datasets("r.h5")
    table = pandas.read_csv(path)
    assert list(table.columns) == ["step", "time", "representation.0", "representation.1"]
    np.testing.assert_array_equal(table["step"], stored["levels/1/step"])
    np.testing.assert_array_equal(table["time"], stored["levels/1/time"])
    numbers = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.float32)[:, 2:]
    np.testing.assert_array_equal(numbers, stored["levels/1/representation"])


def made_file():
    """A file with dates, texts, three axes, NaN and infinity, as h5py writes it."""
    with h5py.File("made.h5", "w") as file:
        step = file.create_dataset("step", data=np.array([4, 8], np.int64))
        step.make_scale("step")
        time = file.create_dataset("time", data=np.array([1_577_836_800_500_000_000, 1_577_836_801_000_000_000], np.int64))
        time.attrs["units"] = "nanoseconds since 1970-01-01"
        time.dims[0].attach_scale(step)
        cube = file.create_dataset("cube", data=np.arange(12, dtype=np.float64).reshape(2, 2, 3) / 3)
        cube.dims[0].attach_scale(step)
        odd = file.create_dataset("odd", data=np.array([[np.nan, -np.inf], [0.1, 1e-300]]))
        odd.dims[0].attach_scale(step)
        file.create_dataset("texts", data=["plain", 'a "b", c', "", "Gaïa €"], dtype=h5py.string_dtype())
        file.create_dataset("scalar", data=np.int32(7))
        file.create_dataset("none", data=np.zeros((0, 3), np.float32))
    return "made.h5"


def test_dates_texts_and_three_axes():
    made = made_file()
    files = {os.path.basename(path): path for path in gaia.export(made, "csv")}

    def content(name):
        with open(files[name + ".csv"], encoding="utf-8") as file:
            return file.read()

    assert content("odd") == ("step,time,odd.0,odd.1\n4,2020-01-01T00:00:00.5,NaN,-inf\n"
                              "8,2020-01-01T00:00:01,0.1,1e-300\n")
    assert content("cube").splitlines()[:3] == [
        "step,time,axis1,cube.0,cube.1,cube.2",
        "4,2020-01-01T00:00:00.5,0,0,0.3333333333333333,0.6666666666666666",
        "4,2020-01-01T00:00:00.5,1,1,1.3333333333333333,1.6666666666666667"]
    assert content("texts") == 'texts\nplain\n"a ""b"", c"\n""\nGaïa €\n'
    assert content("scalar") == "scalar\n7\n" and content("none") == "none.0,none.1,none.2\n"
    gaia.export(made, "npz")
    with np.load("made.npz") as archive:
        assert archive["texts"].tolist() == ["plain", 'a "b", c', "", "Gaïa €"]
        assert archive["scalar"] == 7 and archive["scalar"].shape == () and archive["none"].shape == (0, 3)
        np.testing.assert_array_equal(archive["cube"], datasets(made)["cube"])


def test_parquet_holds_what_the_tables_hold(result):
    parquet = pytest.importorskip("pyarrow.parquet")
    path, = gaia.export(result, "parquet", "/levels/1/representation", "level.parquet")
    table = parquet.read_table(path)
    stored = datasets("r.h5")
    assert table.column_names == ["step", "time", "representation.0", "representation.1"]
    assert [str(kind) for kind in table.schema.types] == ["int64", "double", "float", "float"]
    np.testing.assert_array_equal(table["step"].to_numpy(), stored["levels/1/step"])
    for n in (0, 1):
        np.testing.assert_array_equal(table[f"representation.{n}"].to_numpy(), stored["levels/1/representation"][:, n])
    made = made_file()
    files = gaia.export(made, "parquet", output="all")
    assert {os.path.basename(file) for file in files} == {f"{name}.parquet" for name in datasets(made)}
    cube = parquet.read_table("all/cube.parquet")
    assert str(cube.schema.field("time").type) == "timestamp[ns, tz=UTC]"
    assert cube["axis1"].to_pylist() == [0, 1, 0, 1] and cube["step"].to_pylist() == [4, 4, 8, 8]
    np.testing.assert_array_equal(cube["cube.2"].to_numpy(), datasets(made)["cube"][:, :, 2].ravel())
    assert parquet.read_table("all/texts.parquet")["texts"].to_pylist() == ["plain", 'a "b", c', "", "Gaïa €"]
    assert parquet.read_table("all/none.parquet").num_rows == 0


def test_nothing_is_written_over(result):
    path, = gaia.export(result, "csv", "/levels/0/representation")
    for to in ("csv", "parquet"):
        if to == "parquet":
            pytest.importorskip("pyarrow")
        with pytest.raises(gaia.OutputError, match="exists; use overwrite=True to replace it, or output= for another name"):
            gaia.export(result, to, "/levels/0/representation", path)
    assert gaia.export(result, "csv", "/levels/0/representation", overwrite=True) == [path]
    assert not [name for name in os.listdir() if name.endswith(".writing")]


@pytest.mark.parametrize("given, error, text", [
    ({"to": "xlsx"}, gaia.ArgumentError, "expected one of csv, npy, npz, parquet, got 'xlsx'"),
    ({"datasets": "/levels/0/represntation"}, gaia.ArgumentError, "did you mean '/levels/0/representation'"),
    ({"datasets": "/levels/0"}, gaia.ArgumentError, "is a group; name one of its datasets: .*/levels/0/representation"),
    ({"datasets": []}, gaia.ArgumentError, "None takes all"),
    ({"output": "."}, gaia.OutputError, "is a folder"),
])
def test_what_cannot_be_exported_says_so(result, given, error, text):
    with pytest.raises(error, match=text):
        gaia.export(result, **{"to": "npz", **given})
    assert not [name for name in os.listdir() if name.endswith((".npz", ".writing"))]


def test_without_pyarrow_the_way_to_get_it_is_told(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        gaia.export(result, "parquet")
