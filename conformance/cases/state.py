# SPDX-License-Identifier: MIT
"""What is carried from tick to tick: memories, traces, eligibility; trials, not learning, streams."""
import math

from .case import case, decayed, dot, drives

SMALL = {"ticks": 12, "n_in": 3}
RATE = {"rate": 0.05}


@case("""
    before = m
    m = m + (y - m)/tau
    after = m
    dw = rate*(before + 2*after)*x
    """, parameters={"rate": 0.05, "tau": 3}, memory={"m": 0.5}, **SMALL)
def memory_above_and_below(c):
    """Above its line a memory is last tick's, below it the new one."""
    x, w = c.inputs(), c.weights()
    rate, tau = c.parameters["rate"], c.parameters["tau"]
    m = [0.5] * 4
    for t in range(c.ticks):
        y = drives(w, x[t])
        before = list(m)
        for i in range(4):
            m[i] += (y[i] - m[i]) / tau
            for j in range(3):
                w[i][j] += rate * (before[i] + 2 * m[i]) * x[t][j]
        c.tick(t, y, w, memory={"before": before, "m": m, "after": m})


@case("""
    dw = rate*(last_z - 0.5*z_before_last)*x
    z_before_last = last_z
    last_z = z
    """, parameters=RATE, memory={"last_z": -1, "z_before_last": 2}, **SMALL)
def memory_of_two_ticks(c):
    """dw stands first and reads what the lines below it left last tick."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    one, two = [-1.0] * 4, [2.0] * 4
    for t in range(c.ticks):
        z = drives(w, x[t])
        for i in range(4):
            for j in range(3):
                w[i][j] += rate * (one[i] - 0.5 * two[i]) * x[t][j]
        two, one = one, list(z)
        c.tick(t, z, w, memory={"last_z": one, "z_before_last": two})


@case("""
    m = m/2
    low = m
    m = m + z
    high = m
    m = -m
    dw = rate*(low + high - m)*x
    """, parameters=RATE, **SMALL)
def memory_assigned_thrice(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    m = [0.0] * 4
    for t in range(c.ticks):
        z = drives(w, x[t])
        low = [a / 2 for a in m]
        high = [low[i] + z[i] for i in range(4)]
        m = [-a for a in high]
        for i in range(4):
            for j in range(3):
                w[i][j] += rate * (low[i] + high[i] - m[i]) * x[t][j]
        c.tick(t, z, w, memory={"low": low, "high": high, "m": m})


@case("""
    first = y
    y = first + 0.5*kept
    kept = y
    y = tanh(y) + 0.1
    dw = rate*(first + y)*x
    """, parameters=RATE, **SMALL)
def answer_assigned_twice(c):
    """y above its first line is f(z) of this tick, never last tick's answer; what is shown is the last."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    kept = [0.0] * 4
    for t in range(c.ticks):
        first = drives(w, x[t])
        kept = [first[i] + 0.5 * kept[i] for i in range(4)]
        y = [math.tanh(a) + 0.1 for a in kept]
        for i in range(4):
            for j in range(3):
                w[i][j] += rate * (first[i] + y[i]) * x[t][j]
        c.tick(t, y, w, memory={"first": first, "kept": kept})


@case("""
    dw = rate*y*x
    y = 2*y
    """, parameters=RATE, **SMALL)
def answer_below_change(c):
    """dw reads f(z), since y is assigned below it."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        z = drives(w, x[t])
        for i in range(4):
            for j in range(3):
                w[i][j] += rate * z[i] * x[t][j]
        c.tick(t, [2 * a for a in z], w)


@case("""
    busy = 0.9*busy + mean(abs(z))
    gain = 1/(1 + busy)
    y = gain*z
    dw = rate*y*x
    """, parameters=RATE, **SMALL)
def memory_of_the_layer(c):
    """A number of the layer that is assigned to a memory is repeated for every neuron."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    busy = 0.0
    for t in range(c.ticks):
        z = drives(w, x[t])
        busy = 0.9 * busy + (abs(z[0]) + abs(z[1]) + abs(z[2]) + abs(z[3])) / 4
        y = [a / (1 + busy) for a in z]
        for i in range(4):
            for j in range(3):
                w[i][j] += rate * y[i] * x[t][j]
        c.tick(t, y, w, memory={"busy": [busy] * 4, "gain": [1 / (1 + busy)] * 4})


