# SPDX-License-Identifier: MIT
"""Plants cells and paragraphs that are too long and sees whether scripts/check_prose finds them, and no others."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "check_prose"


def words(count):
    return " ".join(["word"] * count)


def found(**pages):
    """Exit code and lines of the script for a tree of these pages of docs/."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in pages.items():
            path = pathlib.Path(root) / "docs" / "deep" / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, SCRIPT, root], text=True, capture_output=True)
    return done.returncode, done.stdout.splitlines()


class CheckProse(unittest.TestCase):
    def test_pages_that_keep_the_limits_pass(self):
        page = f"# Title\n\n{words(120)}\n\n| a | b |\n|---|---|\n| {'x' * 300} | {'y' * 300} |\n"
        self.assertEqual(found(page=page), (0, ["1 pages, 0 parts that are too long"]))

    def test_a_long_paragraph_is_found_where_it_begins_also_over_several_lines(self):
        code, told = found(a=f"# Title\n\n{words(121)}\n", b=f"\n{words(60)}\n{words(61)}\n")
        self.assertEqual(code, 1)
        self.assertEqual(told[:2], ["docs/deep/a.md:3: a paragraph of 121 words; at most 120",
                                    "docs/deep/b.md:2: a paragraph of 121 words; at most 120"])

    def test_items_of_lists_and_quotations_are_paragraphs_of_their_own(self):
        self.assertEqual(found(a=f"- {words(100)}\n- {words(100)}\n2. {words(100)}\n")[0], 0)
        self.assertEqual(found(a=f"- {words(10)}\n- {words(121)}\n")[1][0].split(":")[1], "2")
        self.assertEqual(found(a=f"- {words(80)}\n\n    {words(80)}\n")[0], 0)
        self.assertEqual(found(a=f"- {words(80)}\n    {words(80)}\n")[0], 1)
        self.assertEqual(found(a=f"> {words(130)}\n")[0], 1)

    def test_a_long_cell_is_found_and_a_bar_in_code_or_behind_a_backslash_ends_none(self):
        table = "| a | b |\n|---|---|\n"
        code, told = found(a=f"{table}| x | {'y' * 301} |\n")
        self.assertEqual((code, told[0]), (1, "docs/deep/a.md:3: a table cell of 301 characters; at most 300"))
        self.assertEqual(found(a=f"{table}| {'y' * 200} | {'y' * 200} |\n")[0], 0)
        self.assertEqual(found(a=f"{table}| {'y' * 200} \\| {'y' * 200} | z |\n")[0], 1)
        self.assertEqual(found(a=f"{table}| {'y' * 200} `a|b` {'y' * 200} | z |\n")[0], 1)

    def test_text_counts_as_it_is_read(self):
        table = f"| a |\n|---|\n| [{'x' * 150}](https://{'y' * 200}) `{'z' * 149}` |\n"
        self.assertEqual(found(a=table)[0], 0)

    def test_code_is_no_paragraph(self):
        self.assertEqual(found(a=f"```sh\n{words(200)}\n| {'y' * 400} |\n```\n")[0], 0)
        self.assertEqual(found(a=f"```\n{words(200)}\n```\n{words(121)}\n")[0], 1)

    def test_a_tree_without_pages_is_an_error(self):
        with tempfile.TemporaryDirectory() as root:
            (pathlib.Path(root) / "docs").mkdir()
            done = subprocess.run([sys.executable, SCRIPT, root], text=True, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no README.md", done.stderr)


if __name__ == "__main__":
    unittest.main()
