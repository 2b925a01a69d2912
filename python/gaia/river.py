# SPDX-License-Identifier: MIT
"""Streams as estimators of river, which is not needed: learn_one(x, y) and predict_one(x) are there without it.

    from gaia.river import StreamClassifier
    from river import evaluate, metrics
    model = StreamClassifier("results/pump.h5", output="state")
    evaluate.progressive_val_score(rows, model, metrics.Accuracy())

Rows are steps of one series.  A row goes through the hierarchy when it is first seen, by predict_one or by learn_one;
learn_one of a row that was predicted takes the truth of it, and reads it no second time.  Its values show which row it
is of, the earliest of those that wait for their truth first.
"""
import collections
import typing

import numpy as np

from ._stream import Stream
from .errors import ArgumentError

try:
    from river import base as _base
    _Regressor, _Classifier = _base.Regressor, _base.Classifier
except ImportError:
    _Regressor = _Classifier = object

__all__ = ["StreamClassifier", "StreamRegressor"]


class _OfStream:
    """What both have in common: a Stream, which is opened by the first row."""

    def _begin(self, result, output, learn, moments, state, anew, late, device):
        self.result, self.output, self.learn, self.moments = result, output, learn, moments
        self.state, self.anew, self.late, self.device = state, anew, late, device
        self._stream = None

    @property
    def stream(self):
        """The Stream, for `keep`, `begin_trial` and what else it has."""
        if self._stream is None:
            # Rows whose truth is not known yet, as (values, step), the oldest first.
            self._waiting = collections.deque(maxlen=max(1, self.late))
            stream = Stream(self.result, learn=self.learn, moments=self.moments, state=self.state, anew=self.anew,
                            outputs=None if self.output is None else [self.output], device=self.device, late=self.late)
            self._field = self._chosen(stream)
            self._stream = stream
        return self._stream

    def _fields_of_kind(self, stream, is_class):
        return [name for name, classes in stream.fields.items() if bool(classes) == is_class]

    def _answer(self, x):
        """What the stream answers to a row; to the one that it has just read, what it has answered."""
        stream = self.stream
        key = self._key(x)
        if self._waiting and self._waiting[-1][0] == key:
            return self._said
        self._said = stream.push(x)
        self._waiting.append((key, self._said["step"]))
        return self._said

    def _learn(self, x, truth):
        stream = self.stream
        key = self._key(x)
        place = next((place for place, one in enumerate(self._waiting) if one[0] == key), None)
        if place is None:
            stream.push(x, **truth)
            return
        step = self._waiting[place][1]
        del self._waiting[place]
        stream.teach(step, **truth)

    def _key(self, x):
        return tuple(_comparable(x.get(name)) for name in self.stream.columns)


class StreamRegressor(_OfStream, _Regressor):
    """A readout of numbers as a regressor of river.

    result   the Result of a run that is complete, or its path
    output   the readout; None: the only one
    target   the name of the column that y is; None: that of the readout, where the result has one target.  A forecast of
             a channel learns from the rows that follow, and y is then only what it is scored by
    learn, moments, state, anew, late, device   as gaia.Stream has them; the state is written by `stream.keep()` alone
    """

    def __init__(self, result, output=None, target=None, learn=True, moments="stored", state=None, anew=True, late=1000,
                 device=None) -> None:
        self.target = target
        self._begin(result, output, learn, moments, state, anew, late, device)

    def predict_one(self, x) -> "typing.Any":
        """Returns what the readout says to the row x, a dict; None before its first tick."""
        value = self._answer(x)[self._field_of()]
        return None if np.isnan(value) else value

    def learn_one(self, x, y) -> None:
        """Tells that y is the target of the row x."""
        self.stream  # noqa: B018  which knows its targets from here on
        self._learn(x, {} if self._target is None else {"targets": {self._target: y}})

    def _field_of(self):
        self.stream  # noqa: B018
        return self._field

    def _chosen(self, stream):
        fields = self._fields_of_kind(stream, False)
        if len(fields) != 1:
            raise ArgumentError(f"[StreamRegressor] expected one field of numbers, got {', '.join(fields) or 'none'}; "
                                "output= names a readout of one target")
        if self.target is not None and self.target not in stream.targets:
            raise ArgumentError(f"[StreamRegressor] target: expected one of {', '.join(stream.targets) or 'none'}, got "
                                f"'{self.target}'")
        if self.target is None and len(stream.targets) > 1:
            raise ArgumentError(f"[StreamRegressor] expected target=, one of {', '.join(stream.targets)}")
        self._target = self.target or (stream.targets[0] if stream.targets else None)
        return fields[0]


class StreamClassifier(_OfStream, _Classifier):
    """A readout of classes as a classifier of river.

    result   the Result of a run that is complete, or its path
    output   the readout; None: the only one of classes
    learn, moments, state, anew, late, device   as gaia.Stream has them; the state is written by `stream.keep()` alone

    Classes are called as the result calls them, by texts, or by what was learnt as y: 1 stays 1.  A readout of classes
    was fitted by the run and stays what it is; levels below it learn on.
    """

    def __init__(self, result, output=None, learn=True, moments="stored", state=None, anew=True, late=1000, device=None) -> None:
        self._begin(result, output, learn, moments, state, anew, late, device)
        self._names = {}

    @property
    def _multiclass(self):
        return True

    def predict_one(self, x) -> "typing.Any":
        """The class of the row x, a dict; None before the first tick."""
        name = self._answer(x)[self._field_of()]
        return None if name is None else self._names.get(name, name)

    def predict_proba_one(self, x) -> "typing.Any":
        """The probability of each class, a dict; empty before the first tick."""
        out = self._answer(x)
        field = self._field_of()
        made = {}
        for name in self.stream.fields[field]:
            value = out[f"{field}.{name}"]
            if not np.isnan(value):
                made[self._names.get(name, name)] = value
        return made

    def learn_one(self, x, y) -> None:
        """Tells that y is the class of the row x."""
        name = str(int(y)) if isinstance(y, (bool, np.bool_)) else str(y)
        self._names.setdefault(name, y)
        self._learn(x, {"label": name})

    def _field_of(self):
        self.stream  # noqa: B018
        return self._field

    def _chosen(self, stream):
        fields = self._fields_of_kind(stream, True)
        if len(fields) != 1:
            raise ArgumentError(f"[StreamClassifier] expected one readout of classes, got {', '.join(fields) or 'none'}; "
                                "output= names it")
        return fields[0]


def _comparable(value):
    """Values of rows that are equal; a value that is missing is one."""
    return None if isinstance(value, float) and value != value else value