@case("dw = rate*y*(fast - 0.2*slow)", parameters={"rate": 0.05, "tau": 2.5},
      traces={"fast": "tau", "slow": 20}, ticks=40)
def traces_two(c):
    """The traces are filters of the input, one with its time constant from a parameter; both count this tick's
    input."""
    x, w = c.inputs(), c.weights()
    rate, tau = c.parameters["rate"], c.parameters["tau"]
    fast, slow = [0.0] * 5, [0.0] * 5
    for t in range(c.ticks):
        for j in range(5):
            fast[j] = math.exp(-1 / tau) * fast[j] + x[t][j]
            slow[j] = math.exp(-1 / 20) * slow[j] + x[t][j]
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                w[i][j] += rate * y[i] * (fast[j] - 0.2 * slow[j])
        c.tick(t, y, w, traces={"fast": fast, "slow": slow})


@case("dw = rate*y*(short - w) + rate*long*long*w", parameters={"rate": 0.002},
      traces={"short": 0.3, "long": 1000}, ticks=40)
def traces_short_and_long(c):
    """There are time constants far below and far above a tick, and a product of vectors."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    short, long = [0.0] * 5, [0.0] * 5
    for t in range(c.ticks):
        short, long = decayed(short, 0.3, x[t]), decayed(long, 1000, x[t])
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                w[i][j] += rate * y[i] * (short[j] - w[i][j]) + rate * long[j] * long[j] * w[i][j]
        c.tick(t, y, w, traces={"short": short, "long": long})


@case("""
    dw = rate*reward*e
    de = y*x - e/tau
    """, parameters={"rate": 0.05, "tau": 4}, ticks=40)
def eligibility_read_above(c):
    """Above the line of de, e is last tick's."""
    x, w, reward = c.inputs(), c.weights(), c.signal("reward")
    rate, tau = c.parameters["rate"], c.parameters["tau"]
    e = [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                w[i][j] += rate * reward[t] * e[i][j]
                e[i][j] += y[i] * x[t][j] - e[i][j] / tau
        c.tick(t, y, w, e=e)


@case("""
    de = y*x - e/tau
    dw = rate*(y - 0.1)*e - 0.01*w
    """, parameters={"rate": 0.05, "tau": 4}, ticks=40)
def eligibility_read_below(c):
    """Below the line of de, e is the new one."""
    x, w = c.inputs(), c.weights()
    rate, tau = c.parameters["rate"], c.parameters["tau"]
    e = [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                e[i][j] += y[i] * x[t][j] - e[i][j] / tau
                w[i][j] += rate * (y[i] - 0.1) * e[i][j] - 0.01 * w[i][j]
        c.tick(t, y, w, e=e)


@case("""
    de = 0.5*w + y*pre - 0.3*e + 0.1
    dw = rate*reward*e
    """, parameters=RATE, traces={"pre": 3}, ticks=40)
def eligibility_of_weights(c):
    """The eligibility reads weights, a trace and 1."""
    x, w, reward, rate = c.inputs(), c.weights(), c.neuron_signal("reward"), c.parameters["rate"]
    pre, e = [0.0] * 5, [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        pre = decayed(pre, 3, x[t])
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                e[i][j] += 0.5 * w[i][j] + y[i] * pre[j] - 0.3 * e[i][j] + 0.1
                w[i][j] += rate * reward[t][i] * e[i][j]
        c.tick(t, y, w, traces={"pre": pre}, e=e)


@case("""
    de = x*w - 0.2*e^2*sign(e) - e/2
    dw = -rate*tanh(e)*x
    """, parameters=RATE, ticks=40)
def eligibility_weight_by_weight(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    e = [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                e[i][j] += x[t][j] * w[i][j] - 0.2 * e[i][j] * abs(e[i][j]) - e[i][j] / 2
                w[i][j] -= rate * math.tanh(e[i][j]) * x[t][j]
        c.tick(t, y, w, e=e)


@case("dw = rate*(gain*y + bias)*x", parameters=RATE, **SMALL)
def signals_of_layer_and_neurons(c):
    x, w, gain, bias, rate = c.inputs(), c.weights(), c.signal("gain"), c.neuron_signal("bias"), c.parameters["rate"]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(3):
                w[i][j] += rate * (gain[t] * y[i] + bias[t][i]) * x[t][j]
        c.tick(t, y, w)


@case("""
    y = truth
    seen = seen + truth
    dw = rate*truth*(x - w)
    """, parameters={"rate": 0.2}, kept_ticks=[5, 10, 20], ticks=20, n_in=3)
def signals_of_labels(c):
    """1 for the neuron whose number the class has, 0 for all where there is none."""
    x, w, truth, rate = c.inputs(), c.weights(), c.labels("truth", missing=0.25), c.parameters["rate"]
    seen = [0.0] * 4
    for t in range(c.ticks):
        y = [0.0] * 4
        if truth[t] >= 0:
            y[truth[t]] = 1.0
            seen[truth[t]] += 1
            for j in range(3):
                w[truth[t]][j] += rate * (x[t][j] - w[truth[t]][j])
        c.tick(t, y, w, memory={"seen": seen})


@case("""
    when = t
    dw = rate/(1 + t)*y*x
    """, parameters={"rate": 0.2}, ticks=20, n_in=3)
def tick_index(c):
    """t is the index of the tick in its trial, from 0."""
    x, w, rate, starts = c.inputs(), c.weights(), c.parameters["rate"], c.trials([0, 7, 12])
    when = 0
    for t in range(c.ticks):
        when = 0 if t in starts else when + 1
        y = drives(w, x[t])
        for i in range(4):
            for j in range(3):
                w[i][j] += rate / (1 + when) * y[i] * x[t][j]
        c.tick(t, y, w, memory={"when": [float(when)] * 4})


@case("""
    m = m + (y - m)/5
    de = m*pre - e/6
    dw = rate*e
    """, parameters=RATE, memory={"m": 0.5}, traces={"pre": 4}, kept_ticks=[1, 10, 13, 25, 26, 40])
def trials_begin_anew(c):
    """Where a trial begins, traces and eligibility are 0 and memories what they began with; weights go on."""
    x, w, rate, starts = c.inputs(), c.weights(), c.parameters["rate"], c.trials([0, 12, 25])
    m, pre, e = [0.5] * 4, [0.0] * 5, [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        if t in starts:
            m, pre, e = [0.5] * 4, [0.0] * 5, [[0.0] * 5 for _ in range(4)]
        pre = decayed(pre, 4, x[t])
        y = drives(w, x[t])
        for i in range(4):
            m[i] += (y[i] - m[i]) / 5
            for j in range(5):
                e[i][j] += m[i] * pre[j] - e[i][j] / 6
                w[i][j] += rate * e[i][j]
        c.tick(t, y, w, memory={"m": m}, traces={"pre": pre}, e=e)


@case("""
    m = m + (y - m)/5
    de = m*pre - e/6
    dw = rate*e
    """, parameters=RATE, memory={"m": 0.5}, traces={"pre": 4}, memory_across_trials=True,
      kept_ticks=[1, 10, 13, 25, 26, 40])
def trials_memory_goes_on(c):
    """The same with memories that go on across trials; traces and eligibility do not."""
    x, w, rate, starts = c.inputs(), c.weights(), c.parameters["rate"], c.trials([0, 12, 25])
    m, pre, e = [0.5] * 4, [0.0] * 5, [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        if t in starts:
            pre, e = [0.0] * 5, [[0.0] * 5 for _ in range(4)]
        pre = decayed(pre, 4, x[t])
        y = drives(w, x[t])
        for i in range(4):
            m[i] += (y[i] - m[i]) / 5
            for j in range(5):
                e[i][j] += m[i] * pre[j] - e[i][j] / 6
                w[i][j] += rate * e[i][j]
        c.tick(t, y, w, memory={"m": m}, traces={"pre": pre}, e=e)


@case("""
    v = 0.5*v + z + 0.25*deep
    deep = 0.9*deep + learning
    y = v + learning
    beside = beside + y
    late = y
    dw = rate*y*(pre - w)
    """, parameters=RATE, traces={"pre": 4}, kept_ticks=[1, 20, 21, 30, 40])
def not_learning(c):
    """From tick 20 on nothing learns: the trace goes on, and so do v, of which y is made, and deep, of
    which v is made.  beside and late stay as they were, though late is the answer itself."""
    x, w, rate, until = c.inputs(), c.weights(), c.parameters["rate"], c.learns_until(20)
    v, deep, beside, late, pre = [0.0] * 4, [0.0] * 4, [0.0] * 4, [0.0] * 4, [0.0] * 5
    for t in range(c.ticks):
        learning = 1 if t < until else 0
        pre = decayed(pre, 4, x[t])
        z = drives(w, x[t])
        y = [0.0] * 4
        for i in range(4):
            v[i] = 0.5 * v[i] + z[i] + 0.25 * deep[i]
            deep[i] = 0.9 * deep[i] + learning
            y[i] = v[i] + learning
            if learning:
                beside[i] += y[i]
                late[i] = y[i]
                for j in range(5):
                    w[i][j] += rate * y[i] * (pre[j] - w[i][j])
        c.tick(t, y, w, memory={"v": v, "deep": deep, "beside": beside, "late": late}, traces={"pre": pre})


@case("""
    m = m + (y - m)/5
    de = y*x - e/6
    dw = rate*m*e
    """, parameters=RATE, kept_ticks=[1, 15, 16, 40], bounds=(-0.3, 0.3))
def not_learning_eligibility(c):
    """Eligibility and memories stay, and nothing holds weights that do not learn."""
    x, w, rate, until = c.inputs(), c.weights(), c.parameters["rate"], c.learns_until(15)
    m, e = [0.0] * 4, [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            if t < until:
                m[i] += (y[i] - m[i]) / 5
                for j in range(5):
                    e[i][j] += y[i] * x[t][j] - e[i][j] / 6
                    w[i][j] = min(0.3, max(-0.3, w[i][j] + rate * m[i] * e[i][j]))
        c.tick(t, y, w, memory={"m": m}, e=e)


@case("""
    m = m + y
    dw = rate*y*x
    """, parameters=RATE, memory={"m": 0.25}, traces={}, ticks=12, n_in=3, bounds=(-0.1, 0.1), kept_ticks=[1, 12])
def never_learning(c):
    """Not a single tick learns: weights beyond their bounds are not cut, and the memory, which y does not
    read, stays as it began."""
    x, w = c.inputs(), c.weights()
    c.learns_until(0)
    for t in range(c.ticks):
        c.tick(t, drives(w, x[t]), w, memory={"m": [0.25] * 4})


@case("""
    m = 0.8*m + z
    y = tanh(m)
    """, ticks=12, n_in=3)
def no_change(c):
    """Without dw weights stay and memories go on."""
    x, w = c.inputs(), c.weights()
    m = [0.0] * 4
    for t in range(c.ticks):
        z = drives(w, x[t])
        m = [0.8 * m[i] + z[i] for i in range(4)]
        c.tick(t, [math.tanh(a) for a in m], w, memory={"m": m})


@case("""
    y = winner(z)
    dw = y*(x - w)
    """, ticks=40)
def nothing_is_kept(c):
    """With a rate of 1 the weights of the winner become the sample."""
    x, w = c.inputs(), c.weights()
    for t in range(c.ticks):
        best = c.winner(drives(w, x[t]))
        w[best] = list(x[t])
        c.tick(t, [float(i == best) for i in range(4)], w)


@case("dw = -1.5*w + tanh(z)*x", ticks=40)
def sign_is_turned(c):
    """What is kept of the weights is negative, -0.5."""
    x, w = c.inputs(), c.weights()
    for t in range(c.ticks):
        z = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                w[i][j] += -1.5 * w[i][j] + math.tanh(z[i]) * x[t][j]
        c.tick(t, z, w)


@case("""
    de = y*x - e
    dw = rate*e
    """, parameters=RATE, ticks=40)
def eligibility_is_replaced(c):
    """With a time constant of 1 tick e is y x, and the rule is Hebb's."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    e = [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        y = drives(w, x[t])
        for i in range(4):
            for j in range(5):
                e[i][j] = y[i] * x[t][j]
                w[i][j] += rate * e[i][j]
        c.tick(t, y, w, e=e)


@case("""
    m = 0.5*m + y
    dw = rate*m*pre*w + rate*truth*(x - w) + 0.01*t
    """, parameters=RATE, traces={"pre": 4}, ticks=30, kept_ticks=[8, 12, 13, 22, 25, 30])
def weight_by_weight_in_trials(c):
    """Each weight changes by itself, with trials, labels and a trace, and nothing learns at the end."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    truth, starts, until = c.labels("truth", missing=0.2), c.trials([0, 12, 24]), c.learns_until(22)
    m, pre, when = [0.0] * 4, [0.0] * 5, 0
    for t in range(c.ticks):
        when = 0 if t in starts else when + 1
        if t in starts:
            m, pre = [0.0] * 4, [0.0] * 5
        pre = decayed(pre, 4, x[t])
        y = drives(w, x[t])
        for i in range(4):
            if t < until:
                m[i] = 0.5 * m[i] + y[i]
                right = 1.0 if truth[t] == i else 0.0
                for j in range(5):
                    w[i][j] += (rate * m[i] * pre[j] * w[i][j] + rate * right * (x[t][j] - w[i][j])
                                + 0.01 * when)
        c.tick(t, y, w, memory={"m": m}, traces={"pre": pre})


@case("""
    de = y*x - e/3
    dw = rate*(y*(x - back(y)) + e)
    """, parameters=RATE, ticks=30, kept_ticks=[1, 12, 13, 22, 25, 30])
def back_in_trials(c):
    """The rule has sums back and an eligibility, with trials, and does not learn at the end.  A trial that does not
    learn begins with an eligibility of 0 as well."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    starts, until = c.trials([0, 12, 24]), c.learns_until(22)
    e = [[0.0] * 5 for _ in range(4)]
    for t in range(c.ticks):
        if t in starts:
            e = [[0.0] * 5 for _ in range(4)]
        y = drives(w, x[t])
        if t < until:
            explained = []
            for j in range(5):
                explained.append(y[0] * w[0][j] + y[1] * w[1][j] + y[2] * w[2][j] + y[3] * w[3][j])
            for i in range(4):
                for j in range(5):
                    e[i][j] += y[i] * x[t][j] - e[i][j] / 3
                    w[i][j] += rate * (y[i] * (x[t][j] - explained[j]) + e[i][j])
        c.tick(t, y, w, e=e)


@case("""
    y = 2*z - ww
    dw = rate*(y*x - ww*w)
    """, parameters=RATE, kept_ticks=[1, 20, 21, 40])
def length_not_learning(c):
    """Weights that do not learn keep their length, which the answer goes on reading."""
    x, w, rate, until = c.inputs(), c.weights(), c.parameters["rate"], c.learns_until(20)
    for t in range(c.ticks):
        z, long = drives(w, x[t]), [dot(row, row) for row in w]
        y = [2 * z[i] - long[i] for i in range(4)]
        for i in range(4):
            for j in range(5):
                if t < until:
                    w[i][j] += rate * (y[i] * x[t][j] - long[i] * w[i][j])
        c.tick(t, y, w)


@case("dw = rate*(y*pre - ww*w) + 0.01*ww", parameters=RATE, traces={"pre": 4})
def length_with_trace(c):
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    pre = [0.0] * 5
    for t in range(c.ticks):
        pre = decayed(pre, 4, x[t])
        y, long = drives(w, x[t]), [dot(row, row) for row in w]
        for i in range(4):
            for j in range(5):
                w[i][j] += rate * (y[i] * pre[j] - long[i] * w[i][j]) + 0.01 * long[i]
        c.tick(t, y, w, traces={"pre": pre})


# ---------------------------------------------------------------------- streams

@case("dw = rate*y*(x - y*w)", parameters={"rate": 0.1}, streams=3, ticks=20, n_in=3)
def streams_share_weights(c):
    """Three series run side by side: all see the same weights, which change by the mean of the three dw."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = [drives(w, x[s][t]) for s in range(3)]
        for i in range(4):
            for j in range(3):
                total = 0.0
                for s in range(3):
                    total += rate * y[s][i] * (x[s][t][j] - y[s][i] * w[i][j])
                w[i][j] += total / 3
        c.tick(t, y, w)


@case("""
    m = m + (y - m)/5
    de = m*pre - e/6
    dw = rate*e
    """, parameters=RATE, memory={"m": 0.5}, traces={"pre": 4}, streams=2, ticks=20, n_in=3)
def streams_keep_memories(c):
    """Memories, traces and eligibility are each stream's own."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    m, pre = [[0.5] * 4 for _ in range(2)], [[0.0] * 3 for _ in range(2)]
    e = [[[0.0] * 3 for _ in range(4)] for _ in range(2)]
    for t in range(c.ticks):
        y = []
        for s in range(2):
            pre[s] = decayed(pre[s], 4, x[s][t])
            y.append(drives(w, x[s][t]))
            for i in range(4):
                m[s][i] += (y[s][i] - m[s][i]) / 5
                for j in range(3):
                    e[s][i][j] += m[s][i] * pre[s][j] - e[s][i][j] / 6
        for i in range(4):
            for j in range(3):
                w[i][j] += rate * (e[0][i][j] + e[1][i][j]) / 2
        c.tick(t, y, w, memory={"m": m}, traces={"pre": pre}, e=e)


@case("dw = rate*y*x", parameters=RATE, streams=2, ticks=20, n_in=3, homeostasis=(0.25, 0.1))
def streams_homeostasis(c):
    """Homeostasis goes by the mean of the streams' answers."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = [drives(w, x[s][t]) for s in range(2)]
        for i in range(4):
            factor = math.exp(0.1 * (0.25 - (y[0][i] + y[1][i]) / 2))
            for j in range(3):
                change = (rate * y[0][i] * x[0][t][j] + rate * y[1][i] * x[1][t][j]) / 2
                w[i][j] = (w[i][j] + change) * factor
        c.tick(t, y, w)


@case("""
    long = ww
    dw = rate*(y*x - ww*w)
    """, parameters={"rate": 0.2}, streams=2, ticks=20, n_in=3)
def streams_share_lengths(c):
    """Both streams see the same weights, and so the same ww."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        y = [drives(w, x[s][t]) for s in range(2)]
        long = [dot(row, row) for row in w]
        for i in range(4):
            for j in range(3):
                w[i][j] += rate * ((y[0][i] * x[0][t][j] + y[1][i] * x[1][t][j]) / 2 - long[i] * w[i][j])
        c.tick(t, y, w, memory={"long": [long, long]})
