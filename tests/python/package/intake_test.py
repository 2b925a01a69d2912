# SPDX-License-Identifier: MIT
"""What Python passes: masks, columns that may miss values, subclasses, indices, integers beyond 2^53; of every library
that is there, into experiments, hierarchies, arrays, metrics, estimators and agents alike."""
import datetime

import numpy as np
import pytest

import gaia
from gaia import _intake
from refused import refused

h5py = pytest.importorskip("h5py")

BIG = 2 ** 53  # BIG + 1 is no double


@pytest.fixture
def holed(series):
    """The series with a hole in each column, as NaN and as a masked array that holds -999 there."""
    mask = np.zeros(series.shape, bool)
    mask[[50, 120, 300], [0, 1, 2]] = True
    return np.where(mask, np.nan, series), np.ma.array(np.where(mask, -999.0, series), mask=mask)


def ran(experiment, data, **keys):
    result = gaia.run({**experiment, "data": {**experiment["data"], **keys}}, data, output="x.h5", overwrite=True)
    with h5py.File(result.path) as file:
        shown = {level: file[f"levels/{level}/representation"][()] for level in ("0", "1")}
        return {"names": list(file["data"].attrs["channel_names"]), "starts": file["data/trial_start"][()].tolist(),
                "times": file["levels/0/time"][()] if "levels/0/time" in file else None,
                "units": file["levels/0/time"].attrs["units"] if "levels/0/time" in file else None, **shown}


def assert_same(one, other):
    for level in ("0", "1"):
        np.testing.assert_array_equal(one[level], other[level])


# Missing values

def tables_with_holes(holed):
    nan, masked = holed
    yield "masked array", masked
    yield "masked array of float32", masked.astype(np.float32)
    yield "list of masked rows", list(masked)
    yield "columns under masks", {str(i): masked[:, i] for i in range(3)}
    yield "None among numbers", [[None if np.isnan(one) else one for one in row] for row in nan]
    try:
        import pandas as pd
        yield "Float64 of pandas", pd.DataFrame(nan).astype("Float64")
        yield "NA among objects", pd.DataFrame(nan).astype(object).where(~np.isnan(nan), pd.NA)
        yield "columns of pandas in a dict", {str(i): pd.Series(nan[:, i], dtype="Float64") for i in range(3)}
    except ImportError:
        pass
    try:
        import polars as pl
        yield "nulls of polars", pl.DataFrame({str(i): pl.Series([None if np.isnan(one) else one for one in nan[:, i]])
                                               for i in range(3)})
    except ImportError:
        pass
    try:
        import pyarrow as pa
        yield "nulls of pyarrow", pa.table({str(i): pa.array(nan[:, i], from_pandas=True) for i in range(3)})
    except ImportError:
        pass


def test_what_is_under_a_mask_is_missing_in_experiments(experiment, holed):
    for kind, data in tables_with_holes(holed):
        expected = holed[0].astype(np.float32) if "float32" in kind else holed[0]
        refused(gaia.DataError, "missing|no value", lambda: ran(experiment, data))
        assert_same(ran(experiment, data, missing="interpolate"), ran(experiment, expected, missing="interpolate"))


def test_what_is_under_a_mask_is_missing_in_hierarchies(hierarchy, holed):
    nan, masked = holed
    hierarchy.process(nan[:40])
    for x in (masked[40:], masked[40:].astype(np.float32), list(masked[40:])):
        refused(gaia.ArgumentError, "finite numbers", lambda: hierarchy.process(x))
    refused(gaia.ArgumentError, "finite numbers", lambda: hierarchy.step(masked[50]))
    refused(gaia.ArgumentError, "finite numbers", lambda: hierarchy.step(np.ma.array([1, 2, 3], mask=[False, True, False])))


def test_whole_numbers_that_may_be_missing(experiment, series):
    pd = pytest.importorskip("pandas")
    whole = np.round(100 * series).astype(np.int64)
    nan = whole.astype(np.float64)
    nan[7, 0] = nan[9, 1] = np.nan
    expected = ran(experiment, nan, missing="interpolate")
    for dtype in ("Int64", "Int32", "Float32"):
        frame = pd.DataFrame(whole).astype(dtype)
        frame.iloc[7, 0] = frame.iloc[9, 1] = pd.NA
        assert_same(ran(experiment, frame, missing="interpolate"), expected)
    frame = pd.DataFrame({"a": series[:, 0], "b": pd.array(series[:, 1] > 0, dtype="boolean")})
    truth = np.column_stack([series[:, 0], (series[:, 1] > 0).astype(float)])
    truth[3, 1] = np.nan
    frame.loc[3, "b"] = pd.NA
    assert_same(ran(experiment, frame, missing="interpolate"), ran(experiment, truth, missing="interpolate"))


