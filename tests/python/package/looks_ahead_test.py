# SPDX-License-Identifier: MIT
"""Nothing looks ahead: rows after t change nothing that is predicted, scored or compared at or before t.

Experiments are drawn from the JSON Schema, over the lists of kinds that stand there (poolings, ways to normalise,
policies for missing values, readouts and their options, layers, rules, controls), so that a new kind is tried without
a line here.  Each is run twice: over a table, and over the same table with other rows after t.
"""
import itertools
import json
import os
import random

import h5py
import numpy as np
import pytest

import gaia
from gaia import _gaia

IS_LONG = os.environ.get("GAIA_LONG_TESTS") == "1"
CASES = 300 if IS_LONG else 24
SEEDS = 3 if IS_LONG else 1
ROWS = 240
T = 180  # the last row that is the same in both
TRIAL_ROWS = 24
CHANNELS, TARGET, LABEL, TRIAL = ["0", "1", "2"], "3", "4", "5"
SCHEMA = json.loads(_gaia._json_schema())

# What looks ahead, and says so, or needs another run to begin with.
LOOKS_AHEAD = {"missing": {"interpolate"}, "normalize_from": {"all"}}
NEEDS_A_RUN = {"normalize": {"stored"}, "whiten": {"stored"}}


def alternatives(schema):
    """The maps that a schema of a map, or of a list of maps, allows."""
    if "properties" in schema or not {"items", "oneOf"} & set(schema):
        return [schema]
    parts = [schema["items"]] if "items" in schema else schema["oneOf"]
    return [one for part in parts for one in alternatives(part)]


def words(schema):
    """The words of a list that a schema allows, if it is one of words."""
    if "enum" in schema:
        return [word for word in schema["enum"] if isinstance(word, str)]
    if "const" in schema:
        return [schema["const"]]
    found = [word for part in schema.get("oneOf", []) + schema.get("anyOf", []) for word in words(part)]
    return found + (words(schema["items"]) if "items" in schema else [])


def kinds(key, node=SCHEMA):
    """All words that any map of the schema has for a key, in their order."""
    found = []
    if isinstance(node, dict):
        properties = node.get("properties", {})
        found += words(properties[key]) if key in properties else []
        found += [word for part in node.values() for word in kinds(key, part)]
    elif isinstance(node, list):
        found += [word for part in node for word in kinds(key, part)]
    skipped = LOOKS_AHEAD.get(key, set()) | NEEDS_A_RUN.get(key, set())
    return [word for word in dict.fromkeys(found) if word not in skipped]


def members(*keys):
    """The maps that stand in the list at these keys."""
    node = SCHEMA
    for key in keys:
        node = next(one["properties"][key] for one in alternatives(node) if key in one.get("properties", {}))
    return {words(one["properties"]["type"])[0]: one["properties"] for one in alternatives(node)}


def lists(key, node=SCHEMA):
    """The maps that stand in a list that any map of the schema has at this key."""
    if isinstance(node, list):
        return [one for part in node for one in lists(key, part)]
    if not isinstance(node, dict):
        return []
    own = node.get("properties", {}).get(key, {})
    found = alternatives(own["items"]) if "items" in own else []
    return found + [one for part in node.values() for one in lists(key, part)]


DRIFTS = sorted({words(one["properties"]["kind"])[0] for one in lists("drift")})
WHITEN = kinds("whiten")
FILTERS, RESAMPLES = ([one["required"][0] for one in schema_of["oneOf"]] for schema_of in
                      (SCHEMA["properties"]["data"]["oneOf"][0]["properties"][key] for key in ("filter", "resample")))
