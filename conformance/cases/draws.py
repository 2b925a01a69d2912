# SPDX-License-Identifier: MIT
"""Random numbers: a number for each neuron and tick, which follows from a seed and from nothing that was
drawn before.

The generator is Philox4x32-10 of Salmon, Moraes, Dror & Shaw (2011, Parallel random numbers: as easy as 1,
2, 3, SC'11), written from the paper.  Which number a neuron gets is said in docs/rules.md, "Random numbers".
The numbers are in the file too (/NAME/draw/CALL), for simulators with a generator of their own.
"""
import math

from .case import case, drives

WORD = 2**32 - 1
LAYER = "levels/0/layers/0/weights"


def philox(counter, key):
    """Four words of 32 bits from a counter of four and a key of two."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & WORD, (a >> 32) ^ c[3] ^ k[1], a & WORD]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return c


# The answers to zeros, to ones and to the digits of pi that the authors give (Random123, kat_vectors).
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([WORD] * 4, [WORD] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
assert philox([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0]) == [
    0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


def block(key, stream, index):
    """Block `index` of one of a key's streams."""
    return philox([index & WORD, index >> 32, stream & WORD, stream >> 32], [key & WORD, key >> 32])


def fnv1a(text):
    """Fowler, Noll & Vo's hash of 64 bits."""
    value = 0xCBF29CE484222325
    for each in text.encode():
        value = ((value ^ each) * 0x100000001B3) % 2**64
    return value


