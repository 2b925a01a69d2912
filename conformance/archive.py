#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packs the vectors and what runs them into one file, for the continuous integration of other projects.

    archive.py [FOLDER]

Writes FOLDER/local-learning-vectors-VERSION.tar (default: here) and prints its SHA-256.  Nothing in it depends on the
machine or the time, and nothing is compressed, so that the bytes are the same everywhere.  docs/conformance_ci.md says
how it is used.  Needs Python alone.
"""
import hashlib
import io
import pathlib
import re
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def version():
    return re.search(r'^VERSION = "(.+)"$', (HERE / "make.py").read_text(), re.M).group(1)


def contents():
    """Every file by its name in the archive."""
    files = {path.name: path for path in (HERE / name for name in (
        "README.md", "VERSIONS.md", "make.py", "peer.py", "run.py", "vectors.h5"))}
    files |= {f"cases/{path.name}": path for path in (HERE / "cases").glob("*.py")}
    return files | {"CI.md": ROOT / "docs" / "conformance_ci.md", "LICENSE": ROOT / "LICENSE",
                    "adapters/numpy_by_hand.py": HERE / "adapters" / "numpy_by_hand.py"}


def packed():
    name, out = f"local-learning-vectors-{version()}", io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for inside, path in sorted(contents().items()):
            entry, data = tarfile.TarInfo(f"{name}/{inside}"), path.read_bytes()
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return f"{name}.tar", out.getvalue()


def main():
    name, data = packed()
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".") / name
    path.write_bytes(data)
    print(f"{hashlib.sha256(data).hexdigest()}  {path}")


if __name__ == "__main__":
    main()
