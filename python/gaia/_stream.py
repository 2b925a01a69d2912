# SPDX-License-Identifier: MIT
"""Rows one by one through what a run has learnt."""
import collections.abc
import os
import sys
import typing
import warnings

import numpy as np

from . import _gaia, _intake
from ._result import Result
from .errors import ArgumentError, DataError, Error, ShapeError

_NAN = float("nan")


class Stream:
    """Rows one by one through what a run has learnt: a row goes in, a row comes out.

        with gaia.Stream("results/pump.h5", learn=True) as stream:
            for out in stream.run(rows):
                print(out["step"], out["forecast"])

    result      the Result of a run that is complete, or its path
    learn       whether weights, thresholds and readouts of type `online` go on learning
    moments     "stored": channels are scaled by the moments of the result; "running": every row moves them
    outputs     names of readouts, and "level 0", "level 1", ...; None: all readouts, or the last level where there are
                none
    state       the file of the state; None: RESULT.stream.h5 beside the result
    anew        whether a state that is there is left, and replaced by the next; else the stream goes on from it
    keep_every  rows between two states that are written; 0: only by `keep`, and at the end of a `with`
    late        rows for which a readout that learns online waits for a target that its row did not bring
    device      "cpu", "cuda", "cuda:1" or "auto"; None: that of the experiment

    columns     names of what a row has: a tuple
    targets     names of the targets that a row may have: a tuple
    label       name of the column of labels, "" if there is none
    trials      name of the column whose change begins a trial, "" if there is none
    fields      names of what comes out, a dict: of a class the names of all classes, of a number ()
    state_path  the file of the state
    step        number of the row that is expected next

    Nothing is started in addition, and nothing is kept of rows but what levels and readouts remember.  Several threads
    may push rows, one of which goes at a time; others of Python's run meanwhile where a row takes long.

    Raises ConfigError for a result that no stream can be built from, an output that it has not, or a state of another
    result or of other options; DataError for a file that cannot be read; LockedError for a state that another stream
    writes.
    """

    def __init__(self, result, learn=False, moments="stored", outputs=None, state=None, anew=False, keep_every=0,
                 device=None, *, late=1000) -> None:
        self._stream = None
        path = os.fspath(result.path if isinstance(result, Result) else result)
        names = [outputs] if isinstance(outputs, str) else [str(name) for name in outputs or ()]
        self._stream = _gaia._Stream(path, bool(learn), moments, names, "" if state is None else os.fspath(state),
                                     bool(anew), keep_every, late, device)
        made = self._stream
        self.columns = tuple(made.columns)
        self.targets = tuple(made.targets)
        self.label = made.label
        self.trials = made.trials
        self.fields = {name: tuple(classes) for name, classes in made.fields.items()}
        self.state_path = made.state_path

    @property
    def step(self) -> "typing.Any":
        """Number of the row that is expected next."""
        return self._open().step

    def push(self, row, *, targets=None, label=None) -> "typing.Any":
        """Reads a row and answers it.

        row      a dict, a Series or what else has values by the names of `columns`; it may have targets, a label and
                 the trial by their names too, and other columns, which are not read.  Or the values in the order of
                 `columns`: a sequence, an array [columns]; or one number where there is one column
        targets  values already known of its targets: a dict by name, values in the order of `targets`, or one number
        label    its class, if that is known

        None, NaN, NA and NaT are missing values.

        Returns a dict: `step`, the number of the row, and the value of every field by its name: a float, NaN before the
        first tick, or the name of a class, None before the first tick.  Between ticks values stay what they are.

        Raises DataError for a value that is missing where none may be, is not finite or no number, a column that is
        missing, and a class that the result does not know; ShapeError for values that are more or fewer.  Such a row
        changes nothing, and the next may be pushed.  What else a row says is a UserWarning, once.
        """
        stream = self._open()
        trial = None
        named = _named(row)
        if named is None:
            values = self._in_order(row, self.columns, "row")
        else:
            values = self._by_name(named)
            if targets is None and any(name in named for name in self.targets):
                targets = {name: named[name] for name in self.targets if name in named}
            if label is None and self.label:
                label = named.get(self.label)
            if self.trials and not _is_missing(named.get(self.trials)):
                trial = _text(named[self.trials])
        return stream.push(values, self._targets(targets), _label(label), trial)

    def teach(self, step, *, targets=None, label=None) -> None:
        """Tells the truth of an earlier row, known only now: what learns online learns from it.

        step            number of the row
        targets, label  as `push` has them

        Raises DataError for a step that has not come yet or lies further back than `late`.
        """
        self._open().teach(int(step), self._targets(targets), _label(label))

    def begin_trial(self) -> None:
        """The next row begins a trial: nothing is carried over but what crosses trials."""
        self._open().begin_trial()

    def keep(self) -> None:
        """Writes the state aside and renames it.  Raises OutputError where it cannot be written, LockedError where
        another stream holds it."""
        self._open().keep()

    def run(self, rows) -> "typing.Any":
        """Answers to rows, each as soon as it is asked for: a generator of what `push` returns.

        rows   anything that yields rows; a DataFrame of pandas or polars, or a Table of pyarrow, goes row by row
        """
        for row in _each(rows):
            yield self.push(row)

    async def arun(self, rows):
        """The same of rows that come asynchronously: `async for out in stream.arun(rows)`.

        rows   anything for `async for`; each row is computed within the event loop, which waits as long as that takes
        """
        async for row in rows:
            yield self.push(row)

    def close(self) -> None:
        """Lets go of the stream without writing its state.  Closing twice does nothing."""
        self._stream = None

    def __enter__(self) -> "typing.Any":
        self._open()
        return self

    def __exit__(self, kind, error, trace) -> None:
        """Writes the state and closes the stream, also after an error: rows that were answered have been learnt."""
        if self._stream is None:
            return
        try:
            self.keep()
        except Error as why:
            if error is None:
                raise
            warnings.warn(f"the state of the stream was not written: {why}", stacklevel=2)
        finally:
            self.close()

    def __repr__(self):
        at = "closed" if self._stream is None else f"row {self.step} next"
        return f"<gaia.Stream of {len(self.columns)} columns to {len(self.fields)} fields: {at}>"

    def _open(self):
        if self._stream is None:
            raise ArgumentError("[Stream] the stream is closed; make another, which goes on from its state")
        return self._stream

    def _by_name(self, named):
        values = []
        for name in self.columns:
            try:
                value = named[name]
            except KeyError:
                there = ", ".join(map(str, named))
                raise DataError(f"[Stream.push] expected the column '{name}' in the row, got {there or 'none'}; None is a "
                                "value that is missing") from None
            values.append(value if type(value) is float else _number(value, name))
        return values

    def _in_order(self, given, names, what):
        if type(given) is not list:
            if type(given) is np.ndarray and given.ndim == 1 and given.dtype.kind in "fiub":
                given = given.tolist()
            elif isinstance(given, (str, bytes)) or not isinstance(given, collections.abc.Iterable):
                given = [given]
            else:
                shape = getattr(given, "shape", None)
                if shape is not None and len(shape) > 1:
                    raise ShapeError(f"[Stream] {what}: expected shape [{len(names)}], got {list(shape)}")
                given = list(_intake.column(given)) if not isinstance(given, collections.abc.Iterator) else list(given)
        if len(given) != len(names):
            raise ShapeError(f"[Stream] {what}: expected {len(names)} values ({', '.join(names)}), got {len(given)}")
        return [value if type(value) is float else _number(value, name) for value, name in zip(given, names)]

    def _targets(self, given):
        if given is None:
            return []
        named = _named(given)
        if named is None:
            return self._in_order(given, self.targets, "targets")
        for name in named:
            if name not in self.targets:
                raise ArgumentError(f"[Stream] targets: expected some of {', '.join(self.targets) or 'none'}, got '{name}'")
        return [_number(named[name], name) if name in named else _NAN for name in self.targets]


