# SPDX-License-Identifier: MIT
"""Tables, outcomes and actions of agents: what Python passes, as the module takes it."""
import numbers
import operator

import numpy as np

from . import _intake
from .errors import ArgumentError


def table(given, what):
    """Numbers as an array of float64 of its own, in its order; NaN where one is missing."""
    return _intake.copied(given, f"[agents] {what}:", expected="an array of numbers")


def tables(given, what):
    """A list of tables; an array alone is a list of one."""
    if given is None:
        return []
    if not isinstance(given, (list, tuple)) and np.ndim(given) and getattr(given, "dtype", None) != object:  # noqa: E721
        given = [given]
    return [table(one, f"{what}[{i}]") for i, one in enumerate(_each(given, what))]


def vectors(given, what):
    """A list of lists of numbers; numbers alone are a list of one."""
    if given is None:
        return []
    given = list(_each(given, what))
    if given and all(isinstance(one, numbers.Real) for one in given):
        given = [given]
    return [vector(one, f"{what}[{i}]") for i, one in enumerate(given)]


def vector(given, what):
    made = table(given, what)
    if made.ndim != 1:
        raise ArgumentError(f"[agents] {what}: expected numbers along one axis, got shape {made.shape}")
    return made.tolist()


def outcomes(given, count, what="observation"):
    """One whole number for each modality, -1 for what was not observed: None, NaN, NA, or under a mask."""
    if given is None:
        return [-1] * count
    try:
        if np.ndim(given) == 0:
            return [_outcome(given)]
        return [_outcome(one) for one in given]
    except TypeError as error:
        raise ArgumentError(f"[agents] {what}: expected a whole number or None for each of {count} modalities, got "
                            f"{given!r}") from error


def _outcome(one):
    try:
        return operator.index(one)
    except TypeError:
        if _intake.is_missing(one):
            return -1
        raise


def whole_numbers(given, what):
    """A list of them; a number alone is a list of one."""
    try:
        return [operator.index(given)] if np.ndim(given) == 0 else [operator.index(one) for one in given]
    except TypeError as error:
        raise ArgumentError(f"[{what}] expected whole numbers, got {given!r}") from error


def whole_number(given, what):
    """One of them."""
    made = whole_numbers(given, what)
    if len(made) != 1:
        raise ArgumentError(f"[{what}] expected a whole number, got {given!r}")
    return made[0]


def seed(given):
    """A seed as the module takes it, of the range that experiments have; None is none."""
    if given is None:
        return None
    try:
        number = operator.index(given)
    except TypeError:
        number = -1
    if not 0 <= number < 2 ** 63:
        raise ArgumentError(f"[seed] expected a whole number from 0 to 2^63 - 1, or None, got {given!r}")
    return number


def seeds(given, what):
    """A list of seeds."""
    return [seed(one) for one in whole_numbers(given, what)]


def full_action(given, actions, what="action"):
    """One whole number for each factor; `given` has one for each, or for each that is controlled."""
    some = whole_numbers(given, what)
    if len(some) == len(actions):
        return some
    controlled = controlled_factors(actions)
    if len(some) != len(controlled):
        raise ArgumentError(f"[agents] {what}: expected a number for each of {len(controlled)} controlled factors, or "
                            f"for each of all {len(actions)}, got {given!r}")
    made = [0] * len(actions)
    for factor, one in zip(controlled, some):
        made[factor] = one
    return made


def shown_action(action, actions):
    """What `full_action` takes, as people have it: a number where one factor is controlled."""
    some = [action[factor] for factor in controlled_factors(actions)]
    return some[0] if len(some) == 1 else np.array(some, np.int64)


def shown_outcomes(observation):
    """A number where there is one modality."""
    return observation[0] if len(observation) == 1 else np.array(observation, np.int64)


def controlled_factors(actions):
    return [factor for factor, count in enumerate(actions) if count > 1]


def policies(given, actions):
    """Policies as lists of actions of all factors; None is none."""
    if given is None:
        return []
    return [[full_action(action, actions, f"policies[{i}]") for action in _each(policy, f"policies[{i}]")]
            for i, policy in enumerate(_each(given, "policies"))]


def _each(given, what):
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise ArgumentError(f"[agents] {what}: expected a list, got {given!r}")
    return given
