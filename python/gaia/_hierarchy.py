# SPDX-License-Identifier: MIT
"""Hierarchies of levels that learn locally and in time."""
import copy
import os

import numpy as np

from . import _gaia, _text
from .errors import ArgumentError, DataError, ShapeError

__all__ = ["Hebbian", "Hierarchy", "Level", "Reactive", "Rule", "Temporal"]


class _Part:
    """A part of a hierarchy, as the keys that an experiment would have."""

    def __init__(self, keys):
        self.keys = {key: value for key, value in keys.items() if value is not None}

    def to_dict(self):
        """The part as an experiment writes it."""
        return dict(self.keys)

    def __eq__(self, other):
        return type(self) is type(other) and _plain(self) == _plain(other)

    __hash__ = None

    def __repr__(self):
        keys = ", ".join(f"{key}={value!r}" for key, value in self.keys.items() if key != "type")
        return f"{type(self).__name__}({keys})"


class Rule(_Part):
    """A plasticity rule as its equations, as they stand in the paper (docs/rules.md).

    equations    one assignment a line; dw is the change of the weights
    memory       initial values of what each neuron remembers, 0 where not named
    traces       filters of the input: {"pre": 20}
    signals      numbers from outside: {"reward": "column"}
    parameters   numbers that the equations name

        Rule("dw = rate * y * (x - y * w)", rate=0.01)
    """

    def __init__(self, equations, *, memory=None, traces=None, signals=None, memory_across_trials=None, **parameters):
        super().__init__({"equations": equations, "parameters": parameters or None, "memory": memory, "traces": traces,
                          "signals": signals, "memory_across_trials": memory_across_trials})


class Hebbian(_Part):
    """A layer whose weights follow a plasticity rule: y = f(W x), W [size, inputs].

    size            neurons
    rule            a name of the catalogue ("oja", "sanger", "bcm", ...; `gaia rules` lists them) or a Rule
    learning_rate   of a rule by its name
    keys            all others of docs/experiments.md: activation, init, decay, homeostasis, normalize, bounds, learn, ...
    """

    def __init__(self, size, rule=None, *, learning_rate=None, **keys):
        super().__init__({"type": "hebbian", "size": size, "rule": rule, "learning_rate": learning_rate, **keys})


class Reactive(_Part):
    """A layer of fixed weights: y = f(W x + b).

    size   neurons
    keys   activation ("relu"), init ("he"), bias
    """

    def __init__(self, size, **keys):
        super().__init__({"type": "reactive", "size": size, **keys})


class Temporal(_Part):
    """A leaky recurrent layer of fixed weights, a reservoir: h <- (1 - a) h + a f(W x + R h + b).

    size   neurons
    keys   leak (a), spectral_radius, density, activation, init, input_scale, bias, bias_scale
    """

    def __init__(self, size, **keys):
        super().__init__({"type": "temporal", "size": size, **keys})


class Level(_Part):
    """Layers that run at one temporal resolution: they tick every so many steps.

    layers                Hebbian, Reactive, Temporal, one after the other
    temporal_resolution   steps per tick
    pooling               what a tick reads of the steps since the last one: "last", "mean", "max", "ema", "concat"
    learn                 whether its layers learn where the hierarchy does
    """

    def __init__(self, *layers, temporal_resolution=None, pooling=None, learn=None):
        super().__init__({"temporal_resolution": temporal_resolution, "pooling": pooling, "learn": learn,
                          "layers": list(layers)})

    def __repr__(self):
        words = [repr(layer) for layer in self.keys["layers"]]
        words += [f"{key}={value!r}" for key, value in self.keys.items() if key != "layers"]
        return f"Level({', '.join(words)})"