@pytest.mark.parametrize("dtype", ["Int64", "string", "str", "category", "boolean", "object", "masked"])
def test_classes_that_may_be_missing(experiment, series, dtype):
    pd = pytest.importorskip("pandas")
    codes = (series[:, 0] > 0).astype(int)
    experiment["readouts"] = [{"name": "state", "type": "logistic", "target": {"label": True}, "levels": [0]}]
    texts = dtype in ("string", "str", "category", "object")
    labels = pd.Series(np.where(codes, "up", "down") if texts else codes)
    labels = labels.astype("Int64" if dtype == "masked" else dtype)
    labels[::7] = pd.NA if dtype != "str" else np.nan
    frame = pd.DataFrame({"a": series[:, 0], "b": series[:, 1], "state": labels})
    if dtype == "masked":
        mask = np.arange(len(codes)) % 7 == 0
        frame = {"a": series[:, 0], "b": series[:, 1], "state": np.ma.array(np.where(mask, -999, codes), mask=mask)}
    names = ["down", "up"] if texts else ["0", "1"]
    result = gaia.run({**experiment, "data": {**experiment["data"], "labels": "state"}}, frame)
    with h5py.File(result.path) as file:
        assert [str(one) for one in file["readouts/state"].attrs["classes"]] == names


def test_arrays_and_tensors_take_masks_as_missing():
    masked = np.ma.array([1.0, -999.0, 3.0], mask=[False, True, False])
    wanted = np.array([1.0, np.nan, 3.0])
    for made in (gaia.Array(masked), gaia.array(masked), gaia.array([masked])[0], gaia.Tensor(masked).numpy(),
                 gaia.add(masked, 0.0), gaia.Array([0.0, 0.0, 0.0]) + masked, gaia.concatenate([masked, masked])[:3],
                 gaia.array(np.ma.array([1, -999, 3], mask=masked.mask))):
        np.testing.assert_array_equal(np.from_dlpack(made), wanted.astype(made.dtype))
    assert gaia.array(np.ma.array([1, 2])).dtype == "int64"  # no mask, and nothing to do
    with pytest.raises(gaia.DTypeError):
        gaia.array([1.0, 2.0, 3.0])[np.ma.array([True, False, True], mask=masked.mask)]


def test_arrays_take_columns_of_pandas():
    pd = pytest.importorskip("pandas")
    np.testing.assert_array_equal(gaia.array(pd.Series([1, None], dtype="Int64")).numpy(), [1.0, np.nan])
    assert gaia.array(pd.Series([BIG + 1, 2], dtype="Int64")).numpy().tolist() == [BIG + 1, 2]
    assert gaia.array(pd.Series([True, False])).dtype == "bool"


def test_metrics_take_masks_as_missing():
    masked = np.ma.array([[1.0, 2.0], [3.0, -999.0], [2.0, 1.0]], mask=[[0, 0], [0, 1], [0, 0]])
    np.testing.assert_array_equal(gaia.metrics.lifetime_sparseness(masked),
                                  gaia.metrics.lifetime_sparseness(masked.filled(np.nan)))
    assert np.isnan(gaia.metrics.lifetime_sparseness(masked)[1])


def test_agents_take_masks_as_not_observed():
    world = gaia.agents.t_maze(seed=1)
    agent, other = (gaia.agents.DiscreteAgent(world.model, seed=1) for _ in range(2))
    for seen in (np.ma.array([0, 2, 1], mask=[False, True, False]), [0, np.nan, 1]):
        for one, given in ((agent, seen), (other, [0, None, 1])):
            one.reset()
            one.infer(given)
        np.testing.assert_array_equal(agent.beliefs[1], other.beliefs[1])
    moving = gaia.agents.ContinuousAgent(2, [-1.0], [1.0], target=[0, 0], precision=[1, 1], seed=1)
    refused(gaia.ArgumentError, "finite", lambda: moving.step(np.ma.array([0.5, -999.0], mask=[False, True])))
    with pytest.raises(gaia.ArgumentError):
        gaia.agents.GenerativeModel([np.ma.array(np.eye(2), mask=np.eye(2))], [np.ones((2, 2, 1)) / 2])


