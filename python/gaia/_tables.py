# SPDX-License-Identifier: MIT
"""What Python has for tables (arrays, DataFrames, xarray, dicts), as rows that an experiment reads in place of a file."""
import collections.abc
import datetime
import os
import sys

import numpy as np

from . import _gaia, _intake, _parquet
from .errors import DataError


def rows_of(data, name="memory"):
    """Rows for an experiment.

    data   an array         [rows], [rows, columns] or [trials, time, channels] (data.trials.axes names another order);
                            float32 and float64 are not copied.  Where a masked array has its mask, values are missing;
                            fields of a structured array are columns by their names
           a DataFrame      of pandas: columns are channels, texts are for data.labels and data.trials; an index of
                            dates, periods (their beginnings) or durations (in seconds), or one of numbers that has a
                            name, tells when rows were taken, and so does a column of dates with another index.  Dates
                            that have a time zone are taken in UTC.  An index that only counts the rows, or of numbers
                            without a name, is left out
           a DataFrame      of polars, or a Table of pyarrow: the same without an index
           a Series         one channel
           a DataArray      of one or two dimensions; the coordinate of the first tells when rows were taken.  Or of
                            three: "trial" (or epoch, event, segment), "time" and channels in any order; what has one
                            value for each trial besides is for data.labels and data.targets
           a path           of a Parquet file: the same as its Table, read by pyarrow
           a dict           columns of numbers or texts by their names; one of dates tells when rows were taken.  Or an
                            array [trials, time, channels] and what has one value for each trial
    name   name in error messages

    What is NaN, None, NA, NaT or under a mask is missing, in columns of whole numbers and of texts too.  Whole numbers
    stay what they are beyond 2^53 where they are times, labels or trials.

    None stays None.  Raises DataError for what is none of these, and for an index that is not understood; ConfigError
    for a file that is not there, ImportError for Parquet without pyarrow.
    """
    if data is None or isinstance(data, _gaia._Rows):
        return data
    if isinstance(data, (str, os.PathLike)):
        if not _parquet.is_parquet(data):
            raise DataError(f"{name}: expected data in memory or the path of a Parquet file, got {os.fspath(data)!r}; files "
                            "of other kinds are read by data: {source: file, path: ...} of the experiment")
        data = _parquet.read(data)
    pandas, polars, arrow, xarray = (sys.modules.get(one) for one in ("pandas", "polars", "pyarrow", "xarray"))
    if pandas is not None and isinstance(data, pandas.Index):
        data = data.to_series(index=range(len(data)))
    if pandas is not None and isinstance(data, pandas.Series):
        data = data.to_frame(name="0" if data.name is None else data.name)
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return _from_frame(pandas, data, name)
    if polars is not None and isinstance(data, polars.Series):
        data = data.to_frame(data.name or "0")
    if polars is not None and isinstance(data, polars.DataFrame):
        return _from_columns({column: _intake.column(data[column]) for column in data.columns}, name)
    if arrow is not None and isinstance(data, (arrow.Table, arrow.RecordBatch)):
        columns = {column: _intake.column(data[place]) for place, column in enumerate(data.schema.names)}
        return _from_columns(_named(columns, data.num_columns, name), name)
    if xarray is not None and isinstance(data, (xarray.DataArray, xarray.Dataset)):
        return _from_xarray(data, name)
    if isinstance(data, collections.abc.Mapping):
        columns = _named({key: _intake.column(values) for key, values in data.items()}, len(data), name)
        array = next((key for key, values in columns.items() if values.ndim == 3), None)
        return _from_columns(columns, name) if array is None else _from_trials(columns.pop(array), name, beside=columns)
    try:
        table = data if type(data) is np.ndarray else _intake.column(data)
    except ValueError as error:
        raise DataError(f"{name}: expected numbers, got {type(data).__name__} ({error})") from None
    if table.dtype.names:
        return _from_columns({field: _intake.column(table[field]) for field in table.dtype.names}, name)
    if table.dtype == object and table.ndim == 2:
        columns = {str(place): _intake.column(table[:, place]) for place in range(table.shape[1])}
        return _from_columns(columns, name)
    return _from_trials(table, name) if table.ndim == 3 else _from_table(table, name)


def _from_frame(pandas, frame, name):
    columns = [_intake.column(frame.iloc[:, place]) for place in range(frame.shape[1])]
    columns = _named(dict(zip(map(str, frame.columns), columns)), frame.shape[1], name)
    when = _times_of_index(pandas, frame.index, name)
    dtypes = {column.dtype for column in columns.values()}
    if len(dtypes) == 1 and dtypes.pop() in (np.float32, np.float64):
        table = frame.to_numpy()  # not copied where pandas has it so
        if table.dtype in (np.float32, np.float64):
            return _from_table(table, name, names=list(columns), when=when)
    return _from_columns(columns, name, when)


