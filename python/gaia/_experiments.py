# SPDX-License-Identifier: MIT
"""Experiments from Python: what the commands of `gaia` do, with data in memory or in files."""
import builtins
import contextlib
import os
import sys
import tempfile
import threading

from . import _gaia, _parquet, _tables, _text
from ._result import Reproduction, Result, Verdict
from .errors import ArgumentError, OutputError


def run(experiment, data=None, *, set=None, output=None, device=None, seed=None, overwrite=False, progress="auto",
        threads=0, max_seconds=None) -> Result:
    """Runs an experiment and returns its Result.

        result = gaia.run("experiment.yaml")
        result = gaia.run({"experiment": "waves", "hierarchy": {...}}, array, seed=7)

    experiment   the path of a YAML file, or the same as a dict (docs/experiments.md has the keys)
    data         data in place of the file that `data:` names: an array [rows], [rows, columns] or [trials,
                 time, channels], a DataFrame (index = time, columns = names), a DataArray, a dict of columns, or one of
                 an array of trials and what has one value for each of them.  Arrays of float32 and float64
                 are read where they lie.  Or the path of a Parquet file, which pyarrow reads.  The other keys of
                 `data:` (window, normalize, targets, ...) hold.
    set          keys that are to have another value: {"hierarchy.levels[0].layers[0].size": 8}
    output       the results file; by default results/NAME.h5
    device       "cpu", "cuda", "cuda:1" or "auto"
    seed         seed of all random numbers, in place of the experiment's
    overwrite    whether a results file that is there already is replaced
    progress     "auto" (a line in a terminal and in Jupyter), "bar" (a line always), "none" or False (no line, and
                 nothing on stderr but warnings), or a function that is called with (text, share done)
    threads      number of threads that compute; 0: as many as `set_num_threads` says
    max_seconds  seconds after which the run is interrupted; `gaia.resume` goes on with it

    Ctrl-C lets the run finish its block and store its state.  Then KeyboardInterrupt is raised, whose `file` is what
    `gaia.resume` goes on with.  Other Python threads run meanwhile.

    Raises ConfigError, with line and column, for an experiment that cannot run; DataError for data that cannot be
    used; DivergedError where learning comes to NaN or infinity; OutputError or LockedError where the results file
    cannot be written; DeviceError for a device that cannot be used.
    """
    request = _request(experiment, data, set, output, device, seed)
    with _Progress(progress) as show:
        summary = _gaia._run(request, overwrite, threads, max_seconds, show)
    return Result(summary["file"], summary)


def resume(result, data=None, *, config=None, device=None, progress="auto", threads=0, max_seconds=None) -> Result:
    """Goes on with a run that was interrupted or killed, from its last checkpoint, and returns its Result.

    result   its results file (.h5 or .h5.partial), or its Result
    data     the rows that it read, if they were in memory
    config   its YAML file, if that has been moved
    device, progress, threads, max_seconds   as `gaia.run` has them

    A run that is complete is returned as it is.

    Raises ConfigError if there is no such run, OutputError if it has stored no state, DataError if the data are not
    those that it read.
    """
    rows = _tables.rows_of(data)
    path = _path_of(result)
    with _Progress(progress) as show:
        summary = _gaia._resume(path, _path_or_none(config), device, rows, threads, max_seconds, show)
    if summary is None:
        return Result(path)
    return Result(summary["file"], summary)


def replay(result, data=None, *, output=None, against=None, folder=None, device=None, tolerance=0.0, overwrite=False,
           progress="auto", threads=0) -> dict:
    """Runs a complete result again, from what it says about itself, and says whether the same comes of it.

        assert gaia.replay("results/ecg.h5")["equal"]

    result     its results file, or its Result
    data       the rows that it read, if they were in memory
    output     a file that keeps the new results; by default they are gone afterwards
    against    a result that there is already, in place of a run
    folder     the folder that paths of the experiment begin in, if its YAML file has been moved
    device     device in place of the one that the run was on; numbers are then rounded differently
    tolerance  0: every dataset and attribute has the same bits, but for times, speeds and places; above 0: datasets of
               floating numbers differ by at most this share of their largest number
    overwrite, progress, threads   as `gaia.run` has them

    Returns a dict:
        equal         whether nothing differs
        differences   a list of dicts, one for each dataset or attribute that does: path, attribute ("": the numbers),
                      text, count of size numbers, first (its indices), expected, got, largest, relative (largest by
                      the dataset's largest number)
        datasets, attributes   numbers of those that were compared
        largest       the largest relative difference of datasets of floating numbers
        notes         other differences: versions, devices
        text          all of it, for people
        file          the file that the result was compared with, if that is still there

    Raises DataError for files that are gone or are not those that it read, OutputError for a run that is not complete,
    and what `gaia.run` raises.
    """
    rows = _tables.rows_of(data)
    with _Progress(progress) as show:
        return _gaia._replay(_path_of(result), rows, _path_or_none(output) or "", _path_or_none(folder) or "", device,
                             tolerance, _path_or_none(against) or "", overwrite, threads, show)