RATE_OF_ROWS = 10.0
OF_FILTERS = {"low": 1.0, "high": 0.5, "band": [0.5, 2.0], "stop": [1.0, 2.0]}
OF_RESAMPLES = {"every": 2, "to": 7.0}
READOUTS = members("readouts")
LAYERS = members("hierarchy", "levels", "layers")
POOLINGS, NORMALIZE, MISSING = (kinds(key) for key in ("pooling", "normalize", "missing"))
CONTROLS = [word for word in words(SCHEMA["properties"]["controls"]["anyOf"][0]) if word != "none"]
RULES = words(LAYERS["hebbian"]["rule"])
TOLD_BY_FILTERS = ["log_likelihood", "innovation", "nis", "probability", "covariance"]  # of each tick
RATE = 1e-5  # small, since what comes after T is far away, and enough to change every bit
READERS = ["csv", "npy", "h5", "array", "float32", "columns", "frame"]


def table(seed, has_gaps):
    """Channels that can be forecast a little, a target, a class and a trial for each row."""
    draw = np.random.default_rng(seed)
    x = np.zeros((ROWS, 6))
    x[:, :3] = 0.2 * np.cumsum(draw.normal(size=(ROWS, 3)), axis=0) + draw.normal(size=(ROWS, 3))
    x[:, 3] = x[:, 0] + 0.3 * draw.normal(size=ROWS)
    x[:, 4] = draw.integers(0, 3, ROWS)
    x[:, 5] = np.arange(ROWS) // TRIAL_ROWS
    if has_gaps:
        gone = draw.random((ROWS, 4)) < 0.1
        gone[T - 3:T + 1, 0] = True  # a gap across the border
        x[:, :4][gone] = np.nan
        first = x[::TRIAL_ROWS, :4]
        first[np.isnan(first)] = 0.0
    return x


def changed(x, seed):
    """Other rows after T, far away from what was there before."""
    other = table(seed + 1000, bool(np.isnan(x).any()))
    after = other[T + 1:]
    after[:, :4] = 50.0 + 20.0 * after[:, :4]
    return np.concatenate([x[:T + 1], after])


def as_given(x, reader, folder, name):
    """The table as a file of its own or in memory: what `data:` says of it, and what `gaia.run` is given."""
    path = folder / f"data-{name}.{reader}"
    if reader == "csv":
        lines = [",".join("" if np.isnan(v) else repr(float(v)) for v in row) for row in x]
        path.write_text("\n".join(lines) + "\n")
    elif reader == "npy":
        np.save(path, x)
    elif reader == "h5":
        with h5py.File(path, "w") as file:
            file["x"] = x
    elif reader == "columns":
        return {}, {str(c): x[:, c] for c in range(x.shape[1])}
    elif reader == "frame":
        pandas = pytest.importorskip("pandas")
        return {}, pandas.DataFrame({str(c): x[:, c] for c in range(x.shape[1])})
    else:
        return {}, x.astype(np.float32) if reader == "float32" else x
    return {"source": "file", "path": str(path)}, None


def readout(draw, number, kind):
    """A readout of this kind with options from the lists of the schema."""
    properties = READOUTS[kind]
    if kind == "change":
        of = draw.choice(words(properties["of"]))
        beside = {"readout": "low"} if of == "error" else {"watch": draw.choice(words(properties["watch"]))}
        method = draw.choice([{"method": "adwin", "clock": 4, "delta": 0.3}, {"method": "page_hinkley", "threshold": 2}])
        return {"name": f"r{number}", "type": kind, "of": of, **beside, **method}
    if kind == "statistic":
        of = draw.choice(words(properties["of"]))
        beside = {"expected": [0.1, 0.2], "places": [0, 4]} if of == "weights" else {}
        return {"name": f"r{number}", "type": kind, "of": of, "levels": [0], **beside,
                "split": {"train": 0.4, "validation": 0.1, "test": 0.2}}
    if "of" in properties:
        return {"name": f"r{number}", "type": kind, "of": ["low", "high"],
                "covariance": draw.choice(words(properties["covariance"]))}
    made = {"name": f"r{number}", "type": kind, "levels": draw.choice([[0], [1], [0, 1]])}
    for key, schema in properties.items():
        if key not in ("type", "learn") and "enum" in schema and draw.random() < 0.7:
            made[key] = draw.choice(words(schema))
    if "target" in properties:
        by_class = "channel" not in alternatives(properties["target"])[0]["properties"] or "labels" in properties
        target = {"label": True} if by_class else draw.choice([{"channel": "1"}, {"column": "3"}, {"channel": ["0", "2"]}])
        target["horizon"] = draw.choice([1, 2, 5]) if not by_class else draw.choice([0, 3])
        if not by_class:
            target["mean_over"] = draw.choice([1, 1, 4])
            target["change"] = draw.random() < 0.3
        made["target"] = target
    if "labels" in properties and draw.random() < 0.5:
        made["labels"] = draw.choice([{"per_class": 2}, {"count": 20}])
    if "split" in properties:
        made["split"] = {"train": 0.4, "validation": 0.1, "test": 0.2}
    if "train" in properties:
        made["train"] = 0.4
    return made


