# SPDX-License-Identifier: MIT
"""Datasets of results as files of other kinds."""
import os
import warnings

from . import _gaia, _parquet
from ._result import Result
from .errors import ArgumentError

_FORMATS = ("csv", "npy", "npz", "parquet")


def export(result, to="csv", datasets=None, output=None, *, overwrite=False) -> list[str]:
    """Writes datasets of a results file as CSV, NPY, NPZ or Parquet, and returns the paths of the files.

        gaia.export(result, "parquet", "/levels/0/representation")
        gaia.export("results/waves.h5", "npz", output="waves.npz")

    result     a Result, or the path of its file
    to         "csv", "npy", "npz" (all in one archive, by their paths) or "parquet"
    datasets   the path of a dataset or a list of them, as `gaia inspect` lists them; None: all
    output     the file; of several datasets, but as NPZ, the folder of the files.  By default it is beside the result:
               RESULT.npz, RESULT.levels.0.representation.csv, or the folder RESULT.csv.d
    overwrite  whether files that are there already are replaced

    CSV and Parquet hold a line for each step, with the coordinates of all axes but the last before the numbers: `step`,
    and `time` where it is known.  An array of three axes or more has a line for each place along all but the last.
    All is read and written a few rows at a time, and a file has its name when it is whole.

    Raises ConfigError if there is no such file, ArgumentError for a dataset that it has not, DataError for one that
    cannot be exported, OutputError for a file that is there already, ImportError for Parquet without pyarrow.
    """
    path = os.fspath(result.path if isinstance(result, Result) else result)
    if to not in _FORMATS:
        raise ArgumentError(f"[export] to: expected one of {', '.join(_FORMATS)}, got {to!r}")
    if datasets is None:
        names = []
    else:
        names = [datasets] if isinstance(datasets, str) else [str(name) for name in datasets]
        if not names:
            raise ArgumentError("[export] datasets: expected a path or several, got none; None takes all")
    folder = "" if output is None else os.fspath(output)
    if to == "parquet":
        return _to_parquet(path, names, folder, overwrite)
    files, refusals = _gaia._export(path, to, names, folder, overwrite)
    _tell(path, refusals)
    return list(files)


def _to_parquet(path, names, output, overwrite):
    _parquet._pyarrow("writing Parquet")
    is_one, refusals = len(names) == 1, []
    if not names:
        names, refusals = _gaia._exportable(path)
    stem = path
    for ending in (".partial", ".h5"):
        stem = stem[:-len(ending)] if stem.endswith(ending) else stem
    opened = []
    for name in dict.fromkeys(name if name.startswith("/") else "/" + name for name in names):
        file = name[1:].replace("/", ".") + ".parquet"
        if is_one:
            opened.append((name, output or f"{stem}.{file}"))
        else:
            opened.append((name, os.path.join(output or stem + ".parquet.d", file)))
    if len({file for _, file in opened}) < len(opened):
        raise ArgumentError(f"[export] {path}: two datasets would be written to one file; export them one by one")
    for _, file in opened:
        _gaia._check_export(file, overwrite)
    written = [_parquet.write(_gaia._ExportedDataset(path, name), file, overwrite, _gaia._check_export)
               for name, file in opened]
    _tell(path, refusals)
    return written


def _tell(path, refusals):
    for refusal in refusals:
        warnings.warn(f"{path}: {refusal}; left out", stacklevel=3)
