#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the samples of README.md, CONTRIBUTING.md and docs/*.md.

- yaml   a whole experiment is checked with `gaia check` and run for a second, a sweep or a search as a whole
- cpp    a program is compiled, linked and run, and its output compared with the block after it; a
         fragment is compiled into a function that has some arrays at hand, and run
- python is run, where it reads results if xarray is installed; docs/python.md, and what comes on a page from where it imports the package
         gaia, is run with it (tests/python/package/docs_test.py)
- sh     lines that start with `gaia` are run (runs are shortened); `gpu_benchmark` and scripts with options of
         their own must know those
A block of another kind is text.

    run_samples.py SOURCE_DIR GAIA COMPILER FLAGS=... LIBRARY_DIR WORK_DIR
"""
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

source, gaia, compiler, flags, library, work = sys.argv[1:]
flags = flags.removeprefix("FLAGS=")
source, work = pathlib.Path(source), pathlib.Path(work)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
(work / "experiments").symlink_to(source / "experiments")

counts = {}
failures = []


def run(command, **options):
    return subprocess.run(command, cwd=work, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)


def note(kind, place, result):
    counts[kind] = counts.get(kind, 0) + 1
    if result.returncode != 0:
        failures.append(f"{place}: {kind} sample failed\n{result.stdout}")


def blocks(path):
    """(line, language, text) of every fenced block."""
    language, start, lines = None, 0, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = re.match(r"```(\w*)$", line)
        if fence and language is None:
            language, start, lines = fence.group(1), number, []
        elif line == "```":
            yield start, language, "\n".join(lines) + "\n"
            language = None
        elif language is not None:
            lines.append(line)


NEEDS_PACKAGE = re.compile(r"^import gaia\b", re.MULTILINE)

FRAGMENT = """#include <gaia/gaia.h>
#include <cstdio>
#include <iostream>
using namespace gaia;
int main() {
  const Array data = random_normal({64, 4});
  const Array a = random_normal({3, 3}), b = random_normal({3, 3});
  try {
%s
  } catch (const DeviceError& error) {
    std::printf("no such device here: %%s\\n", error.what());
  }
  (void)data;
}
"""


def compile_and_run(place, text):
    whole = "int main(" in text
    program = work / "sample.cpp"
    program.write_text(text if whole else FRAGMENT % text)
    built = run([compiler, "-std=c++20", *shlex.split(flags), f"-I{library}/include", str(program), "-o",
                 "sample", f"-L{library}", "-lgaia", f"-Wl,-rpath,{library}"])
    note("cpp", place, built)
    if built.returncode != 0:
        return None
    ran = run([str(work / "sample")])
    note("cpp", place, ran)
    return ran.stdout if whole else None


def run_line(place, line):
    words = shlex.split(line, comments=True)
    if not words:
        return
    if words[0] == "gaia":
        shorter = ["--overwrite"] if words[1] in ("run", "report", "apply") and "--overwrite" not in words else []
        if words[1] == "search":
            shorter = ["--set", "search.evaluations=4", "--set", "search.seeds=1", "--overwrite"]
        note("sh", place, run([gaia, *words[1:], *shorter]))
    elif words[0] == "gpu_benchmark":
        note("sh", place, run([pathlib.Path(gaia).with_name("gpu_benchmark"), *words[1:], "--list"]))
    elif words[0] in ("./scripts/benchmark", "./scripts/check-gpu"):
        note("sh", place, run([source / words[0], *words[1:], "--help"]))
    elif words[0].startswith("./scripts/"):
        found = (source / words[0]).is_file()
        note("sh", place, subprocess.CompletedProcess(words, 0 if found else 1, f"{words[0]} is not there"))


have_xarray = all(importlib.util.find_spec(name) for name in ("xarray", "h5netcdf"))
note("sh", "set-up", run([gaia, "run", "experiments/ecg.yaml", "--set", "data.steps=5000", "--quiet"]))
files = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").glob("*.md"))]
for path in files:
    expected_output = None
    needs_package = path.name == "python.md"
    for line, language, text in blocks(path):
        place = f"{path.relative_to(source)}:{line}"
        if expected_output is not None and language == "":
            if text != expected_output:
                failures.append(f"{place}: the program printed\n{expected_output}")
        expected_output = None
        if language == "yaml" and text.startswith("experiment:"):
            (work / "sample.yaml").write_text(text)
            note("yaml", place, run([gaia, "check", "sample.yaml"]))
            many = [verb for verb in ("sweep", "search") if f"\n{verb}:" in text]
            if many:
                note("yaml", place, run([gaia, *many, "sample.yaml", "--quiet", "--overwrite"]))
            else:
                ran = run([gaia, "run", "sample.yaml", "--quiet", "--overwrite", "--max-time", "1s"])
                if ran.returncode == 75:  # there was more to do
                    ran.returncode = 0
                note("yaml", place, ran)
        elif language == "cpp":
            expected_output = compile_and_run(place, text)
        elif language == "python":
            needs_package = needs_package or NEEDS_PACKAGE.search(text) is not None
            if needs_package or (not have_xarray and re.search("xarray|gaia_results", text)):
                continue
            note("python", place, run([sys.executable, "-c", text],
                                      env={**os.environ, "PYTHONPATH": str(source / "python")}))
        elif language == "sh":
            for command in text.splitlines():
                run_line(place, command)

program = (source / "examples" / "principal_components.cpp").read_text().split("\n", 3)[3]
if program not in (source / "docs" / "cpp.md").read_text():
    failures.append("docs/cpp.md does not show examples/principal_components.cpp")
print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())), "samples run")
if failures:
    print("\n".join(failures))
    sys.exit(1)
