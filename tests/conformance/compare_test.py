#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""compare.py compares libraries with the papers, finds a deviation with its smallest input, and tells of a library
that is not installed.  Exits with 77 where h5py or NumPy is missing.

    compare_test.py SOURCE_DIR WORK_DIR
"""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

if not all(importlib.util.find_spec(name) for name in ("h5py", "numpy")):
    print("h5py or NumPy is not installed")
    sys.exit(77)

SOURCE, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
CONFORMANCE = SOURCE / "conformance"
NUMPY = CONFORMANCE / "adapters" / "numpy_by_hand.py"
shutil.rmtree(WORK, ignore_errors=True)
WORK.mkdir(parents=True)

# Three mistakes: a sign that nobody explains, a trace that is explained and is a case of the vectors, and one that is
# said to be somewhere it is not.
EXPLAINED = """

import sys
sys.path.insert(0, {conformance!r})
from peer import Deviation


def late(k):
    y, before = k.signal["spike"], k.memory["post"]
    k.memory["post"] = fall(k.p["tau_post"]) * before + y
    return y, k.p["rate"] * (k.p["a_plus"] * np.outer(y, k.trace["pre"]) - k.p["a_minus"] * np.outer(before, k.x))


RULES["stdp"] = RULES["stdp_post_late"] = late
DEVIATIONS = {{"stdp": [Deviation("order", "The neuron's trace is a tick late.", reading=late, variant="stdp_post_late",
                                  allowed=True)]}}
"""
NOT_SO = """
DEVIATIONS["hebbian"] = [Deviation("sign", "Hebb's rule is the wrong way round.")]
DEVIATIONS["stdp"][0].reading = stdp
"""


def compare(*arguments):
    return subprocess.run([sys.executable, CONFORMANCE / "compare.py", *map(str, arguments)], text=True,
                          capture_output=True)


def adapter(name, wrong, more=""):
    """The rules by NumPy with a mistake in them, as a library of its own."""
    text = NUMPY.read_text().replace('LIBRARY = "NumPy by hand"', f'LIBRARY = "{name}"')
    for old, new in wrong:
        assert old in text, old
        text = text.replace(old, new)
    path = WORK / f"{name}.py"
    path.write_text(text + more)
    return path


class Compare(unittest.TestCase):
    def setUp(self):
        self.page = WORK / "page.md"
        self.differences = WORK / "differences.md"

    def row(self, rule):
        line = re.search(rf"^\| {rule} \|.*$", self.page.read_text(), re.M).group()
        return [cell.strip() for cell in line.strip("|").split("|")[1:]]

    def test_what_is_right_equals_and_what_is_wrong_is_found_with_its_smallest_input(self):
        wrong = adapter("wrong", [("- (k.z**2)[:, None] * k.w)", "+ (k.z**2)[:, None] * k.w)")])
        ran = compare("--output", self.page, NUMPY, wrong)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("numpy_by_hand: 27 equal\n", ran.stdout)
        self.assertIn("wrong: 25 equal, 2 differ\n", ran.stdout)     # anti_oja is oja with the other sign
        self.assertEqual(self.row("hebbian"), ["equals", "equals"])
        self.assertEqual(self.row("oja"), ["equals", "**differs**: not explained"])
        # one neuron, one input, one tick: 0.5 + 0.05*(0.5*1 -+ 0.25*0.5)
        below = self.differences.read_text().split("### wrong, oja")[1]
        self.assertIn("initial weights 0.5; rate 0.05", below)
        self.assertIn("| 1 | 1 | 0.51875 | 0.53125 |", below)

    def test_two_runs_give_the_same_bytes(self):
        self.assertEqual(compare("--output", self.page, NUMPY).returncode, 0)
        once = self.page.read_bytes(), self.differences.read_bytes()
        self.assertEqual(compare("--output", self.page, NUMPY).returncode, 0)
        self.assertEqual(once, (self.page.read_bytes(), self.differences.read_bytes()))

    def test_a_library_that_is_not_installed_is_told(self):
        absent = WORK / "absent.py"
        absent.write_text('import no_such_library\n\nLIBRARY = "Absent"\n')
        ran = compare("--output", self.page, absent, NUMPY)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("absent: left out, no_such_library is not installed", ran.stdout)
        self.assertIn("left out, because the Python package is not installed: no_such_library.", self.page.read_text())
        self.assertEqual(self.row("oja"), ["equals"])
        self.assertEqual(compare("--output", self.page, absent).returncode, 1)

    def test_an_explanation_is_checked(self):
        explained = adapter("explained", [], EXPLAINED.format(conformance=str(CONFORMANCE)))
        ran = compare("--output", self.page, explained)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertEqual(self.row("stdp"), ["convention: order"])
        told = self.differences.read_text()
        self.assertIn("*Whatever is set.* The neuron's trace is a tick late. It equals the case `stdp_post_late`", told)
        self.assertIn("- The paper: Song, Miller & Abbott 2000, van Rossum", told)
        not_so = adapter("not_so", [], EXPLAINED.format(conformance=str(CONFORMANCE)) + NOT_SO)
        ran = compare("--output", self.page, not_so)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("hebbian: is said to differ by its sign and does not", ran.stdout)
        self.assertIn("stdp: is not what its reading computes", ran.stdout)
        unread = adapter("unread", [], EXPLAINED.format(conformance=str(CONFORMANCE)).replace('"order"', '"mood"'))
        ran = compare("--output", self.page, unread)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("stdp: readings.py has none of its mood", ran.stdout)

    def test_an_adapter_that_fails_is_told(self):
        failing = adapter("failing", [("    return k.z, -oja(k)[1]\n", "    raise ValueError('no luck')\n")])
        ran = compare("--output", self.page, failing)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("anti_oja: ValueError: no luck", ran.stdout)
        self.assertEqual(self.row("anti_oja"), ["failed"])

    def test_every_rule_of_the_page_here_has_a_verdict_of_every_library(self):
        self.page = SOURCE / "docs" / "conformance.md"
        text = self.page.read_text()
        libraries = text.split("\n| rule |")[1].split("\n")[0].strip("|").split("|")
        rules = re.findall(r"^\| (\w+) \|", text.split("## Verdicts")[1].split("\n## ")[0], re.M)[1:]
        self.assertGreaterEqual(len(libraries), 7)
        self.assertGreaterEqual(len(rules), 20)
        for rule in rules:
            cells = self.row(rule)
            self.assertEqual(len(cells), len(libraries), rule)
            for cell in cells:
                self.assertRegex(cell, r"^(equals( \(by default: .+\))?|convention: .+|\*\*differs\*\*: .+|–)$", rule)
        told = (SOURCE / "docs" / "differences.md").read_text()
        for left in ("not explained", "failed"):
            self.assertNotIn(left, text + told)
        for section in text.split("\n## ")[1:]:
            link = re.search(r"^\[(\d+) differences?\]\(differences\.md#(.+)\)\.$", section, re.M)
            of_library = told.split(f"\n## {section.splitlines()[0]}\n")
            self.assertEqual(len(of_library), 2 if link else 1)
            if link:
                found = re.findall(r"^### ", of_library[1].split("\n## ")[0], re.M)
                self.assertEqual(len(found), int(link.group(1)))
                self.assertEqual(link.group(2), section.splitlines()[0].lower().replace(" ", "-"))
        for part in told.split("\n### ")[1:]:
            for needed in ("- The paper: ", "- Read here: ", "- Read otherwise: "):
                self.assertIn(needed, part)
            self.assertRegex(part, "the smallest input that shows it|It shows in the case itself")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
