# SPDX-License-Identifier: MIT
"""These are the rules as people write them with NumPy.

Each is one function, which computes all weights of a tick at once. Compared with the loops of cases/ they are a second
form of the same equations, and an example of an adapter.
A rule takes what a tick offers (its `Tick`) and returns the answers and what the weights change by.
"""
import numpy as np

LIBRARY = "NumPy by hand"
PACKAGES = ("numpy",)
DTYPE = "float64"


class Tick:
    """What a rule sees at one tick: w, x, z = w x, numbers p, traces, and memories that it may set."""

    def __init__(self, case):
        self.w = case.weights_initial.copy()
        self.p = case.parameters
        self.tau = {name: self.p[tau] if isinstance(tau, str) else tau for name, tau in case.traces.items()}
        self.begin(case)

    def begin(self, case):
        outputs, inputs = self.w.shape
        self.memory = {name[7:]: np.full(outputs, case.memory.get(name[7:], 0.0))
                       for name in case.expected if name.startswith("memory/")}
        self.trace = {name: np.zeros(inputs) for name in case.traces}
        self.e = np.zeros_like(self.w)


RULES = {}


def rule(*names):
    def enter(function):
        RULES.update({name: function for name in names})
        return function
    return enter


def softmax(a):
    power = np.exp(a - a.max())
    return power / power.sum()


def rank(a):
    return np.argsort(np.argsort(-a, kind="stable"), kind="stable")


def fall(tau):
    return np.exp(-1 / tau)


# -------------------------------------------------------------------------------------- correlation

@rule("hebbian")
def hebbian(k):
    return k.z, k.p["rate"] * np.outer(k.z, k.x)


@rule("hebbian_decay", "l2")
def hebbian_decay(k):
    return k.z, k.p["rate"] * np.outer(k.z, k.x) - k.p["decay"] * k.w


@rule("bounds", "l2_zero_row", "max_norm", "all_limits")
def hebbian_with_limits(k):
    return hebbian(k)


@rule("anti_hebbian")
def anti_hebbian(k):
    return k.z, -k.p["rate"] * np.outer(k.z, k.x)


@rule("oja", "homeostasis")
def oja(k):
    return k.z, k.p["rate"] * (np.outer(k.z, k.x) - (k.z**2)[:, None] * k.w)


@rule("anti_oja")
def anti_oja(k):
    return k.z, -oja(k)[1]


@rule("bcm")
def bcm(k):
    theta = k.memory["theta"]
    dw = k.p["rate"] * np.outer(k.z * (k.z - theta), k.x)
    k.memory["theta"] = theta + (k.z**2 - theta) / k.p["tau"]
    return k.z, dw


@rule("law_cooper")
def law_cooper(k):
    theta = k.memory["theta"]
    dw = k.p["rate"] * np.outer(k.z * (k.z - theta) / theta, k.x)
    k.memory["theta"] = theta + (k.z**2 - theta) / k.p["tau"]
    return k.z, dw


@rule("covariance")
def covariance(k):
    k.memory["y_mean"] = k.memory["y_mean"] + (k.z - k.memory["y_mean"]) / k.p["tau"]
    x_mean = (1 - fall(k.p["tau_x"])) * k.trace["x_sum"]
    return k.z, k.p["rate"] * np.outer(k.z - k.memory["y_mean"], k.x - x_mean)


@rule("abcd")
def abcd(k):
    y, p = np.tanh(k.z), k.p
    return y, p["rate"] * (p["a"] * np.outer(y, k.x) + p["b"] * k.x + p["c"] * y[:, None] + p["d"])


@rule("intrinsic_plasticity")
def intrinsic_plasticity(k):
    a, b, p = k.memory["gain"], k.memory["shift"], k.p
    y = np.tanh(a * k.z + b)
    db = -p["rate"] * (-p["mu"] + y * (2 * p["sigma"]**2 + 1 - y**2 + p["mu"] * y)) / p["sigma"]**2
    k.memory["shift"] = b + db
    k.memory["gain"] = np.maximum(a + p["rate"] / a + db * k.z, 0.001)
    return y, np.zeros_like(k.w)


@rule("polynomial")
def polynomial(k):
    y, x, w, p = k.z[:, None], k.x, k.w, k.p
    of_w = p["k_w"] + p["k_yw"] * y + p["k_yyw"] * y**2 + (p["k_xw"] + p["k_xyw"] * y + p["k_xyyw"] * y**2) * x
    return k.z, p["rate"] * (p["k"] + p["k_y"] * y + p["k_yy"] * y**2
                             + (p["k_x"] + p["k_xy"] * y + p["k_xyy"] * y**2) * x + of_w * w)


