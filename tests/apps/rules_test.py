#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""gaia rules: what it prints can be pasted, by name and as equations, and both learn the same weights;
docs/catalogue.md has its tables.  scripts/try-rules tries them.

    rules_test.py SOURCE_DIR GAIA WORK_DIR
"""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import unittest

SOURCE, GAIA, WORK = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
try:
    import h5py
    import numpy
except ImportError:
    print("h5py or NumPy is not installed")
    sys.exit(77)

COLUMNS = 6


def gaia(*arguments):
    return subprocess.run([GAIA, *arguments], cwd=WORK, text=True, capture_output=True)


def pasted(text):
    """The layers of a text, each from its `- type:` on."""
    found, layer = [], None
    for line in text.splitlines():
        if line.startswith("        - type:"):
            layer = []
            found.append(layer)
        if layer is not None and line.startswith("        "):
            layer.append(line)
        elif layer is not None:
            layer = None
    return ["\n".join(lines) + "\n" for lines in found]


def weights(name, layer):
    """Weights of a run of the layer on a series with everything that rules may read, at its start and end; of a
    rule that moves gains and no weights, those."""
    (WORK / f"{name}.yaml").write_text(f"""experiment: {name}
data:
  source: file
  path: series.csv
  columns: [{', '.join(f'x{j}' for j in range(COLUMNS))}]
  targets: [reward, spike]
  labels: label
hierarchy:
  levels:
    - layers:
{layer}controls: none
output: {{path: {name}.h5}}
""")
    done = gaia("run", f"{name}.yaml", "--quiet", "--overwrite")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    with h5py.File(WORK / f"{name}.h5") as file:
        layer = file["levels/0/layers/0"]
        initial, final = layer["weights_initial"][...], layer["weights"][...]
        if "memory/gain" in layer:
            numpy.testing.assert_array_equal(initial, final)
            final = layer["memory/gain"][...]
            initial = numpy.full_like(final, layer["memory/gain"].attrs["initial"])
        return initial, final


class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        draw = random.Random(3)
        names = [f"x{j}" for j in range(COLUMNS)] + ["reward", "spike", "label"]
        rows = [",".join(names)]
        for _ in range(300):
            row = [str(draw.choice([0, 0, 1])) for _ in range(COLUMNS)]
            rows.append(",".join(row + [f"{draw.gauss(0, 1):.3f}", str(draw.choice([0, 1])),
                                        str(draw.randrange(10))]))
        (WORK / "series.csv").write_text("\n".join(rows) + "\n")
        cls.catalogue = json.loads(gaia("rules", "--json").stdout)

    def test_both_ways_to_paste_a_rule_learn_the_same(self):
        names = [rule["name"] for rule in self.catalogue["rules"]]
        self.assertGreaterEqual(len(names), 28)
        for name in names:
            with self.subTest(name):
                layers = pasted(gaia("rules", name).stdout)
                self.assertEqual(len(layers), 2)
                initial, by_name = weights("by_name", layers[0])
                _, as_equations = weights("as_equations", layers[1])
                self.assertTrue(numpy.isfinite(by_name).all())
                numpy.testing.assert_allclose(as_equations, by_name, rtol=2e-4, atol=1e-6)
                self.assertGreater(abs(by_name - initial).max(), 1e-5)  # something was learnt

    def test_neurons_can_be_pasted(self):
        for neuron in self.catalogue["neurons"]:
            with self.subTest(neuron["name"]):
                (layer,) = pasted(gaia("rules", neuron["name"]).stdout)
                initial, after = weights("neuron", layer)
                self.assertTrue(numpy.isfinite(after).all())
                self.assertGreater(abs(after - initial).max(), 1e-6)

    def test_list_has_every_name_with_its_equations(self):
        text = gaia("rules").stdout
        for entry in self.catalogue["rules"] + self.catalogue["neurons"]:
            self.assertRegex(text, rf"(?m)^{entry['name']} ")
            for line in entry["equations"].splitlines():
                self.assertIn(f"    {line}\n", text)

    def test_unknown_name(self):
        done = gaia("rules", "stpd")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no rule or neuron 'stpd' (did you mean 'stdp'?); known: hebbian, ", done.stderr)

    def test_docs_have_the_tables(self):
        tables = gaia("rules", "--markdown").stdout
        docs = (SOURCE / "docs/catalogue.md").read_text()
        for table in re.split(r"\n\n+", tables.strip()):
            self.assertIn(table, docs, "run `gaia rules --markdown` and put its tables into docs/catalogue.md")

    def test_rules_are_tried_beside_frozen_weights(self):
        script = SOURCE / "scripts/try-rules"

        def try_rules(*arguments):
            return subprocess.run([sys.executable, script, "--program", GAIA, *arguments], text=True, capture_output=True)

        done = try_rules("--seeds", "2", "--only", "oja", "diehl_cook")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"\| `(\w+)` \| \w+ \| ([\d.]+) ± [\d.]+ % \| ([\d.]+) ± [\d.]+ % \| (\d) of 2 \|", done.stdout)
        self.assertEqual([row[0] for row in rows], ["oja", "diehl_cook"])
        for name, learnt, frozen, ahead in rows:
            self.assertGreater(float(learnt), float(frozen) + 3, name)
            self.assertEqual(ahead, "2", name)
        wrong = try_rules("--only", "ojaa")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("no rule ojaa; known: hebbian, ", wrong.stderr)
        # And every rule has its row in the docs.
        told = re.findall(r"(?m)^\| `(\w+)` \| \w+ \| [\d.]+ ± ", (SOURCE / "docs/catalogue.md").read_text())
        self.assertEqual(told, [rule["name"] for rule in self.catalogue["rules"]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