class Hierarchy:
    """A hierarchy of levels that reads a time series and gives one representation per level, from fast to slow.

        hierarchy = gaia.Hierarchy(
            gaia.Level(gaia.Hebbian(3, "sanger", learning_rate=0.005)),
            gaia.Level(gaia.Hebbian(2, "oja_subspace", learning_rate=0.01), temporal_resolution=8, pooling="mean"))
        fast, slow = hierarchy.process(x)        # x [steps, inputs] -> [steps, 3], [ceil(steps / 8), 2]
        hierarchy.weights(0)                     # [3, inputs], a view that follows the learning

    levels   Level, or layers, each of which is then a level of its own; the first reads the series
    inputs   numbers of a sample; None: as many as the first data have
    seed     of the initial weights: same seed, same weights
    dtype    "float32" or "float64"

    A series may be given in pieces, of any length: results are those of one.  Several threads may use one hierarchy; it
    serves them one after the other, without the GIL.

    Raises ConfigError for keys that are wrong (the text that it quotes is what the levels are written as).
    """

    def __init__(self, *levels, inputs=None, seed=0, dtype="float32", executor=None):
        if len(levels) == 1 and isinstance(levels[0], (list, tuple)):
            levels = levels[0]
        if not levels:
            raise ArgumentError("[Hierarchy] expected at least one level, got none")
        parts = [level if isinstance(level, (Level, dict)) else Level(level) for level in levels]
        hierarchy = {"levels": [_plain(part) for part in parts]}
        if executor is not None:
            hierarchy["executor"] = executor
        self._build({"hierarchy": hierarchy, "seed": int(seed), "dtype": str(np.dtype(dtype))}, inputs)

    @classmethod
    def from_experiment(cls, experiment, inputs=None):
        """The hierarchy of an experiment, a dict (of a YAML file: yaml.safe_load), as a run would begin with it."""
        made = cls.__new__(cls)
        made._build({"hierarchy": {"levels": experiment["hierarchy"]["levels"],
                                   "executor": experiment["hierarchy"].get("executor", "chunkwise")},
                     "seed": experiment.get("seed", 0), "dtype": experiment.get("dtype", "float32")}, inputs)
        return made

    def _build(self, spec, inputs):
        self._core = None
        self._spec = spec
        self._text = _text.to_yaml({"experiment": "hierarchy", "data": {"source": "file", "path": "memory"}, **spec})
        self._dtype = np.dtype(spec["dtype"])
        self._yaml = _gaia.check_hierarchy(self._text)
        self._core = None if inputs is None else _gaia.HierarchyCore(self._text, int(inputs))

    # What it is

    @property
    def inputs(self):
        """Numbers of a sample; None before the first data, if it was not said."""
        return None if self._core is None else self._core.inputs

    @property
    def dtype(self):
        """Of weights and representations."""
        return self._dtype

    @property
    def time_step(self):
        """The step that comes next: 0 at first, and after `reset`."""
        return 0 if self._core is None else self._core.step

    def __len__(self):
        return len(self._spec["hierarchy"]["levels"])

    def __repr__(self):
        levels = []
        for level in self._spec["hierarchy"]["levels"]:
            layers = " > ".join(f"{layer['type']} {layer['size']}" for layer in level["layers"])
            levels.append(f"{layers} @{level.get('temporal_resolution', 1)}")
        return f"<gaia.Hierarchy {' | '.join(levels)}, inputs {self.inputs}, step {self.time_step}>"

    def to_yaml(self):
        """The hierarchy as an experiment writes it, every default included: from "hierarchy:" on."""
        lines = self._yaml.splitlines()
        first = lines.index("hierarchy:")
        last = next((i for i in range(first + 1, len(lines)) if lines[i][:1] not in (" ", "")), len(lines))
        return "\n".join(lines[first:last]) + "\n"

    # What it does

    def process(self, x, learn=True, *, expand=False, signals=None):
        """Reads a series, or the next piece of it, and learns unless told otherwise.

        x        [steps, inputs], or [streams, steps, inputs] of a batch, whose streams share the weights; with one input
                 [steps] will do.  float32 and float64 are read where they lie.
        expand   whether each tick is held until the next one, so that there is a row for every step
        signals  what rules read beside the series: {name: [steps]} or {name: [streams, steps]}

        Returns a list with an array for each level, [ticks, n] or [streams, ticks, n].
        Raises ShapeError if x does not fit, DivergedError where learning has come to NaN or infinity.
        """
        x = self._samples(x)
        core = self._core_for(x.shape[-1])
        return core.process(x, learn, expand, {name: _numbers(values) for name, values in (signals or {}).items()})

    def step(self, x, learn=True):
        """Reads one sample x [inputs] (or [streams, inputs]) and returns what every level shows, held or fresh: a list of
        arrays [n] (or [streams, n])."""
        core = self._core
        if core is None:
            core = self._core_for(np.shape(x)[-1])
        try:
            return core.process_step(x, learn)
        except TypeError:
            return core.process_step(_numbers(x), learn)

    def reset(self):
        """Forgets what was carried from earlier steps and goes back to step 0; weights stay."""
        if self._core is not None:
            self._core.reset()

    def scale_learning_rate(self, factor):
        """From here on layers learn at the rates that they were made with times `factor`."""
        self._built().scale_learning_rate(factor)

    # What it has learnt

    def weights(self, level=0, layer=0):
        """The weights of a layer, [out, in]: a view without a copy, which follows the learning and may be written to."""
        return self.arrays(level, layer)["weights"]

    def arrays(self, level=0, layer=0):
        """All arrays of a layer by name, as views: weights, bias, recurrent, memory/NAME, ..."""
        return self._built().arrays(_index(level, len(self)), layer)

    def state(self):
        """Everything from which it goes on bit for bit, copied: {name: array}."""
        return self._built().state()

    def set_state(self, state, time_step):
        """Stands before a step with what `state` was there.  Raises ArgumentError for an array that is missing."""
        self._built().set_state({name: _numbers(value) for name, value in state.items()}, int(time_step))

    def save(self, path):
        """Writes it, with all that it carries, to a .npz file."""
        np.savez(os.fspath(path), **{"gaia.spec": np.array(_text.to_yaml(self._spec)),
                                     "gaia.inputs": np.array(-1 if self.inputs is None else self.inputs),
                                     "gaia.step": np.array(self.time_step)},
                 **({} if self._core is None else self.state()))

    @classmethod
    def load(cls, path):
        """The hierarchy in a file that `save` wrote.  Raises DataError for any other."""
        import json
        with np.load(os.fspath(path), allow_pickle=False) as file:
            if "gaia.spec" not in file:
                raise DataError(f"{os.fspath(path)}: expected a hierarchy that Hierarchy.save wrote")
            inputs = int(file["gaia.inputs"])
            state = {name: file[name] for name in file.files if not name.startswith("gaia.")}
            return cls._restored(json.loads(str(file["gaia.spec"])), None if inputs < 0 else inputs, state,
                                 int(file["gaia.step"]))

    @classmethod
    def _restored(cls, spec, inputs, state, step):
        made = cls.__new__(cls)
        made._build(spec, inputs)
        if state:
            made.set_state(state, step)
        return made

    def __reduce__(self):
        return type(self)._restored, (self._spec, self.inputs, {} if self._core is None else self.state(),
                                      self.time_step)

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        made._build(copy.deepcopy(self._spec, memo), None)
        made._core = None if self._core is None else self._core.clone()
        return made

    def __copy__(self):
        return self.__deepcopy__({})

    # Inside

    def _samples(self, x):
        x = _numbers(x)
        if x.ndim == 1:
            if self.inputs not in (None, 1):
                raise ShapeError(f"[process] expected [steps, {self.inputs}], got {list(x.shape)}; one sample goes to "
                                 "`step`")
            x = x[:, None]
        return x

    def _core_for(self, inputs):
        if self._core is None:
            self._core = _gaia.HierarchyCore(self._text, inputs)
        return self._core

    def _built(self):
        if self._core is None:
            raise ArgumentError("[Hierarchy] how many inputs it has is not known before the first data; say "
                                "Hierarchy(..., inputs=N)")
        return self._core


def _numbers(x):
    x = np.asarray(x)
    return x if x.dtype in (np.float32, np.float64) else x.astype(np.float64)


def _index(index, count):
    if not -count <= index < count:
        raise ArgumentError(f"[level] expected one of {count} levels, got {index}")
    return index % count


def _plain(part):
    """Parts within parts as dicts and lists."""
    if isinstance(part, _Part):
        part = part.to_dict()
    if isinstance(part, dict):
        return {key: _plain(value) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_plain(value) for value in part]
    return part