def _named(columns, count, name):
    """Columns by names that are texts."""
    named = {str(key): values for key, values in columns.items()}
    if len(named) != count:
        raise DataError(f"{name}: expected columns of different names, got one name twice; rename it")
    return named


def _times_of_index(pandas, index, name):
    """When rows were taken, by the index of a DataFrame; None where it tells nothing of it.

    Raises DataError for an index that is neither of times nor of numbers.
    """
    kind = type(index).__name__
    if not isinstance(index, (pandas.DatetimeIndex, pandas.PeriodIndex, pandas.TimedeltaIndex)):
        is_plain = not isinstance(index, (pandas.MultiIndex, pandas.CategoricalIndex, pandas.IntervalIndex))
        types = pandas.api.types
        is_numbers = is_plain and types.is_numeric_dtype(index.dtype) and not types.is_bool_dtype(index.dtype)
        if not is_numbers and len(index) > 0:
            what = f"{kind} of {index.dtype}" if kind == "Index" else kind
            way = "frame.reset_index() makes columns of it, which data.trials, data.labels and data.columns can name; "
            raise DataError(f"{name}: expected an index of dates, periods, durations or numbers, which tells when rows were "
                            f"taken, got {what}; {way}frame.reset_index(drop=True) leaves it out, "
                            "frame.set_index(pandas.to_datetime(frame.index)) makes dates of texts")
        if index.name is None:
            return None
    return _times(_intake.column(index), name, str(index.name or "time"))


def _from_xarray(data, name):
    if hasattr(data, "data_vars"):
        if len(data.dims) == 1 and all(one.ndim == 1 for one in data.data_vars.values()):
            columns = {str(key): _intake.column(one) for key, one in data.data_vars.items()}
            return _from_columns(columns, name, _times_of_coordinate(data, next(iter(data.dims)), name))
        data = data.to_dataarray("column").transpose(..., "column")
    if data.ndim == 3:
        return _from_xarray_trials(data, name)
    if data.ndim not in (1, 2):
        raise DataError(f"{name}: expected a DataArray of one, two or three dimensions, got {data.ndim}")
    when = _times_of_coordinate(data, data.dims[0], name)
    names = ()
    if data.ndim == 2 and data.dims[1] in data.coords:
        names = [str(column) for column in data.coords[data.dims[1]].values]
    return _from_table(data.values, name, names=names, when=when)


def _from_xarray_trials(data, name):
    times = next((dim for dim in data.dims if str(dim).lower() == "time"), data.dims[1])
    first, second = (dim for dim in data.dims if dim != times)
    is_trial = [str(dim).lower().rstrip("s") in ("trial", "epoch", "event", "segment") for dim in (first, second)]
    trials, channels = (second, first) if is_trial == [False, True] else (first, second)
    data = data.transpose(trials, times, channels)
    beside = {str(key): _intake.column(one) for key, one in data.coords.items() if one.dims == (trials,)}
    names = [str(channel) for channel in data.coords[channels].values] if channels in data.coords else ()
    return _from_trials(data.values, name, names=names, beside=beside, when=_times_of_coordinate(data, times, name))


def _times_of_coordinate(data, rows, name):
    if rows not in data.coords:
        return None
    index = data.indexes.get(rows)
    if type(index).__name__ == "CFTimeIndex":
        index = index.to_datetimeindex(time_unit="ns")
    return _times(_intake.column(data.coords[rows].values if index is None else index), name, str(rows))


def _from_columns(columns, name, when=None):
    """Rows of columns by their names, of numbers and of texts, as _intake.column() gives them."""
    lengths = {key: len(values) if values.ndim == 1 else list(values.shape) for key, values in columns.items()}
    if any(values.ndim != 1 for values in columns.values()) or len(set(lengths.values())) > 1:
        raise DataError(f"{name}: expected columns of one length, got {lengths}")
    dates = [key for key, values in columns.items() if values.dtype.kind == "M"]
    if dates and when is None:
        if len(dates) > 1:
            raise DataError(f"{name}: expected one column of dates, which tells when rows were taken, got {dates}; "
                            "leave out the others")
        when = _times(columns[dates[0]], name, dates[0])
        columns = {key: values for key, values in columns.items() if key != dates[0]}
    texts = {key: values for key, values in columns.items() if _is_text(values)}
    numbers = {key: _numbers(values, f"{name}, column '{key}'") for key, values in columns.items() if key not in texts}
    if not numbers:
        raise DataError(f"{name}: expected a column of numbers, got none")
    wide = [_wide(place, columns[key]) for place, key in enumerate(numbers) if _intake.is_rounded(columns[key])]
    return _rows(np.column_stack(list(numbers.values())), name, list(numbers), when,
                 [(key, [_text(value) for value in values]) for key, values in texts.items()], wide)


