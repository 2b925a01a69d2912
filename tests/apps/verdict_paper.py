#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tables and figures of `gaia verdict` for papers, read back by other programs: LaTeX is set by pdflatex, CSV parsed,
SVG read as XML and its points turned into scores again, PDF read by pdftotext.

    verdict_paper.py GAIA WORK_DIR
"""
import csv
import io
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# What LaTeX, CSV, Markdown and XML take for their own; also two brackets at the beginning of a name.
HOSTILE = r'[1] a_b & 50% $x^2$ #3 {y} \z ~ "q" <c>, |d| *e* é'

EXPERIMENT = """
experiment: paper_1
device: cpu
data: {source: file, path: d.csv, normalize: zscore}
hierarchy:
  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.002}]}]
readouts:
  - {name: one, target: {channel: 0, horizon: 2}, levels: [0], split: {train: 0.5, validation: 0.2, test: 0.3}}
  - {name: two, target: {channel: 1, horizon: 1}, levels: [0]}
output: {path: one.h5}
"""


def command(gaia, folder, *arguments, code=0):
    done = subprocess.run([gaia, *map(str, arguments)], cwd=folder, text=True, capture_output=True)
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def prepare(work):
    rows, state = [], 1
    for _ in range(400):
        state = state * 1664525 + 1013904223 & 0xffffffff
        last = rows[-1] if rows else (0.0, 0.0)
        noise = (state >> 8) / 2 ** 24 - 0.5
        rows.append((0.9 * last[0] + noise, 0.5 * last[1] + last[0] + noise))
    quoted = HOSTILE.replace('"', '""')
    lines = "\n".join(f"{a:.6f},{b:.6f}" for a, b in rows)
    (work / "d.csv").write_text(f'"{quoted}",b\n{lines}\n')
    (work / "e.yaml").write_text(EXPERIMENT)


def check_csv(gaia, work):
    """The numbers of the table follow from the scores of single runs, by means and spreads computed here."""
    table = list(csv.DictReader(io.StringIO(command(gaia, work, "verdict", "v.h5", "--table", "csv"))))
    assert {row["experiment"] for row in table} == {"paper_1"}, table[0]
    assert {row["readout"] for row in table} == {"one", "two"}
    assert any(HOSTILE in row["target"] for row in table)
    runs = []
    for seed in (0, 1, 2):
        command(gaia, work, "run", "e.yaml", "-q", "--seed", seed, "--output", f"s{seed}.h5")
        runs.append(list(csv.DictReader(io.StringIO(
            command(gaia, work, "verdict", f"s{seed}.h5", "--table", "csv")))))
        assert all(row["seeds"] == "1" and row["standard_deviation"] == "" for row in runs[-1])
    for row in table:
        def mine(of):
            found = [one for one in of if all(one[key] == row[key] for key in ("readout", "name", "kind"))]
            assert len(found) == 1, (row, found)
            return float(found[0]["mean"])

        def own(of):
            return float(next(one for one in of if one["readout"] == row["readout"] and one["kind"] == "run")["mean"])

        scores = [mine(run) for run in runs]
        assert row["seeds"] == "3" and row["part"] == "test" and row["measure"] == "R2"
        assert abs(float(row["mean"]) - statistics.mean(scores)) < 1e-12, row
        assert abs(float(row["standard_deviation"]) - statistics.stdev(scores)) < 1e-12, row
        if row["kind"] == "run":
            assert row["ahead"] == row["sign_test_p"] == "", row
            continue
        differences = [own(run) - score for run, score in zip(runs, scores)]
        assert int(row["ahead"]) == sum(one > 0 for one in differences) and row["compared"] == "3", row
        assert abs(float(row["difference_mean"]) - statistics.mean(differences)) < 1e-12, row
    names = [(row["readout"], row["kind"], row["name"]) for row in table]
    assert ("one", "control", "frozen") in names and ("two", "baseline", "persistence") in names, names
    return table


def check_latex(gaia, work, table):
    text = command(gaia, work, "verdict", "v.h5", "--table", "latex")
    for row in table:
        mean, deviation = float(row["mean"]), float(row["standard_deviation"])
        shown = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+) \$\\pm\$ ([\d.]+)", text)]
        near = max(0.06 * deviation, 0.001 * abs(mean), 0.00051)  # three decimals at least
        assert any(abs(abs(mean) - a) <= near and abs(deviation - b) <= near for a, b in shown), (row, shown)
    if shutil.which("pdflatex") is None:
        print("pdflatex is not installed; LaTeX is not set")
        return
    (work / "paper.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + text + "\\end{document}\n")
    done = subprocess.run(["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"], cwd=work, text=True,
                          stdout=subprocess.PIPE, errors="replace")
    if "booktabs.sty' not found" in done.stdout:
        print("the package booktabs is not installed; LaTeX is not set")
        return
    assert done.returncode == 0, done.stdout[-3000:]
    if shutil.which("pdftotext"):
        told = subprocess.run(["pdftotext", "-layout", "paper.pdf", "-"], cwd=work, text=True,
                              stdout=subprocess.PIPE).stdout
        assert "frozen weights" in told and all(
            part in told for part in ("50% $x", "#3 {y} \\z", "|d|", "*e*")), told
        assert "persistence" in told and "run ahead" in told, told


def check_markdown(gaia, work):
    text = command(gaia, work, "verdict", "v.h5", "--table", "markdown")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) - 1 for line in rows]
    assert cells and set(cells) == {5}, cells
    assert "| frozen weights |" in text and "\\_b \\& 50%" in text and "± " in text, text


def scores_of(path):
    """What the points of a figure stand for, panel by panel: {colour: scores}, small points and large ones."""
    root = ElementTree.parse(path).getroot()
    assert root.tag == f"{SVG}svg" and root.get("width").endswith("pt") and float(root.get("width")[:-2]) <= 252.0
    for element in root.iter():
        assert element.get("class") is None and element.get("style") is None, "needs no style sheet"
    panels = []
    for view in (one for one in root.iter(f"{SVG}svg") if one is not root):
        small, large = {}, {}
        box = [float(number) for number in view.get("viewBox").split()]
        for dot in view.iter(f"{SVG}circle"):
            kind = large if float(dot.get("r")) > 2.5 else small
            assert 0 <= float(dot.get("cx")) <= box[2] and 0 <= float(dot.get("cy")) <= box[3]
            kind.setdefault(dot.get("fill"), []).append(float(dot.get("cx")) / box[2])
        panels.append((small, large))
    return panels, "".join(root.itertext()), root


def check_figure(gaia, work, table):
    told = command(gaia, work, "verdict", "v.h5", "--figure", "v.svg", "--table", "csv")
    assert list(csv.DictReader(io.StringIO(told))) == table
    panels, text, root = scores_of(work / "v.svg")
    assert len(panels) == 2 and "R² (1: exact, 0: the mean)" in text and "this run" in text and "frozen" in text
    sizes = [float(one.get("font-size")) for one in root.iter(f"{SVG}text")]
    assert min(sizes) * 0.75 >= 7.0, "letters of a column are read from 7 points on"
    for name, (small, large) in zip(("one", "two"), panels):
        means = [float(row["mean"]) for row in table if row["readout"] == name and row["mean"]]
        assert sum(map(len, large.values())) == len(means), (name, large)
        places = [place for one in large.values() for place in one]
        # Places along the axis are a straight line of the means.
        least, most = min(means), max(means)
        low, high = min(places), max(places)
        expected = sorted(low + (mean - least) / (most - least) * (high - low) for mean in means)
        assert all(abs(a - b) < 0.005 for a, b in zip(expected, sorted(places))), (expected, sorted(places))
        assert all(len(one) % 3 == 0 for one in small.values()), small
    # An existing file stays, unless it is said otherwise; other endings are refused before anything runs.
    before = (work / "v.svg").read_bytes()
    assert "v.svg exists" in command(gaia, work, "verdict", "v.h5", "--figure", "v.svg", code=4)
    assert (work / "v.svg").read_bytes() == before
    command(gaia, work, "verdict", "v.h5", "--figure", "v.svg", "--overwrite")
    assert (work / "v.svg").read_bytes() == before
    assert ".svg or .pdf" in command(gaia, work, "verdict", "v.h5", "--figure", "v.png", code=2)
    command(gaia, work, "verdict", "v.h5", "--figure", "v.pdf")
    check_pdf(work / "v.pdf", root)


def check_pdf(path, root):
    data = path.read_bytes()
    assert data.startswith(b"%PDF-1.4") and data.rstrip().endswith(b"%%EOF")
    table = int(re.search(rb"startxref\n(\d+)", data).group(1))
    assert data[table:].startswith(b"xref\n")
    for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n", data), 1):
        assert data[int(place):].startswith(b"%d 0 obj\n" % number), number
    stream = re.search(rb"/Length (\d+) >>\nstream\n", data)
    assert data[stream.end() + int(stream.group(1)):].startswith(b"\nendstream")
    # It has as many points as the SVG.
    content = data[stream.end():stream.end() + int(stream.group(1))]
    assert content.count(b" c h f") == len(list(root.iter(f"{SVG}circle")))
    if shutil.which("pdftotext") is None:
        print("pdftotext is not installed; PDF is not read")
        return
    done = subprocess.run(["pdftotext", "-layout", path, "-"], text=True, capture_output=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    for text in ("this run", "frozen weights", "persistence", "R² (1: exact, 0: the mean)", "readout two"):
        assert text in done.stdout, (text, done.stdout)


def check_sweep(gaia, work):
    (work / "sweep.yaml").write_text(EXPERIMENT.replace("one.h5", "sweep.h5") + (
        "sweep: {'hierarchy.levels[0].layers[0].learning_rate': [0.001, 0.1], seeds: 2}\n"))
    command(gaia, work, "sweep", "sweep.yaml", "--output", "swept", "--quiet")
    table = list(csv.DictReader(io.StringIO(command(gaia, work, "verdict", "swept", "--table", "csv"))))
    assert {(row["learning_rate"], row["readout"], row["part"]) for row in table} == {
        (rate, name, part) for rate in ("0.001", "0.1") for name, part in (("one", "validation"), ("two", "test"))}
    assert {row["seeds"] for row in table} == {"2"}
    assert {row["name"] for row in table} >= {"run", "frozen", "same_past", "persistence", "mean"}
    assert "learning\\_rate 0.001; readout one" in command(gaia, work, "verdict", "swept", "--table", "latex")
    command(gaia, work, "verdict", "swept", "--figure", "swept.svg", "--table", "markdown")
    panels, text, _ = scores_of(work / "swept.svg")
    assert len(panels) == 2 and "learning_rate" in text and "validation R²" in text, text
    assert "learning_rate 0.1\n" in command(gaia, work, "verdict", "swept")
    # The page of the sweep names what its members are compared with.
    command(gaia, work, "report", "swept", "--output", "swept.html")
    page = (work / "swept.html").read_text(encoding="utf-8")
    section = page[page.index('id="controls-table-0"'):]
    assert "<th class=\"n\">frozen weights</th>" in section and "ridge on the same past" in section
    shown = re.search(r"<td>0.001</td><td>[^<]*</td><td class=\"n[^>]*data-value=\"([^\"]*)\"", section).group(1)
    mean = next(row["mean"] for row in table if row["learning_rate"] == "0.001" and row["kind"] == "run")
    assert abs(float(shown) - float(mean)) < 1e-12


def check_search(gaia, work):
    (work / "search.yaml").write_text(EXPERIMENT.replace("one.h5", "search.h5") + (
        "search: {parameters: {'hierarchy.levels[0].layers[0].learning_rate': {log_range: [0.0001, 0.1]}}, "
        "method: random, evaluations: 3, seeds: 2, objective: {readout: one, score: r2}}\n"))
    command(gaia, work, "search", "search.yaml", "--output", "sought", "--quiet")
    table = list(csv.DictReader(io.StringIO(command(gaia, work, "verdict", "sought", "--table", "csv"))))
    values = {row["values"] for row in table}
    assert "the file's own values" in values and len(values) > 1, values
    assert {row["name"] for row in table} >= {"run", "frozen", "persistence"}


def main():
    gaia, work = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    prepare(work)
    # A verdict that is computed now prints what one that is there prints.
    made = command(gaia, work, "verdict", "e.yaml", "--seeds", 3, "--quiet", "--output", "v.h5", "--table", "csv",
                   "--figure", "made.svg")
    assert made == command(gaia, work, "verdict", "v.h5", "--table", "csv")
    assert (work / "made.svg").exists()
    assert "verdict  " in command(gaia, work, "verdict", "v.h5")
    assert "--seeds" in command(gaia, work, "verdict", "v.h5", "--seeds", 3, code=2)
    table = check_csv(gaia, work)
    check_latex(gaia, work, table)
    check_markdown(gaia, work)
    check_figure(gaia, work, table)
    assert (work / "made.svg").read_bytes() == (work / "v.svg").read_bytes()
    check_sweep(gaia, work)
    check_search(gaia, work)


if __name__ == "__main__":
    main()
