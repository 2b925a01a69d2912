#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how fast a plastic `conv2d` layer learns, compared with the same in PyTorch: unfold, then products.

    python3 benchmarks/peers_conv2d.py [--threads 1] [--repeats 5]

Pictures one by one, each learnt from by the mean over its positions.  PyTorch does what the rule says by its fastest
functions: unfold, a product for the drives, the activity, and a product for the weights.  *Products* are these two
products alone, on patches that lie there already.  Prints the best of the repeats, milliseconds for each picture, and
gaia's speed as a share of the others'.  Needs torch.
"""
import argparse
import time

import gaia
import numpy as np
import torch

CASES = {  # height, width, channels, filters, kernel, padding
    "first layer, 28 x 28 x 1, 96 of 5 x 5": (28, 28, 1, 96, 5, 2),
    "second layer, 13 x 13 x 96, 384 of 3 x 3": (13, 13, 96, 384, 3, 1),
}
RATE = 1e-3
SOFTHEBB = "p = softmax(z)\ng = where(winner(z), p, -p)\ndw = rate*g*(x - z*w)"


def best(work, repeats):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def step(rule, patches, weights):
    """Moves weights [filters, k] by patches [positions, k] in place."""
    z = patches @ weights.T
    if rule == "softhebb":
        g = -torch.softmax(z, 1)
        winners = z.argmax(1, keepdim=True)
        g.scatter_(1, winners, -g.gather(1, winners))
    else:
        g = z
    share = RATE / len(patches)
    weights += share * (g.T @ patches) - share * (g * z).sum(0)[:, None] * weights


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--pictures", type=int, default=100)
    options = parser.parse_args()
    gaia.set_num_threads(options.threads)
    torch.set_num_threads(options.threads)
    draw = np.random.default_rng(1)
    print(f"{'':42} {'rule':9} {'gaia':>9} {'PyTorch':>9} {'products':>9}   gaia / PyTorch, products")
    for name, (height, width, channels, filters, kernel, padding) in CASES.items():
        pictures = draw.normal(size=(options.pictures, height, width, channels)).astype(np.float32)
        first = draw.normal(size=(filters, kernel * kernel * channels)).astype(np.float32) / kernel
        by_torch = torch.from_numpy(pictures).permute(0, 3, 1, 2).contiguous()
        unfolded = [torch.nn.functional.unfold(one[None], kernel, padding=padding)[0].T.contiguous() for one in by_torch]
        for rule in ("oja", "softhebb"):
            made = gaia.Rule(SOFTHEBB, rate=RATE) if rule == "softhebb" else "oja"
            rate = {} if rule == "softhebb" else {"learning_rate": RATE}
            layer = gaia.Hierarchy(gaia.PlasticConv2d(filters, kernel=kernel, padding=padding, update="mean", rule=made,
                                                      shape=[height, width, channels], **rate))
            rows = pictures.reshape(len(pictures), -1)
            layer.process(rows[:2])
            mine = best(lambda: layer.process(rows), options.repeats)
            weights = torch.from_numpy(first.copy())

            def learn():
                for one in by_torch:
                    step(rule, torch.nn.functional.unfold(one[None], kernel, padding=padding)[0].T, weights)

            def multiply():
                for patches in unfolded:
                    (patches @ weights.T).T @ patches

            theirs = best(learn, options.repeats)
            products = best(multiply, options.repeats)
            each = [1000 * seconds / len(pictures) for seconds in (mine, theirs, products)]
            print(f"{name:42} {rule:9} {each[0]:9.3f} {each[1]:9.3f} {each[2]:9.3f}   {theirs / mine:.2f}, "
                  f"{products / mine:.2f}")


if __name__ == "__main__":
    main()
