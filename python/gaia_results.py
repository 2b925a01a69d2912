# SPDX-License-Identifier: MIT
"""Results of gaia in Python: NumPy arrays and xarray datasets with named coordinates.

    import gaia_results

    run = gaia_results.open("results/ecg.h5")
    run.attrs["status"]                          # "complete"
    run.config["hierarchy"]["levels"][0]         # the experiment, every default written out (needs PyYAML)
    run.level(1).representation                  # xarray: dimensions step, neuron; coordinate time in s
    run.expanded(1)                              # the same, held to every step of the run
    run.readout("ahead_100ms").prediction
    run.scores()                                 # readouts and their baselines
    run.metrics().weight_norm
    run.weights(0, 0)                            # of level 0, layer 0, at the end
    run.agent().belief_place                     # of an agent; run.agent("episodes")["return"]
    run.close()                                  # or: with gaia_results.open(...) as run:

A file that is still being written (NAME.h5.partial) opens too: it is read as it grows, and only what is safe in
the file is shown; `refresh()` looks again.  docs/results.md describes what is in a file.

Needs h5py, numpy and xarray (python3-h5py and python3-xarray on Debian and Ubuntu).
"""
import pathlib

import h5py
import numpy as np
import xarray as xr

__all__ = ["Run", "open"]


def open(path):
    """The result in a file, complete or partial.

    Raises FileNotFoundError if there is none, ValueError if it is not a result of gaia.
    """
    return Run(path)


