# SPDX-License-Identifier: MIT
"""The samples of docs/python.md, from top to bottom as one program."""
import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "python.md"


def test_the_samples_run():
    for module in ("h5py", "xarray", "pandas", "yaml", "sklearn"):
        pytest.importorskip(module)
    text = PAGE.read_text(encoding="utf-8")
    names = {}
    for sample in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        line = text.count("\n", 0, sample.start()) + 1
        exec(compile("\n" * line + sample.group(1), str(PAGE), "exec"), names)
    assert names["curve"][-1] > names["curve"][0]
    assert names["result"].level(1).representation.shape == (500, 2)
    assert names["result"].weights(0, 0).shape == (3, 8)
