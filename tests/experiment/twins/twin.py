# SPDX-License-Identifier: MIT
"""What the twins of data sets have in common: they are created, run and reported on by `gaia` alone, from YAML, and
their results are read with h5py."""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

if not all(importlib.util.find_spec(name) for name in ("numpy", "h5py")):
    print("numpy and h5py are not installed")
    sys.exit(77)

import h5py
import numpy as np

# Attributes of a run, not of its data.
VOLATILE = {"created_utc", "finished_utc", "wall_seconds", "command_line", "config", "config_file", "hostname",
            "git_commit"}


class Twin:
    """A folder of data and of what is computed from them."""

    def __init__(self):
        self.gaia, self.folder = sys.argv[1], pathlib.Path(sys.argv[2])
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def command(self, *arguments):
        """Runs gaia in the folder and returns what it reported."""
        done = subprocess.run([self.gaia, *map(str, arguments)], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}"
        return done.stdout

    def run(self, name, yaml):
        """Runs an experiment; the path of its result."""
        (self.folder / f"{name}.yaml").write_text(yaml)
        told = self.command("run", f"{name}.yaml", "--device", "cpu", "--output", f"{name}.h5", "--progress", "none")
        print(told)
        return self.folder / f"{name}.h5"

    def page(self, result):
        """The report on a result: its text and the names of its figures."""
        self.command("report", result.name, "--output", f"{result.stem}.html")
        text = (self.folder / f"{result.stem}.html").read_text(encoding="utf-8")
        return text, set(re.findall(r'id="(fig-[a-z-]+)', text))


def contents(result, without=()):
    """All datasets and attributes of a result by their paths, but for those that begin with one of `without`, those
    that tell of the machine and the time, and the files of data, whose contents differ by intention."""
    found = {}

    def note(name, item):
        path = "/" + name
        if path.startswith(("/metrics", "/data/files", "/checkpoint", *without)):
            return
        if isinstance(item, h5py.Dataset):
            found[path] = item[()]
        for key, value in item.attrs.items():
            if key in VOLATILE or key in ("DIMENSION_LIST", "REFERENCE_LIST", "sha256", "path"):
                continue
            if not f"{path}@{key}".startswith(tuple(without)):
                found[f"{path}@{key}"] = value

    with h5py.File(result) as file:
        file.visititems(note)
    return found


def check_same(one, other):
    """Every number of two runs is the same, bit for bit."""
    assert one.keys() == other.keys(), set(one) ^ set(other)
    for path in one:
        a, b = np.asarray(one[path]), np.asarray(other[path])
        is_number = a.dtype.kind in "fiub"
        same = a.shape == b.shape and (a.tobytes() == b.tobytes() if is_number else bool(np.all(a == b)))
        assert same, f"{path} differs: {a.ravel()[:8]} and {b.ravel()[:8]}"
    assert any(path.startswith("/levels") for path in one)


def texts(attribute):
    return [text.decode() if isinstance(text, bytes) else str(text) for text in attribute]


def check_confusion(group):
    """The confusion of a readout of classes is that of its test part, and its accuracy follows from it."""
    prediction, target = group["prediction"][:], group["target"][:]
    classes = len(texts(group.attrs["classes"]))
    counted = np.zeros((classes, classes), int)
    np.add.at(counted, (target[target >= 0], prediction[target >= 0]), 1)
    confusion = group["confusion"][:]
    assert (confusion == counted).all(), (confusion, counted)
    assert abs(np.trace(confusion) / confusion.sum() - group.attrs["accuracy"]) < 1e-12
    return confusion
