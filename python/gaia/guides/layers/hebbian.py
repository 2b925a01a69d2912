# SPDX-License-Identifier: MIT
"""GAIA 4's `gaia.layers.hebbian`."""
from gaia import ArgumentError, Hebbian
from gaia.layers.fixed import with_inputs

__all__ = ["HebbianCore"]


def HebbianCore(input_size, output_size, plasticity_rule="hebbian", params=None, *, learning_rate=0.01, decay_rate=0.001,
                ltp=1.0, ltd=1.0, bcm_theta=1.0, homeostatic_strength=0.0, homeostatic_target=0.5):
    """A layer that learns by "hebbian", "oja" or "bcm" with decay, its rows held at length 1.

        gaia.HebbianCore(100, 50, "bcm", params={"learning_rate": 0.01, "bcm_theta": 0.5})
        gaia.HebbianCore(100, 50, "oja", learning_rate=0.01)

    params      the keywords that follow as a dictionary, in their place
    ltp, ltd    factors of "hebbian" where the signs of answer and input agree, and where they differ
    bcm_theta   the threshold that "bcm" begins with; other rules have none
    homeostatic_strength, homeostatic_target   w <- w exp(strength (target - y)), which rows of length 1 undo

    Raises ArgumentError for other names in params, and for ltp or ltd with another rule.
    """
    if params is not None:
        unknown = sorted(set(params) - set(HebbianCore.__kwdefaults__))
        if unknown:
            raise ArgumentError(f"[HebbianCore] expected params among {', '.join(HebbianCore.__kwdefaults__)}, got "
                                f"{unknown[0]!r}")
        return HebbianCore(input_size, output_size, plasticity_rule, **params)
    keys = {"learning_rate": learning_rate, "decay": decay_rate, "normalization": "l2"}
    if homeostatic_strength:
        keys["homeostasis"] = {"target": homeostatic_target, "strength": homeostatic_strength}
    if plasticity_rule == "bcm":
        keys["theta"] = bcm_theta
    if (ltp, ltd) != (1, 1):
        if plasticity_rule != "hebbian":
            raise ArgumentError(f"[HebbianCore] expected ltp and ltd of 1 for the rule {plasticity_rule!r}: they are factors "
                                "of hebbian; a gaia.Rule weighs any rule")
        plasticity_rule = "hebbian_ltp_ltd"
        keys.update(ltp=ltp, ltd=ltd)
    return with_inputs(Hebbian(output_size, plasticity_rule, **keys), input_size)
