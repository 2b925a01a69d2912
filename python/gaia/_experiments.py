# SPDX-License-Identifier: MIT
"""Experiments from Python: what the command line's verbs do, with data that are in memory or in files."""
import builtins
import os
import sys

from . import _gaia, _tables, _text
from ._result import Result, Verdict

_interrupted = None


def run(experiment, data=None, *, set=None, output=None, device=None, seed=None, overwrite=False, progress="auto",
        threads=0, max_seconds=None):
    """Runs an experiment and returns its Result.

    experiment   path of a YAML file, or the same as a dict (docs/experiments.md has the keys)
    data         what stands in place of the file that `data:` names: an array [rows] or [rows, columns], a DataFrame
                 (index = time, columns = names), a DataArray, or a dict of columns.  float32 and float64 arrays are
                 read where they lie.  The other keys of `data:` (window, normalize, targets, labels, ...) hold.
    set          keys in other words: {"hierarchy.levels[0].layers[0].size": 8}
    output       results file; default results/NAME.h5
    device       "cpu", "cuda", "cuda:1" or "auto"
    overwrite    whether a result that is there is replaced
    progress     "auto" (a bar in a terminal and in Jupyter, else nothing), "bar", "none", or a function of
                 (text, share done)
    threads      0: as many as set_num_threads says
    max_seconds  of wall time, after which the run is interrupted; `resume` goes on with it

    Ctrl-C lets the run finish its block and store its state; then KeyboardInterrupt is raised, whose `file` is what
    `gaia.resume` takes.  The GIL is released while it runs.

    Raises ConfigError, with line and column, for an experiment that cannot run; DataError for data that cannot be
    used; OutputError, LockedError, DeviceError, DivergedError.
    """
    request = _request(experiment, data, set, output, device, seed)
    with _Progress(progress) as show:
        summary = _noted(lambda: _gaia.run(request, overwrite, threads, max_seconds, show))
    return Result(summary["file"], summary)


def resume(result, data=None, *, config=None, device=None, progress="auto", threads=0, max_seconds=None):
    """Goes on with a run that was interrupted or killed, from its last checkpoint, and returns its Result.

    result   its .h5 or .h5.partial file
    data     the rows that it reads, if it read rows in memory
    config   its YAML file, where that has been moved

    A run that is complete is returned as it is.  Raises ConfigError if there is no such run, OutputError where there
    is no state to go on from, DataError for data that are no longer those it has read.
    """
    rows = _tables.rows_of(data)
    path = os.fspath(result.path if isinstance(result, Result) else result)
    config = None if config is None else os.fspath(config)
    with _Progress(progress) as show:
        summary = _noted(lambda: _gaia.resume(path, config, device, rows, threads, max_seconds, show))
    if summary is None:
        return Result(path)
    return Result(summary["file"], summary)


def open(path):
    """The Result in a file, complete or partial.  Raises FileNotFoundError if there is none."""
    return Result(os.fspath(path)).check()


def apply(result, data, *, dataset="", columns=(), steps=None, output=None, device=None, overwrite=False,
          progress="auto", threads=0):
    """What a run has learnt, applied to the data in a file, with nothing learning; returns a Result.

    result    a Result, or the path of one that is complete
    data      a .h5, .csv or .npy file; for a network on images an IDX file
    columns   which columns are those of the training, where names do not tell
    output    default RESULT.DATA.h5

    Raises ConfigError for data without the channels that the run was trained on.
    """
    path = os.fspath(result.path if isinstance(result, Result) else result)
    with _Progress(progress) as show:
        summary = _noted(lambda: _gaia.apply(path, os.fspath(data), dataset, [str(c) for c in columns], steps,
                                             None if output is None else os.fspath(output), device, overwrite, threads,
                                             show))
    return Result(summary["file"], summary)


def check(experiment, data=None, *, set=None, device=None, seed=None, trial=False):
    """Whether an experiment can run and what it will need, as a dict.

    config     the experiment with every default, YAML
    text       what a person is told of sizes, memory, disk and time
    warnings   of keys without effect, rates that are too large, memory that is too little
    steps, features, device, memory_bytes, disk_bytes, seconds   of a hierarchy; seconds only with `trial`

    Raises ConfigError with everything that is wrong, DataError.
    """
    return _gaia.check(_request(experiment, data, set, None, device, seed), trial)


