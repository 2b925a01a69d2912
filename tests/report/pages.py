#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs an experiment of each kind, reports on it through the command line, and checks the pages: they are
well-formed XML, load nothing, run one script of known content, keep every number within its axes, and take no
markup from names.

    pages.py GAIA SOURCE_DIR WORK_DIR
"""
import base64
import datetime
import hashlib
import html.parser
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

HOSTILE = '<script>alert("1")</script> ]]> \' & <b>'


def command(gaia, folder, *arguments, code=0):
    """Runs gaia in a folder and returns what it reported."""
    done = subprocess.run([gaia, *map(str, arguments)], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}"
    return done.stdout


def write_images(folder, count, height, width):
    """IDX files of `count` pictures whose class is where they are light."""
    folder.mkdir()
    for part, n in (("train", count), ("t10k", count // 2)):
        labels = bytes(i % 3 for i in range(n))
        pixels = b"".join(bytes(250 if x % 3 == label else (7 * i + x) % 60 for x in range(height * width))
                          for i, label in enumerate(labels))
        (folder / f"{part}-images-idx3-ubyte").write_bytes(
            struct.pack(">IIII", 0x803, n, height, width) + pixels)
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, n) + labels)


def write_pump(folder):
    """A pump's table: dates with gaps, two channels, another column, and its states."""
    rows, start = ["time,flow,pressure,quality,state"], datetime.datetime(2024, 3, 1)
    for i in range(1500):
        state = "idle" if i % 300 >= 220 else "fault" if 100 <= i % 300 < 130 else "run"
        flow = (0.5 if state == "idle" else 3.0) + math.sin(0.3 * i)
        pressure = 2 * flow + (2 * math.sin(2.7 * i) if state == "fault" else 0.3 * math.sin(1.7 * i))
        time = start + datetime.timedelta(minutes=i + i // 150 * 600)
        rows.append(f"{time:%Y-%m-%d %H:%M:%S},{flow:.4f},{pressure:.4f},{flow - pressure:.4f},{state}")
    (folder / "pump.csv").write_text("\n".join(rows) + "\n")
    (folder / "pump.yaml").write_text(
        "experiment: pump\ndata: {source: file, path: pump.csv, time: time, gaps: split, columns: [flow, pressure], "
        "targets: [quality], labels: state, normalize: zscore}\nhierarchy:\n  levels:\n"
        "    - layers: [{type: hebbian, size: 2, rule: oja_subspace, learning_rate: 0.001}]\nreadouts:\n"
        "  - {name: both, target: {channel: [flow, pressure], horizon: 5}, levels: [0]}\n"
        "  - {name: quality, target: {column: quality}, levels: [0]}\n"
        "  - {name: live, type: online, target: {channel: flow, horizon: 1}, levels: [0]}\n"
        "  - {name: state, type: logistic, target: {label: true}, levels: [0], folds: 3}\n"
        "  - {name: alarm, type: anomaly, score: mahalanobis, levels: [0], normal: run}\n")


def make_pages(gaia, source, work):
    """Reports of each kind of result, by name."""
    experiments = source / "experiments"
    pages = {}

    def report(name, *results, folder=work):
        told = command(gaia, folder, "report", *results, "--output", work / f"{name}.html")
        assert "report   " in told and f"{name}.html" in told, told
        pages[name] = work / f"{name}.html"

    def run(name, file, *settings, output=None, folder=work, code=0):
        arguments = [word for setting in settings for word in ("--set", setting)]
        command(gaia, folder, "run", file, "--quiet", "--output", output or work / f"{name}.h5", *arguments, code=code)

    run("ecg", experiments / "ecg.yaml", "data.steps=6000")
    report("ecg", "ecg.h5")
    run("bcm", experiments / "bcm_selectivity.yaml", "data.steps=4000")
    report("bcm", "bcm.h5")
    run("scales", experiments / "three_timescales.yaml", "data.steps=12000", "hierarchy.freeze_after=3000",
        "output.representations={every: 2}")
    report("scales", "scales.h5")
    # The page names the path of what it read again, which has to break where a telephone ends.
    deep = work / "a_folder_whose_name_is_longer_than_the_screen_of_any_telephone_is_wide"
    deep.mkdir()
    shutil.copy(experiments / "data" / "sunspots_yearly.csv", deep)
    run("bare", experiments / "sunspots.yaml", f"data.path={deep / 'sunspots_yearly.csv'}",
        "output.representations=none", "output.weights=none")
    report("bare", "bare.h5")
    run("gru", experiments / "mackey_glass_gru.yaml", "data.steps=900", "network.epochs=2")
    report("gru", "gru.h5")
    (work / "plastic.yaml").write_text(
        "experiment: plastic\ndata: {source: generator, kind: mackey_glass, steps: 300, window: 6}\n"
        "network: {layers: [{type: flatten}, {type: plastic_linear, size: 5, activation: tanh}, "
        "{type: plastic_linear, size: 1}], epochs: 3}\n")
    run("plastic", "plastic.yaml")
    report("plastic", "plastic.h5")
    write_images(work / "pictures", 60, 9, 7)
    (work / "pictures.yaml").write_text(
        "experiment: pictures\ndata: {source: images, folder: pictures}\n"
        "network: {layers: [{type: flatten}, {type: dense, size: 5, activation: relu}, {type: dense, size: 3}], "
        "epochs: 3}\n")
    run("pictures", "pictures.yaml")
    report("pictures", "pictures.h5")
    (work / "coded.yaml").write_text(
        "experiment: coded\ndata: {source: images, folder: pictures, whiten: zca}\n"
        "hierarchy: {freeze_after: 60, levels: [{layers: [{type: hebbian, size: 70, rule: oja, learning_rate: 0.001}]}]}\n")
    run("coded", "coded.yaml")
    report("coded", "coded.h5")
    write_pump(work)
    run("pump", "pump.yaml")
    report("pump", "pump.h5")
    run("spikes", experiments / "stdp_window.yaml", "data.steps=6000")
    report("spikes", "spikes.h5")
    (work / "rewarded.yaml").write_text(
        "experiment: rewarded\ndata: {source: generator, kind: poisson, rates: [0.2, 0.1, 0.3, 0.05], targets: ['3'], "
        "steps: 3000, sample_rate: 100}\nhierarchy:\n  levels:\n    - layers:\n        - type: hebbian\n"
        "          size: 12\n          rule:\n            equations: |\n"
        "              v = 0.9*v*(v < 1) + 0.5*z\n              y = v >= 1\n"
        "              de = y*pre - e/10\n              dw = 0.001*gain*e\n"
        "            traces: {pre: 5}\n            signals: {gain: '3'}\n")
    run("rewarded", "rewarded.yaml")
    report("rewarded", "rewarded.h5")
    run("regimes", experiments / "regimes_that_switch.yaml", "data.steps=3000")
    report("regimes", "regimes.h5")
    run("maze", experiments / "t_maze.yaml")
    report("maze", "maze.h5")
    run("grid", experiments / "grid_learning.yaml")
    report("grid", "grid.h5")
    run("digits", experiments / "digits.yaml")
    report("digits", "digits.h5")
    # Names that would be markup: of a folder, a file, a channel.
    folder = work / "a\"b<c>&]]>"
    folder.mkdir()
    quoted = HOSTILE.replace('"', '""')
    rows = "\n".join(f"{i % 7},{(i * i) % 11}" for i in range(300))
    (folder / "d<x>.csv").write_text(f'"{quoted}",b\n{rows}\n')
    (folder / "e.yaml").write_text(
        "experiment: hostile\ndata: {source: file, path: 'd<x>.csv', normalize: minmax}\nhierarchy:\n  levels:\n"
        "    - layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.01}]\n"
        "readouts: [{name: next, target: {channel: 0, horizon: 1}, levels: [0]}]\n")
    run("hostile", "e.yaml", output="r<i>.h5", folder=folder)
    report("hostile", "r<i>.h5", folder=folder)
    # A run that was cut.
    command(gaia, work, "run", experiments / "ecg.yaml", "--quiet", "--output", "cut.h5", "--max-time", "0.05s",
            code=75)
    report("cut", "cut.h5.partial")
    # Several.
    for i, rate in enumerate((0.0001, 0.001, 0.01)):
        for seed in (1, 2):
            run("", experiments / "sunspots.yaml", f"seed={seed}", f"hierarchy.levels[0].layers[0].learning_rate={rate}",
                output=work / f"s{i}{seed}.h5")
    report("several", *sorted(path.name for path in work.glob("s??.h5")))
    report("nets", "gru.h5", "pictures.h5", "ecg.h5")
    # One experiment over several seeds.
    command(gaia, work, "verdict", experiments / "sunspots.yaml", "--quiet", "--seeds", 4, "--output", "sun.verdict.h5")
    report("seeds", "sun.verdict.h5")
    command(gaia, work, "sweep", experiments / "sweep_oja_rate.yaml", "--quiet", "--jobs", "2", "--output", "rates",
            "--set", "data.steps=4000")
    report("sweep", "rates")
    command(gaia, work, "search", experiments / "search_front.yaml", "--quiet", "--jobs", "2", "--output", "front",
            "--set", "search.population=4", "--set", "search.generations=2", "--set", "search.seeds=1",
            "--set", "search.held_out_seeds=0")
    report("front", "front")
    command(gaia, work, "search", experiments / "search_digits.yaml", "--quiet", "--jobs", "2", "--output", "halved",
            "--set", "search.method=random", "--set", "search.evaluations=8", "--set", "search.seeds=1",
            "--set", "search.halving={factor: 2}", "--set", "data.steps=1797", "--set", "search.held_out_seeds=0")
    report("halved", "halved")
    return pages


class Texts(html.parser.HTMLParser):
    """What a browser would see: tags, and the texts between them."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def check_contained(name, page, root):
    """The page loads nothing and runs nothing but its own script."""
    styles = [element.text for element in root.iter("style")]
    scripts = [element for element in root.iter("script")]
    assert len(styles) == 1 and len(scripts) == 1, name
    # ElementTree drops the frame of a CDATA section, which the hash covers.
    script = re.search(r"<script>(.*?)</script>\n</body>", page, re.DOTALL).group(1)
    policy = next(meta.get("content") for meta in root.iter("meta") if meta.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy, policy
    for kind, text in (("script", script), ("style", styles[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy, (name, kind)
    assert "url(" not in styles[0] and "@import" not in styles[0]
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)), (name, ids)
    for element in root.iter():
        for attribute, value in element.attrib.items():
            assert not attribute.startswith("on") and attribute not in ("src", "style", "action"), (name, attribute)
            if attribute == "href":
                inside = value.startswith("#") and value[1:] in ids
                assert inside or value.startswith("data:image/png;base64,"), (name, value[:80])


NUMBER = r"-?\d+(?:\.\d+)?"


def places_of(path):
    """Where a path of M, L, h and Z goes."""
    x = y = 0.0
    for letter, numbers in re.findall(r"([MLh])([^MLh]*)", path):
        values = [float(value) for value in re.findall(NUMBER, numbers)]
        x, y = (x + values[0], y) if letter == "h" else values
        yield x, y


def check_within(name, root):
    """Everything drawn lies within its axes; returns how much is drawn."""
    drawn = 0
    for view in (element for element in root.iter("svg") if element.get("class") == "view"):
        width, height = float(view.get("width")), float(view.get("height"))
        assert view.get("viewBox") == f"0 0 {view.get('width')} {view.get('height')}", name
        assert float(view.get("data-x0")) < float(view.get("data-x1")), name
        assert float(view.get("data-y0")) < float(view.get("data-y1")), name

        def check(x, y, what):
            inside = -0.51 <= x <= width + 0.51 and -0.51 <= y <= height + 0.51
            assert inside, f"{name}: {what} at {x}, {y} of {width} x {height}"

        for element in view:
            drawn += 1
            if element.tag == "path":
                assert re.fullmatch(rf"(?:(?:[ML]{NUMBER} {NUMBER}|h6)+Z?)+", element.get("d")), element.get("d")[:80]
                for x, y in places_of(element.get("d")):
                    check(x, y, "a line")
            elif element.tag == "circle":
                check(float(element.get("cx")), float(element.get("cy")), "a dot")
            elif element.tag in ("rect", "image"):
                x, y = float(element.get("x")), float(element.get("y"))
                check(x, y, element.tag)
                assert float(element.get("width")) >= 0 and float(element.get("height")) >= 0, name
                assert y + float(element.get("height")) <= height + 0.51, name
    return drawn


def check_page(name, path):
    page = path.read_text(encoding="utf-8")
    assert len(page) < 10_000_000, (name, len(page))
    assert page.startswith("<!DOCTYPE html>\n")
    root = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    check_contained(name, page, root)
    drawn = check_within(name, root)
    figures = list(root.iter("figure"))
    for figure in figures:
        assert figure.find("figcaption").text, (name, figure.get("id"))
        if figure.get("id") == "fig-parallel":
            assert any("run" in (path.get("class") or "").split() for path in figure.iter("path")), name
            continue
        if figure.get("id") == "talk":
            assert any("level" in (box.get("class") or "").split() for box in figure.iter("rect")), name
            continue
        views = [element for element in figure.iter("svg") if element.get("class") in ("view", "picture")]
        assert views and all(len(view) > 0 for view in views), (name, figure.get("id"))
    for element in root.iter():
        for attribute in ("x", "y", "cx", "cy", "r", "width", "height", "x1", "x2", "y1", "y2", "d", "viewBox"):
            assert not re.search("nan|inf", element.get(attribute, "")), (name, element.tag, attribute)
    texts = Texts()
    texts.feed(page)
    # No sentence of a verdict stands twice.
    told = [item.find("b").tail.removeprefix(": ") for part in root.iter("ul") if part.get("class") == "verdicts"
            for item in part]
    for sentence in told:
        assert texts.text.count(sentence) == told.count(sentence), (name, sentence)
    assert texts.tags.count("script") == 1 and "b" in texts.tags
    return {figure.get("id") for figure in figures}, drawn, texts.text


EXPECTED = {
    "ecg": {"fig-verdict", "fig-series", "fig-close-up", "fig-predictions", "fig-learning", "fig-norms", "fig-fields",
            "fig-weights", "fig-spectra", "fig-speed"},
    "bcm": {"fig-series", "fig-close-up", "fig-learning", "fig-norms", "fig-fields", "fig-weights", "fig-spectra",
            "fig-speed"},
    "scales": {"fig-verdict", "fig-series", "fig-close-up", "fig-predictions", "fig-learning", "fig-norms",
               "fig-fields", "fig-weights", "fig-spectra", "fig-speed"},
    "bare": {"fig-verdict", "fig-series", "fig-close-up", "fig-predictions", "fig-learning", "fig-spectra",
             "fig-speed"},
    "gru": {"fig-learning", "fig-answers", "fig-predictions", "fig-weights", "fig-norms"},
    "pictures": {"fig-learning", "fig-confusion", "fig-fields", "fig-weights", "fig-norms"},
    "plastic": {"fig-learning", "fig-plastic-linear", "fig-answers", "fig-weights"},
    "coded": {"fig-learning", "fig-fields", "fig-weights", "fig-norms"},
    "spikes": {"fig-series", "fig-close-up", "fig-learning", "fig-norms", "fig-fields", "fig-weights"},
    "rewarded": {"fig-series", "fig-close-up", "fig-weights", "fig-norms", "fig-eligibility"},
    "pump": {"fig-verdict", "fig-verdict-classes", "fig-verdict-anomalies", "fig-confusion", "fig-roc",
             "fig-anomalies", "fig-series", "fig-close-up", "fig-predictions", "fig-spectra"},
    "digits": {"fig-verdict-classes", "fig-confusion", "fig-roc", "fig-close-up", "fig-fields"},
    "regimes": {"fig-series", "fig-close-up", "fig-band-0", "fig-nis-0", "fig-regimes-0", "fig-spectra"},
    "maze": {"fig-returns", "fig-beliefs", "fig-policies", "fig-free-energy"},
    "grid": {"fig-returns", "fig-beliefs", "fig-policies", "fig-free-energy"},
    "several": {"fig-parallel", "fig-effects"},
    "nets": {"fig-parallel"},
    "seeds": {"fig-seeds-0"},
    "front": {"fig-front", "fig-hypervolume", "fig-convergence", "fig-parallel"},
    "halved": {"fig-rungs", "fig-parallel"},
}


def main():
    gaia, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    pages = make_pages(gaia, source, work)
    for name, path in pages.items():
        figures, drawn, text = check_page(name, path)
        missing = EXPECTED.get(name, set()) - figures
        assert not missing, f"{name}: no {missing}; there are {figures}"
        if name == "hostile":
            assert HOSTILE in text and "d<x>.csv" in text and "r<i>.h5" in text
        if name == "cut":
            assert "The run was interrupted" in text
        if name == "ecg":
            assert "ridge on the same past" in text and "still has the SHA-256" in text
        if name == "halved":
            # The best of all runs may be a short one, and is not reported.
            assert "All of them to the end would have been" in text and "best validation" not in text
        if name == "pump":
            assert "2024-03-0" in text and "input (flow, pressure)" in text and "fault" in text
            assert ">NaN" not in path.read_text(encoding="utf-8")
        if name == "coded":
            drawn_pictures = re.findall(r'<svg class="picture" viewBox="0 0 7 9"', path.read_text(encoding="utf-8"))
            assert len(drawn_pictures) == 64 and "The first 64 of 70 neurons" in text, len(drawn_pictures)
        if name in ("spikes", "rewarded"):
            markup = path.read_text(encoding="utf-8")
            strokes = re.findall(r'<path class="line ink spike (?:thin|fine)" d="([^"]*)"', markup)
            assert len(strokes) == 2, (name, len(strokes))
            assert all(0 < stroke.count("M") <= 8000 for stroke in strokes), name
            assert "a neuron answers 1 in" in text and "chunkwise" in text, name
        if name == "rewarded":
            assert "mean |e|" in text and "trace pre" in text and " Hz)" in text
        if name == "regimes":
            assert "NIS is" in text and "in 95 % of runs" in text and "of the regime: from model" in text
        if name == "maze":
            assert "is better than that of random actions" in text and "left arm" in text
        if name == "seeds":
            assert "frozen weights" in text and "sign test p" in text and "of 4" in text
        if name == "several":
            assert "Mean ± standard deviation" in text
        print(f"{name}: {path.stat().st_size} bytes, {len(figures)} figures, {drawn} things drawn")


if __name__ == "__main__":
    main()