class Run:
    """One results file.

    attrs   attributes of the root: experiment, status, seed, steps, wall_seconds, ... as Python values
    file    the open h5py.File, for what has no method here
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        if not self.path.exists():
            raise FileNotFoundError(f"{self.path}: no such file")
        if self.path.is_dir():
            raise ValueError(f"{self.path}: is a folder; open one of the results in it{_some(self.path)}")
        try:
            self.file = h5py.File(self.path, "r")
        except OSError:  # open for writing elsewhere, or left by a process that was killed
            try:
                self.file = h5py.File(self.path, "r", swmr=True)
            except OSError as error:
                raise ValueError(f"{self.path}: cannot be read as HDF5 ({error})") from error
        self.attrs = _values(self.file.attrs)
        version = self.attrs.get("schema_version")
        if version != 1:
            self.file.close()
            if "index_version" in self.attrs:
                raise ValueError(f"{self.path}: is the index of a sweep, which xarray.open_dataset reads "
                                 "(docs/sweeps.md); open one of the members beside it"
                                 f"{_some(self.path.parent)}")
            if version is None:
                raise ValueError(f"{self.path}: is not a results file of gaia (it has no schema_version)")
            raise ValueError(f"{self.path}: expected schema_version 1, got {version}; another gaia wrote it")
        self.refresh()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return (f"<gaia result {self.attrs['experiment']!r}: {self.attrs['status']}, {self.steps_done} of "
                f"{self.attrs['steps']} {'epochs' if self.is_network else 'steps'}, {self.path}>")

    def close(self):
        """Closes the file; datasets that were given out stay as they are."""
        self.file.close()

    def refresh(self):
        """Sees what was written to a growing file since."""
        committed = self.file["status/committed_steps"]
        if self.file.swmr_mode:
            committed.refresh()
        self._steps_done = int(committed[()])

    @property
    def is_network(self):
        """Whether a network was trained; its steps are epochs."""
        return "network" in self.file

    @property
    def steps_done(self):
        """Steps (of a network: epochs) whose results are safe in the file."""
        return self._steps_done

    @property
    def series_done(self):
        """Steps of the series whose rows are safe in the file: of a hierarchy that reads it several times (epochs),
        those of the last time."""
        levels = self.file.get("levels")
        epochs = int(levels.attrs.get("epochs", 1)) if levels is not None else 1
        return max(0, self.steps_done - int(self.attrs["steps"]) // epochs * (epochs - 1))

    @property
    def config(self):
        """The experiment as nested dicts and lists, with every default.  Needs PyYAML (python3-yaml)."""
        import yaml
        return yaml.safe_load(self.attrs["config"])

    @property
    def levels(self):
        """Indices of the levels."""
        return sorted(int(name) for name in self.file.get("levels", ()))

    @property
    def readouts(self):
        """Names of the readouts."""
        return sorted(self.file.get("readouts", ()))

    def level(self, index):
        """What level `index` showed: a dataset of `representation` [step, neuron], with the coordinate `time` (s)
        where the data have a sample_rate, and the level's attributes.

        Raises KeyError if there is no such level; without recorded representations the dataset has only neurons.
        """
        return self._dataset(f"levels/{index}", "representation", "time")

    def expanded(self, index):
        """The representation of level `index` at every step, each tick held until the next, zeros before the first
        of a trial: a DataArray [step, neuron] for the steps 0 ... series_done - 1.

        Raises ValueError where the representation was not recorded, or only some of its ticks.
        """
        level = self.level(index)
        if "representation" not in level:
            raise ValueError(f"level {index}: its representation was not recorded (output.representations)")
        resolution, phase = level.attrs["temporal_resolution"], level.attrs.get("phase", 0)
        ticks = level.step.values
        steps = np.arange(self.series_done)
        starts = self.file["data/trial_start"][()] if "data/trial_start" in self.file else np.zeros(1, int)
        of_trial = steps - starts[np.searchsorted(starts, steps, side="right") - 1]
        made = np.count_nonzero((of_trial >= phase) & ((of_trial - phase) % resolution == 0))
        if 1 < len(ticks) < made:
            raise ValueError(f"level {index}: ticks every {resolution} steps, but only every "
                             f"{ticks[1] - ticks[0]} steps is recorded; expanding would hold too long")
        rows = np.searchsorted(ticks, steps, side="right") - 1
        held = level.representation.isel(step=np.maximum(rows, 0)).assign_coords(step=steps)
        if phase > 0:
            held = held.where(xr.DataArray(of_trial >= phase, dims="step", coords={"step": steps}), 0)
        if "time" in level.coords:  # of the newest row that a step has seen, not of the tick
            data = self.file["data"].attrs
            held = held.drop_vars("time").assign_coords(
                time=("step", (steps + data["window"] - 1) / data["sample_rate"], {"units": "s"}))
        return held

    def messages(self, index):
        """What level `index` sent to the levels above and below it last, with `hierarchy.messages`: a dataset of
        `representation` [step, neuron] and `energy` [step]; how many it has sent, what that cost and its `parent` and
        `child` as attributes.

        Raises KeyError if there is no such level, or if levels sent none.
        """
        return self._dataset(f"levels/{index}/messages", "representation", "energy")

    def readout(self, name):
        """Predictions of a readout: a dataset of `prediction` and `target` [step], its keys and scores as attributes.
        Of one that tells of changes `detected`, `statistic` and `estimate` [step], of several series [step, series].

        Raises KeyError if there is none of that name.
        """
        return self._dataset(f"readouts/{name}", "prediction", "target", "detected", "statistic", "estimate")

    def scores(self):
        """NRMSE and R2 of every readout, of its baseline, of the mean that it was trained on and of its controls
        (frozen_nrmse, frozen_r2): a dataset [readout], NaN where a score is not defined.  Of a network, what it has on the test part once
        that is there (of images the accuracy), and the loss: its one row is called `test`."""
        if self.is_network:
            keys = ("loss", "accuracy", "nrmse", "r2", "baseline_nrmse", "baseline_r2")
            found = self.file["test"].attrs if "test" in self.file else {}
            scores = {key: ("readout", [float(found[key])]) for key in keys if key in found}
            return xr.Dataset(scores, coords={"readout": ["test"] if scores else []})
        keys = ("nrmse", "r2", "baseline_nrmse", "baseline_r2", "mean_nrmse", "mean_r2")
        groups = [self.file["readouts"][name] for name in self.readouts]
        scores = [{key: group.attrs[key] for key in keys if key in group.attrs} for group in groups]
        for group, score in zip(groups, scores):
            for name, control in group.get("controls", {}).items():
                score.update({f"{name}_{key}": control.attrs[key] for key in ("nrmse", "r2")})
        keys = dict.fromkeys([*keys, *(key for score in scores for key in score)])
        return xr.Dataset({key: ("readout", [float(score.get(key, np.nan)) for score in scores]) for key in keys},
                          coords={"readout": self.readouts})

    def metrics(self):
        """Per block of the run: `steps_per_second` [step], `mean_activity`, `weight_norm` and `weight_change`
        [step, level], and with `hierarchy.messages` `seconds` [step, level]; step counts the steps done when the block
        ended."""
        return self._dataset("metrics", "steps_per_second", "mean_activity", "weight_norm", "weight_change", "seconds",
                             inclusive=True)

    def history(self):
        """Per epoch of a network: loss, accuracy, ... [epoch].

        Raises KeyError for a hierarchy, which has `metrics`.
        """
        return self._dataset("history", *(name for name in self._group("history") if name != "epoch"))

    def layer(self, level, layer):
        """All arrays of a layer, `weights` [neuron, input] and whatever else it has, its parameters as attributes.

        Raises KeyError if there is no such layer, and for a network.
        """
        group = self._group(f"levels/{level}/layers/{layer}")
        names = [name for name, item in group.items() if isinstance(item, h5py.Dataset) and
                 "CLASS" not in item.attrs]  # a coordinate has one
        made = self._dataset(group.name, *names)
        if "memory" in group:
            memory = self._dataset(f"{group.name}/memory", *(name for name in group["memory"] if name not in names))
            made = made.assign(memory.data_vars)
        return made

    def weights(self, level, layer, initial=False, number=None):
        """Weights of a layer at the end, or as they were at tick 0: a DataArray [neuron, input].  A predictive layer has
        several, of which `number` (from 1) says which.

        Raises KeyError if there is no such layer, if its weights were not recorded, and for a network.
        """
        path, name = f"levels/{level}/layers/{layer}", "weights_initial" if initial else "weights"
        return self._variable(path, name) if number is None else self._variable(f"{path}/{name}", str(number))

    def weight_history(self, level, layer, number=None):
        """Weights of a layer over the run, with `output.weights: {every: N}`: a DataArray [step, neuron, input]; of a
        predictive layer the matrix of that `number`."""
        path = f"levels/{level}/layers/{layer}/history"
        if number is None:
            return self._variable(path, "weights", inclusive=True)
        return self._variable(f"{path}/weights", str(number), inclusive=True)

    def memory(self, level, layer, name, initial=False):
        """What the rule of a layer remembers under `name` at the end, or, of a run with `hierarchy.from`, at tick 0:
        a DataArray [neuron], whose attribute `initial` says where the rule begins.

        Raises KeyError if there is no such layer or memory, and for a network.
        """
        path = f"levels/{level}/layers/{layer}"
        inside = "memory" in self._group(path)  # gaia 0.1 had it next to the weights
        return self._variable(f"{path}/memory" if inside else path, f"{name}_initial" if initial else name)

    def memory_history(self, level, layer, name):
        """What the rule remembers over the run, with `output.weights: {every: N}`: a DataArray [step, neuron]."""
        return self._variable(f"levels/{level}/layers/{layer}/history", name, inclusive=True)

    def threshold_history(self, level, layer):
        """BCM's thresholds over the run: `memory_history` of `theta`."""
        return self.memory_history(level, layer, "theta")

    def readout_weights(self, name):
        """What a readout has found: `weights` [feature] with the `level` and `neuron` of each, `intercept` and
        `target_mean`; a prediction is weights . features + intercept."""
        return self._dataset(f"readouts/{name}", "weights", "level", "neuron", "intercept", "target_mean")

    def agent(self, group=""):
        """What an agent left: a dataset of all that was recorded of its steps, or, by the name of a group, of its
        "plans", its "episodes", of what it has "learnt", or of a control, "controls/random".

        Raises KeyError if there is no such group.
        """
        path = f"agent/{group}".rstrip("/")
        # A Dataset of h5py before 3.8 has no `is_scale`.
        return self._dataset(path, *(name for name, item in self._group(path).items()
                                     if isinstance(item, h5py.Dataset)
                                     and item.attrs.get("CLASS") != b"DIMENSION_SCALE"))

    def samples(self):
        """The samples that level 0 received, with `output.inputs: all`: a DataArray [step, feature]."""
        return self._variable("data", "samples")

    def _group(self, path):
        """A group of the file.  Raises KeyError with what there is in its place."""
        if path in self.file:
            return self.file[path]
        if self.is_network:
            there = "; of a network there are history(), scores() and file['network/layers']"
        elif path == "history":
            there = "; of a hierarchy there are metrics() and scores()"
        else:
            known = path.strip("/")
            while known and known not in self.file:
                known = known.rpartition("/")[0]
            there = f"; /{known} has {', '.join(self.file[known or '/'])}"
        raise KeyError(f"{self.path}: there is no /{path.lstrip('/')}{there}")

    def _variable(self, path, name, inclusive=False):
        """One dataset of a group as a DataArray."""
        group = self._dataset(path, name, inclusive=inclusive)
        if name not in group:
            raise KeyError(f"{self.path}: there is no /{path}/{name}; it was not recorded (output.weights, "
                           "output.inputs), or a layer of this type has none")
        return group[name]

    def _dataset(self, path, *names, inclusive=False):
        """Datasets of a group with their coordinates, as far as they are safe in the file.  `inclusive`: the step
        that is done belongs to it."""
        group = self._group(path)
        variables, scales = {}, {}
        for name in names:
            if name not in group:
                continue
            item = group[name]
            if self.file.swmr_mode:
                item.refresh()
            dims = []
            for axis in range(item.ndim):
                scale = item.dims[axis][0] if len(item.dims[axis]) else None
                dims.append(_last(scale.name) if scale is not None else f"{name}_{axis}")
                if scale is not None:
                    scales[dims[-1]] = scale
            variables[name] = (dims, item, _values(item.attrs))
        coords = {name: self._coordinate(name, scale, inclusive) for name, scale in scales.items()}
        lengths = {name: len(values) for name, (_, values, _) in coords.items()}
        for dims, item, _ in variables.values():  # datasets that grow together may differ by a block
            for dim, length in zip(dims, item.shape):
                lengths[dim] = min(length, lengths.get(dim, length))
        coords = {name: (dim, values[:lengths[name]], attrs) for name, (dim, values, attrs) in coords.items()}
        data = {name: (dims, item[tuple(slice(0, lengths[dim]) for dim in dims)], attrs)
                for name, (dims, item, attrs) in variables.items()}
        made = xr.Dataset(data, coords, _values(group.attrs))
        return made.set_coords("time") if "time" in made else made

    def _coordinate(self, name, scale, inclusive):
        if self.file.swmr_mode:
            scale.refresh()
        values = scale[()]
        if name in ("step", "epoch"):
            done = self.steps_done if inclusive or name == "epoch" else self.series_done
            values = values[values <= done] if inclusive else values[values < done]
        return name, values, _values(scale.attrs)


def _last(path):
    return path.rsplit("/", 1)[-1]


def _some(folder):
    """Says what there is to open in the folder of a sweep."""
    members = sorted(folder.glob("member-*.h5"))
    if not members:
        return ""
    index = folder / "index.h5"
    return f", such as {members[0]}" + (f"; all of them are in {index}, for xarray.open_dataset"
                                        if index.exists() else "")


def _values(attributes):
    """Attributes as Python values, without those that HDF5 keeps for itself."""
    own = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST"}
    return {name: value.item() if isinstance(value, np.generic) else value
            for name, value in attributes.items() if name not in own}
