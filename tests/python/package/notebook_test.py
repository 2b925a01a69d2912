# SPDX-License-Identifier: MIT
"""The notebooks of docs/: their cells run in order, and show what stands below them."""
import ast
import contextlib
import io
import json
import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).parents[3] / "docs"
NOTEBOOKS = sorted(DOCS.glob("*.ipynb"))


def run_cell(source, names):
    """Runs a cell as Jupyter does; returns what it prints and the value of its last line, None if that is no expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    return printed.getvalue(), value


def shown(cell):
    """What stands below a cell: printed, and of its last line."""
    text = {"stream": "", "execute_result": ""}
    for output in cell["outputs"]:
        text[output["output_type"]] += "".join(output["text"] if "text" in output else output["data"]["text/plain"])
    return text["stream"], text["execute_result"]


def words(text):
    return re.findall("[A-Za-z_]+", text)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch):
    for module in ("h5py", "xarray", "pandas", "yaml"):
        pytest.importorskip(module)
    monkeypatch.chdir(DOCS)  # where Jupyter runs it; what it writes goes elsewhere
    before = set(DOCS.iterdir())
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 3
    names = {}
    for number, cell in enumerate(cells, 1):
        printed, value = run_cell("".join(cell["source"]), names)
        stood, last = shown(cell)
        assert words(printed) == words(stood), f"cell {number} prints other words than stand below it"
        assert words("" if value is None else repr(value)) == words(last), f"cell {number} shows other words"
    assert set(DOCS.iterdir()) == before
    if path.stem == "frame_to_verdict":
        assert "learning does not pay" in names["sunspots_verdict"].readouts[0]["verdict"]
        assert "learning gains" in names["sensors_verdict"].readouts[0]["verdict"]
        assert "beaten by ridge" in names["sensors_verdict"].readouts[0]["verdict"]
