# SPDX-License-Identifier: MIT
"""What a wheel holds works with NumPy alone, and tells editors what it has."""
import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import gaia

ROOT = pathlib.Path(__file__).parents[3]
BUILD = pathlib.Path(gaia._gaia.__file__).parents[2]


@pytest.fixture
def installed(folder):
    """The package as a wheel has it, installed out of the build tree."""
    if not (BUILD / "CMakeCache.txt").exists() or not shutil.which("cmake"):
        pytest.skip("the package is not that of a build tree, or there is no cmake")
    done = subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", folder / "site"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_it_works_with_numpy_alone_and_an_empty_path(installed, folder):
    (folder / "numpy").mkdir()
    (folder / "numpy" / "numpy").symlink_to(os.path.dirname(np.__file__))
    libraries = pathlib.Path(np.__file__).parents[1] / "numpy.libs"
    if libraries.exists():
        (folder / "numpy" / "numpy.libs").symlink_to(libraries)
    done = subprocess.run([sys.executable, "-I", ROOT / "tests" / "python" / "bare.py", installed, folder / "numpy"],
                          capture_output=True, text=True, env={"PATH": "", "HOME": str(folder)})
    assert done.returncode == 0, done.stderr
    assert str(installed) in done.stdout


def test_everything_that_a_wheel_needs_is_installed(installed):
    package = installed / "gaia"
    for name in ("py.typed", "_gaia.pyi", "errors.py", "nn.py", "sklearn.py", "libexec/gaia-hdf5-reader", "bin/gaia", "bin/gpu_benchmark"):
        assert (package / name).exists(), name
    assert (installed / "gaia_results.py").exists()
    assert not any(path.is_symlink() for path in package.rglob("*")), "a wheel has no links"
    assert os.access(package / "libexec" / "gaia-hdf5-reader", os.X_OK)


def test_the_programs_run_as_modules(installed):
    for source in (installed, BUILD / "python"):
        places = [str(source), *(path for path in sys.path if path.endswith("-packages"))]
        environment = {"PYTHONPATH": os.pathsep.join(places), "PATH": ""}
        for module, told in (("gaia", "run"), ("gaia.gpu_benchmark", "--")):
            done = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, env=environment)
            assert done.returncode == 0 and told in done.stdout, done.stderr
        done = subprocess.run([sys.executable, "-m", "gaia", "run", "nowhere.yaml"], capture_output=True, text=True,
                              env=environment)
        assert done.returncode != 0 and "nowhere.yaml" in done.stderr


def declarations():
    """What the file of type declarations says, as a tree."""
    path = pathlib.Path(gaia._gaia.__file__).parent / "_gaia.pyi"
    return ast.parse(path.read_text(encoding="utf-8"))


def test_the_declarations_have_all_that_the_module_has():
    told = {node.name for node in declarations().body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    public = {name for name in dir(gaia._gaia) if not name.startswith("_")}
    assert public and public == told
    array = next(node for node in declarations().body if isinstance(node, ast.ClassDef) and node.name == "Array")
    methods = {node.name for node in array.body if isinstance(node, ast.FunctionDef)}
    assert {"reshape", "astype", "__matmul__", "__dlpack__", "shape"} <= methods


class Described:
    """What is described by the docstring of its owner."""


def described_field(thing, field):
    """A thing that is described where a line of a named tuple's docstring begins with the field's name."""
    lines = [re.match(r"    ((?:\w+, )*\w+)   ?", line) for line in thing.__doc__.splitlines()]
    told = [name for line in lines if line for name in line.group(1).split(", ")]
    return Described if field in told else type("Undescribed", (), {})


def public_things():
    """Functions, classes, and methods and properties of classes, by their names."""
    modules = [(gaia, [name for name in dir(gaia) if not name.startswith("_")]),
               (gaia.nn, gaia.nn.__all__), (gaia.errors, gaia.errors.__all__), (gaia.random, gaia.random.__all__),
               (gaia.offload, gaia.offload.__all__), (gaia.agents, gaia.agents.__all__),
               (gaia.metrics, gaia.metrics.__all__), (gaia.linalg, gaia.linalg.__all__),
               (gaia.fft, gaia.fft.__all__), (gaia.signal, gaia.signal.__all__)]
    for module, names in modules:
        for name in names:
            thing = getattr(module, name)
            if not callable(thing):
                continue
            yield f"{module.__name__}.{name}", thing
            if isinstance(thing, type):
                fields = getattr(thing, "_fields", ())  # of a named tuple, whose docstring tells them
                for member, value in vars(thing).items():
                    if member in fields:
                        yield f"{module.__name__}.{name}.{member}", described_field(thing, member)
                    elif not member.startswith("_") and (callable(value) or hasattr(value, "__get__")):
                        yield f"{module.__name__}.{name}.{member}", getattr(thing, member)


def first_sentence(text):
    """First sentence of a docstring, behind the signatures that nanobind writes."""
    paragraphs = (paragraph for paragraph in re.split(r"\n\s*\n", (text or "").strip())
                  if paragraph and "->" not in paragraph.splitlines()[0])
    return next((paragraph for paragraph in paragraphs if paragraph.strip() != "Overloaded function."), "").strip()


def test_everything_public_is_described():
    things = dict(public_things())
    assert len(things) > 200
    silent = [name for name, thing in things.items() if not re.search(r"[.:]\)?$", first_sentence(thing.__doc__))]
    assert not silent
