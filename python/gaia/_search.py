# SPDX-License-Identifier: MIT
"""Search for values with which a function is least, or with which a readout of an experiment scores best."""
import copy
import html
import math
import typing

from . import _experiments, _gaia
from ._result import Result
from .errors import ArgumentError


def search(what, space=None, **options) -> "typing.Any":
    """Searches by CMA-ES or at random: over the keys of an experiment, or over the arguments of a function.

        found = gaia.search("experiment.yaml")              # its section `search:` says which keys
        found = gaia.search(experiment_as_a_dict, array)
        found = gaia.search(function, {"rate": {"log_range": [1e-5, 1]}, "size": {"range": [4, 64], "integer": True},
                                       "rule": ["oja", "bcm"]}, evaluations=200, seed=1)

    Of an experiment (docs/search.md explains the section), returns a SearchedExperiment:

    what         the path of a YAML file, or the same as a dict
    space        the data, as `gaia.run` takes them, or None
    set, output, device, seed, overwrite, progress, threads   as `gaia.run` has them; output is the folder of the
                 results.  Runs go one after another in this process; the command `gaia search` runs them side by side.
                 Those whose results are there already are not run again, so that a search that was cut goes on.

    Of a function, returns a SearchResult:

    what         function of a dict of values that returns the number that is to be small; NaN is the worst
    space        range or choices of each value: {"range": [a, b]} on a scale of equal differences, {"log_range":
                 [a, b]} of equal ratios, either with "integer": True, or a list of choices
    method       "cma_es" or "random"
    evaluations  candidates after which no generation begins (1000)
    population   candidates of a generation; 0: by the number of values
    target       ends with the generation that reaches it
    start        a dict of values to begin at; by default the middle of the space
    step         the first standard deviation, as a share of each scale (0.3); above 1/3 it is cut
    separable    CMA-ES learns variances alone, for many values
    seed         seed of what is drawn; None: another one at every call

    Raises ConfigError for a section or a space that is wrong, ArgumentError for options out of their range, and what
    `gaia.run` or the function raises.
    """
    if callable(what):
        return _search_function(what, space, **options)
    return _search_experiment(what, space, **options)


class SearchResult:
    """The findings of a search over a function.

    best         the values with which it was least, as a dict
    objective    value of the function there
    history      a list of dicts, one for each call in their order: generation, values, objective
    restarts     number of times that CMA-ES began again with a larger population
    why_stopped  a few words
    """

    def __init__(self, history, restarts, why_stopped) -> None:
        self.history = history
        self.restarts = restarts
        self.why_stopped = why_stopped
        known = [trial for trial in history if not math.isnan(trial["objective"])]
        least = min(known, key=lambda trial: trial["objective"], default={"values": None, "objective": math.nan})
        self.best = copy.deepcopy(least["values"])
        self.objective = least["objective"]

    def __repr__(self):
        return f"<gaia.SearchResult {self.objective:.6g} at {self.best} after {len(self.history)} calls>"


class SearchedExperiment:
    """The findings of a search over the keys of an experiment.

    best         the best values that were searched, under their dotted keys; None where no candidate has a score
    score        the mean over the seeds of the validation score there
    result       the Result of the first of its runs
    best_yaml    the path of an experiment with these values, which runs
    candidates   a list of dicts, one for each candidate in their order: kind ("own": the values of the experiment,
                 "searched", "random": for comparison), generation, values, mean, scores (one for each seed), reason (why
                 one is NaN; "" where none is), file; with several objectives also objectives, the mean of each by its
                 name
    front        with several objectives, the candidates that were searched and that no other of them dominates
    hypervolume  hypervolume of this front, by the section's reference; None without one
    with halving, where a generation is a rung, candidates have steps (of their runs) and begun_as (their number at the
                 first rung), else None
    own, at_random   those of the experiment's own values, and of the best at random; None where there is none
    folder       folder of all results; `gaia report` makes a page of it
    why_stopped  a few words
    conclusions  whether what was found is better than the experiment's own values and than the best at random: sentences,
                 by test scores with seeds that have chosen nothing
    text         the best compared with the others, with these test scores and sentences; print(found) shows it
    """

    def __init__(self, found) -> None:
        self.candidates = found["candidates"]
        self.folder = found["folder"]
        self.best_yaml = found["best_yaml"] or None
        self.why_stopped = found["why_stopped"]
        self.text = found["text"]
        self.conclusions = found["conclusions"]
        self.own, self.at_random, best = (None if found[name] is None else copy.deepcopy(self.candidates[found[name]])
                                          for name in ("own", "at_random", "best"))
        self.front = [copy.deepcopy(self.candidates[place]) for place in found["front"]]
        self.hypervolume = found["hypervolume"]
        self.best = None if best is None else copy.deepcopy(best["values"])
        self.score = math.nan if best is None else best["mean"]
        self.result = None if best is None else Result(best["file"], settings=copy.deepcopy(best["values"]))

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<gaia.SearchedExperiment {self.score:.6g} at {self.best}, {len(self.candidates)} candidates>"

    def _repr_html_(self):
        return f"<pre>{html.escape(self.text)}</pre>"


