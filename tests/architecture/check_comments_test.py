# SPDX-License-Identifier: MIT
"""Tests that scripts/check_comments finds comments on fields that do not begin with a noun, and no others."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "check_comments"


def found(*lines, name="src/a.h"):
    """Exit code and lines of the script for a tree whose one file has these lines."""
    with tempfile.TemporaryDirectory() as root:
        path = pathlib.Path(root) / name
        path.parent.mkdir(parents=True)
        path.write_text("".join(line + "\n" for line in lines))
        done = subprocess.run([sys.executable, SCRIPT, root], text=True, capture_output=True)
    return done.returncode, done.stdout.splitlines()


class CheckComments(unittest.TestCase):
    def test_each_of_the_four_words_is_found_with_its_place(self):
        for word in ("Of", "As", "That", "Where"):
            code, reported = found("struct A {", f"  int a;  ///< {word} the file.", "};")
            self.assertEqual(code, 1)
            self.assertEqual(reported, [f"src/a.h:2: begin with a noun: {word} the file.",
                                        "1 files, 1 comments without a noun"])

    def test_white_space_does_not_matter(self):
        self.assertEqual(found("int a; ///<Of b.", "int c; ///<   As d.")[0], 1)
        self.assertEqual(len(found("int a; ///<Of b.", "int c; ///<   As d.")[1]), 3)

    def test_every_folder_is_read(self):
        for folder in ("src/experiment/run", "cpu", "cuda", "mpi", "apps/gaia", "python/src", "tests/io", "benchmarks"):
            self.assertEqual(found("int a;  ///< Of b.", name=f"{folder}/a.cuh")[0], 1)

    def test_nouns_and_other_comments_pass(self):
        self.assertEqual(found("int a;  ///< Path of the file, as given, where it is one.",
                               "int b;  ///< Offset of a row.",
                               "int c;  ///< Assumed rate.",
                               "// Of comments inside functions this check says nothing.",
                               "/// As little of those above a declaration."),
                         (0, ["1 files, 0 comments without a noun"]))

    def test_a_tree_without_sources_is_an_error(self):
        with tempfile.TemporaryDirectory() as root:
            done = subprocess.run([sys.executable, SCRIPT, root], text=True, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no sources", done.stderr)


if __name__ == "__main__":
    unittest.main()