def verdict(experiment, data=None, *, seeds=10, set=None, output=None, device=None, seed=None, overwrite=False,
            progress="auto", threads=0):
    """Whether learning pays: an experiment with its controls over several seeds; returns a Verdict.

    seeds    how many, from that of the experiment on
    output   default NAME.verdict.h5

    Raises ConfigError for an experiment without readouts or of a network, and what `run` raises.
    """
    request = _request(experiment, data, set, output, device, seed)
    with _Progress(progress) as show:
        return Verdict(_gaia.verdict(request, seeds, overwrite, threads, show))


def sweep(experiment, data=None, *, set=None, output=None, device=None, overwrite=False, progress="auto", threads=0):
    """Runs every member of a sweep, one after the other in this process, and returns their Results in order.

    A member whose result is there already is not run again unless `overwrite`.  `result.settings` says by what each
    differs.  (`gaia sweep` runs members side by side.)
    """
    request = _request(experiment, data, set, output, device, None)
    results = []
    for number, member in enumerate(_gaia.sweep_members(request)):
        summary = None
        if overwrite or not os.path.exists(member["file"]):
            with _Progress(progress, prefix=member["label"] + "  ") as show:
                summary = _noted(lambda n=number: _gaia.run_member(request, n, overwrite, threads, show))
        results.append(Result(member["file"], summary, settings=member["settings"]))
    return results


def init(data, output=None, *, overwrite=False):
    """An experiment to begin with, for files of data, as YAML.

    data     path of a .csv, .npy or HDF5 file, several of one kind, or a pattern
    output   where it is written; None: nowhere.  Paths of data in it are relative to its folder.

    Raises DataError for data that no experiment can read, OutputError if the file is there.
    """
    paths = [os.fspath(data)] if isinstance(data, (str, os.PathLike)) else [os.fspath(path) for path in data]
    path = None if output is None else os.fspath(output)
    text = _gaia.initial_experiment(paths, path or _gaia.experiment_name(paths[0]) + ".yaml")
    if path is not None:
        try:
            with _open(path, "w" if overwrite else "x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            from .errors import OutputError
            raise OutputError(f"{path}: exists; use overwrite=True, or another name") from None
    return text


_open = builtins.open


def _request(experiment, data, settings, output, device, seed):
    if isinstance(experiment, (str, os.PathLike)):
        path, text = os.fspath(experiment), None
    else:
        path, text = "experiment", _text.to_yaml(experiment)
    return _gaia.Request(path, text, _text.settings(settings), device, None if seed is None else str(seed),
                         None if output is None else os.fspath(output), _tables.rows_of(data))


def _note_interrupted(summary):
    global _interrupted
    _interrupted = summary


def _noted(work):
    """Tells whoever catches Ctrl-C which file there is to go on from."""
    global _interrupted
    _interrupted = None
    try:
        return work()
    except KeyboardInterrupt as error:
        if _interrupted is not None:
            error.file = _interrupted["file"]
            error.args = (f"stored after {_interrupted['steps_done']} of {_interrupted['steps']} steps; "
                          f"gaia.resume({_interrupted['file']!r}) goes on",)
        raise


class _Progress:
    """A line that is drawn anew, where there is somebody to see it."""

    def __init__(self, mode, prefix=""):
        if not callable(mode) and mode not in ("auto", "bar", "none", None, False, True):
            raise ValueError(f"[progress] expected 'auto', 'bar', 'none' or a function, got {mode!r}")
        self._mode = mode
        self._prefix = prefix
        self._drawn = 0

    def __enter__(self):
        if callable(self._mode):
            return self._mode
        is_jupyter = "ipykernel" in sys.modules
        shows = self._mode in ("bar", True) or (self._mode == "auto" and
                                                (is_jupyter or getattr(sys.stderr, "isatty", lambda: False)()))
        return self._draw if shows else None

    def __exit__(self, *_):
        if self._drawn:
            sys.stderr.write("\n")

    def _draw(self, text, _):
        text = self._prefix + text
        sys.stderr.write("\r" + text.ljust(self._drawn))
        sys.stderr.flush()
        self._drawn = len(text)
