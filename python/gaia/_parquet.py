# SPDX-License-Identifier: MIT
"""Parquet, read and written by pyarrow, which is loaded where it is needed."""
import os

import numpy as np

from .errors import ConfigError, DataError, OutputError

_ENDINGS = (".parquet", ".pq")


def is_parquet(data):
    """Tells whether data is the path of a Parquet file: by its ending, or by how it begins."""
    if not isinstance(data, (str, os.PathLike)):
        return False
    path = os.fspath(data)
    if isinstance(path, bytes):
        return False
    if path.lower().endswith(_ENDINGS):
        return True
    try:
        with open(path, "rb") as file:
            return os.path.isfile(path) and file.read(4) == b"PAR1"
    except OSError:
        return False


def read(path):
    """The table in a Parquet file.

    Raises ConfigError if there is no such file, DataError for one that cannot be read, ImportError without pyarrow.
    """
    path = os.fspath(path)
    parquet = _pyarrow("reading Parquet")
    import pyarrow
    if not os.path.exists(path):
        raise ConfigError(f"{path}: no such file")
    if not os.path.isfile(path):
        raise ConfigError(f"{path}: is not a regular file")
    try:
        # The file alone is opened: a folder in its path may look like a partition (year=2024).
        with parquet.ParquetFile(path) as file:
            table = file.read()
            return _without_index(table, file.schema_arrow.pandas_metadata)
    except (pyarrow.ArrowException, OSError, ValueError) as why:
        raise DataError(f"{path}: cannot be read as Parquet ({why})") from None


def as_csv(path, folder):
    """The path of a CSV file in a folder with what a Parquet file has: numbers to the last bit, dates as ISO 8601.

    Raises DataError for columns that CSV cannot hold, and what `read` raises.
    """
    table = read(path)
    import pyarrow
    from pyarrow import csv
    for field in table.schema:
        if pyarrow.types.is_nested(field.type) or pyarrow.types.is_binary(field.type):
            raise DataError(f"{os.fspath(path)}: column '{field.name}': expected numbers, texts or dates, got {field.type}")
    made = os.path.join(folder, os.path.splitext(os.path.basename(os.fspath(path)))[0] + ".csv")
    columns = [_plain(pyarrow, table[place]) for place in range(table.num_columns)]
    csv.write_csv(pyarrow.table(columns, names=table.schema.names), made)
    return made


def write(dataset, path, overwrite, check):
    """Writes what _gaia._ExportedDataset has, a few rows at a time, to a file that is renamed when it is whole.

    check   is called with path and overwrite, and raises OutputError where the file must not be written
    """
    parquet = _pyarrow("writing Parquet")
    import pyarrow
    check(path, overwrite)
    folder = os.path.dirname(path)
    aside = path + ".writing"
    try:
        if folder:
            os.makedirs(folder, exist_ok=True)
        writer = None
        try:
            for batch in _batches(pyarrow, dataset):
                if writer is None:
                    writer = parquet.ParquetWriter(aside, batch.schema)
                writer.write_batch(batch)
        finally:
            if writer is not None:
                writer.close()
        check(path, overwrite)
        os.replace(aside, path)
    except OutputError:
        raise
    except OSError as why:
        raise OutputError(f"{path}: cannot be written ({why})") from None
    finally:
        if os.path.lexists(aside):
            os.unlink(aside)
    return path


def _batches(pyarrow, dataset):
    """Record batches of the table that a dataset is; one without rows where it has none."""
    names = [name for name, _, _ in dataset.indices] + list(dataset.columns)
    texts = dataset.read_texts() if dataset.is_text else None
    rows, block = dataset.rows, max(1, dataset.block)
    inner = {number: _index(pyarrow, dataset, number, 0, dataset.shape[axis])
             for number, (_, axis, _) in enumerate(dataset.indices) if axis > 0}
    lines = int(np.prod(dataset.shape[1:-1], dtype=np.int64)) if len(dataset.shape) > 2 else 1
    for first in range(0, max(rows, 1), block):
        count = min(block, rows - first)
        columns = []
        for number, (_, axis, _) in enumerate(dataset.indices):
            if axis == 0:
                values = _index(pyarrow, dataset, number, first, count)
                place = np.repeat(np.arange(count), lines)
            else:
                values = inner[number]
                repeat = int(np.prod(dataset.shape[axis + 1:-1], dtype=np.int64))
                place = np.tile(np.repeat(np.arange(dataset.shape[axis]), repeat),
                                count * lines // max(1, repeat * dataset.shape[axis]))
            columns.append(values if lines == 1 and axis == 0 else values.take(pyarrow.array(place)))
        if texts is not None:
            columns.append(pyarrow.array(texts[first:first + count], pyarrow.string()))
        else:
            numbers = dataset.read(first, count)
            columns += [pyarrow.array(np.ascontiguousarray(numbers[:, place])) for place in range(numbers.shape[1])]
        yield pyarrow.record_batch(columns, names=names)


def _index(pyarrow, dataset, number, first, count):
    made = pyarrow.array(dataset.read_index(number, first, count))
    if len(made) == 0 and pyarrow.types.is_null(made.type):
        made = made.cast(pyarrow.int64())
    return made.cast(pyarrow.timestamp("ns", tz="UTC")) if dataset.indices[number][2] else made


def _plain(pyarrow, column):
    """A column as CSV holds it."""
    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        return _plain(pyarrow, column.cast(kind.value_type))
    if pyarrow.types.is_boolean(kind):
        return column.cast(pyarrow.int8())
    if pyarrow.types.is_timestamp(kind) and kind.tz is not None:
        return column.cast(pyarrow.timestamp(kind.unit, tz="UTC")).cast(pyarrow.timestamp(kind.unit))
    if pyarrow.types.is_duration(kind):
        nanoseconds = column.cast(pyarrow.duration("ns")).cast(pyarrow.int64())
        return pyarrow.compute.divide(nanoseconds.cast(pyarrow.float64(), safe=False), 1e9)
    if pyarrow.types.is_decimal(kind) or pyarrow.types.is_float16(kind):
        return column.cast(pyarrow.float64())
    return column


def _without_index(table, of_pandas):
    """A table without the column that pandas built from an index that only counts."""
    if of_pandas is None:
        return table
    counts = [name for name in of_pandas.get("index_columns", ())
              if isinstance(name, str) and name.startswith("__index_level_") and name in table.schema.names]
    import pyarrow
    counts = [name for name in counts if pyarrow.types.is_integer(table.schema.field(name).type)]
    return table.drop_columns(counts) if counts else table


def _pyarrow(by):
    """pyarrow.parquet.  Raises ImportError with the way to get it."""
    try:
        import pyarrow.compute  # noqa: F401  which is an attribute of pyarrow from then on
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(f"[{by}] needs pyarrow: pip install pyarrow ({error})") from error
    return pyarrow.parquet
