# SPDX-License-Identifier: MIT
"""What Python passes, taken in: arrays and columns of every library as NumPy's, missing values as such.

All that reads numbers of a user goes through here: experiments (_tables.py has what is theirs), hierarchies, arrays,
metrics, scikit-learn's estimators and agents.
"""
import copy
import sys

import numpy as np

from .errors import DTypeError

EXACT = 2 ** 53  # whole numbers up to here are doubles

_FLOATS = (np.float32, np.float64)


def numbers(given, where, error=DTypeError, expected="numbers"):
    """An array of float32 or float64, in which missing values are NaN; what is one already is not copied.

    where, expected   beginning of an error message, and what it says was expected

    Raises `error` for texts, dates, durations and complex numbers.
    """
    if type(given) is np.ndarray and given.dtype in _FLOATS and given.dtype.isnative:
        return given
    try:
        made = column(given)
    except ValueError as why:
        raise error(f"{where} expected {expected}, got {_shown(given)} ({why})") from None
    kind = made.dtype.kind
    ways = {"c": "give their real part, their imaginary part or their absolute value",
            "M": "the seconds since the first are numbers: (x - x[0]) / numpy.timedelta64(1, 's')",
            "m": "their seconds are numbers: x / numpy.timedelta64(1, 's')",
            "V": "give the columns one by one, or side by side by numpy.column_stack"}
    if kind in "cMmUSV":
        raise error(f"{where} expected {expected}, got {made.dtype}" + (f"; {ways[kind]}" if kind in ways else ""))
    try:
        return floats(made)
    except (TypeError, ValueError) as why:
        raise error(f"{where} expected {expected}, got {_shown(given)} ({why})") from None


def copied(given, where, error=DTypeError, expected="numbers"):
    """The same in an array of float64 of its own, in C order, which nobody else has."""
    made = numbers(given, where, error, expected)
    return np.array(made, np.float64, order="C")


def plain(given):
    """Converts what NumPy makes an array of without a thought (masked arrays, and what pandas, polars, pyarrow and
    xarray have) to arrays in which missing values are NaN.  All else comes back as it is."""
    if type(given) is np.ndarray or not (_is_foreign(given) or _has_foreign(given)):
        return given
    made = column(given)
    return floats(made) if isinstance(made, np.ma.MaskedArray) else made


def column(given):
    """The values of an array, a column, an index or a list, as an array; masked where whole numbers are missing.

    Floating numbers are NaN where they are missing, texts and other objects None, dates NaT.  A table gives two axes.
    """
    pandas, polars, arrow, xarray = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow", "xarray"))
    if arrow is not None and isinstance(given, (arrow.Array, arrow.ChunkedArray, arrow.Table, arrow.RecordBatch)):
        given = given.to_pandas(integer_object_nulls=True)
    if pandas is not None:
        if isinstance(given, pandas.DataFrame):
            return _side_by_side([column(given.iloc[:, i]) for i in range(given.shape[1])], given)
        if isinstance(given, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
            return _of_pandas(pandas, given)
    if polars is not None:
        if isinstance(given, polars.DataFrame):
            return _side_by_side([column(given[name]) for name in given.columns], given)
        if isinstance(given, polars.Series):
            return _of_polars(given)
    if xarray is not None and isinstance(given, (xarray.DataArray, xarray.Variable)):
        given = given.values
    if isinstance(given, (list, tuple)) and _has_foreign(given):
        given = [column(one) if _is_foreign(one) or _has_foreign(one) else one for one in given]
        given = [one.astype(object).filled(None) if isinstance(one, np.ma.MaskedArray) else one for one in given]
    if isinstance(given, np.ma.MaskedArray):
        return _of_masked(given)
    made = np.asarray(given)
    if not made.dtype.isnative:
        made = made.astype(made.dtype.newbyteorder("="))
    if made.dtype.kind == "f" and isinstance(given, (list, tuple)) and (np.abs(made) >= EXACT).any():
        made = np.asarray(given, object)  # NumPy has rounded whole numbers that stood among others
    return _of_objects(made) if made.dtype == object else made


def floats(values):
    """What `column` gives as float32 or float64, with NaN where a value is missing.

    Raises TypeError or ValueError for what is no number.
    """
    if isinstance(values, np.ma.MaskedArray):
        made = values.data.astype(np.float64)
        made[np.ma.getmaskarray(values)] = np.nan
        return made
    if values.dtype.kind == "m":
        made = values / np.timedelta64(1, "s")
        made[np.isnat(values)] = np.nan
        return made
    return values if values.dtype in _FLOATS else values.astype(np.float64)


def is_rounded(values):
    """Whether float64 does not hold all of an array's numbers: integers beyond 2^53."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or values.size == 0:
        return False
    data = np.ma.filled(values, 0)
    return bool(data.max() > EXACT or data.min() < -EXACT)


def is_missing(one):
    """Whether a value stands for none: None, NaN, NaT, NA of pandas, what is under a mask."""
    if one is None or one is np.ma.masked:
        return True
    if isinstance(one, (float, np.floating)):
        return bool(np.isnan(one))
    if isinstance(one, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(one))
    pandas = sys.modules.get("pandas")
    return pandas is not None and (one is pandas.NA or one is pandas.NaT)


def kept(value):
    """A copy of what a user, an agent or an environment passes, which is kept.  What cannot change, and what has no
    copies, comes back as it is."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return value
    if type(value) is np.ndarray and value.dtype != object:
        return value.copy()
    try:
        return copy.deepcopy(value)
    except Exception:  # whatever the object has against it
        return value


def _is_foreign(given):
    """Whether NumPy by itself would lose what is missing, or see objects where there are numbers."""
    if isinstance(given, np.ma.MaskedArray):
        return True
    module = type(given).__module__.partition(".")[0]
    if module in ("numpy", "builtins"):
        return False
    kinds = {"pandas": ("DataFrame", "Series", "Index"), "polars": ("DataFrame", "Series"),
             "pyarrow": ("Array", "ChunkedArray", "Table", "RecordBatch"), "xarray": ("DataArray", "Variable")}
    for library, names in kinds.items():
        loaded = sys.modules.get(library)
        if loaded is not None and isinstance(given, tuple(getattr(loaded, name) for name in names)):
            return True
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.api.extensions.ExtensionArray)