def test_estimators_refuse_what_is_missing_and_keep_columns():
    pytest.importorskip("sklearn")
    from gaia.sklearn import HebbianTransformer
    masked = np.ma.array(np.ones((20, 2)), mask=np.eye(20, 2))
    refused(ValueError, "NaN", lambda: HebbianTransformer(1).fit(masked))
    refused(ValueError, "NaN", lambda: HebbianTransformer(1).fit(np.ones((20, 2))).transform(masked))


@pytest.mark.parametrize("given, got", [(["a"], "<U1"), (np.array(["2024"], "M8[s]"), "datetime64"),
                                        (np.array([1], "m8[s]"), "timedelta64"), ([[1], [1, 2]], "list"), ([{}], "list"),
                                        (np.zeros(2, [("a", "f8")]), "column_stack")])
def test_what_is_no_number_is_refused(hierarchy, given, got):
    refused(gaia.DTypeError, r"\[hierarchy\] expected real numbers, got .*" + got, lambda: hierarchy.process(given))


# Tables of other libraries

def test_subclasses_keep_names_and_times(experiment, series):
    pd = pytest.importorskip("pandas")

    class Frame(pd.DataFrame):
        pass

    class Column(pd.Series):
        pass

    index = pd.date_range("2024-01-01", periods=len(series), freq="h")
    got = ran(experiment, Frame(series, columns=["a", "b", "c"], index=index))
    assert got["names"] == ["a", "b", "c"]
    assert got["times"].tolist() == index[1:].as_unit("ns").asi8.tolist()
    got = ran(experiment, Column(series[:, 0], index=index, name="flow"))
    assert got["names"] == ["flow"] and got["units"] == "nanoseconds since 1970-01-01"


def test_indices_of_periods_and_durations_are_times(experiment, series):
    pd = pytest.importorskip("pandas")
    rows = len(series)
    periods = pd.period_range("2024-01", periods=rows, freq="M")
    got = ran(experiment, pd.DataFrame(series, index=periods), gaps="warn")
    assert got["times"].tolist() == periods.to_timestamp().as_unit("ns").asi8.tolist()[1:]
    got = ran(experiment, pd.DataFrame(series, index=pd.timedelta_range("0s", periods=rows, freq="500ms")))
    np.testing.assert_array_equal(got["times"], 0.5 * np.arange(1, rows))
    counts = BIG + np.arange(rows)
    got = ran(experiment, pd.DataFrame(series, index=pd.Index(counts, name="tick")))
    assert got["times"].tolist() == counts[1:].tolist() and got["units"] == "1"


