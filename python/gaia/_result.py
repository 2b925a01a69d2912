# SPDX-License-Identifier: MIT
"""Results of experiments."""
import copy
import html
import importlib
import os
import typing

from . import _gaia
from .errors import DataError

_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"


class Result:
    """The content of a run's results file, read as it is asked for.

        result = gaia.run(experiment, array)        # or gaia.open("results/waves.h5")
        print(result.verdict)
        result.level(1).representation              # a DataArray [step, neuron]
        result.readout("next").plot()               # a DataFrame by step
        result.report("waves.html")

    path        the results file
    status      "complete", "interrupted", "failed" or "running"
    verdict     one sentence on what learning is worth; "" without readouts
    scores      readouts compared with their baselines and controls: a list of dicts, empty of networks and agents;
                of a file that was opened in the order of their names.  result.run.scores() is the dataset of
                gaia_results.Run
    text        words of the command line at the end of a run; "" of a file that was opened
    settings    keys by which a member of a sweep differs, a dict

    It has all of gaia_results.Run too, which needs h5py and xarray: level, expanded, weights, metrics, config, attrs,
    ...; readout gives a DataFrame and needs pandas.  In Jupyter a result shows its report.
    """

    def __init__(self, path, summary=None, settings=None) -> None:
        self.path = os.fspath(path)
        self.settings = settings or {}
        self._summary = summary or {}
        self._run = None
        self._read_scores = None

    def _checked(self):
        """This result, if there is one in the file."""
        with open(self.path, "rb") as file:
            if file.read(len(_HDF5_SIGNATURE)) != _HDF5_SIGNATURE:
                raise DataError(f"{self.path}: expected a results file of gaia, which is HDF5, got something else")
        return self

    @property
    def run(self) -> "typing.Any":
        """The open results file, a gaia_results.Run."""
        if self._run is None:
            _needed("h5py", "reading results")
            _needed("xarray", "reading results")
            self._run = importlib.import_module("gaia_results").open(self.path)
        return self._run

    def close(self) -> None:
        """Closes the results file, if it was opened; datasets that were given out stay."""
        if self._run is not None:
            self._run.close()
            self._run = None

    def __enter__(self) -> "typing.Any":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.run, name)

    def __dir__(self):
        try:
            return sorted(set(super().__dir__()) | set(dir(importlib.import_module("gaia_results").Run)))
        except ImportError:
            return super().__dir__()

    @property
    def status(self) -> str:
        """The state of the run: "complete", "interrupted", "failed" or "running"."""
        return self._summary.get("status") or self.run.attrs["status"]

    @property
    def verdict(self) -> str:
        """One sentence on what learning is worth; "" without readouts."""
        if self._summary:
            return self._summary["verdict"]
        return self.run.attrs.get("verdict", "")

    @property
    def scores(self) -> "typing.Any":
        """Readouts compared with their baselines and controls, a list of dicts."""
        if self._summary:
            return copy.deepcopy(self._summary["readouts"])
        if self._read_scores is None:
            self._read_scores = _gaia._readouts_of(self.path)
        return copy.deepcopy(self._read_scores)

    @property
    def text(self) -> str:
        """The words of the command line at the end of a run; "" of a file that was opened."""
        return self._summary.get("text", "")

    def readout(self, name) -> "typing.Any":
        """Predictions and targets of a readout as a DataFrame, by step.

        Raises KeyError if there is no readout of that name, ImportError without pandas.
        """
        _needed("pandas", "a DataFrame")
        return self.run.readout(name).to_dataframe()

    def report(self, path=None, *, overwrite=False) -> str:
        """The report as HTML; with `path` it is written to that file, and the path is returned.

        Raises OutputError if the file is there already and `overwrite` is not set.
        """
        if path is None:
            return _gaia._report_page([self.path])
        _gaia._write_report([self.path], os.fspath(path), overwrite)
        return os.fspath(path)

    def plot(self, level=0, axes=None) -> "typing.Any":
        """Draws what a level showed over time, and returns the axes.

        axes   axes of matplotlib on which it is drawn; None: those of a new figure

        Raises DataError if the representation of the level was not recorded, ImportError without matplotlib.
        """
        pyplot = _needed("matplotlib.pyplot", "plot")
        shown = self.level(level)
        if "representation" not in shown:
            raise DataError(f"{self.path}: the representation of level {level} was not recorded; set "
                            "output.representations")
        if axes is None:
            axes = pyplot.figure().gca()
        x = "time" if "time" in shown.coords else "step"
        axes.plot(shown[x].values, shown.representation.values)
        axes.set_xlabel(f"{x} (s)" if x == "time" else x)
        axes.set_ylabel(f"level {level}")
        axes.set_title(str(self.run.attrs["experiment"]))
        return axes

    def __repr__(self):
        status = self._summary.get("status", "opened")
        verdict = self._summary.get("verdict", "")
        return f"<gaia.Result {self.path}: {status}{', ' if verdict else ''}{verdict}>"

    def _repr_html_(self):
        try:
            page = self.report()
        except Exception:  # the file may be gone; the text says what is known
            return f"<pre>{html.escape(repr(self))}</pre>"
        return (f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width: 100%; height: 40em; border: 0">'
                "</iframe>")


class Verdict:
    """Whether learning pays, over several seeds: what `gaia.verdict` returns.

    file        the results file
    seeds       number of seeds, from `first_seed` on
    diverged    the seeds whose runs came to NaN or infinity
    reasons     why each of them did, with level, step and the way out: a dict by seed
    readouts    a list of dicts: name, target, measure, scores (one for each seed), mean, deviation, verdict, and
                `others`, the same of controls and baselines with the p of a sign test
    seconds     time that it took
    text        all of it as a table; print(verdict) shows it
    """

    def __init__(self, found) -> None:
        self.file = found["file"]
        self.first_seed = found["first_seed"]
        self.seeds = found["seeds"]
        self.diverged = found["diverged"]
        self.reasons = found["reasons"]
        self.readouts = found["readouts"]
        self.seconds = found["seconds"]
        self.text = found["text"]

    def __str__(self):
        return self.text

    def __repr__(self):
        verdicts = "; ".join(f"{readout['name']}: {readout['verdict']}" for readout in self.readouts)
        return f"<gaia.Verdict over {self.seeds} seeds: {verdicts}>"

    def _repr_html_(self):
        return f"<pre>{html.escape(self.text)}</pre>"


class Reproduction(Verdict):
    """A row of the gallery again: what `gaia.reproduce` returns.  In addition to a Verdict it has:

    row          its name
    agrees       whether the mean lies within the spread of the gallery's table, where that has the row; of a short
                 form, whether there is a score
    as_expected  whether the row came to what it expects of its paper: `within`, `ahead` or `misses`
    text         paper, figures and what came out, line by line
    """

    def __init__(self, found) -> None:
        super().__init__(found)
        self.row = found["row"]
        self.agrees = found["agrees"]
        self.as_expected = found["as_expected"]


def _needed(module, by):
    """A module that not everybody has.  Raises ImportError with the way to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise ImportError(f"[{by}] needs {package}: pip install {package} ({error})") from error
