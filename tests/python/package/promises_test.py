# SPDX-License-Identifier: MIT
"""docs/promises.md: every promise of the guides has its number, a state, and names that exist."""
import functools
import importlib
import json
import os
import pathlib
import re
import subprocess

import pytest

import gaia

ROOT = pathlib.Path(__file__).parents[3]
PAGE = ROOT / "docs" / "promises.md"
COMMAND = pathlib.Path(os.environ.get("GAIA_COMMAND") or pathlib.Path(gaia.__file__).parents[2] / "bin" / "gaia")
STATES = ("kept", "on a device", "in part", "left out")
PROMISES = 233

ROW = re.compile(r"^\| (\d+) \| (.*)$", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\([^)]+\)")


def rows():
    """(number, state, where) of every row."""
    found = []
    for number, rest in ROW.findall(PAGE.read_text(encoding="utf-8")):
        cells = re.split(r"(?<!\\)\|", rest)
        assert len(cells) == 5 and not cells[-1].strip(), f"row {number}"
        _, promise, state, where = (cell.strip() for cell in cells[:4])
        assert promise, f"row {number}"
        found.append((int(number), state, where))
    return found


def in_python(name):
    """Whether `gaia.a.b` can be reached, by attributes and by modules that are imported."""
    found, path = gaia, "gaia"
    for part in name.split(".")[1:]:
        path += "." + part
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(path)
            except ModuleNotFoundError:
                # Fields of what functions return, which no class shows.
                return False
    return True


@functools.cache
def headers():
    """The words of every installed header without its comments."""
    texts = []
    for path in sorted((ROOT / "src").rglob("*.h")):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        texts.append(set(re.findall(r"\w+", text)))
    return texts


def in_headers(name):
    """Whether a header has all parts of `gaia::a::b`."""
    parts = set(name.split("::")[1:])
    return any(parts <= words for words in headers())


@functools.cache
def told(*arguments):
    """What the command line prints, or nothing where it does not know what it was asked."""
    done = subprocess.run([str(COMMAND), *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def of_command(name):
    _, verb, *rest = name.split()
    if verb == "rules" and rest:
        return bool(told("rules", *rest))
    usage = told(verb, "--help")
    return bool(usage) and all(re.search(rf"{re.escape(option)}\b", usage) for option in rest)


@functools.cache
def schema():
    return json.loads(told("schema"))


def has_key(node, keys):
    """Whether a value of this schema may have this path of keys; lists are gone into."""
    if not keys:
        return True
    if isinstance(node, list):
        return any(has_key(each, keys) for each in node)
    if not isinstance(node, dict):
        return False
    if "$ref" in node:
        target = schema()
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        if has_key(target, keys):
            return True
    if keys[0] in node.get("properties", {}) and has_key(node["properties"][keys[0]], keys[1:]):
        return True
    return any(has_key(node[word], keys) for word in ("items", "anyOf", "oneOf", "allOf", "if", "then", "else")
               if word in node)


def exists(name):
    if name.startswith("gaia::"):
        return in_headers(name)
    if name.startswith("gaia."):
        return in_python(name)
    if name.startswith("gaia "):
        return of_command(name)
    if name.endswith(":"):
        return has_key(schema(), name[:-1].split("."))
    return "/" in name and (ROOT / name).exists()


@pytest.fixture(autouse=True)
def with_command():
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND}: no command line; name it by GAIA_COMMAND")


def test_every_promise_has_its_number_and_a_state():
    assert [number for number, _, _ in rows()] == list(range(1, PROMISES + 1))
    counts = dict.fromkeys(STATES, 0)
    for number, state, where in rows():
        assert state in STATES, f"row {number}: {state}"
        counts[state] += 1
        if state in ("in part", "left out"):
            assert len(LINK.sub("", NAME.sub("", where))) > 25, f"row {number}: no reason"
        else:
            assert NAME.search(where) or LINK.search(where), f"row {number}: no name"
    page = PAGE.read_text(encoding="utf-8")
    for state, count in counts.items():
        assert f"| {state} | {count} |" in page


def test_every_name_exists():
    missing = [f"row {number}: {name}" for number, _, where in rows() for name in NAME.findall(where) if not exists(name)]
    assert not missing, "\n".join(missing)


def test_names_that_are_nowhere_are_seen():
    for name in ("gaia.no_such_name", "gaia.Tensor.no_such_name", "gaia::no_such_name", "gaia fly", "gaia run --fly",
                 "gaia rules no_such_rule", "no_such_key:", "data.no_such_key:", "docs/no_such_page.md", "word"):
        assert not exists(name), name
    for name in ("gaia.Tensor.backward", "gaia.core.gpu_utils", "gaia::Tensor", "gaia run --set", "gaia rules oja",
                 "data.steps:", "hierarchy.levels.layers.size:", "docs/promises.md"):
        assert exists(name), name