@pytest.mark.parametrize("kind", ["MultiIndex", "CategoricalIndex", "IntervalIndex", "str", "object", "bool"])
def test_indices_that_are_not_understood_are_refused(experiment, series, kind):
    pd = pytest.importorskip("pandas")
    rows = range(len(series))
    index = {"MultiIndex": lambda: pd.MultiIndex.from_product([[0, 1], range(len(series) // 2)]),
             "CategoricalIndex": lambda: pd.CategoricalIndex([str(i % 5) for i in rows]),
             "IntervalIndex": lambda: pd.IntervalIndex.from_breaks(range(len(series) + 1)),
             "str": lambda: pd.Index([f"2024-{i}" for i in rows]),
             "object": lambda: pd.Index([datetime.date(2024, 1, 1)] * len(series)),
             "bool": lambda: pd.Index([i % 2 == 0 for i in rows])}[kind]()
    with pytest.raises(gaia.DataError, match=rf"index of dates.*got .*{kind}.*reset_index\(\).*reset_index\(drop=True\)"):
        ran(experiment, pd.DataFrame(series, index=index))
    ran(experiment, pd.DataFrame(series, index=index).reset_index(drop=True))


def test_times_that_are_missing_or_out_of_reach_are_refused(experiment, series):
    pd = pytest.importorskip("pandas")
    index = pd.date_range("2024", periods=len(series), freq="h").to_series()
    index.iloc[5] = pd.NaT
    with pytest.raises(gaia.DataError, match="a time for every row in 'time', got a missing value in row 5"):
        ran(experiment, pd.DataFrame(series, index=pd.DatetimeIndex(index)))
    far = np.arange("3000-01-01", "3002-01-01", dtype="M8[D]")[:len(series)].astype("M8[s]")
    refused(gaia.DataError, "a date before 1678 or after 2261", lambda: ran(experiment, {"a": series[:, 0], "t": far}))


def test_polars_records_and_datasets_are_columns_by_names(experiment, series):
    when = np.datetime64("2024-01-01", "ns") + np.arange(len(series)).astype("m8[h]")
    records = np.zeros(len(series), [("a", "f8"), ("b", "f4"), ("t", "M8[ns]")])
    records["a"], records["b"], records["t"] = series[:, 0], series[:, 1], when
    expected = ran(experiment, {"a": series[:, 0], "b": series[:, 1].astype(np.float32), "t": when})
    assert expected["names"] == ["a", "b"] and expected["units"] == "nanoseconds since 1970-01-01"
    tables = [records]
    try:
        import polars as pl
        tables.append(pl.DataFrame({name: records[name] for name in ("a", "b", "t")}))
    except ImportError:
        pass
    try:
        import xarray as xr
        tables.append(xr.Dataset({"a": ("t", records["a"]), "b": ("t", records["b"])}, coords={"t": when}))
    except ImportError:
        pass
    for table in tables:
        got = ran(experiment, table)
        assert got["names"] == ["a", "b"] and got["times"].tolist() == expected["times"].tolist()
        assert_same(got, expected)


# Integers

def test_trials_classes_and_times_keep_integers_beyond_2_53(experiment, series):
    pd = pytest.importorskip("pandas")
    rows = len(series)
    trial = BIG + np.repeat(np.arange(4), rows // 4)
    label = np.where(series[:, 0] > 0, BIG, BIG + 1)
    experiment["readouts"] = [{"name": "state", "type": "logistic", "target": {"label": True}, "levels": [0]}]
    data = {"trials": {"column": "trial"}, "labels": "label"}

    def check(table, **keys):
        got = ran(experiment, table, **{**data, **keys})
        assert got["starts"] == [99 * i for i in range(4)]  # a window of 2 takes a row of each
        with h5py.File("x.h5") as file:
            assert [str(one) for one in file["readouts/state"].attrs["classes"]] == [str(BIG), str(BIG + 1)]

    columns = {"a": series[:, 0], "b": series[:, 1], "trial": trial, "label": label}
    check(columns)
    check({**columns, "trial": trial.tolist(), "label": label.tolist()})
    check({**columns, "trial": trial.astype(">i8"), "label": label.astype(np.uint64)[::1]})
    check(pd.DataFrame(columns))
    check(pd.DataFrame(columns).astype({"trial": "UInt64", "label": "Int64"}))
    check({**columns, "trial": [str(one) for one in trial]})  # texts tell trials apart too
    whole = np.column_stack([np.round(100 * series[:, :2]).astype(np.int64), trial, label])
    for table in (whole, np.asfortranarray(whole), whole[::1], whole.astype(np.uint64).view(np.int64)):
        check(table, trials={"column": "2"}, labels="3")
    missing = pd.DataFrame(columns).astype({"label": "Int64"})
    missing.loc[::5, "label"] = pd.NA
    check(missing)


def test_uint64_beyond_int64_is_exact_in_classes_and_refused_in_times(experiment, series):
    label = np.where(series[:, 0] > 0, 2 ** 64 - 1, 2 ** 64 - 2).astype(np.uint64)
    experiment["readouts"] = [{"name": "state", "type": "logistic", "target": {"label": True}, "levels": [0]}]
    ran(experiment, {"a": series[:, 0], "label": label}, labels="label")
    with h5py.File("x.h5") as file:
        assert [str(one) for one in file["readouts/state"].attrs["classes"]] == [str(2 ** 64 - 2), str(2 ** 64 - 1)]
    with pytest.raises(gaia.DataError, match="expected a time below 2.63 in column 'label'"):
        ran(experiment, {"a": series[:, 0], "label": label}, time="label")


def test_channels_beyond_2_53_are_rounded_with_a_warning(experiment, series, capfd):
    ran(experiment, {"a": series[:, 0], "id": BIG + np.arange(len(series))})
    assert "column 'id': whole numbers beyond 2^53 are rounded" in capfd.readouterr().err
    ran(experiment, {"a": series[:, 0], "id": np.arange(len(series))})
    assert "rounded" not in capfd.readouterr().err


def test_columns_are_what_they_were():
    for given in ([1, 2], [1.5, 2], [True, False], np.arange(3, dtype=np.uint8), np.array(["a", "b"])):
        np.testing.assert_array_equal(_intake.column(given), given)
    assert _intake.column([BIG + 1, None]).data[0] == BIG + 1
    assert _intake.column([BIG + 1, float("nan")]).data[0] == BIG + 1
    assert _intake.column([1, 2 ** 63]).tolist() == [1, 2 ** 63]
    x = np.ones((3, 2), np.float32)
    assert _intake.numbers(x, "x") is x
