# SPDX-License-Identifier: MIT
"""The samples of docs/python.md, from top to bottom as one program, of other pages that import gaia, and of the README."""
import pathlib
import re
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).parents[3]
PAGE = ROOT / "docs" / "python.md"
SAMPLE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
OUTPUT = re.compile(r"\A\n\n```\n(.*?)^```", re.DOTALL | re.MULTILINE)
IMPORT = re.compile(r"^import gaia\b", re.MULTILINE)
OTHERS = [path for path in sorted((ROOT / "docs").glob("*.md"))
          if path != PAGE and any(map(IMPORT.search, SAMPLE.findall(path.read_text(encoding="utf-8"))))]


def test_the_samples_run(monkeypatch):
    for module in ("h5py", "xarray", "pandas", "yaml", "sklearn"):
        pytest.importorskip(module)
    text = PAGE.read_text(encoding="utf-8")
    program = types.ModuleType("samples")  # classes are pickled by the module that they are in
    monkeypatch.setitem(sys.modules, "samples", program)
    names = vars(program)
    for sample in SAMPLE.finditer(text):
        line = text.count("\n", 0, sample.start()) + 1
        exec(compile("\n" * line + sample.group(1), str(PAGE), "exec"), names)
    assert names["curve"][-1] > names["curve"][0]
    assert names["result"].level(1).representation.shape == (500, 2)
    assert names["result"].weights(0, 0).shape == (3, 8)


@pytest.mark.parametrize("page", OTHERS, ids=lambda path: path.name)
def test_the_samples_of_other_pages_run_and_print_what_they_show(page, capsys):
    """Those from the one that imports gaia on, as one program; a block without a language behind one is what it prints."""
    text = page.read_text(encoding="utf-8")
    names = {}
    for sample in SAMPLE.finditer(text):
        if not names and not IMPORT.search(sample.group(1)):
            continue  # a sample without the package, which tests/docs runs
        line = text.count("\n", 0, sample.start()) + 1
        exec(compile("\n" * line + sample.group(1), str(page), "exec"), names)
        printed, shown = capsys.readouterr().out, OUTPUT.match(text[sample.end():])
        assert printed == (shown.group(1) if shown else ""), f"{page.name}:{line}"
    assert {"agents.md", "metrics.md", "search.md"} <= {path.name for path in OTHERS}


def test_the_sample_of_the_readme_runs():
    samples = [text for text in SAMPLE.findall((ROOT / "README.md").read_text(encoding="utf-8")) if "import gaia," in text]
    assert len(samples) == 1
    names = {}
    exec(samples[0], names)
    assert names["shown"].shape == (5000, 2)
    assert abs(names["hierarchy"].weights()[0, 0]) > 0.9
