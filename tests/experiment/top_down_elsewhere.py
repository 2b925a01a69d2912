#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs small hierarchies in which levels hear levels above them, and recomputes each from its results file
alone, in float64, step by step, as docs/hierarchy.md says it: every representation, the weights and maps at
the end, and what is remembered in addition to the maps.  Exits with 1 where one differs by more than 1e-10 of its
largest value, with 77 where h5py or NumPy is missing.

    top_down_elsewhere.py GAIA WORK_DIR
"""
import sys

import by_gaia

by_gaia.need("h5py", "numpy")
import h5py
import numpy as np

gaia, work = sys.argv[1], by_gaia.emptied(sys.argv[2])

ROWS, CHANNELS = 420, 5
draw = np.random.default_rng(49)
rows = np.cumsum(draw.normal(size=(ROWS, CHANNELS + 3)), axis=0) * 0.15 + draw.normal(size=(ROWS, CHANNELS + 3))
rows -= rows.mean(axis=0)
NAMES = [f"x{c}" for c in range(CHANNELS)] + ["wanted", "second", "third"]
by_gaia.write_rows(work / "rows.csv", rows, ",".join(NAMES))

LEVEL = """
    - temporal_resolution: {r}
      pooling: {pooling}
      layers:
        - type: hebbian
          size: {size}
          {activation}
          rule: {rule}
          top_down: {top_down}
"""
EXPERIMENT = """
experiment: talk
dtype: float64
data:
  source: file
  path: rows.csv
  targets: [wanted, second, third]
{trials}
hierarchy:
  executor: {executor}
  epochs: {epochs}
{learning}
  levels: {levels}