def open(path) -> Result:
    """The Result in a results file, of a run that has ended or still goes on.

    Raises FileNotFoundError if there is no file, DataError if it is no results file.
    """
    return Result(os.fspath(path))._checked()


def apply(result, data, *, dataset="", columns=(), steps=None, output=None, device=None, overwrite=False,
          progress="auto", threads=0) -> Result:
    """Applies what a run has learnt to the data in a file, learning nothing more, and returns a Result.

    result    the Result of a run that is complete, or its path
    data      a file of data, also Parquet, which is read by way of a CSV file that is gone afterwards; for pictures
              an IDX, NPY, PNG or JPEG file, or a folder of the latter two
    dataset   name of the dataset in a .h5 file
    columns   columns that are the channels that the run was trained on, if their names do not say so
    steps     number of steps that are read; by default all
    output    the results file; by default RESULT.DATA.h5
    device, overwrite, progress, threads   as `gaia.run` has them

    Raises ConfigError for data without the channels that the run was trained on, DataError for a file that cannot be
    used.
    """
    with _Progress(progress) as show, _file_of(data) as file:
        summary = _gaia._apply(_path_of(result), file, dataset, [str(column) for column in columns], steps,
                               _path_or_none(output), device, overwrite, threads, show)
    return Result(summary["file"], summary)


def check(experiment, data=None, *, set=None, device=None, seed=None, trial=False) -> dict:
    """Says whether an experiment can run, and what it will need.

    trial   whether a part of it is run, to tell how long the whole will take
    experiment, data, set, device, seed   as `gaia.run` has them

    Returns a dict:
        config     the experiment with every default, as YAML
        text       sizes, memory, disk and time, for people
        warnings   keys without effect, learning rates that are too large, memory that will not do
        steps, features, device, levels, rules, memory_bytes, disk_bytes, seconds   keys for a hierarchy; seconds only
                   with `trial`
        steps, policies, memory_bytes, disk_bytes, seconds   keys for an agent

    Raises ConfigError with everything that is wrong, DataError for data that cannot be used.
    """
    return _gaia._check(_request(experiment, data, set, None, device, seed), trial)


def verdict(experiment, data=None, *, seeds=10, set=None, output=None, device=None, seed=None, overwrite=False,
            progress="auto", threads=0) -> Verdict:
    """Says whether learning pays: runs an experiment with its controls for several seeds, and returns a Verdict.

    seeds    number of seeds, from that of the experiment on
    output   the results file; by default NAME.verdict.h5
    experiment, data, set, device, seed, overwrite, progress, threads   as `gaia.run` has them

    Raises ConfigError for an experiment without readouts or of a network, and what `gaia.run` raises.
    """
    request = _request(experiment, data, set, output, device, seed)
    with _Progress(progress) as show:
        return Verdict(_gaia._verdict(request, seeds, overwrite, threads, show))


def reproduce(row, data=None, *, short=False, seeds=None, output=None, device=None, overwrite=False, progress="auto",
              threads=0) -> Reproduction:
    """Runs a row of the gallery over the seeds that it reports, and says whether the same comes out.

        print(gaia.reproduce("oja_patches"))

    row      NAME of experiments/gallery/NAME.yaml, in the working directory or as it is installed, or the path of a
             YAML file with `published:`
    data     the folder of the data that it reads; by default where the row says
    short    whether its short form runs: seconds, two seeds, and figures that say nothing
    seeds    number of its seeds that are run; by default all
    output   the results file; by default results/ROW.verdict.h5
    device, overwrite, progress, threads   as `gaia.run` has them

    Returns a Reproduction.  Raises ConfigError for a name that no row has and for an experiment without `published:`,
    and what `gaia.run` raises.
    """
    with _Progress(progress) as show:
        return Reproduction(_gaia._reproduce(os.fspath(row), os.path.abspath(__file__), os.fspath(data or ""), short,
                                             seeds or 0, device, os.fspath(output or ""), overwrite, threads, show))


def sweep(experiment, data=None, *, set=None, output=None, device=None, overwrite=False, progress="auto",
          threads=0) -> list[Result]:
    """Runs every member of a sweep, one after the other, and returns their Results in order.

    A member whose results are there already is not run again, unless `overwrite` is set.  `result.settings` has the
    keys by which members differ.  (The command `gaia sweep` runs members side by side.)

    experiment, data, set, device, progress, threads   as `gaia.run` has them

    Raises ConfigError for an experiment without `sweep:`, and what `gaia.run` raises.
    """
    request = _request(experiment, data, set, output, device, None)
    results = []
    for number, member in enumerate(_gaia._sweep_members(request)):
        summary = None
        if overwrite or not os.path.exists(member["file"]):
            with _Progress(progress, prefix=member["label"] + "  ") as show:
                summary = _gaia._run_member(request, number, overwrite, threads, show)
        results.append(Result(member["file"], summary, settings=member["settings"]))
    return results