def layer(kind, rule, rows=1):
    """One that reads three numbers, or of a picture so many rows of three."""
    if kind == "conv2d":
        return {"type": kind, "filters": 2, "kernel": [1, 2], "shape": [rows, 3, 1], "update": "mean", "rule": rule,
                "learning_rate": RATE, "standardize": {"forget": 0.1}}
    if kind == "predictive":
        return {"type": kind, "sizes": [4, 3], "top": "target", "target": [TARGET] * 3, "learning_rate": RATE}
    if kind == "kalman":
        return {"type": kind, "model": "velocity", "adapt": "R"}
    if kind in ("extended_kalman", "unscented_kalman"):
        return {"type": kind, "state": "x = tanh(x)", "observation": "y = x + x*x/4", "observes": [0]}
    if kind == "particle":
        return {"type": kind, "model": "level", "particles": 50}
    if kind == "regimes":
        return {"type": kind, "models": [{"model": "level"}, {"model": "level", "Q": 1.0}], "transition": [[0.9, 0.1], [0.1, 0.9]]}
    return {"type": kind, "size": 3} | ({"rule": rule, "learning_rate": RATE} if kind == "hebbian" else {})


def with_signals(experiment, data):
    """Adds what the rule of the first layer reads from outside; returns whether it reads the target."""
    first = experiment["hierarchy"]["levels"][0]["layers"][0]
    for signals in ({}, {"target": [TARGET] * 3}, {"reward": TARGET}, {"spike": TARGET}):
        if signals:
            first["signals"] = signals
        try:
            gaia.check(experiment, data)
            return bool(signals)
        except gaia.ConfigError as error:
            if "signal" not in str(error):
                raise
    raise AssertionError(f"no signals for {first}")


def drift(kind):
    """One of this kind, which goes on through what is compared and behind it."""
    return {"kind": kind, "from": 20, "to": 210} | ({"axes": ["0", "2"]} if kind == "turn" else {})


