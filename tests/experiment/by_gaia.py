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
