# SPDX-License-Identifier: MIT
"""Experiments as text: what Python writes as dicts and lists, as the YAML that gaia reads."""
import json
import os


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
