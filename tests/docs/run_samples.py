#!/usr/bin/python3
"""Runs the samples of README.md, CONTRIBUTING.md, docs/*.md and docs/tutorials/*.md, the pages side by side.

- yaml   a whole experiment is checked with `gaia check` and run for a second, a sweep or a search as a whole; commands
         below it find it as NAME.yaml, NAME being that of the experiment
- cpp    a program is compiled, linked and run, and its output compared with the block after it; a
         fragment is compiled into a function that has some arrays at hand, and run
- python is run, where it reads results if xarray is installed; docs/python.md, and what comes on a page from where it imports the package
         gaia, is run with it (tests/python/package/docs_test.py)
- sh     lines that start with `gaia` are run (runs are shortened), and may end with `< FILE`; `gpu_benchmark` and
         scripts with options of their own must know those
- csv    a table that the samples after it read, under the name behind the word
A block of another kind is text.

All samples of C++ are compiled as one program, since gaia.h takes longer than any of them; with GAIA_LONG_TESTS=1
each is also compiled alone, which shows an #include that it lacks.

    run_samples.py SOURCE_DIR GAIA COMPILER FLAGS=... LIBRARY_DIR WORK_DIR
"""
import concurrent.futures
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
program = work / "samples"
NEEDS_PACKAGE = re.compile(r"^import gaia\b", re.MULTILINE)
HAVE_XARRAY = all(importlib.util.find_spec(name) for name in ("xarray", "h5netcdf"))
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)
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


def run(folder, command, rows=None):
    """`rows`: the file that is its standard input."""
    with open(folder / rows if rows else os.devnull, "rb") as given:
        return subprocess.run(command, cwd=folder, text=True, stdin=given, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)


def blocks(path):
    """(line, language, text) of every fenced block."""
    language, start, lines = None, 0, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = re.match(r"```(\w*|csv [\w.]+)$", line)
        if fence and language is None:
            language, start, lines = fence.group(1), number, []
        elif line == "```":
            yield start, language, "\n".join(lines) + "\n"
            language = None
        elif language is not None:
            lines.append(line)


def whole(path, line, text):
    """The program of a sample, whose lines are those of the page for the compiler."""
    numbered = f'#line {line + 1} "{path}"\n{text}'
    return numbered if "int main(" in text else FRAGMENT % numbered


def compile_samples(name, text):
    (work / f"{name}.cpp").write_text(text)
    return run(work, [compiler, "-std=c++20", *shlex.split(flags), f"-I{library}/include", f"{name}.cpp", "-o", name,
                      f"-L{library}", "-lgaia", f"-Wl,-rpath,{library}"])


def compile_together(samples):
    """Builds a program that runs the sample whose number it is given."""
    includes, bodies, cases = {}, [], []
    for number, text in enumerate(samples):
        includes.update(dict.fromkeys(INCLUDE.findall(text)))
        body, _, _ = INCLUDE.sub("\n", text).replace("int main(", "int run(").rpartition("}")
        bodies.append(f"namespace sample_{number} {{\n{body}return 0;\n}}\n}}\n")
        cases.append(f"    case {number}: return sample_{number}::run();\n")
    return compile_samples("samples", "".join([*includes, "#include <cstdlib>\n", *bodies,
                                               "int main(int, char** words) {\n  switch (std::atoi(words[1])) {\n",
                                               *cases, "  }\n  return 2;\n}\n"]))