def _has_foreign(given):
    """Whether a list, or one within it, holds such things."""
    if not isinstance(given, (list, tuple)):
        return False
    kinds = {type(one) for one in given}  # few, of lists of numbers
    if kinds <= {float, int, bool}:
        return False
    return any(_is_foreign(one) or _has_foreign(one) for one in given)


def _of_masked(values):
    mask = np.ma.getmaskarray(values)
    data = np.asarray(values.data)
    if not data.dtype.isnative:
        data = data.astype(data.dtype.newbyteorder("="))
    if not mask.any():
        return data
    if data.dtype.kind in "fc":
        data = data.copy() if data.dtype.kind == "c" or data.dtype in _FLOATS else data.astype(np.float64)
        data[mask] = np.nan
        return data
    if data.dtype.kind in "Mm":
        data = data.copy()
        data[mask] = np.array("NaT", data.dtype)
        return data
    if data.dtype.kind in "biu":
        return np.ma.array(data.astype(np.uint8) if data.dtype.kind == "b" else data, mask=mask)
    data = data.astype(object)
    data[mask] = None
    return _of_objects(data)


def _of_objects(values):
    """Objects that are all whole numbers, or all numbers, as such; others with None where a value is missing."""
    missing = np.array([is_missing(one) for one in values.flat], bool).reshape(values.shape)
    present = [one for one in values[~missing].flat]
    if present and all(isinstance(one, (int, np.integer, np.bool_)) for one in present):
        least, most = int(min(present)), int(max(present))
        dtype = np.int64 if -2 ** 63 <= least and most < 2 ** 63 else np.uint64 if 0 <= least and most < 2 ** 64 else None
        if dtype is not None:
            whole = np.zeros(values.shape, dtype)
            whole[~missing] = [int(one) for one in present]
            return np.ma.array(whole, mask=missing) if missing.any() else whole
    if all(isinstance(one, (int, float, np.number, np.bool_)) for one in present):
        made = np.full(values.shape, np.nan)
        made[~missing] = [float(one) for one in present]
        return made
    if missing.any():
        values = values.copy()
        values[missing] = None
    return values


def _of_pandas(pandas, values):
    dtype = values.dtype
    types = pandas.api.types
    if isinstance(dtype, pandas.PeriodDtype):
        values = pandas.Series(values).dt.to_timestamp()
        dtype = values.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return column(pandas.Series(values).astype(dtype.categories.dtype if not values.isna().any() else object))
    if isinstance(dtype, pandas.SparseDtype):
        return column(np.asarray(values))
    if dtype.kind == "M":
        made = pandas.Series(values)
        made = made.dt.tz_convert(None) if getattr(made.dt, "tz", None) is not None else made
        made = made.to_numpy()
        return made.astype("datetime64[ns]") if made.dtype == object else made
    if dtype.kind == "m":
        made = pandas.Series(values).to_numpy()
        return made.astype("timedelta64[ns]") if made.dtype == object else made
    if not types.is_extension_array_dtype(dtype):
        return column(values.to_numpy())
    missing = np.asarray(values.isna())
    if types.is_bool_dtype(dtype) or types.is_integer_dtype(dtype):
        kind = np.uint8 if types.is_bool_dtype(dtype) else np.uint64 if types.is_unsigned_integer_dtype(dtype) else np.int64
        whole = pandas.Series(values).fillna(False if kind is np.uint8 else 0).to_numpy(dtype=kind)
        return np.ma.array(whole, mask=missing) if missing.any() else whole
    if types.is_float_dtype(dtype):
        return values.to_numpy(dtype=np.float32 if dtype.name.lower() == "float32" else np.float64, na_value=np.nan)
    made = np.array(values.to_numpy(dtype=object))
    made[missing] = None
    return _of_objects(made)


def _of_polars(values):
    missing = values.is_null().to_numpy()
    if values.dtype.is_integer() and missing.any():
        return np.ma.array(values.fill_null(0).to_numpy(), mask=missing)
    return column(values.to_numpy())


def _side_by_side(columns, table):
    """A table of columns: of the dtype that holds all, of objects where there is no other."""
    if not columns:
        return np.empty((len(table), 0))
    if any(one.dtype.kind not in "biuf" for one in columns):
        made = np.empty((len(table), len(columns)), object)
        for place, one in enumerate(columns):
            made[:, place] = np.ma.filled(one.astype(object), None)
        return made
    kinds = {one.dtype for one in columns}
    if len(kinds) == 1 and not any(isinstance(one, np.ma.MaskedArray) for one in columns):
        return table.to_numpy() if columns[0].dtype in _FLOATS else np.column_stack(columns)
    return np.column_stack([floats(one) for one in columns])


def _shown(given):
    dtype = getattr(given, "dtype", None)
    name = type(given).__name__
    return name if dtype is None else f"{name} of {dtype}"