def experiments():
    """Pairs of an experiment without its source and the kinds that it has, going through every list."""
    draw = random.Random(5)
    cycles = {name: itertools.cycle(draw.sample(values, len(values))) for name, values in {
        "pooling": POOLINGS, "normalize": NORMALIZE, "missing": MISSING, "readout": list(READOUTS),
        "layer": list(LAYERS), "rule": RULES, "control": CONTROLS, "reader": READERS,
        "drift": ["none", *DRIFTS], "filter": ["none", *FILTERS],
        "resample": ["none", "none", *RESAMPLES]}.items()}
    whiten = itertools.cycle(WHITEN)
    for number in range(CASES):
        kind = {name: next(cycle) for name, cycle in cycles.items()}
        data = {"columns": CHANNELS, "targets": [TARGET], "labels": LABEL, "window": draw.choice([1, 2, 4]),
                "normalize": kind["normalize"], "missing": kind["missing"]}
        # It is an error with values that were filled.
        data["whiten"] = kind["whiten"] = next(whiten) if kind["missing"] == "error" else "none"
        for key, settings in (("filter", OF_FILTERS), ("resample", OF_RESAMPLES)):
            if kind[key] != "none":
                data |= {key: {kind[key]: settings[kind[key]]}, "sample_rate": RATE_OF_ROWS}
        if kind["drift"] != "none":
            data["drift"] = [drift(kind["drift"])]
        if draw.random() < 0.4:
            data["trials"] = {"column": TRIAL}
        # Values that stay missing are for a layer that filters.
        first = "kalman" if kind["missing"] == "keep" else "hebbian"
        resolution, pooling = draw.choice([2, 3]), kind["pooling"]
        rows = pooling["legendre"] if isinstance(pooling, dict) else resolution if pooling == "concat" else 1
        levels = [{"layers": [layer(first, kind["rule"])]},
                  {"temporal_resolution": resolution, "pooling": pooling, "layers": [layer(kind["layer"], "oja", rows)]}]
        # An anomaly readout judges the rows themselves, of which none may be missing.
        others = [one for one in READOUTS if one != "anomaly" or kind["missing"] != "keep"]
        readouts = [readout(draw, 0, kind["readout"]), readout(draw, 1, draw.choice(others))]
        if any("of" in one for one in readouts):
            forecast = {"target": {"channel": "1", "horizon": draw.choice([1, 2, 5])},
                        "split": {"train": 0.4, "validation": 0.1, "test": 0.2}}
            readouts += [{"name": "low", "levels": [0], **forecast}, {"name": "high", "levels": [0, 1], **forecast}]
        yield kind, {
            "experiment": f"e{number}", "seed": number, "dtype": draw.choice(["float32", "float64"]), "data": data,
            "hierarchy": {"epochs": draw.choice([1, 1, 3]), "levels": levels}, "readouts": readouts,
            "controls": sorted({"frozen", "same_past", kind["control"]}), "output": {"inputs": "all"}}


def everything_at(file, last_step):
    """What stands in a results file of steps up to this one, and all of readouts that are scored by then."""
    found = {}

    def note(name, thing):
        top, *rest = name.split("/")
        if top == "data" and name in ("data/mean", "data/scale"):
            found[name] = thing[()]
        if top == "levels" and len(rest) == 2 and rest[1] in ("representation", *TOLD_BY_FILTERS):
            found[name] = thing[()][thing.parent["step"][:] <= last_step]
        if top == "data" and rest == ["samples"]:
            found[name] = thing[()][thing.parent["step"][:] <= last_step]
        if top != "readouts" or len(rest) == 0:
            return
        readout = file["readouts"][rest[0]]
        is_scored_by_then = "split" in readout.attrs or "split_train" in readout.attrs
        if rest[-1] in ("weights", "intercept", "target_mean") and readout.attrs["type"] == "online":
            return  # of the end
        if rest[-1] == "model":
            return  # of the end too
        if isinstance(thing, h5py.Dataset) and len(rest) == 2 and rest[1] in ("prediction", "target", "probability",
                                                                              "score", "baseline_score", "outlier",
                                                                              "variance", "detected", "statistic",
                                                                              "estimate"):
            found[name] = thing[()][readout["step"][:] <= last_step]
        elif is_scored_by_then and isinstance(thing, h5py.Dataset) and thing.dtype.kind in "fi":
            found[name] = thing[()]
        elif is_scored_by_then and isinstance(thing, h5py.Group):
            found.update({f"{name}@{key}": np.asarray(value) for key, value in thing.attrs.items()
                          if isinstance(value, (float, np.floating, np.integer))})

    file.visititems(note)
    return found


def rows_that_stay(rows, resample):
    """How many of the first rows of a trial stay."""
    spacing = RATE_OF_ROWS / resample["to"] if "to" in resample else resample.get("every", 1)
    return sum(int(spacing * j) < rows for j in range(rows))