def init(data, output=None, *, overwrite=False) -> str:
    """Writes an experiment to begin with, for files of data or for data in memory, and returns it as YAML.

        gaia.init("eeg.csv", "eeg.yaml")
        gaia.init({"eeg": array, "label": labels}, "eeg.yaml")
        gaia.run("eeg.yaml", {"eeg": array, "label": labels})

    data        the path of a file of data, a list of several of one kind, or a pattern; or what `gaia.run`
                takes in place of a file, as the path of a Parquet file, and is then given again
    output      the file that it is written to; None: none.  Paths in it are relative to its folder.
    overwrite   whether a file that is there already is replaced

    Raises DataError for data that no experiment can read, OutputError if the file is there.
    """
    path = _path_or_none(output)
    if isinstance(data, (str, os.PathLike)) and not _parquet.is_parquet(data):
        data = [data]
    if isinstance(data, (list, tuple)) and data and all(isinstance(each, (str, os.PathLike)) for each in data):
        files = [os.fspath(each) for each in data]
        text = _gaia._initial_experiment(files, path or _gaia._experiment_name(files[0]) + ".yaml")
    else:
        text = _gaia._initial_experiment_of(_tables.rows_of(data), path or "memory.yaml")
    if path is not None:
        try:
            with builtins.open(path, "w" if overwrite else "x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise OutputError(f"{path}: exists; use overwrite=True, or another name") from None
    return text


def _request(experiment, data, settings, output, device, seed):
    """The experiment as the module takes it."""
    if isinstance(experiment, (str, os.PathLike)):
        path, text = os.fspath(experiment), None
    else:
        path, text = "experiment", _text.to_yaml(experiment)
        if data is None:
            data = _parquet_of(experiment)
    return _gaia._Request(path, text, _text.settings(settings), device, None if seed is None else str(seed),
                          _path_or_none(output), _tables.rows_of(data))


def _parquet_of(experiment):
    """The Parquet file that the data of an experiment, a dict, are in; None of other data."""
    of_data = experiment.get("data") if isinstance(experiment, dict) else None
    path = of_data.get("path") if isinstance(of_data, dict) else None
    return path if _parquet.is_parquet(path) else None


@contextlib.contextmanager
def _file_of(data):
    """The path of a file of data as the library reads it, while it is needed."""
    if not _parquet.is_parquet(data):
        yield os.fspath(data)
        return
    with tempfile.TemporaryDirectory(prefix="gaia-") as folder:
        yield _parquet.as_csv(data, folder)


def _path_of(result):
    return os.fspath(result.path if isinstance(result, Result) else result)


def _path_or_none(path):
    return None if path is None else os.fspath(path)


class _Quiet:
    """The library says nothing but warnings as long as any thread is within."""

    _WARNING = 2  # a LogLevel

    def __init__(self):
        self._lock = threading.Lock()
        self._within = 0

    def __enter__(self):
        with self._lock:
            if self._within == 0:
                self._before = _gaia._set_log_level(self._WARNING)
            self._within += 1

    def __exit__(self, *_):
        with self._lock:
            self._within -= 1
            if self._within == 0:
                _gaia._set_log_level(self._before)


_quiet = _Quiet()


class _Progress:
    """A line that is drawn anew, where there is somebody to see it."""

    def __init__(self, mode, prefix=""):
        if not callable(mode) and mode not in ("auto", "bar", "none", None, False, True):
            raise ArgumentError(f"[progress] expected 'auto', 'bar', 'none' or a function, got {mode!r}")
        self._mode = mode
        self._prefix = prefix
        self._drawn = 0
        self._is_quiet = mode in ("none", None, False)

    def __enter__(self):
        if callable(self._mode):
            return self._mode
        if self._is_quiet:
            _quiet.__enter__()
        return self._draw if self._is_seen() else None

    def __exit__(self, *_):
        if self._is_quiet:
            _quiet.__exit__()
        if self._drawn:
            sys.stderr.write("\n")

    def _is_seen(self):
        if self._mode != "auto":
            return self._mode in ("bar", True)
        if "ipykernel" in sys.modules:
            return True
        is_terminal = getattr(sys.stderr, "isatty", None)
        return bool(is_terminal and is_terminal())

    def _draw(self, text, _):
        text = self._prefix + text
        sys.stderr.write("\r" + text.ljust(self._drawn))
        sys.stderr.flush()
        self._drawn = len(text)