def _from_table(table, name, *, names=(), when=None):
    """Rows of one table of numbers."""
    numbers = _numbers(table, name)
    if numbers.ndim == 1:
        table, numbers = table[:, None], numbers[:, None]
    if numbers.ndim != 2:
        raise DataError(f"{name}: expected shape [rows], [rows, columns] or [trials, time, channels], got "
                        f"{list(numbers.shape)}")
    wide = []
    if _intake.is_rounded(table):
        wide = [_wide(place, table[:, place]) for place in range(table.shape[1]) if _intake.is_rounded(table[:, place])]
    return _rows(numbers, name, list(names), when, [], wide)


def _from_trials(array, name, *, names=(), beside=(), when=None):
    """Rows of an array of trials, with what each trial has one value of by its name."""
    texts, numbers = [], []
    for key, values in dict(beside).items():
        if values.shape != array.shape[:1]:
            raise DataError(f"{name}: expected one value for each of {array.shape[0]} trials in '{key}', got shape "
                            f"{list(values.shape)}")
        is_text = _is_text(values)
        if is_text or values.dtype.kind in "biu":
            # Whole numbers may be classes, whose names are exact.
            texts.append((key, [_text(one if is_text or one is np.ma.masked else int(one)) for one in values]))
        if not is_text:
            numbers.append((key, _numbers(values, f"{name}, '{key}'").astype(np.float64).tolist()))
    return _rows(_numbers(array, name), name, list(names), when, texts, [], numbers)


def _rows(table, name, names, when, texts, wide, of_trials=()):
    times, times_name, are_counts = when or (None, "time", False)
    return _gaia._make_rows(table, names, name, times, times_name, are_counts, texts, wide, list(of_trials))


def _wide(place, values):
    """A column of integers beyond 2^53 as the module takes them: bits of 64."""
    whole = np.ma.filled(values, 0)
    return place, whole.dtype.kind == "u", np.ascontiguousarray(whole).view(np.int64)


def _numbers(values, where):
    """Values as float32 or float64, NaN where they are missing."""
    try:
        if values.dtype.kind == "M":
            raise TypeError("dates; those that tell when rows were taken go into the index: DataFrame.set_index")
        if values.dtype.kind == "c":
            raise TypeError("give its real part, its imaginary part or its absolute value")
        return _intake.floats(values if type(values) is np.ma.MaskedArray else _intake.column(values))
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: expected numbers, got {values.dtype} ({error})") from None


def _times(values, name, what):
    """When rows were taken, what that is called, and whether whole numbers are no dates: nanoseconds since 1970 of dates,
    seconds of durations, or numbers, whole ones where they go beyond 2^53.

    Raises DataError where one is missing, for dates that nanoseconds of 64 bits do not reach, and for other values.
    """
    def refuse(got):
        raise DataError(f"{name}: expected a time for every row in '{what}', got {got}")

    def refuse_missing(missing):
        if missing.any():
            refuse(f"a missing value in row {int(np.argmax(missing))}")

    kind = values.dtype.kind
    if kind in "mM":
        refuse_missing(np.isnat(values))
    if kind == "m":
        return np.ascontiguousarray(values / np.timedelta64(1, "s"), dtype=np.float64), what, False
    if kind == "M":
        made = values.astype("datetime64[ns]")
        if (made.astype(values.dtype) != values).any():
            refuse("a date before 1678 or after 2261")
        return np.ascontiguousarray(made.astype(np.int64)), what, False
    refuse_missing(np.ma.getmaskarray(values))
    if _intake.is_rounded(values):
        if values.dtype.kind == "u" and values.max() >= 2 ** 63:
            refuse(f"{values.max()}, of the numbers below 2^63")
        return np.ascontiguousarray(values, dtype=np.int64), what, True
    if kind not in "biuf":
        refuse(f"{values.dtype}; make dates or numbers of it, or leave it out (data.drop_vars({what!r}) of xarray)")
    made = np.ascontiguousarray(values, dtype=np.float64)
    refuse_missing(np.isnan(made))
    return made, what, False


def _is_text(values):
    return values.dtype.kind in "OUS" and any(isinstance(value, (str, bytes)) for value in values)


def _text(value):
    """A text of a column of texts; a value that is missing is empty."""
    if value is None or value is np.ma.masked or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)
