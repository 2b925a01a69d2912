# SPDX-License-Identifier: MIT
"""Results of experiments."""
import html
import os

from . import _gaia
from .errors import DataError


class Result:
    """What a run left in its file, read as it is asked for.

    path        the file
    status      "complete", "interrupted", ...
    verdict     one sentence on what learning is worth; "" without readouts
    scores      readouts beside their baselines and controls, a list of dicts
    text        what the command line says at the end of a run; "" of a file that was opened
    settings    of a member of a sweep: by what it differs

    Datasets, weights and readouts are those of gaia_results.Run (xarray and h5py are needed): `level`, `expanded`,
    `readout`, `weights`, `metrics`, `config`, `attrs`, ...  In Jupyter a result shows its report.
    """

    def __init__(self, path, summary=None, settings=None):
        self.path = os.fspath(path)
        self.settings = settings or {}
        self._summary = summary or {}
        self._run = None

    def check(self):
        """This result, if there is one in the file; raises FileNotFoundError, ValueError."""
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"{self.path}: no such file")
        return self

    @property
    def run(self):
        """The open file: gaia_results.Run."""
        if self._run is None:
            try:
                import gaia_results
            except ImportError as error:
                raise ImportError(f"reading results needs h5py and xarray: pip install h5py xarray ({error})") from error
            self._run = gaia_results.open(self.path)
        return self._run

    def close(self):
        """Closes the file, if it was opened; what was given out stays."""
        if self._run is not None:
            self._run.close()
            self._run = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.run, name)

    def __dir__(self):
        import gaia_results
        return sorted(set(super().__dir__()) | set(dir(gaia_results.Run)))

    @property
    def status(self):
        return self._summary.get("status") or self.run.attrs["status"]

    @property
    def verdict(self):
        return self._summary.get("verdict", "")

    @property
    def scores(self):
        if "readouts" in self._summary:
            return self._summary["readouts"]
        return self.run.scores()

    @property
    def text(self):
        return self._summary.get("text", "")

    def readout(self, name):
        """Predictions and targets of a readout as a DataFrame, by step (needs pandas)."""
        return self.run.readout(name).to_dataframe()

    def report(self, path=None, *, overwrite=False):
        """The report as HTML; with `path` it is written there.  Raises OutputError if there is a file."""
        if path is None:
            return _gaia.report_page([self.path])
        _gaia.write_report([self.path], os.fspath(path), overwrite)
        return os.fspath(path)

    def plot(self, level=0):
        """Draws what a level showed over time (needs matplotlib); returns the axes."""
        import matplotlib.pyplot as plt
        shown = self.level(level)
        if "representation" not in shown:
            raise DataError(f"{self.path}: the representation of level {level} was not recorded "
                            "(output.representations)")
        axes = plt.figure().gca()
        x = "time" if "time" in shown.coords else "step"
        axes.plot(shown[x].values, shown.representation.values)
        axes.set_xlabel(f"{x} (s)" if x == "time" else x)
        axes.set_ylabel(f"level {level}")
        axes.set_title(str(self.run.attrs["experiment"]))
        return axes

    def __repr__(self):
        said = f", {self.verdict}" if self.verdict else ""
        status = self._summary.get("status", "file")
        return f"<gaia.Result {self.path}: {status}{said}>"

    def _repr_html_(self):
        try:
            page = self.report()
        except Exception:  # the file may be gone; the text says what is known
            return f"<pre>{html.escape(repr(self))}</pre>"
        return (f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width: 100%; height: 40em; border: 0">'
                "</iframe>")


class Verdict:
    """Whether learning pays, over several seeds.

    file      what was written
    seeds     how many
    diverged  seeds whose runs did
    readouts  a list of dicts: name, target, measure, scores of every seed, mean, deviation, verdict, and `others`, the
              same of controls and baselines with the sign test's p
    text      a table of all of it
    """

    def __init__(self, found):
        self._found = found
        self.file = found["file"]
        self.first_seed = found["first_seed"]
        self.seeds = found["seeds"]
        self.diverged = found["diverged"]
        self.readouts = found["readouts"]
        self.seconds = found["seconds"]
        self.text = found["text"]

    def __str__(self):
        return self.text

    def __repr__(self):
        said = "; ".join(f"{readout['name']}: {readout['verdict']}" for readout in self.readouts)
        return f"<gaia.Verdict over {self.seeds} seeds: {said}>"

    def _repr_html_(self):
        return f"<pre>{html.escape(self.text)}</pre>"
