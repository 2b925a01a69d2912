# SPDX-License-Identifier: MIT
"""The benchmarks of hierarchies by this package check their answers and run."""
import pathlib
import sys

import pytest

BENCHMARKS = pathlib.Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def library(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import peers_cpu
    yield peers_cpu.open_library("gaia", 1)
    sys.modules.pop("peers_cpu_gaia")


@pytest.mark.parametrize("name", ["hierarchy/oja/10x20x40x80/300/float32", "hierarchy/bcm/10x20x40x80/300/float64",
                                  "plastic_levels/oja/10x20x40/300/float32", "steps/oja/3x2x2/300/float32"])
def test_answers_are_those_of_the_equations(library, monkeypatch, name):
    import peers_cpu_work as work
    way, = library.ways(name)
    assert way.error() <= way.tolerance
    way.reset()
    way.run()
    monkeypatch.setattr(work.ReferenceLayer, "answer", lambda self, x: 1.1 * (self.weights @ x))
    assert way.error() > way.tolerance


def test_cases_that_it_has_not_are_left_out(library):
    assert library.ways("hierarchy/forward/10x20x40x80/300/float32") == [] == library.ways("exp/1000")