class Page:
    """The samples of a page, run in a folder of its own from top to bottom."""

    def __init__(self, path, numbers):
        self.path, self.numbers = path, numbers
        self.counts, self.failures = {}, []
        self.folder = work / path.name  # not "experiments", which is a link
        (self.folder / "results").mkdir(parents=True)
        (self.folder / "experiments").symlink_to(source / "experiments")
        shutil.copy(work / "results" / "ecg.h5", self.folder / "results")

    def run(self, command, rows=None):
        return run(self.folder, command, rows)

    def note(self, kind, line, result):
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if result.returncode != 0:
            self.failures.append(f"{self.path.relative_to(source)}:{line}: {kind} sample failed\n{result.stdout}")

    def run_all(self):
        expected_output = None
        needs_package = self.path.name == "python.md"
        for line, language, text in blocks(self.path):
            if expected_output is not None and language == "" and text != expected_output:
                self.failures.append(f"{self.path.relative_to(source)}:{line}: the program printed\n{expected_output}")
            expected_output = None
            if language.startswith("csv "):
                (self.folder / language.removeprefix("csv ")).write_text(text)
            elif language == "yaml" and text.startswith("experiment:"):
                self.run_yaml(line, text)
            elif language == "cpp":
                ran = self.run([program, str(self.numbers[line])])
                self.note("cpp", line, ran)
                expected_output = ran.stdout if "int main(" in text else None
            elif language == "python":
                needs_package = needs_package or NEEDS_PACKAGE.search(text) is not None
                if needs_package or (not HAVE_XARRAY and re.search("xarray|gaia_results", text)):
                    continue
                self.note("python", line, self.run(["env", f"PYTHONPATH={source}/python", sys.executable, "-c", text]))
            elif language == "sh":
                for command in text.splitlines():
                    self.run_line(line, shlex.split(command, comments=True))

    def run_yaml(self, line, text):
        name = re.match(r"experiment: (\w+)", text).group(1) + ".yaml"
        (self.folder / name).write_text(text)
        self.note("yaml", line, self.run([gaia, "check", name]))
        many = [verb for verb in ("sweep", "search") if f"\n{verb}:" in text]
        if many:
            ran = self.run([gaia, *many, name, "--quiet", "--overwrite"])
        else:
            ran = self.run([gaia, "run", name, "--quiet", "--overwrite", "--max-time", "1s"])
            if ran.returncode == 75:  # there was more to do
                ran.returncode = 0
        self.note("yaml", line, ran)

    def run_line(self, line, words):
        if not words:
            return
        if words[0] == "gaia":
            shorter = ["--overwrite"] if words[1] in ("run", "report", "apply") and "--overwrite" not in words else []
            if words[1] == "verdict" and "--seeds" in words:
                words[words.index("--seeds") + 1] = "2"
            if words[1] == "search":
                shorter = ["--set", "search.evaluations=4", "--set", "search.seeds=1", "--overwrite"]
            rows = words[-1] if words[-2] == "<" else None  # of gaia stream
            self.note("sh", line, self.run([gaia, *words[1:-2 if rows else None], *shorter], rows))
        elif words[0] == "gpu_benchmark":
            self.note("sh", line, self.run([pathlib.Path(gaia).with_name("gpu_benchmark"), *words[1:], "--list"]))
        elif words[0] in ("./scripts/benchmark", "./scripts/check-gpu"):
            self.note("sh", line, self.run([source / words[0], *words[1:], "--help"]))
        elif words[0].startswith("./scripts/"):
            found = (source / words[0]).is_file()
            self.note("sh", line, subprocess.CompletedProcess(words, 0 if found else 1, f"{words[0]} is not there"))


def main():
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "experiments").symlink_to(source / "experiments")
    failures = []
    files = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").glob("*.md")),
             *sorted((source / "docs" / "tutorials").glob("*.md"))]
    samples, numbers = [], {path: {} for path in files}
    for path in files:
        for line, language, text in blocks(path):
            if language == "cpp":
                numbers[path][line] = len(samples)
                samples.append(whole(path, line, text))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        built = [pool.submit(compile_together, samples)]
        if os.environ.get("GAIA_LONG_TESTS") == "1":
            built += [pool.submit(compile_samples, f"sample_{i}", text) for i, text in enumerate(samples)]
        beginning = run(work, [gaia, "run", "experiments/ecg.yaml", "--set", "data.steps=5000", "--quiet"])
        failures += [done.stdout for done in [beginning, *(b.result() for b in built)] if done.returncode != 0]
        pages = [] if failures else [Page(path, numbers[path]) for path in files]
        list(pool.map(Page.run_all, pages))

    counts = {}
    for page in pages:
        failures += page.failures
        for kind, count in page.counts.items():
            counts[kind] = counts.get(kind, 0) + count
    shown = (source / "examples" / "principal_components.cpp").read_text().split("\n", 3)[3]
    if shown not in (source / "docs" / "cpp.md").read_text():
        failures.append("docs/cpp.md does not show examples/principal_components.cpp")
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())), "samples run")
    if failures:
        print("\n".join(failures))
        sys.exit(1)


main()
