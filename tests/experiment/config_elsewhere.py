#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads the resolved experiment (`config` of a result, and what `gaia check` prints) by PyYAML, which knows YAML 1.1,
and compares the type and value of everything in it with what gaia takes it for: the JSON Schema says that.  Exits with
77 where PyYAML is not installed (Debian: python3-yaml).

    config_elsewhere.py GAIA SOURCE_DIR WORK_DIR
"""
import csv
import itertools
import json
import pathlib
import subprocess
import sys

from by_gaia import emptied, need

need("yaml")
import yaml

gaia, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), emptied(sys.argv[3])
schema = json.loads(subprocess.run([gaia, "schema"], check=True, stdout=subprocess.PIPE).stdout)
faults = []
checked = 0


def config_of(file, *settings):
    arguments = [gaia, "check", "--json", "--device", "cpu", file]
    for setting in settings:
        arguments += ["--set", setting]
    done = subprocess.run(arguments, cwd=work, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"gaia check {file} {settings}: {done.stderr}")
    return json.loads(done.stdout)[0]["config"]


def alternatives(schemas):
    """Schemas with every oneOf and anyOf of them taken apart."""
    for one in schemas:
        inner = [a for a in one.get("oneOf", []) + one.get("anyOf", []) if set(a) != {"required"}]
        yield from alternatives(inner) if inner else [one]


def compare(value, text, schemas, place):
    """`value` is what YAML 1.1 makes of the config, `text` the same with every scalar as it is written."""
    global checked
    known = list(alternatives(schemas))
    if isinstance(value, dict):
        maps = [s for s in known if "properties" in s]
        for key, spelled in zip(value, text):
            below = [s["properties"][key] for s in maps if key in s["properties"]]
            # Names that a user chooses.
            below += [s["additionalProperties"] for s in known if isinstance(s.get("additionalProperties"), dict)]
            if not below:
                faults.append(f"{place}: the key {spelled!r} is read as {key!r}")
            compare(value[key], text[spelled], below, f"{place}.{spelled}")
    elif isinstance(value, list):
        below = [s["items"] for s in known if "items" in s]
        for i, item in enumerate(value):
            compare(item, text[i], below, f"{place}[{i}]")
    else:
        checked += 1
        types = set(itertools.chain.from_iterable(
            [t] if isinstance(t, str) else t for t in (s.get("type", "string") for s in known)))
        # Free text is one schema of both types; a number or a word are two.
        if any(set(s.get("type", ())) == {"string", "number"} for s in known):
            types = {"string"}
        names = {bool: "boolean", int: "integer", float: "number", str: "string"}
        if names.get(type(value)) not in types:
            faults.append(f"{place}: {text} is read as {value!r}, should be {' or '.join(sorted(types))}")
        elif isinstance(value, float) and value != float(text):
            faults.append(f"{place}: {text} is read as {value!r}")
        elif isinstance(value, str) and value != text:
            faults.append(f"{place}: {text!r} is read as {value!r}")


def check(file, *settings):
    config = config_of(file, *settings)
    place = " ".join([pathlib.Path(file).name, *settings])
    try:
        compare(yaml.safe_load(config), yaml.load(config, yaml.BaseLoader), [schema], place)
        return yaml.safe_load(config)
    except yaml.YAMLError as error:
        faults.append(f"{place}: {error}")
        return {}


def quote(text):
    return '"' + "".join(f"\\U{ord(letter):08x}" for letter in text) + '"'


def write(name, text):
    path = work / name
    path.write_text(text, encoding="utf-8")
    return path


# Everything that is shipped.
for path in sorted((source / "experiments").glob("*.yaml")):
    if "source: images" not in path.read_text():  # their files may not be there
        check(path)

# Every generator, rule, layer, module and optimiser, with its defaults.
data = "{source: generator, kind: sines, frequencies: [0.05], channels: 8, steps: 500, window: 8}"
hierarchy = "hierarchy: {levels: [{layers: [{type: hebbian, size: 1, rule: oja, normalization: l2}]}]}"
network = "network: {target: {channel: 0}, layers: [%s, {type: flatten}, {type: dense, size: 1}]}"
needed = {"sines": "frequencies: [0.05]", "poisson": "rates: [0.1, 0.3]", "ornstein_uhlenbeck": "tau: [20], channels: 2",
          "gaussian": "spectrum: [2, 1]",
          "patterns": "count: 2", "turning_subspace": "to: 100", "switching_ar": "coefficients: [[0.9]]"}
for alternative in schema["properties"]["data"]["oneOf"]:
    if alternative["properties"]["source"]["const"] != "generator":
        continue
    kind = alternative["properties"]["kind"]["const"]
    check(write("generator.yaml", f"experiment: generator\n"
                f"data: {{source: generator, kind: {kind}, steps: 500, {needed.get(kind, '')}}}\n{hierarchy}\n"))
catalogue = json.loads(subprocess.run([gaia, "rules", "--json"], check=True, stdout=subprocess.PIPE).stdout)
read_signals = {rule["name"]: next(iter(rule["signals"])) for rule in catalogue["rules"] if rule["signals"]}
# What kinds of layers without a size need.
written = 'observes: [0], state: "s = 0.9*s", observation: "o = s"'
sized = {"predictive": "sizes: [3, 1], top: target, target: \"7\"", "kalman": "observes: [0]",
         "regimes": "observes: [0], models: [{Q: 1}, {Q: 2}], transition: [[0.9, 0.1], [0.2, 0.8]]",
         "conv2d": "filters: 3, kernel: 2, shape: [%d, 8, 1], update: mean, pool: {max: 2}",
         "extended_kalman": written, "unscented_kalman": written, "particle": written}
lists = schema["properties"]["hierarchy"]["properties"]["levels"]["oneOf"]
levels = next(one for one in lists if one.get("type") == "array")["items"]["properties"]
for alternative in levels["layers"]["items"]["oneOf"]:
    kind = alternative["properties"]["type"]["const"]
    names = (one["enum"] for one in alternative["properties"].get("rule", {}).get("oneOf", []) if "enum" in one)
    for rule in next(names, [None]):
        beside = "" if rule is None else f", rule: {rule}, normalization: max_norm, homeostasis: {{target: 0.5}}"
        learns_target = "sizes" in alternative["properties"]
        signals = ", targets: [\"7\"]" if rule in read_signals or learns_target else ""
        if rule in read_signals:
            beside += f", signals: {{{read_signals[rule]}: \"7\"}}"
        size = sized.get(kind, "size: 3")
        if kind == "conv2d":
            size %= 7 if signals else 8  # a target is no channel
        check(write("layer.yaml", f"experiment: layer\ndata: {data[:-1]}{signals}}}\n"
                    f"hierarchy: {{levels: [{{layers: [{{type: {kind}, {size}{beside}}}]}}]}}\n"
                    "readouts: [{name: r, target: {channel: 0}, levels: [0]}]\n"))
modules = {"dense": "size: 3", "bit_linear": "size: 3",
           "plastic_linear": "size: 3, plasticity: false, trace_bound: 2", "hebbian": "size: 3", "rnn": "size: 3", "gru": "size: 3",
           "lstm": "size: 3, answer: sequence", "conv1d": "channels: 2", "max_pool1d": "", "avg_pool1d": "", "flatten": "",
           "differentiable_plasticity": "size: 3, rule: abcd", "dropout": "", "layer_norm": "", "batch_norm": "",
           "group_norm": "groups: 1", "instance_norm": "affine: true", "rms_norm": "", "prelu": "each: true",
           "adaptive_avg_pool1d": "size: 2", "adaptive_max_pool1d": "size: 2", "zero_pad": "before: [1], after: [2]",
           "transformer_encoder": "heads: 1, hidden: 4"}
for kind, beside in modules.items():
    before = "{type: flatten}, " if "size" in beside and kind in ("dense", "bit_linear", "plastic_linear", "hebbian") else ""
    check(write("module.yaml", f"experiment: module\ndata: {data}\n"
                + network % f"{before}{{type: {kind}{', ' if beside else ''}{beside}}}" + "\n"))
for alternative in schema["properties"]["network"]["properties"]["optimizer"]["oneOf"]:
    kind = alternative["properties"]["type"]["const"]
    check(write("optimizer.yaml", f"experiment: optimizer\ndata: {data}\n" + network % "{type: flatten}" + "\n"),
          f"network.optimizer={{type: {kind}}}")

# Numbers however small and large.
plain = write("plain.yaml", f"experiment: plain\ndata: {data}\n{hierarchy}\n")
rate = "hierarchy.levels[0].layers[0].learning_rate"
for number in ("1e-06", "5e-05", "0.00005", "1e-30", "2.5e-7", "0", "1", "0.1", "1000000"):
    read = check(plain, f"{rate}={number}")
    if read and read["hierarchy"]["levels"][0]["layers"][0]["learning_rate"] != float(number):
        faults.append(f"{number} became {read['hierarchy']['levels'][0]['layers'][0]['learning_rate']!r}")
for number in ("1e16", "1e22", "123456789012345680", "-1e+30"):
    check(plain, f"hierarchy.levels[0].layers[0].homeostasis={{target: {number}}}")

# Names that are numbers, dates, times and words of YAML 1.1 or 1.2.
for name in ("2020-01-01", "0x1", "0x1f", "12", "0", "007", "1_0", "1_000", "0b1", "0o7", "1e3", "12e03", "yes", "no", "on",
             "off", "y", "n", "true", "false", "null", "-1", "-", "--", "_", "_1", "1-2", "inf", "nan", "e5", "a-b"):
    read = check(write("name.yaml", f"experiment: \"{name}\"\ndata: {data}\n{hierarchy}\n"))
    if read and read["experiment"] != name:
        faults.append(f"the name {name!r} became {read['experiment']!r}")

# Names of columns and files, which may be anything.
texts = ["1:30", "1:30:00", ".5", "=", "~", "null", "Null", "NO", "On", "+1", "-.inf", ".inf", ".NaN", "<<", "1e3", "1.5e+3",
         "0x1", "0b1", "0o17", "1_0", "2001-12-14 21:59:43.10 -5:00", "a: b", "a #b", "#a", "@a", "%a", "!a", "&a", "*a",
         "- a", "?", "|", ">", "{", "[", "'", "\"", "\\", " a", "a ", "a:", "\x7f", "\u0085", "\u00a0", "\u2028", "\u2029",
         "a\ufeffb", "\u200b", "é", "µV", "\U0001f9e0", "\x1b[31m", "a\tb", "true", "..", ".", "./a", "../a", "/a", "---"]
with open(work / "columns.csv", "w", newline="", encoding="utf-8") as file:
    table = csv.writer(file, quoting=csv.QUOTE_ALL)
    table.writerow(texts)
    for row in range(20):
        table.writerow([f"{(row * 7 + i) % 11}.5" for i in range(len(texts))])
for chosen in (texts, [str(i) for i in range(len(texts))]):
    read = check(write("columns.yaml", "experiment: columns\n"
                       f"data: {{source: file, path: columns.csv, columns: [{', '.join(map(quote, chosen))}]}}\n{hierarchy}\n"))
    columns = read.get("data", {}).get("columns", [])
    if read and [str(column) for column in columns] != chosen:
        faults.append(f"the columns became {columns}")
for text in texts:
    name = text.replace("/", "") + "-.h5"
    read = check(write("path.yaml", f"experiment: path\ndata: {data}\n{hierarchy}\noutput: {{path: {quote(name)}}}\n"))
    if read and read["output"]["path"] != name:
        faults.append(f"the path {name!r} became {read['output']['path']!r}")

for fault in faults:
    print(fault)
print(f"{checked} values compared, {len(faults)} faults")
sys.exit(1 if faults or checked < 1000 else 0)