@rule("foldiak_trace")
def foldiak_trace(k):
    k.memory["ybar"] = (1 - k.p["delta"]) * k.memory["ybar"] + k.p["delta"] * k.z
    return k.z, k.p["rate"] * k.memory["ybar"][:, None] * (k.x - k.w)


@rule("foldiak_trace_winner")
def foldiak_trace_winner(k):
    y = np.eye(len(k.z))[k.z.argmax()]
    k.memory["ybar"] = (1 - k.p["delta"]) * k.memory["ybar"] + k.p["delta"] * y
    return y, k.p["rate"] * k.memory["ybar"][:, None] * (k.x - k.w)


@rule("oja_subspace", "l2_with_back")
def oja_subspace(k):
    return k.z, k.p["rate"] * np.outer(k.z, k.x - k.z @ k.w)


@rule("sanger")
def sanger(k):
    return k.z, k.p["rate"] * (np.outer(k.z, k.x) - np.tril(np.outer(k.z, k.z)) @ k.w)


@rule("cayley_subspace")
def cayley_subspace(k):
    turn = np.outer(k.x, k.z @ k.w)
    turn = k.p["rate"] / 2 * (turn.T - turn)
    k.memory["s"] = np.full(len(k.z), k.z @ k.z)
    unit = np.eye(len(k.x))
    return k.z, k.w @ np.linalg.solve(unit - turn, unit + turn) - k.w


def own_rates(k):
    before = np.where(k.memory["energy"] > 0, k.memory["energy"], k.x @ k.x)
    k.memory["energy"] = k.p["beta"] * before + k.z**2
    return k.p["rate"] * k.z / np.where(k.memory["energy"] > 0, k.memory["energy"], 1)


@rule("oja_own_rate")
def oja_own_rate(k):
    return k.z, own_rates(k)[:, None] * (k.x - k.z[:, None] * k.w)


@rule("sanger_own_rate")
def sanger_own_rate(k):
    return k.z, own_rates(k)[:, None] * (k.x - np.tril(np.tile(k.z, (len(k.z), 1))) @ k.w)


@rule("hebbian_ltp_ltd")
def hebbian_ltp_ltd(k):
    product = np.outer(k.z, k.x)
    return k.z, k.p["rate"] * np.where(product > 0, k.p["ltp"], k.p["ltd"]) * product


# -------------------------------------------------------------------------------------- competition

@rule("competitive")
def competitive(k):
    y = np.eye(len(k.z))[k.z.argmax()]
    return y, k.p["rate"] * y[:, None] * (k.x - k.w)


def first(a):
    return np.eye(len(a))[a.argmax()]


def nearness(k):
    return -((k.x - k.w) ** 2).sum(axis=1)


def step_of(k, won, rate):
    return rate * won[:, None] * (k.x - k.w)


@rule("online_k_means")
def online_k_means(k):
    y = first(nearness(k))
    return y, step_of(k, y, k.p["rate"])


@rule("macqueen", "macqueen_forgets_its_start")
def macqueen(k):
    y = first(nearness(k))
    k.memory["wins"] = k.memory["wins"] + y
    return y, step_of(k, y, k.p["rate"] / k.memory["wins"][y.argmax()])


@rule("competitive_conscience")
def competitive_conscience(k):
    y = first(nearness(k))
    k.memory["p"] = k.memory["p"] + k.p["b"] * (y - k.memory["p"])
    k.memory["won"] = first(nearness(k) + k.p["c"] * (1 / len(y) - k.memory["p"]))
    return y, step_of(k, k.memory["won"], k.p["rate"])


@rule("nearest_with_fatigue")
def nearest_with_fatigue(k):
    k.memory["won"] = first(nearness(k) - k.memory["tired"])
    k.memory["tired"] = k.memory["tired"] + k.p["fatigue"] * (k.memory["won"] - 1 / len(k.z))
    return first(nearness(k)), step_of(k, k.memory["won"], k.p["rate"])


@rule("softhebb")
def softhebb(k):
    y = softmax(k.z / k.p["temperature"])
    return y, k.p["rate"] * (np.outer(y, k.x) - (y * k.z)[:, None] * k.w)