output: {{path: result.h5, inputs: all}}
"""


def level(r=1, size=3, activation="linear", rule="sanger", top_down="none", pooling="mean", rate=None):
    rate = f"\n          learning_rate: {rate or (0.01 if r == 1 else 0.05)}" if not rule.startswith("{") else ""
    own_answer = rule.startswith("{")  # the text assigns y, and an activation has no place with it
    return LEVEL.format(r=r, size=size, activation="" if own_answer else f"activation: {activation}", rule=rule + rate,
                        top_down=top_down, pooling=pooling)


def heard(source, **keys):
    return "{" + ", ".join(f"{key}: {value}" for key, value in {"from": source, **keys}.items()) + "}"


OWN = "{equations: \"y = tanh(z + td)\\ndw = rate*(y*x - y^2*w)\", parameters: {rate: 0.01}}"
REMEMBERS = ("{equations: \"held = held + (y - held)/5\\ny = z*(1 + td) - held\\ndw = rate*(plain*x - plain^2*w)\","
             " parameters: {rate: 0.01}}")
MAP = "{equations: \"dw = rate*(goal - z)*x\", parameters: {rate: 0.02}, signals: {goal: %s}}"
CASES = []
for r in (1, 4, 16):
    for kind, activation, rule in (("gain", "linear", "sanger"), ("gain", "tanh", "oja"), ("bias", "tanh", "oja"),
                                   ("bias", "linear", "oja_subspace"), ("prior", "softmax", "oja")):
        target = {"target": "wanted"} if kind == "gain" else {}
        CASES.append({"levels": [level(activation=activation, rule=rule, top_down=heard(1, **{"as": kind}, learning_rate=0.02, **target)),
                                 level(r)]})
    CASES += [
        {"levels": [level(top_down=heard(1, target="[wanted, second, third]", delay=3, bias="false", learning_rate=0.02)), level(r)]},
        {"levels": [level(rule=OWN, top_down=heard(1, **{"as": "bias"}, learning_rate=0.02)), level(r)]},
        {"levels": [level(rule=REMEMBERS, top_down=heard(1, target="wanted", learning_rate=0.02)), level(r)]},
        {"levels": [level(top_down=heard(1, random="true")), level(r)]},
        {"levels": [level(top_down=heard(1, target="wanted", rule=MAP % "wanted")), level(r)]},
        {"levels": [level(activation="tanh", rule="oja", top_down=heard(1, **{"as": "bias"}, rule=MAP % "drive")), level(r)]},
        {"levels": [level(activation="tanh", rule="oja", top_down=heard(1, **{"as": "bias"}, rule=MAP % "second")), level(r)]},
    ]
# The middle level hears and is heard, and a slow level hears a slower one; of four levels two hear the same.
three = [level(top_down=heard(1, target="wanted", delay=2, learning_rate=0.02)),
         level(4, rate=0.01, top_down=heard(2, **{"as": "bias"}, learning_rate=0.02)), level(12, size=2, rate=0.01)]
four = [level(top_down=heard(3, target="wanted", learning_rate=0.02)), level(2, size=4, pooling="max"),
        level(4, size=2, activation="tanh", rule="oja", top_down=heard(3, **{"as": "bias"}, learning_rate=0.02)),
        level(8, size=3, pooling="last")]
for levels in (three, four, CASES[0]["levels"], CASES[4]["levels"]):
    CASES += [{"levels": levels}, {"levels": levels, "trials": 60}, {"levels": levels, "trials": 37, "epochs": 2},
              {"levels": levels, "freeze_after": 200}, {"levels": levels, "cosine_to": 320}, {"levels": levels, "executor": "stepwise"}]


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


ACTIVATIONS = {"linear": lambda z: z, "tanh": np.tanh, "softmax": softmax}


class Level:
    def __init__(self, group):
        layer = group["layers/0"]
        self.r, self.pooling = int(group.attrs["temporal_resolution"]), group.attrs["pooling"]
        self.f, self.rule = ACTIVATIONS.get(layer.attrs.get("activation", "linear")), layer.attrs["rule"]
        self.text = layer.attrs.get("equations", "")
        self.rate = layer.attrs.get("learning_rate", layer.attrs.get("parameter_rate"))
        self.w = layer["weights_initial"][()]
        self.above = None
        if "top_down" in group:
            self.above = group["top_down"]
            self.v = self.above["weights_initial"][()]
            self.keys = {key: value for key, value in self.above.attrs.items()}
            self.m, self.most = np.ones(len(self.v)), np.ones(len(self.v))
        self.begin()

    def begin(self):
        """A trial: all but what was learnt is forgotten."""
        self.seen, self.mean, self.heard = [], np.zeros(len(self.w)), None
        self.plain = np.zeros(len(self.w))  # what the level above reads
        self.shown = np.zeros(len(self.w))  # the representation

    def answer(self, z, td, plain):
        """y and what is remembered for the next tick, of the texts above."""
        if self.text.startswith("held"):
            mean = self.mean + (z - self.mean) / 5  # y above its assignment is f(z)
            return z * (1 + td) - mean, mean
        if self.text:
            return np.tanh(z + td), self.mean
        kind = self.keys["as"]
        y = plain * (1 + td) if kind == "gain" else softmax(z + td) if kind == "prior" else self.f(z + td)
        return y, self.mean

    def step(self, t, x, sent, targets, learn, factor):
        self.seen = (self.seen + [x])[-self.r:]
        if t % self.r != 0:
            return
        seen = np.array(self.seen)
        x = {"mean": seen.mean(axis=0), "max": seen.max(axis=0), "last": seen[-1]}[self.pooling]
        w, rate = self.w, self.rate * factor
        z = w @ x
        td = np.zeros(len(w))
        if self.above is not None:
            s = np.append(sent, 1.0) if self.keys["bias"] == "true" else sent
            td = self.v @ s
            if self.keys["random"] == "true":
                norm = np.linalg.norm(s)
                td = 0.5 * td / norm if norm > 0 else td
        p = self.f(z)
        if self.text:
            p = self.answer(z, np.zeros(len(w)), self.f(z))[0]
        y = p
        if self.above is not None:
            y, self.mean = self.answer(z, td, p)
        self.plain, self.shown = p, y
        if not learn:
            return
        if self.text.startswith("held"):
            dw = np.outer(p, x) - (p**2)[:, None] * w
        elif self.text:
            dw = np.outer(y, x) - (y**2)[:, None] * w
        elif self.rule == "sanger":
            dw = np.outer(p, x) - np.tril(np.outer(p, p)) @ w
        elif self.rule == "oja":
            dw = np.outer(p, x) - (p**2)[:, None] * w
        else:
            dw = np.outer(p, x) - np.outer(p, p) @ w
        self.w = w + rate * dw
        if self.above is not None and self.keys["random"] == "false":
            self.learn_map(s, td, z, p, y, targets, factor)

    def learn_map(self, s, td, z, p, y, targets, factor):
        goal = self.keys.get("signal_goal", self.keys.get("rule_signals_goal"))
        kind = self.keys["as"]
        if self.keys["rule"] in ("equations", "map"):
            rate = 0.02
        else:
            rate = self.keys["learning_rate"]
        wanted = None
        if kind == "gain":
            columns = [name.strip() for name in str(self.keys["target"]).strip("[]").split(",")]
            target = np.array([targets[name] for name in columns])
            wanted = target * z / np.maximum(self.m, self.most / 1000) - 1
        if goal is not None and goal != "wanted":
            error = (z if goal == "drive" else targets[goal]) - td
        else:
            error = wanted - td if kind == "gain" else p - td if kind == "bias" else y - softmax(td)
        self.v = self.v + factor * rate * np.outer(error, s)
        if kind == "gain":
            self.m = self.m + (z**2 - self.m) / 1000
            self.most = np.maximum(self.most, self.m)


def senders(levels):
    return {n: int(level.keys["from"]) for n, level in enumerate(levels) if level.above is not None}


def recompute(path, case):
    """The largest error of a run, relative to the largest value of what is wrong."""
    with h5py.File(path) as file:
        x = file["data/samples"][()]
        levels = [Level(file["levels"][n]) for n in sorted(file["levels"], key=int)]
        shown = [file["levels"][str(n)]["representation"][()] for n in range(len(levels))]
        steps = [file["levels"][str(n)]["step"][()] for n in range(len(levels))]
        ends = {n: (file[f"levels/{n}/layers/0/weights"][()],
                    {name: values[()] for name, values in file[f"levels/{n}/top_down"].items() if name == "weights"}
                    if f"levels/{n}/top_down" in file else {}) for n in range(len(levels))}
        memory = {n: (file[f"levels/{n}/top_down/memory/m"][()], file[f"levels/{n}/top_down/memory/M"][()])
                  for n in range(len(levels)) if f"levels/{n}/top_down/memory/m" in file}
        length = case.get("trials", len(x))
        until, cosine = case.get("freeze_after", 10**9), case.get("cosine_to")
        stretch = -(-cosine // 64) if cosine else 1
        found = []
        for epoch in range(case.get("epochs", 1)):
            found = [[] for _ in levels]
            for t in range(len(x)):
                if t % length == 0:
                    for one in levels:
                        one.begin()
                    sent = {n: [np.zeros(len(levels[source].w))] * int(levels[n].keys["delay"])
                            for n, source in senders(levels).items()}
                now = epoch * len(x) + t
                factor = 1.0 if not cosine else 0.5 * (1 + np.cos(np.pi * (now // stretch * stretch) / cosine))
                learn = now < until and (not cosine or now < cosine)
                targets = dict(zip(NAMES[CHANNELS:], rows[t, CHANNELS:]))
                below = x[t]
                for n, one in enumerate(levels):
                    one.step(t % length, below, sent[n][0] if n in sent else None, targets, learn, factor)
                    below = one.plain
                    if t % length % one.r == 0:
                        found[n].append(one.shown)
                for n, source in senders(levels).items():  # heard from the next step on
                    if t % length % levels[source].r == 0:
                        sent[n] = sent[n][1:] + [levels[source].shown]
    worst = 0.0

    def compare(mine, stored):
        nonlocal worst
        assert mine.shape == stored.shape, (mine.shape, stored.shape)
        worst = max(worst, float(np.abs(mine - stored).max() / max(1e-300, np.abs(stored).max())))

    for n, one in enumerate(levels):
        assert len(steps[n]) == len(found[n])
        compare(np.array(found[n]), shown[n])
        compare(one.w, ends[n][0])
        if one.above is not None:
            compare(one.v, ends[n][1]["weights"])
        if n in memory:
            compare(one.m, memory[n][0])
            compare(one.most, memory[n][1])
    return worst


def text_of(case):
    learning = "".join([f"  freeze_after: {case['freeze_after']}\n" if "freeze_after" in case else "",
                        f"  schedule: {{cosine_to: {case['cosine_to']}}}\n" if "cosine_to" in case else ""])
    return EXPERIMENT.format(trials=f"  trials: {{length: {case['trials']}}}" if "trials" in case else "",
                             executor=case.get("executor", "chunkwise"), epochs=case.get("epochs", 1), learning=learning,
                             levels="".join(case["levels"]))


def fault_of(path, case):
    error = recompute(path, case)
    return "" if error < 1e-10 else f"differs by {error:.1e}"


sys.exit(1 if by_gaia.recompute(gaia, work, CASES, text_of, fault_of) else 0)
