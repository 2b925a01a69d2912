# SPDX-License-Identifier: MIT
"""Tests whether an installed package `gaia` works with NumPy alone, without a PATH: python -I bare.py [FOLDER ...]

Folders in which packages lie may be named; other packages than gaia and NumPy are then kept out.
"""
import importlib.abc
import os
import subprocess
import sys
import tempfile
import time


LEVELS = {"levels": [{"layers": [{"type": "hebbian", "size": 2, "rule": "sanger", "learning_rate": 0.002}]}]}


class OnlyNumPy(importlib.abc.MetaPathFinder):
    """Finds no package of others, as if they were not installed."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"gaia", "gaia_results", "numpy", "bare", *sys.stdlib_module_names}:
            return None
        raise ModuleNotFoundError(f"No module named {name!r} (kept out)", name=name)


def import_seconds():
    """Seconds of the fastest of five processes, less those of NumPy."""
    program = "import sys, time; sys.path[:0] = {!r}; import numpy; t = time.perf_counter(); import gaia; " \
              "print(time.perf_counter() - t)"
    run = [sys.executable, "-I", "-c", program.format(sys.argv[1:])]
    return min(float(subprocess.run(run, check=True, capture_output=True, text=True).stdout) for _ in range(5))


def five_lines():
    import numpy as np
    x = np.random.default_rng(0).normal(size=(5000, 8)) * np.linspace(2.0, 0.5, 8)
    hierarchy = gaia.Hierarchy(gaia.Hebbian(2, "sanger", learning_rate=0.002))
    curve = [np.linalg.norm(hierarchy.process(piece)[0], axis=1).mean() for piece in np.array_split(x, 50)]
    result = gaia.run({"experiment": "bare", "hierarchy": LEVELS,
                       "readouts": [{"name": "next", "target": {"channel": 0, "horizon": 1}, "levels": [0]}]}, x)
    assert hierarchy.weights().shape == (2, 8) and curve[-1] > curve[0]
    return result


def main():
    global gaia
    os.environ["PATH"] = ""
    for folder in reversed(sys.argv[1:]):
        sys.path.insert(0, folder)
    if sys.argv[1:]:
        sys.meta_path.insert(0, OnlyNumPy())
    started = time.perf_counter()
    import gaia
    whole = time.perf_counter() - started
    others = {name.partition(".")[0] for name in sys.modules} & {"h5py", "xarray", "pandas", "yaml", "matplotlib", "sklearn"}
    assert not others, f"import gaia has imported {others}"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        result = five_lines()
        assert result.status == "complete" and result.verdict and os.path.getsize(result.path) > 0
        assert result.report().startswith("<!DOCTYPE html>"), "no report"
        again = gaia.run({"experiment": "of_a_file", "hierarchy": LEVELS, "data": {
            "source": "file", "path": result.path, "dataset": "levels/0/representation"}})
        assert again.status == "complete", "a file of others was not read"
        for wanted, call in (("h5py", lambda: result.level(0)), ("matplotlib", result.plot)):
            try:
                call()
            except ImportError as error:
                assert f"pip install {wanted}" in str(error), error
            else:
                assert not sys.argv[1:], f"{wanted} was not kept out"
        for module in ("gaia", "gaia.gpu_benchmark"):  # in an empty environment, the library found beside them
            places = f"import sys; sys.path[:0] = {sys.argv[1:]!r}; sys.argv = ['gaia', '--help']; import runpy; "
            run = subprocess.run([sys.executable, "-I", "-c", f"{places}runpy.run_module({module!r}, run_name='__main__')"],
                                 capture_output=True, text=True, env={"PATH": ""})
            assert run.returncode == 0 and "--help" in run.stdout, f"python -m {module}: {run.stderr}"
        os.chdir("/")
    gaia.Array([1.0, 2.0]).numpy()
    print(f"bare: gaia {gaia.__version__} from {os.path.dirname(gaia.__file__)}; import {whole:.3f} s with NumPy, "
          f"{import_seconds():.3f} s without; {result}")


if __name__ == "__main__":
    main()