def _search_experiment(experiment, data=None, *, set=None, output=None, device=None, seed=None, overwrite=False,
                       progress="auto", threads=0):
    request = _experiments._request(experiment, data, set, output, device, seed)
    with _experiments._Progress(progress) as show:
        return SearchedExperiment(_gaia._search_experiment(request, overwrite, threads, show))


def _search_function(function, space, *, method="cma_es", evaluations=1000, population=0, target=-math.inf, start=None,
                     step=0.3, separable=False, seed=None):
    if method not in ("cma_es", "random"):
        raise ArgumentError(f"[search] method: expected 'cma_es' or 'random', got {method!r}")
    scales = Scales(space, "search")
    turns = _gaia._Search(scales.parameters, method, evaluations, population, target, scales.start(start), step,
                          separable, seed)
    history = []
    generation = 0
    while not turns.is_done:
        objectives = []
        for point in turns.ask():
            objectives.append(float(function(scales.values(point))))
            # The history has values of its own: what the function has done to those it was given was not searched.
            history.append({"generation": generation, "values": scales.values(point), "objective": objectives[-1]})
        turns.tell(objectives)
        generation += 1
    return SearchResult(history, turns.restarts, turns.why_stopped)


class Scales:
    """A space: what each value may be, by its name.  `what` stands in errors."""

    def __init__(self, space, what) -> None:
        if not isinstance(space, dict) or not space:
            raise ArgumentError(f"[{what}] space: expected a dict of names and what they may be, got {space!r}")
        self._what = what
        self._scales = {name: _Scale(what, name, scale) for name, scale in space.items()}
        self.parameters = [scale.parameter for scale in self._scales.values()]

    def values(self, point) -> "typing.Any":
        """A point's numbers as a dict of values."""
        return {name: scale.value(number) for (name, scale), number in zip(self._scales.items(), point)}

    def start(self, start) -> "typing.Any":
        """A dict of values to begin at as numbers; none of None."""
        if start is None:
            return []
        if self._scales.keys() != dict(start).keys():
            raise ArgumentError(f"[{self._what}] start: expected a value for each of {list(self._scales)}, got {start!r}")
        return [scale.number(start[name]) for name, scale in self._scales.items()]


def _own(choice):
    """A copy of what may be changed and is equal to its copies; objects that are themselves alone stay."""
    return copy.deepcopy(choice) if isinstance(choice, (list, tuple, dict, set)) else choice


class _Scale:
    """What one value may be."""

    def __init__(self, what, name, said):
        self.choices = [_own(choice) for choice in said] if isinstance(said, (list, tuple)) else None
        if self.choices is not None:
            if len(self.choices) < 2:
                raise ArgumentError(f"[{what}] {name}: expected at least two choices, got {said!r}")
            self.parameter = _gaia._SearchParameter(name, 0, len(self.choices) - 1, False, True)
            return
        word = next((word for word in ("range", "log_range") if isinstance(said, dict) and word in said), None)
        ends = list(said[word]) if word else []
        if len(ends) != 2 or said.keys() - {word, "integer"}:
            raise ArgumentError(f"[{what}] {name}: expected {{'range': [a, b]}} or {{'log_range': [a, b]}}, either with "
                                f"'integer': True, or a list of choices, got {said!r}")
        self.is_integer = bool(said.get("integer", False))
        self.parameter = _gaia._SearchParameter(name, *map(float, ends), word == "log_range", self.is_integer)

    def value(self, number):
        if self.choices is not None:
            return _own(self.choices[int(number)])
        return int(number) if self.is_integer else number

    def number(self, value):
        return float(self.choices.index(value)) if self.choices is not None else float(value)
