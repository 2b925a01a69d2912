# SPDX-License-Identifier: MIT
"""Python has what the pages and the headers have, and calls that do not fit name what is wrong."""
import inspect
import pathlib
import re

import numpy as np
import pytest

import gaia
from gaia import nn

ROOT = pathlib.Path(__file__).parents[3]
ARRAYS = (ROOT / "docs" / "arrays.md").read_text(encoding="utf-8")
NETWORKS = (ROOT / "docs" / "networks.md").read_text(encoding="utf-8")
SIGNALS = (ROOT / "docs" / "signals.md").read_text(encoding="utf-8")
NAME = re.compile(r"(?:gaia::|io::)?([A-Za-z_]\w*)(?:<\w+>|\(.*\))?")
DECLARED = re.compile(r"^(?:\[\[nodiscard\]\] )?(?:const )?(?:Array|Tensor|auto|bool|void|TopK|TensorTopK|MaxPool|"
                      r"std::vector<(?:Array|Tensor)>|std::int64_t)&? ([a-z]\w*)\(", re.MULTILINE)


def names_in(cells):
    """Names between backticks, of functions and methods."""
    found = (NAME.fullmatch(text) for cell in cells for text in re.findall(r"`([^`]+)`", cell))
    return {match.group(1) for match in found if match}


def cpp_only():
    """What the page of arrays says to be of C++ alone, or another word in Python."""
    part = ARRAYS[ARRAYS.index("\n## In Python\n"):]
    return names_in(re.findall(r"^\| (`.*?) \|", part, re.MULTILINE))


def known():
    return set(dir(gaia)) | set(dir(gaia.Array))


# Functions that have a home of their own in Python: C++ headers, and where their names are.
HOMES = {
    "linear_algebra": (["linear_algebra/linear_algebra.h"], [gaia.linalg]),
    "signals": ([f"signals/{name}.h" for name in ("fourier", "fourier_convolution", "sos_filter", "spectra", "windows")],
                [gaia.fft, gaia.signal]),
}
# Names of C++ alone: `butter` and sections as arrays are what Python has of them.
CPP_SIGNALS = {"sos_array", "sos_sections", "window_values"}


def names_of(modules):
    return {name for module in modules for name in module.__all__}


def part_of(page, start):
    """A page's part under a heading, up to the next heading."""
    return re.split(r"\n##+ ", page[page.index(f"\n{start}") + 1:], maxsplit=1)[0]


def cpp_signals():
    return CPP_SIGNALS | names_in([re.search(r"In C\+\+ (.*) \|", SIGNALS).group(1)])


def test_python_has_the_functions_of_the_page_of_arrays():
    part = ARRAYS[ARRAYS.index("\n## All functions\n"):ARRAYS.index("\n## In Python\n")]
    told = names_in(re.findall(r"^\| (.*?) \|", part, re.MULTILINE)) - {"x"}
    print(f"{len(told)} names")
    assert len(told) > 220
    linear_algebra = names_in(re.findall(r"^\| (.*?) \|", part_of(ARRAYS, "### Linear algebra"), re.MULTILINE))
    assert len(linear_algebra) > 16 and linear_algebra <= names_of([gaia.linalg])
    assert told - linear_algebra - known() - cpp_only() == set()
    assert not cpp_only() & (set(dir(gaia)) - {"covariance", "all_close"}), "a name is there that is told not to be"


@pytest.mark.parametrize("room", HOMES)
def test_python_has_the_functions_of_rooms_with_a_home_of_their_own(room):
    headers, modules = HOMES[room]
    included = set(re.findall(rf'"({room}/\w+\.h)"', (ROOT / "src" / "gaia.h").read_text(encoding="utf-8")))
    assert included == set(headers)
    declared = {name for path in headers for name in
                re.findall(r"^[\w:]+(?:<[\w:]+>)? ([a-z]\w*)\(", (ROOT / "src" / path).read_text(encoding="utf-8"), re.MULTILINE)}
    print(f"{len(declared)} functions")
    here, alone = names_of(modules), cpp_signals() if room == "signals" else set()
    assert len(declared) > 15
    assert declared - here - alone == set() and not alone & here
    for module in modules:
        assert all(getattr(module, name).__doc__ for name in module.__all__)