def last_step(data):
    """The last step whose newest row is T at most."""
    window, resample = data["window"], data.get("resample", {})
    if "trials" not in data:
        return rows_that_stay(T + 1, resample) - window
    trial, row = divmod(T, TRIAL_ROWS)
    return trial * (rows_that_stay(TRIAL_ROWS, resample) - window + 1) + rows_that_stay(row + 1, resample) - window


def compare(first, second, last_step):
    """What differs, by name.  Both are paths of results."""
    with h5py.File(first) as a, h5py.File(second) as b:
        one, other = everything_at(a, last_step), everything_at(b, last_step)
    assert one.keys() == other.keys()
    assert any(name.startswith("readouts/") and values.size for name, values in one.items())
    return [name for name, values in one.items() if values.tobytes() != other[name].tobytes()]


def both(kind, experiment, folder):
    """Results of the experiment over the table and over the one with other rows after T."""
    seed = experiment["seed"]
    x = table(seed, kind["missing"] != "error")
    reads_target = with_signals(experiment, table(seed, False))
    results = []
    for name, rows in (("before", x), ("after", changed(x, seed))):
        if reads_target:  # which has to be there then
            rows[:, 3] = np.nan_to_num(rows[:, 3])
        source, data = as_given(rows, kind["reader"], folder, name)
        made = {**experiment, "data": {**experiment["data"], **source}}
        results.append(gaia.run(made, data, output=f"{name}.h5", overwrite=True, progress="none").path)
    return results


@pytest.mark.filterwarnings("ignore")
def test_rows_after_t_change_nothing_before(folder):
    tried, refused, looked = {}, [], []
    for kind, experiment in experiments():
        try:
            results = both(kind, experiment, folder)
        except (gaia.ConfigError, gaia.DivergedError):
            # A rule that wants other inputs, or cannot stand what comes after T.
            first = experiment["hierarchy"]["levels"][0]["layers"][0]
            if first["type"] == "hebbian":
                first["rule"] = "oja"
                first.pop("signals", None)
            try:
                results = both(kind, experiment, folder)
            except (gaia.ConfigError, gaia.DivergedError) as error:
                refused.append(f"{kind}: {error}")
                continue
        wrong = compare(*results, last_step(experiment["data"]))
        if wrong:
            looked.append(f"rows after {T} changed {wrong} of {json.dumps(experiment)}, read from {kind['reader']}")
        for name, word in kind.items():
            tried.setdefault(name, set()).add(word)
    assert not looked, "\n".join(looked)
    for name, words_of in {"pooling": POOLINGS, "normalize": NORMALIZE, "missing": MISSING, "readout": list(READOUTS),
                           "layer": list(LAYERS), "control": CONTROLS, "reader": READERS, "whiten": WHITEN,
                           "drift": DRIFTS, "filter": FILTERS, "resample": RESAMPLES}.items():
        left = set(words_of) - tried[name]
        assert words_of and not left, f"{name}: {left} never ran; {len(refused)} were refused: {refused}"
    assert len(refused) < CASES / 4, refused


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("order", ["shuffle", {"runs": 5}, {"draw": [{"share": 0.5, "count": 90}, {"count": 150}]}])
def test_rows_that_an_order_brings_later_change_nothing_before(folder, order):
    """Rows of the source that are read behind a step, and not before it, change nothing up to it."""
    x = table(7, False)
    index = np.column_stack([np.arange(ROWS), x[:, 4]])
    experiment = {"experiment": "o", "seed": 3, "output": {"inputs": "all"},
                  "data": {"columns": [0], "labels": 1, "order": order},
                  "hierarchy": {"levels": [{"layers": [{"type": "hebbian", "size": 3, "rule": "oja", "learning_rate": RATE}]}]}}
    with h5py.File(gaia.run(experiment, index, output="index.h5", progress="none").path) as file:
        source = file["data/samples"][:, 0].astype(int)  # the row of the table that each step reads
    later = sorted(set(source[T + 1:]) - set(source[:T + 1]))
    assert len(later) > 10
    other = x.copy()
    other[later, :4] = 50.0 - 20.0 * x[later, :4]
    experiment["data"] = {"columns": CHANNELS, "targets": [TARGET], "labels": LABEL, "order": order, "normalize": "zscore",
                          "whiten": "zca", "drift": [drift(kind) for kind in DRIFTS]}
    experiment["readouts"] = [
        {"name": "number", "levels": [0], "target": {"column": 3}, "split": 0.4},
        {"name": "class", "type": "logistic", "levels": [0], "target": {"label": True}, "split": 0.4}]
    results = [gaia.run(experiment, rows, output=f"{name}.h5", progress="none").path
               for name, rows in (("before", x), ("after", other))]
    with h5py.File(results[0]) as file:
        assert "stopped" in file["readouts/number/controls"]
    wrong = [name for name in compare(*results, T) if "@" not in name and file_series(name)]
    assert not wrong


