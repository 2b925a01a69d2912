# SPDX-License-Identifier: MIT
"""Rules by which neurons change how excitable they are: their weights stay."""
import math

from .case import case, drives


@case("""
    y = tanh(gain*z + shift)
    shift = shift - learning*rate*(y*(2*sigma^2 + 1 - y^2 + mu*y) - mu)/sigma^2
    gain = where(learning, max(gain + rate/gain
      - rate*(y*(2*sigma^2 + 1 - y^2 + mu*y) - mu)/sigma^2*z, 0.001), gain)
    """, "Schrauwen, Wardermann, Verstraeten, Steil & Stroobandt 2008, Neurocomputing 71, 1159",
      "intrinsic_plasticity", {"rate": 0.01, "mu": 0.1, "sigma": 0.3}, {"gain": 1}, memory_across_trials=True)
def intrinsic_plasticity(c):
    """With the paper's letters: a, b, and eta; db = -eta (-mu/sigma^2 + y/sigma^2 (2 sigma^2 + 1 - y^2 + mu y)),
    da = eta/a + db x, the paper's x being the drive.  A gain that came to 0 would stay there, so that it is
    held at a thousandth at least."""
    x, w = c.inputs(), c.weights()
    eta, mu, sigma = (c.parameters[name] for name in ("rate", "mu", "sigma"))
    a, b = [1.0] * c.n_out, [0.0] * c.n_out
    for t in range(c.ticks):
        z = drives(w, x[t])
        y = [math.tanh(a[i] * z[i] + b[i]) for i in range(c.n_out)]
        for i in range(c.n_out):
            db = -eta * (-mu / sigma**2 + y[i] / sigma**2 * (2 * sigma**2 + 1 - y[i]**2 + mu * y[i]))
            b[i] += db
            a[i] = max(a[i] + eta / a[i] + db * z[i], 0.001)
        c.tick(t, y, w, memory={"gain": list(a), "shift": list(b)})
