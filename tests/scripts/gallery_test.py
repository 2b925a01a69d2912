#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every row of experiments/gallery runs in its short form by `gaia reproduce`, says in its head what to expect, and
stands in the table and on the page as the row itself says it.

    gallery_test.py SOURCE_DIR GAIA WORK_DIR

Rows that read pictures or files which the repository has not are given some of the same shape, drawn here.
"""
import concurrent.futures
import csv
import importlib.machinery
import importlib.util
import pathlib
import shutil
import struct
import subprocess
import sys
import unittest
import zlib

source, gaia, work = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
sys.dont_write_bytecode = True
try:
    import h5py
    import numpy
    import yaml
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

loader = importlib.machinery.SourceFileLoader("gallery", str(source / "scripts" / "gallery"))
gallery = importlib.util.module_from_spec(importlib.util.spec_from_loader("gallery", loader))
loader.exec_module(gallery)
ROWS = sorted((source / "experiments" / "gallery").glob("*.yaml"))


def write_idx(path, values):
    path.write_bytes(struct.pack(">BBBB", 0, 0, 8, values.ndim) + struct.pack(f">{values.ndim}I", *values.shape)
                     + values.tobytes())


def write_png(path, pixels):
    """8 bits, grey [height, width] or colours [height, width, 3]."""
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    height, width = pixels.shape[:2]
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8,
                                                                       0 if pixels.ndim == 2 else 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def digits(draw, count, size, colours=()):
    """Pictures of ten classes, each with a bright bar at a place of its own, and their classes."""
    classes = draw.integers(0, 10, count).astype(numpy.uint8)
    pictures = draw.integers(0, 60, (count, size, size, *colours)).astype(numpy.uint8)
    for picture, one in zip(pictures, classes):
        at = 2 + int(one) * (size - 6) // 10
        picture[at:at + 4, 3:-3] += 180
    return pictures, classes


def make_data(folder):
    """What rows read that the repository has not, each in the folder that it is called by, and the tables in one."""
    draw = numpy.random.default_rng(1)
    names = {pathlib.Path(folder_of(path)).name for path in ROWS if folder_of(path)}
    for name in sorted(names):
        to = folder / name
        to.mkdir(parents=True)
        if name == "photographs":
            for one in ("china", "flower"):
                smooth = numpy.cumsum(draw.normal(size=(120, 160, 3)), axis=1)
                smooth = 255 * (smooth - smooth.min()) / (smooth.max() - smooth.min())
                write_png(to / f"{one}.png", smooth.astype(numpy.uint8))
        elif name.startswith("cifar"):
            for part, count in (("train", 200), ("test", 60)):
                for at, (picture, one) in enumerate(zip(*digits(draw, count, 32, (3,)))):
                    (to / part / str(one)).mkdir(parents=True, exist_ok=True)
                    write_png(to / part / str(one) / f"{at:03}.png", picture)
        else:
            for part, count in (("train", 1200), ("t10k", 400)):
                pictures, classes = digits(draw, count, 28)
                write_idx(to / f"{part}-images-idx3-ubyte", pictures)
                write_idx(to / f"{part}-labels-idx1-ubyte", classes)
    # Tables of scripts/gallery_data: one as it makes it, the others of their columns.
    tables = folder / "tables"
    tables.mkdir()
    subprocess.run([sys.executable, source / "scripts" / "gallery_data", tables, "slow_features"], check=True)
    anomaly = draw.random(6000) < 0.07
    sensors = draw.normal(size=(6000, 9)) + 4 * anomaly[:, None]
    header = ",".join([*(f"f{k}" for k in range(1, 10)), "anomaly"])
    numpy.savetxt(tables / "shuttle.csv", numpy.column_stack([sensors, anomaly]), "%.4g", ",", header=header, comments="")
    laser = 100 + 60 * numpy.sin(0.7 * numpy.arange(3000)) + draw.normal(size=3000)
    numpy.savetxt(tables / "laser.csv", laser, "%.0f", header="intensity", comments="")


def folder_of(path):
    """The folder of pictures that a row reads; "" where it reads something else."""
    return yaml.safe_load(path.read_text())["data"].get("folder", "")


def short_form(path, data):
    """What is wrong with a row; None where nothing is."""
    experiment = yaml.safe_load(path.read_text())
    command = [gaia, "reproduce", path, "--short", "--threads", "1", "--output", work / f"{path.stem}.verdict.h5"]
    read = experiment.get("data", {})
    named = [read[key] for key in ("folder", "path") if key in read] + list(read.get("files", []))
    if read.get("source") != "generator" and not all((path.parent / one).exists() for one in named if named):
        command += ["--data", data / (pathlib.Path(folder_of(path)).name or "tables")]
    done = subprocess.run([str(word) for word in command], cwd=work, text=True, capture_output=True)
    if done.returncode != 0:
        return f"{path.name}: code {done.returncode}\n{done.stdout}{done.stderr}"
    if "its figures say nothing" not in done.stdout:
        return f"{path.name}: {done.stdout}"
    return None


class Rows(unittest.TestCase):
    def test_every_row_runs_in_its_short_form(self):
        data = work / "data"
        make_data(data)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [one for one in pool.map(lambda path: short_form(path, data), ROWS) if one]
        self.assertEqual("\n".join(wrong), "")
        # The picture of a verdict has the published figure, where that is of the same score.
        for path in ROWS:
            published = gallery.published_of(path)
            if "value" not in published or published.get("score"):
                continue
            verdict = work / f"{path.stem}.verdict.h5"
            done = subprocess.run([gaia, "verdict", verdict, "--figure", verdict.with_suffix(".svg")],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("dashed: the published figure", verdict.with_suffix(".svg").read_text())

    def test_every_row_says_what_it_is(self):
        for path in ROWS:
            with self.subTest(path.name):
                text = path.read_text()
                head = text[:text.index("\nexperiment:")]
                self.assertTrue(all(line.startswith("#") for line in head.splitlines()), head)
                self.assertIn("What to expect", head)
                experiment = yaml.safe_load(text)
                self.assertEqual(experiment["experiment"], path.stem)
                published = experiment["published"]
                self.assertTrue(published.get("short"), "a row has a short form")
                seeds = {"first": 101, "count": 10, **published.get("seeds", {})}
                self.assertGreaterEqual(seeds["first"], 100, "settings are chosen on seeds below 100")

    def test_the_table_says_what_the_rows_say(self):
        with gallery.TABLE.open(newline="") as text:
            lines = list(csv.DictReader(text))
        self.assertEqual(list(lines[0]), gallery.COLUMNS)
        known = {path.stem: gallery.published_of(path) for path in ROWS}
        self.assertEqual({line["row"] for line in lines} - set(known), set())
        for line in lines:
            with self.subTest(line["row"] + ", " + line["readout"]):
                published = known[line["row"]]
                self.assertTrue(line["ours"] and line["measure"] and line["date"])
                if line["readout"] != published["readout"]:
                    continue
                self.assertEqual(line["published"], gallery.number(published.get("value")))
                self.assertEqual(line["published_spread"], gallery.number(published.get("spread")))
                if published.get("expect", "within") == "within":
                    self.assertRegex(gallery.came_out(line), "^(within|better)")

    def test_the_page_is_that_of_the_table(self):
        page = (source / "docs" / "gallery.md").read_text()
        self.assertEqual(gallery.write_papers(page), page, "run scripts/gallery --papers")


class Table(unittest.TestCase):
    """The script, on a verdict that is written here."""

    def verdict(self, name):
        path = work / name
        with h5py.File(path, "w") as file:
            file.attrs.update({"wall_seconds": 12.4, "created_utc": "2026-11-29T03:00:00Z"})
            for readout, mean in (("a", 0.9), ("b", 0.5)):
                group = file.create_group(f"readouts/{readout}")
                group.attrs.update({"measure": "R2", "mean": mean, "standard_deviation": 0.01})
                for control, ahead in (("frozen", 10), ("pca", 7)):
                    group.create_group(f"controls/{control}").attrs.update(
                        {"mean": 0.25, "standard_deviation": 0.125, "ahead": ahead, "compared": 10})
                compared = group.create_dataset("published_score", data=[1.0, 3.0])
                compared.attrs.update({"mean": 2.0, "standard_deviation": 1.5})
        return path

    def test_lines_of_a_verdict(self):
        published = {"readout": "b", "value": 0.51, "spread": 0.02, "rival": {"name": "X, Y", "mean": 0.4}}
        with h5py.File(self.verdict("lines.h5")) as file:
            papers, other = gallery.lines_of("row", published, file)
            self.assertEqual((papers["readout"], papers["ours"], papers["published"]), ("b", "0.5", "0.51"))
            self.assertEqual((papers["frozen"], papers["ahead"], papers["pca_ahead"]), ("0.25", "10", "7"))
            self.assertEqual((papers["rival"], papers["rival_mean"], papers["rival_sd"]), ("X, Y", "0.4", ""))
            self.assertEqual((other["readout"], other["published"], other["seconds"]), ("a", "", "12"))
            scored = gallery.lines_of("row", {**published, "score": "nrmse"}, file)[0]
            self.assertEqual((scored["measure"], scored["ours"], scored["frozen"]), ("nrmse", "2", ""))

    def test_what_came_out(self):
        def line(ours, published, spread="", measure="accuracy"):
            return {"ours": ours, "published": published, "published_spread": spread, "measure": measure}

        self.assertEqual(gallery.came_out(line("0.861", "0.87")), "within")
        self.assertEqual(gallery.came_out(line("0.85", "0.87")), "misses by 0.02")
        self.assertEqual(gallery.came_out(line("0.85", "0.87", "0.03")), "within")
        self.assertEqual(gallery.came_out(line("0.89", "0.87")), "better by 0.02")
        self.assertEqual(gallery.came_out(line("0.2", "0.1", measure="nrmse")), "misses by 0.1")
        self.assertEqual(gallery.came_out(line("0.05", "0.1", measure="nrmse")), "better by 0.05")
        self.assertEqual(gallery.came_out(line("0.5", "")), "")

    def test_figures_keep_what_their_spread_leaves(self):
        self.assertEqual(gallery.figure("0.95412", "0.00312"), "0.9541 ± 0.0031")
        self.assertEqual(gallery.figure("31.62", "1.31"), "31.6 ± 1.3")
        self.assertEqual(gallery.figure("0.998", "0"), "0.998 ± 0")
        self.assertEqual(gallery.figure("", ""), "–")


if __name__ == "__main__":
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    unittest.main(argv=sys.argv[:1])
