# SPDX-License-Identifier: MIT
"""What Python has for tables (arrays, DataFrames, xarray, dicts), as rows that an experiment reads in place of a file."""
import datetime

import numpy as np

from . import _gaia
from .errors import DataError


def rows_of(data, name="memory"):
    """Rows for an experiment.

    data   an array         [rows], [rows, columns] or [trials, time, channels] (data.trials.axes names another order);
                            float32 and float64 are not copied
           a DataFrame      columns are channels, texts are for data.labels; an index of dates, or one of numbers that
                            has a name, tells when rows were taken, and so does a column of dates beside another index.
                            Dates that have a time zone are taken in UTC
           a Series         one channel
           a DataArray      of one or two dimensions; the coordinate of the first tells when rows were taken.  Or of
                            three: trials, "time" and channels in any order; what has one value for each trial beside
                            them is for data.labels and data.targets
           a dict           columns of numbers or texts by their names; one of dates tells when rows were taken.  Or an
                            array [trials, time, channels] and what has one value for each trial
    name   what errors call it

    None stays None.  Raises DataError for what is none of these.
    """
    if data is None or isinstance(data, _gaia._Rows):
        return data
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        return _from_frame(data, name)
    if module == "xarray":
        return _from_xarray(data, name)
    if isinstance(data, dict):
        columns = {str(key): np.asarray(values) for key, values in data.items()}
        arrays = [key for key, values in columns.items() if values.ndim == 3]
        if arrays:
            return _from_trials(columns.pop(arrays[0]), name, beside=columns)
        return _from_columns(columns, name)
    data = np.asarray(data)
    return _from_trials(data, name) if data.ndim == 3 else _from_table(data, name)


def _from_frame(frame, name):
    import pandas as pd
    if isinstance(frame, pd.Series):
        frame = frame.to_frame(name="0" if frame.name is None else frame.name)
    columns = {str(column): _of_pandas(frame[column]) for column in frame.columns}
    if len(columns) != frame.shape[1]:
        raise DataError(f"{name}: expected columns of different names, got one name twice; rename it")
    index = frame.index
    is_dates = isinstance(index, pd.DatetimeIndex)
    is_numbers = index.name is not None and pd.api.types.is_numeric_dtype(index)
    when = {"times": _times(_of_pandas(index)) if is_dates or is_numbers else None,
            "times_name": str(index.name or "time")}
    dtypes = {column.dtype for column in columns.values()}
    if len(dtypes) == 1 and dtypes.pop() in (np.float32, np.float64):
        return _from_table(frame.to_numpy(), name, names=list(columns), **when)  # not copied where pandas has it so
    return _from_columns(columns, name, **when)


def _of_pandas(values):
    """A column or an index as an array; dates that have a time zone are in UTC."""
    if getattr(getattr(values, "dtype", None), "tz", None) is not None:
        return values.to_numpy(dtype="datetime64[ns]")
    return values.to_numpy()


def _from_xarray(data, name):
    if hasattr(data, "data_vars"):
        data = data.to_dataarray("column").transpose(..., "column")
    if data.ndim == 3:
        return _from_xarray_trials(data, name)
    if data.ndim not in (1, 2):
        raise DataError(f"{name}: expected a DataArray of one, two or three dimensions, got {data.ndim}")
    rows = data.dims[0]
    times = _times(data.coords[rows].values) if rows in data.coords else None
    names = ()
    if data.ndim == 2 and data.dims[1] in data.coords:
        names = [str(column) for column in data.coords[data.dims[1]].values]
    return _from_table(data.values, name, names=names, times=times, times_name=str(rows))


def _from_xarray_trials(data, name):
    times = next((dim for dim in data.dims if str(dim).lower() == "time"), data.dims[1])
    trials, channels = (dim for dim in data.dims if dim != times)
    data = data.transpose(trials, times, channels)
    beside = {str(key): values.values for key, values in data.coords.items() if values.dims == (trials,)}
    names = [str(channel) for channel in data.coords[channels].values] if channels in data.coords else ()
    when = {}
    if times in data.coords:
        when = {"times": _times(data.coords[times].values), "times_name": str(times)}
    return _from_trials(data.values, name, names=names, beside=beside, **when)


def _from_trials(array, name, *, names=(), beside=(), times=None, times_name="time"):
    """Rows of an array of trials, with what each trial has one value of by its name."""
    texts, numbers = [], []
    for key, values in dict(beside).items():
        if values.shape != array.shape[:1]:
            raise DataError(f"{name}: expected one value for each of {array.shape[0]} trials in '{key}', got shape "
                            f"{list(values.shape)}")
        is_text = _is_text(values)
        if is_text or values.dtype.kind in "biu":
            # Integers may be classes, whose names are exact.
            texts.append((key, [_text(value if is_text else int(value)) for value in values]))
        if not is_text:
            numbers.append((key, _numbers(values, f"{name}, '{key}'").astype(np.float64).tolist()))
    return _gaia._make_rows(_numbers(array, name), list(names), name, times, times_name, texts, numbers)


def _from_columns(columns, name, **when):
    """Rows of columns by their names, of numbers and of texts."""
    dates = [key for key, values in columns.items() if values.dtype.kind == "M"]
    if dates and when.get("times") is None:
        if len(dates) > 1:
            raise DataError(f"{name}: expected one column of dates, which tells when rows were taken, got {dates}; "
                            "leave out the others")
        when = {"times": _times(columns[dates[0]]), "times_name": dates[0]}
        columns = {key: values for key, values in columns.items() if key != dates[0]}
    texts = {key: values for key, values in columns.items() if _is_text(values)}
    numbers = {key: _numbers(values, f"{name}, column '{key}'") for key, values in columns.items() if key not in texts}
    if not numbers:
        raise DataError(f"{name}: expected a column of numbers, got none")
    lengths = {key: len(values) for key, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"{name}: expected columns of one length, got {lengths}")
    return _from_table(np.column_stack(list(numbers.values())), name, names=list(numbers),
                       texts=[(key, [_text(value) for value in values]) for key, values in texts.items()], **when)


def _from_table(table, name, *, names=(), texts=(), times=None, times_name="time"):
    """Rows of one table of numbers."""
    table = _numbers(table, name)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise DataError(f"{name}: expected shape [rows], [rows, columns] or [trials, time, channels], got "
                        f"{list(table.shape)}")
    return _gaia._make_rows(table, list(names), name, times, times_name, list(texts))


def _numbers(values, where):
    """Values as float32 or float64."""
    if values.dtype in (np.float32, np.float64) and values.dtype.isnative:
        return values
    try:
        if values.dtype.kind == "M":
            raise TypeError("dates; those that tell when rows were taken go into the index: DataFrame.set_index")
        if values.dtype.kind == "c":
            raise TypeError("give its real part, its imaginary part or its absolute value")
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: expected numbers, got {values.dtype} ({error})") from None


def _times(values):
    """When rows were taken: nanoseconds since 1970 of dates, or numbers; None of anything else."""
    if np.issubdtype(values.dtype, np.datetime64):
        return np.ascontiguousarray(values.astype("datetime64[ns]").astype(np.int64))
    if np.issubdtype(values.dtype, np.number):
        return np.ascontiguousarray(values, dtype=np.float64)
    return None


def _is_text(values):
    return values.dtype.kind in "OUS" and any(isinstance(value, (str, bytes)) for value in values)


def _text(value):
    """A text of a column of texts; a value that is missing is empty."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)