def test_python_has_the_functions_of_the_page_of_signals():
    told = names_in(re.findall(r"^\| (`.*?) \|", SIGNALS, re.MULTILINE))
    line = re.search(r"signals\.md\) has these: (.*)", ARRAYS).group(1)
    fourier, others = (names_in([text]) for text in line.split("(in Python in `gaia.fft`);"))
    print(f"{len(told)} names")
    assert told == names_of([gaia.fft, gaia.signal])
    assert fourier == names_of([gaia.fft]) and others - cpp_signals() <= names_of([gaia.signal])


def test_arrays_have_the_methods_of_the_header():
    text = (ROOT / "src" / "array" / "array_methods.h").read_text(encoding="utf-8")
    methods = set(re.findall(r"^  Self (\w+)\(", text, re.MULTILINE))
    assert len(methods) > 18
    assert methods - set(dir(gaia.Array)) == set()


@pytest.mark.parametrize("folder", ["array", "autograd"])
def test_python_has_the_functions_of_the_headers(folder):
    if folder == "array":  # those that the page names
        headers = [ROOT / "src" / name for name in sorted(set(re.findall(r"`(array/\w+\.h)`", ARRAYS)))]
    else:
        headers = [ROOT / "src" / folder / name for name in
                   re.findall(r'#include "(\w+\.h)"', (ROOT / "src" / folder / "ops.h").read_text(encoding="utf-8"))]
        headers += [ROOT / "src" / folder / name for name in ("checkpoint.h", "nan_functions.h", "reverse_sweep.h")]
    declared = {name for path in headers for name in DECLARED.findall(path.read_text(encoding="utf-8"))}
    print(f"{len(declared)} functions of {len(headers)} headers")
    assert len(declared) > 60
    assert declared - known() - cpp_only() - {"elementwise", "on_current_device"} == set()


def test_python_has_the_modules_of_the_page_of_networks():
    part = NETWORKS[NETWORKS.index("| module |"):NETWORKS.index("Equations, the order of gates")]
    told = names_in(re.findall(r"^\| (`.*?) \|", part, re.MULTILINE))
    told -= {"F"}  # any functor
    assert len(told) > 25
    other = {"EluLayer": "ELU", "GeluLayer": "GELU", "SiluLayer": "SiLU", "LeakyReluLayer": "LeakyReLU", "ReluLayer": "ReLU",
             "FunctionLayer": "Function", "ElementwiseLayer": "Tanh", "PReluLayer": "PReLU", "HardSwishLayer": "Hardswish"}
    here = {name.lower() for name in dir(nn)}
    missing = {name for name in told
               if other.get(name, name).lower() not in here and name.removesuffix("Layer").lower() not in here}
    print(f"{len(told)} modules")
    assert missing == set()


def test_python_has_the_functions_of_networks():
    headers = "learning/losses.h", "autograd/normalization.h", "autograd/masked_attention.h"
    declared = {name for path in headers for name in DECLARED.findall((ROOT / "src" / path).read_text(encoding="utf-8"))}
    print(sorted(declared))
    assert len(declared) > 10
    assert declared - set(dir(nn)) - known() == set()


def test_layers_of_hierarchies_have_the_keys_of_experiments():
    made = {gaia.Reactive: {"type": "reactive", "size": 2}, gaia.Temporal: {"type": "temporal", "size": 2},
            gaia.Predictive: {"type": "predictive", "sizes": [2]},
            gaia.PlasticConv2d: {"type": "conv2d", "filters": 2, "shape": [1, 2, 1], "kernel": 1},
            gaia.Hebbian: {"type": "hebbian", "size": 2}}
    for cls, keys in made.items():
        with pytest.raises(gaia.ConfigError) as told:
            gaia.Hierarchy({"layers": [keys | {"no_such_key": 1}]}, inputs=2)
        of_experiments = set(re.search(r"known: (.*)", str(told.value)).group(1).split(", ")) - {"type"}
        parameters = inspect.signature(cls).parameters
        spelt = {name for name, one in parameters.items() if one.kind is not inspect.Parameter.VAR_KEYWORD}
        if cls in (gaia.Hebbian, gaia.PlasticConv2d):  # numbers of rules, which the catalogue names
            assert of_experiments - spelt and spelt <= of_experiments
        else:
            assert of_experiments == spelt - {"feedback_scale"}, cls


