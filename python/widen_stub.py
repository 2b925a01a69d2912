# SPDX-License-Identifier: MIT
"""Tells the stub that nanobind has written what is taken in place of arrays: widen_stub.py _gaia.pyi

Where a function takes an Array it takes NumPy's arrays too, and where it takes a Tensor also an Array, as a constant.
"""
import pathlib
import re
import sys

WIDER = {"Array": "Array | NDArray[Any]", "Tensor": "Tensor | Array | NDArray[Any]"}


def widened(line):
    """A line with a signature, its parameters wider; all others as they are."""
    found = re.match(r"(\s*def \w+\()(.*)(\) -> .*)", line)
    if not found or "Array | NDArray" in line or "def forward(" in line:  # which classes of users define anew
        return line
    parameters = re.sub(r"(?<![\w.\"'])(Array|Tensor)(?![\w\"'])", lambda one: WIDER[one.group(1)], found.group(2))
    return found.group(1) + parameters + found.group(3)


def main():
    path = pathlib.Path(sys.argv[1])
    text = path.read_text(encoding="utf-8")
    lines = [widened(line) for line in text.splitlines()]
    first = next(i for i, line in enumerate(lines) if line.startswith(("import ", "from ")))
    for needed in ("from numpy.typing import NDArray", "from typing import Any"):
        if not re.search(rf"^from {needed.split()[1]} import .*\b{needed.split()[-1]}\b", text, re.MULTILINE):
            lines.insert(first, needed)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
