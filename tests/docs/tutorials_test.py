#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Pages of docs/tutorials state the figures that their experiments come to, show the pictures that
scripts/tutorial_pictures draws of these, and ask a question; samples are run by run_samples.py.
Exits with 77 where h5py or NumPy is missing.

    tutorials_test.py SOURCE_DIR GAIA WORK_DIR
"""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

if not all(importlib.util.find_spec(name) for name in ("h5py", "numpy")):
    print("h5py or NumPy is not installed")
    sys.exit(77)

SOURCE, GAIA, WORK = map(pathlib.Path, sys.argv[1:4])
PAGES = sorted((SOURCE / "docs" / "tutorials").glob("*.md"))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
shutil.rmtree(WORK, ignore_errors=True)
WORK.mkdir(parents=True)


class Tutorials(unittest.TestCase):
    def test_pages_have_an_experiment_a_picture_and_a_question_with_a_folded_answer(self):
        self.assertEqual([page.name[:2] for page in PAGES], [f"{number}_" for number in range(1, 7)])
        for number, page in enumerate(PAGES):
            text = page.read_text()
            with self.subTest(page=page.name):
                self.assertIn("```yaml\nexperiment: ", text)
                self.assertIn(f"(../images/tutorial_{page.stem}.svg)", text)
                asked, answered = text.split("## A question\n")[1].split("<details><summary>Answer</summary>\n\n")
                self.assertIn("?", asked)
                self.assertGreater(len(answered.split("\n\n</details>")[0]), 200)
                if number + 1 < len(PAGES):
                    self.assertIn(f"({PAGES[number + 1].name})", text.splitlines()[-1])
                for target in re.findall(r"\]\(([^)#]+)", text):
                    self.assertTrue((page.parent / target).exists(), target)

    def test_the_first_two_are_without_mathematics(self):
        for page in PAGES[:2]:
            text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.S)
            self.assertNotRegex(text, r"[=²·ΣΔητ⟨^]|\$|vector|matrix|equation|eigen|variance|gradient", page.name)

    def test_pictures_and_figures_are_those_that_come_out(self):
        ran = subprocess.run([sys.executable, SOURCE / "scripts" / "tutorial_pictures", "--gaia", GAIA, WORK],
                             text=True, capture_output=True)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        figures = [line.split(": ", 1) for line in ran.stdout.splitlines()]
        self.assertEqual({name for name, _ in figures}, {page.name for page in PAGES})
        for name, figure in figures:
            self.assertIn(figure, (SOURCE / "docs" / "tutorials" / name).read_text(), name)
        for page in PAGES:
            name = f"tutorial_{page.stem}.svg"
            drawn, kept = ((folder / name).read_text() for folder in (WORK, SOURCE / "docs" / "images"))
            xml.etree.ElementTree.fromstring(drawn)
            # Another machine may round otherwise: words are the same, and numbers within a pixel.  Of the pictures of
            # neurons a pixel may have the next shade, so that its path is one longer.
            if page == PAGES[1]:
                self.assertLess(abs(len(drawn) - len(kept)), 200)
                continue
            self.assertEqual(NUMBER.sub("#", drawn), NUMBER.sub("#", kept), name)
            for one, other in zip(NUMBER.findall(drawn), NUMBER.findall(kept)):
                self.assertLessEqual(abs(float(one) - float(other)), 1, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
