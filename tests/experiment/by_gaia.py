# SPDX-License-Identifier: MIT
"""What programs share that run experiments by gaia and compute the results anew."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys


def need(*modules):
    """Exits with 77, as a test that is skipped, where a module is missing."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        print(f"{', '.join(missing)}: not installed")
        sys.exit(77)


def emptied(path):
    """An empty folder."""
    folder = pathlib.Path(path)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run(gaia, folder, text):
    """Runs the experiment `text` in the folder, over its results of before; returns what gaia reports on stderr where
    that fails, else nothing."""
    (folder / "experiment.yaml").write_text(text, encoding="utf-8")
    done = subprocess.run([gaia, "run", "experiment.yaml", "--quiet", "--overwrite", "--threads", "1"], cwd=folder,
                          text=True, stderr=subprocess.PIPE)
    return done.stderr or f"exit status {done.returncode}" if done.returncode != 0 else ""


def write_rows(path, rows, names):
    """Writes rows of numbers, each as it is, as a CSV file with names of columns, which a comma joins."""
    import numpy as np
    np.savetxt(path, rows, delimiter=",", fmt="%.17g", header=names, comments="")


def recompute(gaia, folder, cases, text_of, fault_of):
    """Runs the experiment `text_of(case)` of each case, and prints what is wrong with its result.h5 by `fault_of(path,
    case)`, which is nothing where that is as it should be; returns how many are wrong."""
    failed = 0
    for case in cases:
        text = text_of(case)
        if fault := run(gaia, folder, text) or fault_of(folder / "result.h5", case):
            print("FAILED:", text, fault)
            failed += 1
    print(f"{len(cases)} experiments recomputed, {failed} failed")
    return failed