def words(c, call, t, i, stream=0):
    """The block of neuron i at tick t, for the call-th draw of the text."""
    layer = fnv1a(f"draws/{fnv1a(LAYER)}")
    a, b, d, e = block(c.seed, layer, (call << 32) + stream)
    return block(a + (b << 32), (d + (e << 32) + t) % 2**64, i // 2)


def bits53(high, low):
    return ((high >> 5) << 26) + (low >> 6)


def uniforms(c, call, t):
    """The numbers of all neurons."""
    drawn = []
    for i in range(c.n_out):
        w = words(c, call, t, i)
        drawn.append(bits53(*w[2 * (i % 2):2 * (i % 2) + 2]) / 2**53)
    return c.drew(call, t, drawn)


def normals(c, call, t):
    """The same, standard normal (Box & Muller 1958, Ann. Math. Stat. 29, 610)."""
    drawn = []
    for i in range(c.n_out):
        w = words(c, call, t, i)
        radius = math.sqrt(-2 * math.log((bits53(w[0], w[1]) + 1) / 2**53))
        angle = 2 * math.pi * (bits53(w[2], w[3]) / 2**53)
        drawn.append(radius * (math.sin(angle) if i % 2 else math.cos(angle)))
    return c.drew(call, t, drawn)


def sigmoid(a):
    return 1 / (1 + math.exp(-a)) if a >= 0 else math.exp(a) / (1 + math.exp(a))


@case("""
    p = sigmoid(z)
    y = uniform() < p
    other = uniform()
    dw = rate*(y*x - p*w) + 0.01*other
    """, parameters={"rate": 0.05}, ticks=24, n_in=4, n_out=5)
def uniform_numbers(c):
    """Neurons fire by chance. The two calls are draws of their own."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        p = [sigmoid(z) for z in drives(w, x[t])]
        first, other = uniforms(c, 0, t), uniforms(c, 1, t)
        y = [1.0 if c.above(p[i], first[i]) else 0.0 for i in range(c.n_out)]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * (y[i] * x[t][j] - p[i] * w[i][j]) + 0.01 * other[i]
        c.tick(t, y, w, memory={"p": p, "other": other})


@case("""
    v = 0.8*v + z + 0.3*normal()
    y = tanh(v)
    chosen = softmax(2*normal())
    dw = rate*chosen*y*(x - y*w)
    """, parameters={"rate": 0.1}, ticks=24, n_in=4, n_out=5)
def normal_numbers(c):
    """A membrane has noise, and neurons learn by chance.  In the second trial the draws go on, and so
    do those of v once nothing learns."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    starts, last = c.trials([0, 7, 15]), c.learns_until(21)
    v, chosen = [0.0] * c.n_out, [0.0] * c.n_out
    for t in range(c.ticks):
        if t in starts:
            v, chosen = [0.0] * c.n_out, [0.0] * c.n_out
        z, noise, pull = drives(w, x[t]), normals(c, 0, t), normals(c, 1, t)
        v = [0.8 * v[i] + z[i] + 0.3 * noise[i] for i in range(c.n_out)]
        y = [math.tanh(each) for each in v]
        if t < last:
            power = [math.exp(2 * each) for each in pull]
            total = 0.0
            for each in power:
                total += each
            chosen = [each / total for each in power]
            for i in range(c.n_out):
                for j in range(c.n_in):
                    w[i][j] += rate * chosen[i] * y[i] * (x[t][j] - y[i] * w[i][j])
        c.tick(t, y, w, memory={"v": v, "chosen": chosen})


def membrane(c, v, z):
    return [c.parameters["leak"] * v[i] + z[i] for i in range(c.n_out)]


def instar(c, w, x, y):
    for i in range(c.n_out):
        for j in range(c.n_in):
            w[i][j] += c.parameters["rate"] * y[i] * (x[j] - w[i][j])


@case("""
    v = leak*v + z + noise*normal()
    y = v > threshold
    v = v*(1 - y)
    dw = rate*y*(x - w)
    """, "Gerstner & Kistler 2002, Spiking Neuron Models, 5.5", "instar",
      {"leak": 0.8, "threshold": 0.5, "noise": 0.4, "rate": 0.1}, neuron="lif_noisy")
def lif_noisy(c):
    """The potential gets a normal number at each tick, of one deviation whatever the leak."""
    x, w = c.spikes(0.5), c.weights(-0.25, 1)
    v = [0.0] * c.n_out
    for t in range(c.ticks):
        noise, v = normals(c, 0, t), membrane(c, v, drives(w, x[t]))
        v = [v[i] + c.parameters["noise"] * noise[i] for i in range(c.n_out)]
        y = [float(c.above(each, c.parameters["threshold"])) for each in v]
        v = [0.0 if y[i] else v[i] for i in range(c.n_out)]
        instar(c, w, x[t], y)
        c.tick(t, y, w, memory={"v": v})


@case("""
    v = leak*v + z
    y = uniform() < 1 - exp(-exp((v - threshold)/width))
    v = v*(1 - y)
    dw = rate*y*(x - w)
    """, "Gerstner & Kistler 2002, Spiking Neuron Models, 5.3", "instar",
      {"leak": 0.8, "threshold": 0.5, "width": 0.3, "rate": 0.1}, neuron="lif_escape")
def lif_escape(c):
    """A spike comes with the probability 1 - exp(-rho), rho = exp((u - theta) / Delta) in a tick; what comes first
    in a tick, the leak or the drive, is the same as in lif."""
    x, w = c.spikes(0.5), c.weights(-0.25, 1)
    v = [0.0] * c.n_out
    for t in range(c.ticks):
        drawn, v = uniforms(c, 0, t), membrane(c, v, drives(w, x[t]))
        p = [1 - math.exp(-math.exp((each - c.parameters["threshold"]) / c.parameters["width"])) for each in v]
        y = [float(c.above(p[i], drawn[i])) for i in range(c.n_out)]
        v = [0.0 if y[i] else v[i] for i in range(c.n_out)]
        instar(c, w, x[t], y)
        c.tick(t, y, w, memory={"v": v})


@case("""
    y = uniform() < sigmoid(z/heat)
    dw = rate*y*(x - w)
    """, "Ackley, Hinton & Sejnowski 1985, Cogn. Sci. 9, 147", "instar", {"heat": 0.5, "rate": 0.1}, neuron="bernoulli")
def bernoulli(c):
    """s_k is 1 with the probability 1 / (1 + exp(-Delta E_k / T)); Delta E_k is the drive here, T is heat."""
    x, w = c.inputs(), c.weights()
    for t in range(c.ticks):
        drawn = uniforms(c, 0, t)
        p = [sigmoid(z / c.parameters["heat"]) for z in drives(w, x[t])]
        y = [float(c.above(p[i], drawn[i])) for i in range(c.n_out)]
        instar(c, w, x[t], y)
        c.tick(t, y, w)


@case("""
    y = z + noise*normal()
    dw = rate*y*(x - y*w)
    """, "Oja 1982, J. Math. Biol. 15, 267, of a neuron with noise", "oja", {"noise": 0.3, "rate": 0.05}, neuron="noisy")
def noisy_oja(c):
    """Oja's rule reads answers with noise."""
    x, w, rate = c.inputs(), c.weights(), c.parameters["rate"]
    for t in range(c.ticks):
        drawn = normals(c, 0, t)
        y = [z + c.parameters["noise"] * drawn[i] for i, z in enumerate(drives(w, x[t]))]
        for i in range(c.n_out):
            for j in range(c.n_in):
                w[i][j] += rate * y[i] * (x[t][j] - y[i] * w[i][j])
        c.tick(t, y, w)
