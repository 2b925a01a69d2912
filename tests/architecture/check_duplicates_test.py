# SPDX-License-Identifier: MIT
"""Tests that scripts/check_duplicates finds code that stands twice, and no more than that."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "check_duplicates"


def lines(count, name="x"):
    return [f"{name} += {i};" for i in range(count)]


def found(**files):
    """Exit code and lines of the script for a tree of these files of src/."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root) / "src" / f"{name}.cpp"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(text) + "\n")
        done = subprocess.run([sys.executable, SCRIPT, root], text=True, capture_output=True)
    return done.returncode, done.stdout.splitlines()


class CheckDuplicates(unittest.TestCase):
    def test_eight_equal_lines_are_found_and_seven_are_not(self):
        code, told = found(a=["int f() {", *lines(8), "}"], b=["", "int g() {", *lines(8), "}"])
        self.assertEqual(code, 1)
        self.assertEqual(told[0].split(), ["8", "src/a.cpp:2", "src/b.cpp:3"])
        self.assertEqual(found(a=lines(7) + ["one;"], b=lines(7) + ["other;"]), (0, []))

    def test_the_longest_run_is_told_once(self):
        code, told = found(a=lines(20), b=["int y;", *lines(20)])
        self.assertEqual((code, len(told)), (1, 2))
        self.assertEqual(told[0].split(), ["20", "src/a.cpp:1", "src/b.cpp:2"])

    def test_runs_within_one_file_are_found_but_no_run_is_its_own_double(self):
        code, told = found(a=[*lines(9), "int y;", *lines(9)])
        self.assertEqual((code, told[0].split()), (1, ["9", "src/a.cpp:1", "src/a.cpp:11"]))
        self.assertEqual(found(a=["0, 0, 0,"] * 12), (0, []))

    def test_white_space_and_lines_that_say_little_make_no_difference(self):
        spread = [part for line in lines(8) for part in ("", "#include <cmath>", "  " + line.replace(" ", "   "), "{", "}")]
        self.assertEqual(found(a=lines(8), b=spread)[0], 1)

    def test_files_that_may_share_lines_still_do(self):
        loader = importlib.machinery.SourceFileLoader("check_duplicates", str(SCRIPT))
        script = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_duplicates", loader))
        sys.dont_write_bytecode = True
        loader.exec_module(script)
        files = {name: list(script.lines_of(SCRIPT.parents[1] / name)) for pair in script.ALLOWED for name in pair}
        pairs = {(one[0], other[0]) for _, one, other in script.pairs_of(files)}
        self.assertEqual(script.ALLOWED.keys() - pairs, set())


if __name__ == "__main__":
    unittest.main()
