# SPDX-License-Identifier: MIT
"""A program that uses the public classes passes mypy --strict with the types that the package ships."""
import os
import pathlib
import subprocess
import sys

import pytest

import gaia

pytest.importorskip("mypy", reason="mypy is not installed: types are not tested")

PROGRAM = '''
import numpy as np

import gaia
from gaia import nn

x = gaia.array([[1.0, 2.0]])
x += 1
y: gaia.Array = gaia.tanh(x) @ x.T
z: gaia.Array = gaia.mean(np.ones((2, 3)), axis=0)
t = gaia.Tensor([1.0, 2.0])
loss: gaia.Tensor = gaia.sum(t * t + np.ones(2))
loss.backward()
a: gaia.Array = x[0]
b: gaia.Tensor = gaia.concatenate([t, t])


class Mine(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Dense(2, 2, activation="tanh")

    def forward(self, x: gaia.Tensor) -> gaia.Tensor:
        return self.inner(x)


net = nn.Sequential(Mine(), nn.Dropout(0.5), nn.LayerNorm(2), nn.Dense(2, 1))
optimiser = nn.Optimiser(net.parameters(), "adam", learning_rate=0.01)
for samples, targets in nn.DataLoader(np.ones((3, 2)), np.ones((3, 1)), batch_size=2):
    nn.mse(net(samples), targets).backward()
    optimiser.step()
parts: nn.Split = nn.split(np.ones((3, 2)), np.ones(3), 0.5)
history = nn.fit(net, parts.train_x, parts.train_y, "mse", optimiser, epochs=1)
hierarchy = gaia.Hierarchy(gaia.Level(gaia.Hebbian(2, "sanger", learning_rate=0.1), temporal_resolution=2),
                           gaia.Reactive(3, activation="tanh"), gaia.Temporal(4, leak=0.5), gaia.Predictive([2, 2]), inputs=2)
shown = hierarchy.process(np.ones((3, 2)))
rule = gaia.Rule("dw = rate * y * x", rate=0.1)
filters = [gaia.KalmanFilter, gaia.ParticleFilter]
detector = gaia.Adwin()
changed = detector.update(0.5)
try:
    result = gaia.run({}, np.ones(3), overwrite=True)
    print(result.verdict, result.scores)
except gaia.ConfigError as error:
    print(error.line)
with gaia.no_grad(), gaia.GPUContext("cpu"):
    gaia.set_seed(3)
found = gaia.search(lambda values: 0.0, {"rate": {"range": [0, 1]}}, evaluations=3)
drawn: gaia.Array = gaia.random.randn(2, 3)
'''


def check(folder, program):
    """What mypy says of a program, the package lying where installed ones lie, whose own lines it does not judge."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    package = pathlib.Path(gaia._gaia.__file__).parent
    if not (site / "gaia").exists():
        for path in package.rglob("*"):
            if path.suffix in (".py", ".pyi", ".typed") and path.is_file():
                there = site / "gaia" / path.relative_to(package)
                there.parent.mkdir(parents=True, exist_ok=True)
                there.write_bytes(path.read_bytes())
    (folder / "program.py").write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", folder / "cache",
                           "program.py"], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "MYPYPATH": str(site)})
    return [line for line in done.stdout.splitlines() if line.startswith("program.py")], done


def test_a_program_passes_the_strictest_check(folder):
    if not (pathlib.Path(gaia._gaia.__file__).parent / "_gaia.pyi").exists():
        pytest.skip("the build has no stub")
    # What is wrong is reported of these lines, and of no other.
    wrong_calls = ['nn.Dense(2, "three")', "net.no_such_thing", 'gaia.Reactive(3, activaton="tanh")', "gaia.ones(2, 3, 4)"]
    lines, done = check(folder, PROGRAM + "\n".join(wrong_calls) + "\n")
    told = {int(line.split(":")[1]) for line in lines if " error: " in line}
    first = PROGRAM.count("\n") + 1
    assert told == set(range(first, first + len(wrong_calls))), done.stdout + done.stderr