def _named(row):
    """A row by names as a mapping; None of one that has none."""
    if isinstance(row, collections.abc.Mapping):
        return row
    if hasattr(row, "_asdict"):
        return row._asdict()
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(row, pandas.Series):
        return dict(zip(row.index.map(str), row))
    if isinstance(row, np.void) and row.dtype.names:
        return {name: row[name] for name in row.dtype.names}
    return None


def _each(rows):
    """The rows of a table, or of anything else what it yields."""
    pandas, polars, arrow = (sys.modules.get(name) for name in ("pandas", "polars", "pyarrow"))
    if pandas is not None and isinstance(rows, pandas.DataFrame):
        names = [str(name) for name in rows.columns]
        return (dict(zip(names, row)) for row in rows.itertuples(index=False, name=None))
    if polars is not None and isinstance(rows, polars.DataFrame):
        return rows.iter_rows(named=True)
    if arrow is not None and isinstance(rows, arrow.Table):
        return (row for batch in rows.to_batches(max_chunksize=1024) for row in batch.to_pylist())
    if isinstance(rows, (str, bytes, collections.abc.Mapping)):
        raise ArgumentError(f"[Stream.run] expected rows, one after the other, got {type(rows).__name__}; push takes one row")
    return rows


def _is_missing(value):
    return value is None or _intake.is_missing(value)


def _number(value, name):
    """A value of a row as a float, NaN where it is missing."""
    if isinstance(value, (int, float, np.number, np.bool_)) and not isinstance(value, np.complexfloating):
        return float(value)
    if _is_missing(value):
        return _NAN
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise DataError(f"[Stream] {name}: expected a number, got {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError) as why:
        raise DataError(f"[Stream] {name}: expected a number, got {value!r} ({why})") from None


def _label(value):
    """A class as the text that it is called by; None where it is not known."""
    return None if _is_missing(value) else _text(value)


def _text(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (bool, np.bool_, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))  # whole numbers among missing ones are floats in pandas
    return str(value)