# A call, and what is reported of it.
WRONG_CALLS = {
    "kind": (lambda: gaia.sum("x"), r"\[sum\] x: expected Array, got str 'x'"),
    "axis": (lambda: gaia.sum(gaia.ones(2), axis="y"), r"\[sum\] axis: expected int \| .*got str 'y'"),
    "missing": (lambda: nn.Dense(2), r"\[Dense\] outputs: expected int, got none"),
    "size": (lambda: nn.Dense(2, "a"), r"\[Dense\] outputs: expected int, got str 'a'"),
    "spelling": (lambda: nn.Dense(2, 3, activaton="tanh"), r"\[Dense\] has no argument 'activaton'; did you mean activation\?"),
    "too many": (lambda: gaia.ones(2).sum(1, 2, 3), r"\[sum\] expected at most 2 arguments \(axis, keepdims\), got 3"),
    "none": (lambda: gaia.zeros(), r"\[zeros\] shape: expected"),
    "dtype": (lambda: gaia.zeros(2, "float31"), r"\[zeros\]"),
    "method": (lambda: gaia.ones(4).reshape("a"), r"\[reshape\] expected whole numbers, or a tuple of them, got 'a'"),
    "order": (lambda: gaia.ones((2, 2)).transpose("a"), r"\[transpose\] expected whole numbers"),
    "number": (lambda: gaia.top_k(gaia.ones(3), None), r"\[top_k\] k: expected int, got NoneType"),
    "list": (lambda: gaia.concatenate(3), r"\[concatenate\] arrays: expected"),
    "twice": (lambda: gaia.ones(2, shape=3), r"\[ones\] got the argument shape twice"),
    "training": (lambda: nn.fit(nn.Dense(2, 3), 1), r"\[fit\] x: expected Array, got int 1"),
    "parameters": (lambda: nn.Optimiser(3), r"\[Optimiser\] parameters: expected"),
    "batch": (lambda: nn.DataLoader(np.ones(3), np.ones(3), batch_size="4"), r"\[DataLoader\] batch_size: expected int"),
    "setter": (lambda: setattr(nn.Optimiser([gaia.Tensor([1.0])]), "learning_rate", "fast"),
               r"\[learning_rate\] arg: expected float, got str 'fast'"),
    "device": (lambda: gaia.ones(2).to(3), r"\[to\] device: expected str, got int 3"),
    "seed": (lambda: gaia.set_seed("a"), r"\[set_seed\] seed: expected int, got str 'a'"),
}


@pytest.mark.parametrize("call", WRONG_CALLS)
def test_a_call_that_does_not_fit_names_the_argument(call):
    function, told = WRONG_CALLS[call]
    with pytest.raises(gaia.Error, match=told) as caught:
        function()
    assert isinstance(caught.value, TypeError)


def test_every_function_tells_of_a_wrong_call():
    """No call of a public function or class with an argument of no kind brings anything but an error of gaia's."""
    class Nothing:
        __array_ufunc__ = None

    tried, others = 0, {}
    for place in (gaia._gaia, nn):
        for name in sorted(dir(place)):
            function = getattr(place, name)
            made_by = function.__init__ if isinstance(function, type) else function
            if name.startswith("_") or not hasattr(made_by, "__nb_signature__") or name == "benchmark_device":
                continue
            for given in ((Nothing(),), (Nothing(), Nothing(), Nothing()), (None,)):
                tried += 1
                try:
                    function(*given)
                except gaia.Error as error:
                    assert str(error), name
                except Exception as error:  # noqa: BLE001
                    others[name] = f"{type(error).__name__}: {error}"
    print(f"{tried} calls")
    assert tried > 500
    assert others == {}


def test_errors_of_the_library_stay_what_they_are():
    with pytest.raises(gaia.ShapeError, match=r"\[matmul\]"):
        gaia.ones((2, 3)) @ gaia.ones((2, 3))
    with pytest.raises(TypeError):
        gaia.ones(2) + "x"
    with pytest.raises(TypeError):
        len(gaia.ones(()))