def file_series(name):
    """Whether it is a series over steps, which ends at a step, and no score of the whole test part."""
    return name.startswith(("data/", "levels/")) or name.rsplit("/", 1)[-1] in ("prediction", "target", "probability")


@pytest.mark.parametrize("normalize", NORMALIZE)
def test_a_network_knows_its_training_samples_alone(folder, normalize):
    """Weights, moments and answers at or before t are the same, whatever comes after."""
    x = table(3, False)
    experiment = {"experiment": "n", "data": {"columns": CHANNELS, "window": 4, "normalize": normalize},
                  "network": {"target": {"channel": 1, "horizon": 3}, "split": 0.5, "epochs": 2, "batch_size": 16,
                              "layers": [{"type": "flatten"}, {"type": "dense", "size": 4, "activation": "tanh"},
                                         {"type": "dense", "size": 1}]}}
    found = []
    for name, rows in (("before", x), ("after", changed(x, 3))):
        with h5py.File(gaia.run(experiment, rows, output=f"{name}.h5", progress="none").path) as file:
            one = {key: file["data"][key][:] for key in ("mean", "scale") if key in file["data"]}
            newest = file["test/step"][:]
            one["answers"] = file["test/prediction"][:][newest <= T]
            file["network"].visititems(
                lambda key, thing, one=one: one.update({key: thing[:]}) if isinstance(thing, h5py.Dataset) else None)
            assert len(one["answers"]) > 20
            found.append(one)
    assert found[0].keys() == found[1].keys()
    for key, values in found[0].items():
        assert values.tobytes() == found[1][key].tobytes(), key


def folds_experiment(horizon, mean_over, window, resolution, target, per_trial):
    data = {"columns": CHANNELS, "targets": [TARGET], "labels": LABEL, "window": window, "normalize": "none"}
    if per_trial:
        data["trials"] = {"column": TRIAL}
    kind = "logistic" if "label" in target else "ridge"
    form = {**target, "horizon": horizon} | ({} if kind == "logistic" else {"mean_over": mean_over})
    return {"experiment": "f", "data": data, "controls": ["same_past", "window"],
            "hierarchy": {"learn": False, "levels": [
                {"layers": [{"type": "hebbian", "size": 4}]},
                {"temporal_resolution": resolution, "pooling": "mean", "layers": [{"type": "reactive", "size": 4}]}]},
            "readouts": [{"name": "r", "type": kind, "levels": [1], "target": form, "folds": 5}]}