@rule("softhebb_signed")
def softhebb_signed(k):
    y = softmax(k.z / k.p["temperature"])
    g = -y
    g[k.z.argmax()] *= -1
    k.memory["g"] = g
    return y, k.p["rate"] * (np.outer(g, k.x) - (g * k.z)[:, None] * k.w)


@rule("krotov_hopfield", "krotov_hopfield_fourth")
def krotov_hopfield(k):
    order = np.argsort(-k.z)
    g = np.zeros_like(k.z)
    g[order[0]] = 1
    g[order[int(k.p["k"]) - 1]] = -k.p["delta"]
    k.memory["g"] = g
    return k.z, k.p["rate"] * (np.outer(g, k.x) - (g * k.z)[:, None] * k.w)


@rule("kwta_oja")
def kwta_oja(k):
    rectified = np.maximum(k.z, 0)
    y = np.where(rank(rectified) < k.p["winners"], rectified, 0)
    return y, k.p["rate"] * (np.outer(y, k.x) - (y**2)[:, None] * k.w)


# ------------------------------------------------------------------------------------------- spikes

def pair(k, y):
    k.memory["post"] = fall(k.p["tau_post"]) * k.memory["post"] + y
    return np.outer(y, k.trace["pre"]), np.outer(k.memory["post"], k.x)


@rule("stdp")
def stdp(k):
    y = k.signal["spike"]
    up, down = pair(k, y)
    return y, k.p["rate"] * (k.p["a_plus"] * up - k.p["a_minus"] * down)


@rule("stdp_bounds")
def stdp_bounds(k):
    y = (k.z > k.p["threshold"]).astype(float)
    up, down = pair(k, y)
    return y, k.p["rate"] * (k.p["a_plus"] * up - k.p["a_minus"] * down)


@rule("stdp_multiplicative")
def stdp_multiplicative(k):
    y = k.signal["spike"]
    up, down = pair(k, y)
    return y, k.p["rate"] * (k.p["a_plus"] * up - k.p["a_minus"] * down * k.w)


@rule("stdp_soft_bounds")
def stdp_soft_bounds(k):
    y = k.signal["spike"]
    up, down = pair(k, y)
    return y, k.p["rate"] * (k.p["a_plus"] * up * (1 - k.w) - k.p["a_minus"] * down * k.w)


@rule("triplet_stdp", "triplet_stdp_minimal_visual", "triplet_stdp_minimal_hippocampal")
def triplet_stdp(k):
    y, p = k.signal["spike"], k.p
    o1 = fall(p["tau_minus"]) * k.memory["o1"] + y
    o2_before = fall(p["tau_y"]) * k.memory["o2"]
    r2_before = k.trace["r2"] - k.x if "r2" in k.trace else 0.0
    dw = (np.outer(y * (p.get("a2_plus", 0.0) + p["a3_plus"] * o2_before), k.trace["r1"])
          - np.outer(o1, k.x * (p["a2_minus"] + p.get("a3_minus", 0.0) * r2_before)))
    k.memory["o1"], k.memory["o2"] = o1, o2_before + y
    return y, dw


@rule("reward_stdp")
def reward_stdp(k):
    y = k.signal["spike"]
    up, down = pair(k, y)
    k.e = (1 - 1 / k.p["tau_e"]) * k.e + k.p["a_plus"] * up - k.p["a_minus"] * down
    return y, k.p["rate"] * k.signal["reward"] * k.e


def membrane(k, threshold):
    v = k.p["leak"] * k.memory["v"] + k.z
    y = (v > threshold).astype(float)
    k.memory["v"] = np.where(y == 1, 0.0, v)
    return y


@rule("lif")
def lif(k):
    return membrane(k, k.p["threshold"]), np.zeros_like(k.w)


@rule("lif_learning")
def lif_learning(k):
    y = membrane(k, k.p["threshold"])
    return y, k.p["rate"] * y[:, None] * (k.x - k.w)


@rule("lif_refractory")
def lif_refractory(k):
    resting = k.memory["rest"] > 0
    v = np.where(resting, 0.0, k.p["leak"] * k.memory["v"] + k.z)
    y = (v > k.p["threshold"]).astype(float)
    k.memory["v"] = v * (1 - y)
    k.memory["rest"] = np.where(y == 1, k.p["refractory"], np.maximum(k.memory["rest"] - 1, 0))
    return y, k.p["rate"] * y[:, None] * (k.x - k.w)


