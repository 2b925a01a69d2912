# SPDX-License-Identifier: MIT
"""What a call of a native function got wrong: the argument, what was expected of it, and what came."""
import difflib
import re

import numpy as np

from .errors import ArgumentTypeError

_PARAMETERS = re.compile(r"def (\w*) ?\((.*)\) -> ", re.DOTALL)


def error_of(function, positions, named):
    """The ArgumentTypeError of a call that no form of `function` takes."""
    forms = [_Form(form) for form in function.__nb_signature__]
    positions = list(positions)
    name = forms[0].name
    if name == "__init__" and positions:
        name = type(positions[0]).__name__
    elif not name and positions:  # of a property, which has no name of its own
        kind = type(positions[0])
        name = next((one for one in dir(kind) if function in (getattr(getattr(kind, one, None), "fget", None),
                                                              getattr(getattr(kind, one, None), "fset", None))), "attribute")
    reasons = [form.reason(positions, named) for form in forms]
    # The form that came farthest is the one that was meant.
    _, text = max(reasons, key=lambda reason: reason[0])
    return ArgumentTypeError(f"[{name}] {text}")


class _Form:
    """One form of a function, as nanobind writes it."""

    def __init__(self, form):
        text = form[0]
        found = _PARAMETERS.match(text)
        self.name = found.group(1) if found else text
        self.parameters = []  # (name, annotation, has a default)
        self.star = self.stars = False
        self.only_named = set()
        for part in _split(found.group(2) if found else "", ","):
            if part == "/":
                continue
            if part.startswith("**"):
                self.stars = True
            elif part.startswith("*"):
                self.star = True
            else:
                head, _, default = part.partition(" = ")
                name, _, annotation = head.partition(":")
                self.parameters.append((name.strip(), _plain(annotation.strip()), bool(default)))
                if self.star:
                    self.only_named.add(name.strip())

    def reason(self, positions, named):
        """How far a call comes, and why it ends there."""
        names = [name for name, _, _ in self.parameters]
        shown = ", ".join(name for name in names if name != "self") or "none"
        by_position = [name for name in names if name not in self.only_named]
        if len(positions) > len(by_position) and not self.star:
            of_self = "self" in names
            return 0, (f"expected at most {len(by_position) - of_self} arguments ({shown}), "
                       f"got {len(positions) - of_self}")
        for name in named:
            if name not in names and not self.stars:
                near = difflib.get_close_matches(name, names, 1)
                return 0, f"has no argument '{name}'" + (f"; did you mean {near[0]}?" if near else f"; it has {shown}")
        values = dict(zip(by_position, positions))
        for name in named:
            if name in values:
                return 0, f"got the argument {name} twice, by its place and by its name"
        values.update(named)
        reached = 1
        for name, annotation, has_default in self.parameters:
            if name not in values:
                if has_default:
                    continue
                return reached, f"{name}: expected {annotation or 'a value'}, got none"
            if name != "self" and not _fits(values[name], annotation):
                return reached, f"{name}: expected {annotation}, got {_shown(values[name])}"
            reached += 1
        return reached, "expected " + ", ".join(f"{name}: {annotation}" if annotation else name
                                                for name, annotation, _ in self.parameters if name != "self") + \
            ", got " + ", ".join(f"{name}: {_shown(value)}" for name, value in values.items() if name != "self")


def _split(text, mark):
    """The parts of a text between marks that stand in no brackets."""
    parts, depth, begin = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == mark and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def _plain(annotation):
    """An annotation without the names of modules, and each alternative once."""
    annotation = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", annotation)
    return " | ".join(dict.fromkeys(_split(annotation, "|")))


def _fits(value, annotation):
    return not annotation or any(_fits_one(value, one) for one in _split(annotation, "|"))


def _fits_one(value, kind):
    """Whether a value may be of a kind; where that cannot be known, it may."""
    if kind == "None":
        return value is None
    if kind == "bool":
        return isinstance(value, (bool, np.bool_))
    if kind == "int":
        return hasattr(value, "__index__")
    if kind == "float":
        return isinstance(value, (int, float, np.number)) or hasattr(value, "__float__")
    if kind == "str":
        return isinstance(value, str)
    if kind == "dtype":
        try:
            np.dtype(value)
        except TypeError:
            return False
        return value is not None
    if kind == "ndarray":
        return isinstance(value, np.ndarray)
    if kind in ("Array", "Tensor"):
        return type(value).__name__ == kind or hasattr(value, "__dlpack__") or isinstance(value, np.ndarray)
    if kind.startswith(("tuple", "list", "Sequence")):
        inner = kind[kind.index("[") + 1:-1] if "[" in kind else ""
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
            return False
        inner = inner.removesuffix(", ...")
        return "," in inner or not isinstance(value, (tuple, list)) or all(_fits(one, inner) for one in value)
    if kind.startswith("dict"):
        return isinstance(value, dict)
    if kind.startswith("Callable"):
        return callable(value)
    from . import _gaia
    known = getattr(_gaia, kind, None)
    return not isinstance(known, type) or isinstance(value, known)


def _shown(value):
    text = repr(value) if isinstance(value, (str, int, float, bool)) else ""
    return type(value).__name__ + (f" {text}" if text and len(text) <= 40 else "")