@pytest.mark.parametrize("normalize", NORMALIZE)
@pytest.mark.parametrize("target", [{"column": 3}, {"channel": 1}, {"label": True}])
def test_the_first_prediction_knows_no_row_after_it(folder, target, normalize):
    """Nor is read what the last training ticks are to predict."""
    draw = random.Random(f"{target} {normalize}")
    for seed in range(SEEDS):
        experiment = folds_experiment(draw.choice([1, 7]), draw.choice([1, 5]), draw.choice([1, 4]), draw.choice([1, 3]),
                                      target, False)
        experiment["data"]["normalize"] = normalize
        experiment["hierarchy"]["learn"] = True
        experiment["hierarchy"]["levels"][0]["layers"][0] |= {"rule": "oja", "learning_rate": RATE}
        readout = experiment["readouts"][0]
        del readout["folds"]
        readout["split"] = 0.5
        what = "probability" if "label" in target else "prediction"
        x = table(seed, False)
        with h5py.File(gaia.run(experiment, x, output="b.h5", overwrite=True, progress="none").path) as file:
            said = file[f"readouts/r/{what}"][0]
            row = int(file["readouts/r/step"][0]) + experiment["data"]["window"] - 1
        other = x.copy()
        other[row + 1:, :4] = 30.0 - 7.0 * x[row + 1:, :4]
        other[row + 1:, 4] = (x[row + 1:, 4] + 1) % 3
        with h5py.File(gaia.run(experiment, other, output="a.h5", overwrite=True, progress="none").path) as file:
            assert file[f"readouts/r/{what}"][0].tobytes() == said.tobytes(), json.dumps(experiment)