@rule("lif_adaptive")
def lif_adaptive(k):
    y = membrane(k, k.p["threshold"] + k.memory["raised"])
    k.memory["raised"] = fall(k.p["tau_raised"]) * k.memory["raised"] + k.p["raise"] * y
    return y, k.p["rate"] * np.outer(y, k.trace["pre"] - k.p["offset"])


# ------------------------------------------------------------------------------------------ targets

def descent(k, y, target):
    return y, k.p["rate"] * np.outer(target - y, k.x)


@rule("delta", "delta_one_target")
def delta(k):
    return descent(k, k.z, k.signal["target"])


@rule("delta_labels")
def delta_labels(k):
    return descent(k, k.z, k.signal["target"])


@rule("perceptron")
def perceptron(k):
    return descent(k, (k.z > 0).astype(float), k.signal["target"])


@rule("logistic")
def logistic(k):
    return descent(k, 1 / (1 + np.exp(-k.z)), k.signal["target"])


@rule("softmax_regression")
def softmax_regression(k):
    return descent(k, softmax(k.z), k.signal["target"])


@rule("nlms")
def nlms(k):
    y, dw = descent(k, k.z, k.signal["target"])
    return y, dw / (k.p["epsilon"] + k.x @ k.x)


# ---------------------------------------------------------------------- several streams, one weight

BATCHES = ("streams_share_weights", "streams_keep_memories", "streams_homeostasis")


def run_streams(case):
    w, rate, streams = case.weights_initial.copy(), case.parameters["rate"], case.streams
    m = np.full((streams, len(w)), case.memory.get("m", 0.0))
    pre, e = np.zeros((streams, w.shape[1])), np.zeros((streams, *w.shape))
    y_all, kept = [], []
    for t in range(case.x.shape[1]):
        x = case.x[:, t]
        y = x @ w.T
        if case.name == "streams_keep_memories":
            pre = fall(case.traces["pre"]) * pre + x
            m = m + (y - m) / 5
            e = e + m[:, :, None] * pre[:, None, :] - e / 6
            w = w + rate * e.mean(axis=0)
        elif case.name == "streams_share_weights":
            w = w + rate * (y.T @ x - (y**2).sum(axis=0)[:, None] * w) / streams
        else:
            w = limited(case, w + rate * y.T @ x / streams, y.mean(axis=0))
        y_all.append(y)
        if t + 1 in case.ticks:
            kept.append({"weights": w, "memory/m": m, "trace/pre": pre, "eligibility": e})
    return {"y": np.array(y_all).swapaxes(0, 1)} | {
        name: np.array([now[name] for now in kept]) for name in case.expected if name != "y"}


# ------------------------------------------------------------------------------- the adapter's two

def can(case):
    return None if case.name in RULES or case.name in BATCHES else "not written with NumPy here"


def run(case, rule=None):
    """Runs the case; `rule` is a function in place of the one in RULES."""
    if case.streams:
        return run_streams(case)
    rule = rule or RULES[case.name]
    k, found, y_all = Tick(case), {}, []
    for t, x in enumerate(case.x):
        if t in case.trial_start:
            k.begin(case)
        k.x, k.z = x, k.w @ x
        for name in k.trace:
            k.trace[name] = fall(k.tau[name]) * k.trace[name] + x
        k.signal = {name: (np.arange(len(k.w)) == values[t]).astype(float) if of == "labels" else values[t]
                    for name, (of, values) in case.signals.items()}
        y, dw = rule(k)
        k.w = limited(case, k.w + dw, y)
        y_all.append(y)
        if t + 1 in case.ticks:
            now = {"weights": k.w, "eligibility": k.e}
            now.update({"memory/" + name: values for name, values in k.memory.items()})
            now.update({"trace/" + name: values for name, values in k.trace.items()})
            for name in case.expected:
                if name != "y":
                    found.setdefault(name, []).append(np.array(now[name]))
    return {"y": np.array(y_all)} | {name: np.array(values) for name, values in found.items()}


def limited(case, w, y):
    """Homeostasis, normalisation, bounds."""
    if case.homeostasis:
        target, strength = case.homeostasis
        w = w * np.exp(strength * (target - y))[:, None]
    length = np.linalg.norm(w, axis=1, keepdims=True)
    if case.normalization == "l2":
        w = w / np.where(length > 0, length, 1)
    elif case.normalization == "max_norm":
        w = w * np.minimum(1, case.bound / length)
    return np.clip(w, *case.bounds) if case.bounds else w
