# SPDX-License-Identifier: MIT
"""What Python has for tables, arrays, DataFrames, xarray, as rows that an experiment reads in place of a file."""
import datetime

import numpy as np

from . import _gaia
from .errors import DataError


def rows_of(data, name="memory"):
    """Rows for an experiment, of:

    an array             [rows] or [rows, columns]; float32 and float64 are not copied
    a DataFrame          columns are channels, texts are for data.labels; an index of dates or a named one of numbers is
                         when rows were taken
    a Series             one channel
    a DataArray          of one or two dimensions; the coordinate of the first is when rows were taken
    a dict               of columns, of texts or numbers

    None stays None.  Raises DataError for what is none of these.
    """
    if data is None or isinstance(data, _gaia._Rows):
        return data
    module = type(data).__module__.split(".")[0]
    if module == "pandas":
        return _from_frame(data, name)
    if module == "xarray":
        return _from_xarray(data, name)
    if isinstance(data, dict):
        return _make(_columns(data), [], None, "time", name, names=list(map(str, data)))
    return _make(np.asarray(data), [], None, "time", name)


def _from_frame(frame, name):
    import pandas as pd
    if isinstance(frame, pd.Series):
        frame = frame.to_frame(name="0" if frame.name is None else frame.name)
    index = frame.index
    is_dates = isinstance(index, pd.DatetimeIndex)
    is_numbers = index.name is not None and pd.api.types.is_numeric_dtype(index)
    times = _times(index.to_numpy()) if is_dates or is_numbers else None
    columns = {str(column): frame[column].to_numpy() for column in frame.columns}
    if len(columns) != frame.shape[1]:
        raise DataError(f"{name}: the DataFrame has a column name twice")
    same = {column.dtype for column in columns.values()}
    if len(same) == 1 and same.pop() in (np.float32, np.float64):
        table = frame.to_numpy()  # without a copy where pandas holds it so
        return _make(table, [], times, str(index.name or "time"), name, names=list(columns))
    return _make(_columns(columns), [], times, str(index.name or "time"), name, names=list(columns))


def _from_xarray(data, name):
    if hasattr(data, "data_vars"):
        data = data.to_dataarray("column").transpose(..., "column")
    if data.ndim not in (1, 2):
        raise DataError(f"{name}: expected a DataArray of one or two dimensions, got {data.ndim}")
    first = data.dims[0]
    times = _times(data.coords[first].values) if first in data.coords else None
    names = None
    if data.ndim == 2 and data.dims[1] in data.coords:
        names = [str(column) for column in data.coords[data.dims[1]].values]
    return _make(data.values, [], times, str(first), name, names=names)


def _times(values):
    """Nanoseconds since 1970 of dates, or numbers."""
    if np.issubdtype(values.dtype, np.datetime64):
        return np.ascontiguousarray(values.astype("datetime64[ns]").astype(np.int64))
    if np.issubdtype(values.dtype, np.number):
        return np.ascontiguousarray(values, dtype=np.float64)
    return None


def _columns(columns):
    return {str(key): np.asarray(values) for key, values in columns.items()}


def _is_text(values):
    return values.dtype.kind in "OUS" and any(isinstance(value, (str, bytes)) for value in values)


def _make(table, texts, times, times_name, name, names=None):
    if isinstance(table, dict):
        texts = [(key, [_text(value) for value in values]) for key, values in table.items() if _is_text(values)]
        numbers = {key: values for key, values in table.items() if key not in dict(texts)}
        if not numbers:
            raise DataError(f"{name}: expected a column of numbers, got none")
        names = list(numbers)
        table = np.column_stack([_numbers(values, key, name) for key, values in numbers.items()])
    table = _numbers(table, None, name)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise DataError(f"{name}: expected shape [rows] or [rows, columns], got {list(table.shape)}")
    return _gaia._make_rows(table, names or [], name, times, times_name, texts)


def _numbers(values, column, name):
    if values.dtype in (np.float32, np.float64) and values.dtype.isnative:
        return values
    try:
        if values.dtype.kind == "M":
            raise TypeError("dates")
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        where = f" in column '{column}'" if column is not None else ""
        raise DataError(f"{name}: expected numbers{where}, got {values.dtype} ({error})") from None


def _text(value):
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)