@pytest.mark.parametrize("per_trial", [False, True])
@pytest.mark.parametrize("target", [{"column": 3}, {"channel": 1}, {"label": True}])
def test_folds_are_fitted_to_no_row_of_the_block_that_they_predict(folder, target, per_trial):
    """Rows of a test block, from one in it to its end, change no prediction of the block before that row."""
    draw = random.Random(f"{target} {per_trial}")
    for seed in range(SEEDS):
        experiment = folds_experiment(draw.choice([0, 1, 7]), draw.choice([1, 5]), draw.choice([1, 4]),
                                      draw.choice([1, 3]), target, per_trial)
        x = table(seed, False)
        before = gaia.run(experiment, x, output="before.h5", overwrite=True, progress="none").path
        with h5py.File(before) as file:
            steps = file["readouts/r/step"][:]
            said = file["readouts/r/probability" if "label" in target else "readouts/r/prediction"][:]
        window = experiment["data"]["window"]
        starts = np.arange(0, ROWS, TRIAL_ROWS) if per_trial else np.array([0])
        per = TRIAL_ROWS - window + 1 if per_trial else ROWS - window + 1
        newest = starts[np.minimum(steps // per, len(starts) - 1)] + steps % per + window - 1
        blocks = np.array_split(starts, 5) if per_trial else None
        for fold in range(5):
            if per_trial:
                inside = (newest >= blocks[fold][0]) & (newest < blocks[fold][-1] + TRIAL_ROWS)
                last = blocks[fold][-1] + TRIAL_ROWS - 1
            else:
                number = np.arange(len(steps))
                inside = (number >= len(steps) * fold // 5) & (number < len(steps) * (fold + 1) // 5)
                last = newest[inside][-1]
            first = int(newest[inside][inside.sum() // 2])
            other = x.copy()
            other[first:last + 1, :4] = 9.0 - 3.0 * x[first:last + 1, :4]
            other[first:last + 1, 4] = (x[first:last + 1, 4] + 1) % 3
            after = gaia.run(experiment, other, output="after.h5", overwrite=True, progress="none").path
            with h5py.File(after) as file:
                again = file["readouts/r/probability" if "label" in target else "readouts/r/prediction"][:]
            same = inside & (newest < first)
            assert same.any()
            assert said[same].tobytes() == again[same].tobytes(), f"fold {fold} of {json.dumps(experiment)}"


def test_filled_targets_are_not_scored(folder):
    """White noise with every other value gone: what stands in the gaps is of no score."""
    x = np.random.default_rng(1).normal(size=(600, 1))
    x[1::2] = np.nan
    for policy in kinds("missing") + sorted(LOOKS_AHEAD["missing"]):
        if policy == "error":
            continue
        experiment = {"experiment": "m", "data": {"missing": policy, "normalize": "zscore", "window": 3},
                      "hierarchy": {"levels": [{"layers": [layer("kalman" if policy == "keep" else "hebbian", "oja")]}]},
                      "readouts": [{"name": "r", "levels": [0], "target": {"channel": 0, "horizon": 1}}]}
        result = gaia.run(experiment, x, output=f"{policy}.h5", progress="none")
        with h5py.File(result.path) as file:
            readout = file["readouts/r"]
            newest = readout["step"][:] + 2
            gone = np.isnan(x[np.minimum(newest + 1, len(x) - 1), 0])
            assert np.isnan(readout["target"][:][gone]).all(), policy
            assert np.isfinite(readout["target"][:][~gone]).all(), policy


def test_schema_of_a_sweep_have_the_moments_of_their_own_split(folder):
    x = changed(table(2, False), 2)
    experiment = {"experiment": "s", "data": {"columns": CHANNELS, "normalize": "zscore"},
                  "hierarchy": {"learn": False, "levels": [{"layers": [{"type": "hebbian", "size": 2}]}]},
                  "readouts": [{"name": "r", "levels": [0], "target": {"channel": 0, "horizon": 1}, "split": 0.5}]}
    swept = gaia.sweep({**experiment, "sweep": {"readouts[0].split": [0.3, 0.5, 0.9]}}, x, output="swept.h5",
                       progress="none")
    for result, split in zip(swept, [0.3, 0.5, 0.9]):
        alone = gaia.run(experiment, x, set={"readouts[0].split": split}, output=f"{split}.h5", progress="none")
        with h5py.File(result.path) as one, h5py.File(alone.path) as other:
            for key in ("mean", "scale"):
                assert one["data"][key][:].tobytes() == other["data"][key][:].tobytes()
    assert len({tuple(h5py.File(result.path)["data/mean"][:]) for result in swept}) == 3


def test_transformers_see_what_they_are_given_alone():
    pytest.importorskip("sklearn")
    from gaia.sklearn import HebbianTransformer, HierarchyTransformer
    x = table(4, False)[:, :3]
    other = changed(table(4, False), 4)[:, :3]
    levels = [gaia.Level(gaia.Hebbian(3, "oja", learning_rate=0.001)),
              gaia.Level(gaia.Hebbian(2, "sanger", learning_rate=0.001), temporal_resolution=2, pooling="mean")]
    for transformer in (HebbianTransformer(3, learning_rate=0.001, random_state=1),
                        HierarchyTransformer(levels, random_state=1)):
        transformer.fit(x[:100])
        assert transformer.transform(x)[:T + 1].tobytes() == transformer.transform(other)[:T + 1].tobytes()


def test_what_was_learnt_is_applied_with_the_moments_of_its_training(folder):
    x = table(6, False)[:, :3]
    experiment = {"experiment": "a", "data": {"normalize": "zscore", "window": 2},
                  "hierarchy": {"levels": [{"layers": [{"type": "hebbian", "size": 2}]}]},
                  "readouts": [{"name": "r", "levels": [0], "target": {"channel": 0, "horizon": 1}}]}
    learnt = gaia.run(experiment, x, output="learnt.h5", progress="none")
    shown = []
    for name, rows in (("before", x), ("after", changed(table(6, False), 6)[:, :3])):
        np.save(f"{name}.npy", rows)
        result = gaia.apply(learnt, f"{name}.npy", output=f"{name}.h5", progress="none")
        with h5py.File(result.path) as file:
            shown.append([file["data/mean"][:], file["data/scale"][:],
                          file["readouts/r/prediction"][:][file["readouts/r/step"][:] <= T - 1]])
    for one, other in zip(*shown):
        assert one.tobytes() == other.tobytes()
