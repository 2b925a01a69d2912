# SPDX-License-Identifier: MIT
"""Hierarchies of levels that learn locally and in time."""
import collections.abc
import copy
import json
import os
import typing

import numpy as np

from . import _gaia, _intake, _text
from ._levels import Level, plain
from .errors import ArgumentError, DataError, ShapeError

__all__ = ["Hierarchy", "LevelCosts", "Message"]


class Message(typing.NamedTuple):
    """What a level says at a tick to the levels above and below it.

    level            the sender, from 0
    step             the step of the tick
    representation   numbers that the level shows, [streams, neurons]
    energy           mean square of the representation, over streams and neurons
    """

    level: int
    step: int
    representation: np.ndarray
    energy: float


class LevelCosts(typing.NamedTuple):
    """What was measured of a level while messages were kept.

    level           number of the level, from 0
    ticks           number of ticks so far
    sent            messages
    delivered       to the levels above and below: twice `sent` where both are there
    message_bytes   bytes of the representations that were delivered
    memory_bytes    bytes of weights, memories and state, and of the messages that are kept
    seconds         time that the level took; 0 where it was not timed
    """

    level: int
    ticks: int
    sent: int
    delivered: int
    message_bytes: int
    memory_bytes: int
    seconds: float


class Hierarchy:
    """Levels of layers that read a time series, learn from it as they read, and show one representation each.

        hierarchy = gaia.Hierarchy(
            gaia.Level(gaia.Hebbian(3, "sanger", learning_rate=0.005)),
            gaia.Level(gaia.Hebbian(2, "oja_subspace", learning_rate=0.01), temporal_resolution=8, pooling="mean"))

        fast, slow = hierarchy.process(x)              # x [steps, inputs] -> [steps, 3], [ceil(steps / 8), 2]
        fast, slow = hierarchy.process(more)           # goes on where it stopped
        fast, slow = hierarchy.step(sample)            # one sample [inputs] -> [3], [2]
        fast, slow = hierarchy.process(x, learn=False) # reads without learning
        hierarchy.weights(0)                           # [3, inputs], a view that follows the learning

    The first level reads the series, every other one what the level below it shows.  A level of temporal resolution r
    ticks at the steps 0, r, 2 r, ... and holds what it shows in between.  A series may be passed in pieces of
    any length; what the levels show is that of one.

    levels     Level, or layers, each of which is then a level of its own
    inputs     number of numbers that a sample has; None: as many as the first data have
    seed       seed of the initial weights: the same seed gives the same weights
    dtype      "float32" or "float64", of weights and representations
    executor   "chunkwise" (many ticks at a time, the default) or "stepwise"

    Copies (copy.deepcopy, pickle, save and load) go on bit for bit as the hierarchy would.  Several threads may use
    one hierarchy: it serves them one after the other, while other Python threads run.

    Raises ConfigError for a key or value that is wrong; the text that the message quotes is how an experiment would
    write the levels.
    """

    def __init__(self, *levels, inputs=None, seed=0, dtype="float32", executor=None) -> None:
        if len(levels) == 1 and isinstance(levels[0], (list, tuple)):
            levels = levels[0]
        if not levels:
            raise ArgumentError("[Hierarchy] expected at least one level, got none")
        parts = [level if isinstance(level, (Level, dict)) else Level(level) for level in levels]
        hierarchy = {"levels": [plain(part) for part in parts]}
        if executor is not None:
            hierarchy["executor"] = executor
        self._build({"hierarchy": hierarchy, "seed": int(seed), "dtype": str(np.dtype(dtype))}, inputs)

    @classmethod
    def from_experiment(cls, experiment, inputs=None) -> "Hierarchy":
        """The hierarchy of an experiment, as a run would begin with it.

        experiment   a dict, as yaml.safe_load reads it from a file
        inputs       number of numbers that a sample has; None: as many as the first data have

        Raises ArgumentError for anything else, such as the path of the file.
        """
        if not isinstance(experiment, collections.abc.Mapping):
            shown = f"{type(experiment).__name__} {str(experiment)!r:.80}"
            raise ArgumentError(f"[from_experiment] expected an experiment as a dict, got {shown}; "
                                "yaml.safe_load(open(path)) reads one from a file")
        if "levels" not in (experiment.get("hierarchy") or {}):
            raise ArgumentError("[from_experiment] expected an experiment with hierarchy.levels, got one with "
                                + (", ".join(str(key) for key in experiment) or "no keys"))
        made = cls.__new__(cls)
        made._build({"hierarchy": {"levels": experiment["hierarchy"]["levels"],
                                   "executor": experiment["hierarchy"].get("executor", "chunkwise")},
                     "seed": experiment.get("seed", 0), "dtype": experiment.get("dtype", "float32")}, inputs)
        return made

    def _build(self, spec, inputs):
        self._spec = spec = copy.deepcopy(plain(spec))
        self._text = _text.to_yaml({"experiment": "hierarchy", "data": {"source": "file", "path": "memory"}, **spec})
        self._dtype = np.dtype(spec["dtype"])
        self._yaml = _gaia._check_hierarchy(self._text)
        self._core = None if inputs is None else _gaia._HierarchyCore(self._text, int(inputs))

    # What it is

    @property
    def inputs(self) -> "typing.Any":
        """The number of numbers that a sample has; None before the first data, if it was not said."""
        return None if self._core is None else self._core.inputs

    @property
    def dtype(self) -> np.dtype:
        """The dtype of weights and representations."""
        return self._dtype

    @property
    def time_step(self) -> int:
        """The step that comes next: 0 at first, and after `reset`."""
        return 0 if self._core is None else self._core.step

    def __len__(self) -> int:
        return len(self._spec["hierarchy"]["levels"])

    def __repr__(self):
        levels = []
        for level in self._spec["hierarchy"]["levels"]:
            layers = " > ".join(f"{layer['type']} {layer['size'] if 'size' in layer else layer['sizes'][-1]}"
                                for layer in level["layers"])
            levels.append(f"{layers} @{level.get('temporal_resolution', 1)}")
        return f"<gaia.Hierarchy {' | '.join(levels)}, inputs {self.inputs}, step {self.time_step}>"

    def to_yaml(self) -> str:
        """The hierarchy as an experiment has it, with every default: from the line "hierarchy:" on."""
        return self._yaml

    # What it does

    def process(self, x, learn=True, *, expand=False, signals=None) -> list[np.ndarray]:
        """Reads a series, or the next piece of it, and learns from it.

        x         [steps, inputs], or [streams, steps, inputs] of several series at once, which share the weights; with
                  one input [steps] will do.  Arrays of float32 and float64 are read where they lie.
        learn     whether weights change
        expand    whether every tick is held until the next one, so that there is a row for every step
        signals   series that rules read in addition: {name: [steps]} or {name: [streams, steps]}

        Returns an array for each level, [ticks, neurons] or [streams, ticks, neurons].

        Raises ShapeError if x does not fit, ArgumentError (with step, stream and feature) where x has NaN or infinity,
        DivergedError (with level, layer and step) where learning has come to it, KeyboardInterrupt after Ctrl-C.  On the
        CPU the hierarchy is then as it was before, bit for bit.
        """
        x = self._samples(x)
        core = self._core_for(x.shape[-1])
        made = core.process(x, learn, expand, {name: _numbers(values) for name, values in (signals or {}).items()})
        self._core = core
        return made

    def step(self, x, learn=True) -> list[np.ndarray]:
        """Reads one sample and learns from it.

        x       [inputs], or [streams, inputs]
        learn   whether weights change

        Returns what every level shows, fresh or held from its last tick: an array [neurons] or [streams, neurons] for
        each.  `process` takes less time for many samples.

        Raises ShapeError if x does not fit, ArgumentError where x has NaN or infinity, DivergedError where learning has
        come to it.  On the CPU the hierarchy is then as it was before.
        """
        if type(x) is not np.ndarray:
            x = _intake.plain(x)
        core = self._core
        if core is None:
            core = self._core_for(np.shape(x)[-1])
        try:
            made = core.process_step(x, learn)
        except TypeError:  # neither float32 nor float64
            made = core.process_step(_numbers(x), learn)
        self._core = core
        return made

    def reset(self) -> None:
        """Forgets what is carried from earlier steps, and goes back to step 0; weights stay."""
        if self._core is not None:
            self._core.reset()

    def scale_learning_rate(self, factor) -> None:
        """From here on layers learn at the rates that they were built with, times `factor`.

        Raises ArgumentError unless the factor is finite and at least 0.
        """
        self._built("scale_learning_rate").scale_learning_rate(factor)

    def fall_over(self, steps, times=1) -> None:
        """Has rates that are "auto" fall over the next steps, after which they stay; what they have measured so far is
        forgotten.  Where it is not called they fall with the ticks alone (docs/plasticity.md).

        steps   number of steps to learn from
        times   number of times that they will be read

        Raises ArgumentError unless both are at least 1.
        """
        self._built("fall_over").fall_over(int(steps), int(times))

    # What levels tell each other

    def keep_messages(self, keep=16, every=1, *, timed=True) -> None:
        """From here on the last messages of every level are kept, and what they cost is counted; what was kept before is
        forgotten.  They only observe: what levels show is the same with and without them.

            hierarchy.keep_messages(100, every=[8, 1])
            hierarchy.process(x)
            hierarchy.messages(0)[-1].energy
            hierarchy.received(0)                  # what level 1 sent it

        keep    number of messages of each level; 0: none any longer
        every   ticks from one message to the next, counted from the start of the series: one number for all levels, or
                one for each; `set_schedule` changes that of one
        timed   whether the time of each level is measured; on a GPU levels then wait for each other

        Copies by copy.deepcopy have them, files and pickles do not.  Raises ArgumentError for numbers below these.
        """
        every = [int(every)] if np.ndim(every) == 0 else [int(number) for number in every]
        self._built("keep_messages").keep_messages(int(keep), every, bool(timed))

    def set_schedule(self, level, every) -> None:
        """From here on a level sends at every `every`-th tick.  Raises ArgumentError for a level that there is not, for
        less than 1, and where no messages are kept."""
        self._built("set_schedule").set_schedule(self._number(level, "set_schedule"), int(every))

    def messages(self, level=0) -> list[Message]:
        """The last messages that a level has sent, oldest first: gaia.Message.

        Raises ArgumentError if there is no such level, or where no messages are kept.
        """
        return self._messages("messages", level, False)

    def received(self, level=0) -> list[Message]:
        """Those of the level below and of the one above that are kept, by their steps; at one step that of the level
        below comes first.

        Raises ArgumentError if there is no such level, or where no messages are kept.
        """
        return self._messages("received", level, True)

    def metrics(self) -> list[LevelCosts]:
        """What was measured of each level since messages are kept: gaia.LevelCosts, in the order of the levels.

        Raises ArgumentError where no messages are kept.
        """
        return [LevelCosts(*numbers) for numbers in self._built("metrics").message_metrics()]

    def representation(self, level=0) -> np.ndarray:
        """What a level shows now, [streams, neurons].

        Raises ArgumentError if there is no such level, or before anything was read.
        """
        return self._built("representation").representation(self._number(level, "representation"))

    # What it has learnt

    def weights(self, level=0, layer=0) -> np.ndarray:
        """The weights of a layer, [out, in]: a view that follows the learning and may be written to; of Predictive those
        of its first layer, with the others in `arrays`.

        Raises ArgumentError if there is no such level or layer.
        """
        arrays = self.arrays(level, layer)
        return arrays["weights"] if "weights" in arrays else arrays["weights/1"]

    def set_weights(self, values, level=0, layer=0) -> None:
        """Gives a layer these weights, [out, in], of whatever type it is; of Predictive its first layer.

        Raises ShapeError for another shape, ArgumentError for NaN or infinity, and if there is no such level or layer.
        """
        name = "weights" if "weights" in self.arrays(level, layer) else "weights/1"
        self._assign("set_weights", name, values, level, layer)

    def set_bias(self, values, level=0, layer=0) -> None:
        """Gives a layer that has a bias this one, [out].

        Raises ShapeError for another shape, ArgumentError for NaN or infinity, for a layer without a bias, and if there
        is no such level or layer.
        """
        self._assign("set_bias", "bias", values, level, layer)

    def arrays(self, level=0, layer=0) -> dict[str, np.ndarray]:
        """All arrays of a layer by their names, as views: weights, bias, recurrent, memory/NAME, ...

        Raises ArgumentError if there is no such level or layer.
        """
        return self._built("arrays").arrays(self._number(level, "arrays"), layer)

    def top_down(self, level=0) -> dict[str, np.ndarray]:
        """What a level has of its connection from above, by name, as views: weights (V, [neurons, numbers heard], with
        a column more for the 1 of `bias`), the memories of its rule (m and M of a gain), heard [streams, delay, numbers].

        Raises ArgumentError if there is no such level, or if it hears none.
        """
        return self._built("top_down").top_down(self._number(level, "top_down"))

    def state(self) -> dict[str, np.ndarray]:
        """All from which it goes on bit for bit, as copies: arrays by their names."""
        return self._built("state").state()

    def set_state(self, state, time_step) -> None:
        """Stands before a step with what `state` was there.

        Raises ArgumentError for an array that is missing or has NaN or infinity, ShapeError for one of another shape;
        the hierarchy is then as it was before.
        """
        core = self._built("set_state")
        core.set_state({name: _numbers(value) for name, value in state.items()}, int(time_step))

    def save(self, path) -> None:
        """Writes the hierarchy, with all that it carries, to a .npz file, which `load` reads.  NumPy adds the ending to a
        name without it."""
        np.savez(os.fspath(path), **{"gaia.spec": np.array(_text.to_yaml(self._spec)),
                                     "gaia.inputs": np.array(-1 if self.inputs is None else self.inputs),
                                     "gaia.step": np.array(self.time_step)},
                 **({} if self._core is None else self.state()))

    @classmethod
    def load(cls, path) -> "Hierarchy":
        """The hierarchy in a file that `save` wrote.

        Raises DataError for any other file, FileNotFoundError if there is none.
        """
        path = os.fspath(path)
        if not path.endswith(".npz") and not os.path.exists(path):
            path += ".npz"
        refused = f"{path}: expected a hierarchy that Hierarchy.save wrote"
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except FileNotFoundError:
            raise
        except Exception as error:  # whatever NumPy and zipfile say of a file that is none of theirs
            raise DataError(f"{refused} ({error})") from error
        if not {"gaia.spec", "gaia.inputs", "gaia.step"} <= arrays.keys():
            raise DataError(refused)
        inputs = int(arrays["gaia.inputs"])
        state = {name: values for name, values in arrays.items() if not name.startswith("gaia.")}
        return cls._restored(json.loads(str(arrays["gaia.spec"])), None if inputs < 0 else inputs, state,
                             int(arrays["gaia.step"]))

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

    def _number(self, level, function):
        """A level from 0 on, of one that may be counted from the end."""
        if not -len(self) <= level < len(self):
            raise ArgumentError(f"[{function}] expected a level from 0 to {len(self) - 1}, got {level}")
        return level % len(self)

    def _messages(self, function, level, received):
        found = self._built(function).messages(self._number(level, function), received)
        return [Message(*parts) for parts in found]

    def _assign(self, function, name, values, level, layer):
        values = np.ascontiguousarray(_numbers(values), self._dtype)
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            raise ArgumentError(f"[{function}] expected finite numbers, got {values[tuple(bad[0])]} at {bad[0].tolist()}")
        self._built(function).assign(self._number(level, function), layer, name, values, function)

    def _samples(self, x):
        x = _numbers(x)
        if x.ndim == 1:
            if self.inputs not in (None, 1):
                raise ShapeError(f"[process] expected [steps, {self.inputs}], got {list(x.shape)}; `step` takes one "
                                 "sample")
            x = x[:, None]
        return x

    def _core_for(self, inputs):
        """The core, or one for the first data, which becomes that of the hierarchy once they are read."""
        return _gaia._HierarchyCore(self._text, inputs) if self._core is None else self._core

    def _built(self, function):
        if self._core is None:
            raise ArgumentError(f"[{function}] how many inputs the hierarchy has is not known before the first data; "
                                "say so: Hierarchy(..., inputs=N)")
        return self._core


def _numbers(x):
    """x as an array of float32 or float64, with NaN where a value is missing."""
    return _intake.numbers(x, "[hierarchy]", expected="real numbers")
