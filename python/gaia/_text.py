# SPDX-License-Identifier: MIT
"""Experiments as text: what Python writes as dicts and lists, as the YAML that gaia reads."""
import json
import os

import numpy as np


def to_yaml(experiment):
    """A tree of dicts, lists, texts and numbers as YAML, of which JSON is a part.

    NumPy's numbers and arrays, paths, tuples and what has `to_dict()` are taken too.
    Raises TypeError for anything else, ValueError for numbers that are not finite.
    """
    return json.dumps(experiment, default=_plain, indent=1, ensure_ascii=False, allow_nan=False)


def value_text(value):
    """One value in one line, as `--set KEY=VALUE` takes it."""
    if isinstance(value, str):
        return value
    return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False)


def settings(values):
    """`set` of a function, a dict or a list of "KEY=VALUE", as a list of texts."""
    if values is None:
        return []
    if isinstance(values, str):
        return [values]
    if isinstance(values, dict):
        return [f"{key}={value_text(value)}" for key, value in values.items()]
    return [str(value) for value in values]


def _plain(value):
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return value.tolist()
    raise TypeError(f"expected dicts, lists, texts and numbers, got {type(value).__name__}: {value!r}")


class DTypeName(str):
    """The name of a dtype, equal to what NumPy has for it: "float32", numpy.float32, numpy.dtype("float32").

    Its hash is that of the text.
    """

    __slots__ = ()

    def __eq__(self, other):
        if isinstance(other, str):
            return str.__eq__(self, other)
        if not isinstance(other, (type, np.dtype)):
            return NotImplemented
        try:
            return str.__eq__(self, np.dtype(other).name)
        except TypeError:
            return NotImplemented

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = str.__hash__

    def __reduce__(self):
        return str, (str(self),)
