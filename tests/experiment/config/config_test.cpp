// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "../../../src/array/device.h"
#include "../../../src/core/error.h"
#include "../../../src/experiment/config/config_reader.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/setup/build.h"
#include "../../../src/io/formats/file_format.h"
#include "../../../src/io/generators/gaussian.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../../src/layers/hierarchy/reactive.h"
#include "../../../src/learning/catalogue/catalogue.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/text.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

struct Outcome {
  ReadConfig read;
  std::string problems;
};

Outcome read(const std::string& text) {
  Problems problems("f.yaml", text);
  const YamlNode root = parse_yaml(text, problems);
  Outcome outcome;
  if (root.kind != YamlNode::Kind::null) outcome.read = read_config(root, problems);
  outcome.problems = complaint_of<ConfigError>([&] { problems.throw_if_any(); });
  return outcome;
}

/// The minimal experiment with `from` replaced by `to`.
Outcome read_changed(const std::string& from, const std::string& to) {
  std::string text = kMinimal;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return read(text.replace(at, from.size(), to));
}

}  // namespace

TEST_CASE("a minimal experiment is read, with every default") {
  const Outcome outcome = read(kMinimal);
  REQUIRE(outcome.problems.empty());
  const ExperimentConfig& config = outcome.read.config;
  CHECK(config.experiment == "minimal");
  CHECK(config.seed == 0);
  CHECK(config.device == "auto");
  CHECK(config.dtype == DType::float32);
  CHECK(config.data.window == 1);
  CHECK(config.data.steps == 300);
  const auto& gaussian =
      *std::get<GeneratorConfig>(config.data.source).kind.get_if<GaussianOptions>();
  CHECK(gaussian.spectrum == std::vector<double>{2, 1, 0.5});
  REQUIRE(config.hierarchy().levels.size() == 2);
  CHECK(config.hierarchy().learn);
  CHECK(config.hierarchy().executor == Executor::chunkwise);
  CHECK(config.hierarchy().levels[0].temporal_resolution == 1);
  CHECK(config.hierarchy().levels[0].options.pooling == Pooling::last);
  CHECK(config.hierarchy().levels[1].options.pooling == Pooling::mean);
  const auto& oja = *config.hierarchy().levels[0].layers[0].kind.get_if<HebbianOptions>();
  CHECK(rule_name(oja.rule) == "oja");
  CHECK(oja.activation == Activation::linear);
  CHECK(oja.init == Init::he);
  CHECK_FALSE(oja.control.homeostasis);
  const auto& reactive = *config.hierarchy().levels[1].layers[0].kind.get_if<ReactiveOptions>();
  CHECK(reactive.activation == Activation::tanh);
  CHECK(reactive.init == Init::he);
  const auto& bcm_layer = *config.hierarchy().levels[1].layers[1].kind.get_if<HebbianOptions>();
  const auto& bcm = std::get<BcmRule>(std::get<Rule>(bcm_layer.rule));
  CHECK(bcm.tau == 50.0);
  CHECK(bcm.theta == 1.0);
  CHECK(bcm.learning_rate == 0.001);
  CHECK(config.output.representations.what == Recording::What::all);
  CHECK(config.output.compression == 4);
  CHECK_FALSE(config.output.inputs);
}

TEST_CASE("every kind of wrong value is told with its key, what was expected and what came") {
  const auto [from, to, message] = GENERATE(table<const char*, const char*, const char*>({
      {"rule: oja", "rule: oya",
       "hierarchy.levels[0].layers[0].rule: unknown rule 'oya' (did you "
       "mean 'oja'?); known: hebbian, oja, bcm, sanger, oja_subspace"},
      {"steps: 300", "stepps: 300", "data.stepps: unknown key 'stepps' (did you mean 'steps'?)"},
      {"steps: 300", "steps: 1.5", "data.steps: expected an integer >= 1, got '1.5'"},
      {"steps: 300", "steps: 0", "expected an integer >= 1, got '0'"},
      {"steps: 300", "steps: 010", "got '010'"},
      {"steps: 300", "steps: '300'", "got '300'"},
      {"steps: 300", "steps: 99999999999999999999", "got '99999999999999999999'"},
      {"steps: 300", "steps: [3]", "got a list"},
      {"steps: 300", "steps:", "got nothing"},
      {"learning_rate: 0.01", "learning_rate: -1",
       "expected a number in [0, 1000000], or auto, got '-1'"},
      {"learning_rate: 0.01", "learning_rate: 1,0e-3", "unknown key '0e-3'"},
      {"learning_rate: 0.01", "learning_rate: fast",
       "expected a number in [0, 1000000], or auto, got 'fast'"},
      {"learning_rate: 0.01", "learning_rate: .nan", "got '.nan'"},
      {"learning_rate: 0.01", "learning_rate: 1e-400", "got '1e-400'"},
      {"learning_rate: 0.01", "decay: 1.5", "decay: expected a number in [0, 1], got '1.5'"},
      {"learning_rate: 0.01", "input_scale: 0.5",
       "unknown key 'input_scale' (it stands beside 'type: temporal'); known:"},
      {"type: reactive", "type: reactiv", "unknown type 'reactiv' (did you mean 'reactive'?)"},
      {"type: reactive, size: 4", "type: reactive", "layers[0].size: missing (number of neurons)"},
      {"size: 4", "size: 0", "expected an integer from 1 to 1000000, got '0'"},
      {"size: 4", "size: '4'", "got '4' in quotes, which make it a text"},
      {"size: 4", "size: 4e0", "got '4e0'; write 4"},
      {"learning_rate: 0.01", "learning_rate: \"0.01\"", "got '0.01' in quotes"},
      {"type: reactive", "type: Reactive", "unknown type 'Reactive' (did you mean 'reactive'?)"},
      {"type: reactive", "type: Oja",
       "unknown type 'Oja' (did you mean 'rule: oja', beside 'type: hebbian'?)"},
      {"rule: oja", "activation: OJA", "unknown activation 'OJA' (did you mean 'rule: oja'"},
      {"source: generator, kind: gaussian", "source: gaussian",
       "unknown source 'gaussian' (did you mean 'kind: gaussian', beside 'source: generator'?)"},
      {"experiment: minimal", "experiment: minimal\nepochs: 5",
       "unknown key 'epochs' (did you mean 'hierarchy.epochs'?)"},
      {"experiment: minimal", "experiment: minimal\npoolling: mean",
       "(did you mean 'hierarchy.levels[0].pooling' or 'hierarchy.levels[1].pooling' or "
       "'hierarchy.levels.pooling'?)"},
      {"experiment: minimal", "experiment: minimal\nminutes: 1",
       "(did you mean 'checkpoint.minutes'?)"},
      {"steps: 300", "steps: 300, seed: 1", "data.seed: unknown key 'seed' (did you mean 'seed'?)"},
      {"pooling: mean", "pooling: 3", "unknown pooling '3'; known: last, mean, max, ema, concat"},
      {"kind: gaussian", "kind: gauss", "unknown kind 'gauss'"},
      {"source: generator, kind", "kind", "data.source: missing"},
      {"spectrum: [2, 1, 0.5]", "spectrum: [2, x]", "expected a number >= 0, got 'x'"},
      {"spectrum: [2, 1, 0.5]", "spectrum: []", "expected a list of numbers"},
      {"experiment: minimal", "experiment: Mini Mal", "expected 1 to 64 of a-z, 0-9, _ and -"},
      {"experiment: minimal", "experiment: minimal\nseed: -1", "seed: expected an integer >= 0"},
      {"experiment: minimal", "experiment: minimal\nseed: 18446744073709551616",
       "seed: expected an integer from 0 to 9223372036854775807, got '18446744073709551616'"},
      {"experiment: minimal", "experiment: minimal\nseed: 9223372036854775808",
       "seed: expected an integer from 0 to 9223372036854775807"},
      {"experiment: minimal", "experiment: minimal\nseed: 1e3", "got '1e3'; write 1000"},
      {"experiment: minimal", "experiment: minimal\nseed: \"42\"",
       "got '42' in quotes, which make it a text"},
      {"experiment: minimal", "experiment: minimal\nsweeps: {}",
       "unknown key 'sweeps' (did you mean 'sweep'?)"},
      {"experiment: minimal", "experiment: minimal\ndtype: float16", "unknown dtype 'float16'"},
      {"experiment: minimal", "experiment: minimal\noutput: {representations: {every: 0}}",
       "output.representations.every: expected an integer >= 1, got '0'"},
      {"experiment: minimal", "experiment: minimal\noutput: {representations: some}",
       "unknown representations 'some'; known: all, none"},
      {"experiment: minimal", "experiment: minimal\noutput: {weights: [1]}",
       "or a map of keys, got a list"},
      {"experiment: minimal", "experiment: minimal\noutput: {compression: 10}",
       "expected an integer from 0 to 9"},
      {"experiment: minimal", "experiment: minimal\nhierarchy: {levels: []}", "duplicate key"},
      {"normalization: l2", "homeostasis: {target: a}",
       "homeostasis.target: expected a number, got 'a'"},
      {"normalization: l2", "homeostasis: yes", "unknown homeostasis 'yes'; known: none"},
      {"experiment: minimal",
       "experiment: minimal\nreadouts: [{name: r, target: {channel: 0, latent: 1}, levels: [0]}]",
       "readouts[0].target: expected exactly one of the keys channel, latent, column, label, got "
       "2"},
      {"experiment: minimal",
       "experiment: minimal\nreadouts: [{name: r, target: {horizon: 1}, levels: [0]}]",
       "expected exactly one of the keys channel, latent, column, label, got 0"},
      {"experiment: minimal", "experiment: minimal\nreadouts: [3]",
       "readouts[0]: expected a map of keys, got '3'"},
      {"experiment: minimal", "experiment: minimal\nhierarchy: 5", "duplicate key"},
      {"experiment: minimal", "experiment: minimal\ncontrols: [frozn]",
       "controls: unknown controls 'frozn' (did you mean 'frozen'?); known: frozen"},
      {"experiment: minimal", "experiment: minimal\ncontrols: [frozen, frozen]",
       "controls: 'frozen' stands there twice"},
      {"experiment: minimal", "experiment: minimal\ncontrols: frozen",
       "controls: expected none or a list of any of frozen, stopped, shuffled, silent, "
       "random_map, same_past, pca, reservoir, window, nvar, self_trained, got 'frozen'"},
      {"experiment: minimal", "experiment: minimal\ncontrols: [{frozen: 1}]",
       "controls: expected frozen, stopped, shuffled, silent, random_map, same_past, pca, "
       "reservoir, window, nvar, self_trained, got a map"},
  }));
  INFO(from << " -> " << to);
  const Outcome outcome = read_changed(from, to);
  CHECK_SAYS(outcome.problems, message, "f.yaml:");
}

TEST_CASE("all errors of a file are told at once") {
  std::string text = kMinimal;
  text.replace(text.find("rule: oja"), 9, "rule: bmc");
  text.replace(text.find("pooling: mean"), 13, "poling: mean");
  text.replace(text.find("steps: 300"), 10, "steps: -3");
  const std::string problems = read(text).problems;
  CHECK_SAYS(problems, "did you mean 'bcm'?", "did you mean 'pooling'?", "got '-3'", "3 errors");
}

TEST_CASE("beside an unknown type keys are checked as far as any type has them") {
  const auto told = [](const std::string& layer) {
    return read_changed("{type: hebbian, size: 2, rule: oja", layer).problems;
  };
  // Only the type: of what one of the types has, nothing is known to be wrong.
  CHECK_SAYS(told("{type: hebian, size: 2, rule: oja"), "1 error,");
  CHECK_SAYS(told("{type: spiking, size: 2, leak: 0.5"), "1 error,");
  const std::string all = told("{type: hebian, size: 0, rulle: oja, leak: -1, rule: tanh, x: 1");
  CHECK_SAYS(
      all, "unknown type 'hebian' (did you mean 'hebbian'?)",
      "size: expected an integer from 1 to 1000000, got '0'",
      "unknown key 'rulle' (did you mean 'rule'?)", "leak: expected a number in [0, 1], got '-1'",
      "unknown rule 'tanh' (did you mean 'activation: tanh'", "unknown key 'x'", "6 errors,");
  const std::string without = told("{rule: oya");
  CHECK_SAYS(without, "layers[0].type: missing");
  // Not the size: of a predictive layer it is that of its last layer.
  CHECK_THAT(without, !ContainsSubstring("layers[0].size"));
  CHECK_SAYS(without, "unknown rule 'oya' (did you mean 'oja'?)", "2 errors,");

  const std::string data =
      read_changed("source: generator, kind: gaussian", "source: generate, kind: gausian").problems;
  CHECK_SAYS(data, "unknown source 'generate' (did you mean 'generator'?)",
             "unknown kind 'gausian' (did you mean 'gaussian'?)", "2 errors,");
}

TEST_CASE("of very many errors the first twenty are shown and the others counted") {
  std::string text = kMinimal;
  for (int i = 0; i < 30; ++i) text += "unknown" + std::to_string(i) + ": 1\n";
  CHECK_SAYS(read(text).problems, "... and 10 more\n30 errors");
}

TEST_CASE("keys without effect are accepted with a warning") {
  const Outcome outcome = read_changed("rule: oja", "rule: oja, tau: 10, bound: 2");
  CHECK(outcome.problems.empty());
  REQUIRE(outcome.read.warnings.size() == 2);
  CHECK_SAYS(outcome.read.warnings[0],
             "hierarchy.levels[0].layers[0].tau has no effect without rule: bcm or law_cooper or ");
  CHECK(outcome.read.warnings[1] ==
        "hierarchy.levels[0].layers[0].bound has no effect without normalization: max_norm");
}

TEST_CASE("the resolved YAML reads back as the same experiment") {
  std::string text = kMinimal;
  text +=
      "readouts:\n  - {name: r, target: {latent: 1, horizon: 4}, levels: [0, 1], split: 0.5}\n"
      "output: {path: \"a b: 'c' #\\\"d\\\".h5\", representations: {every: 3}, weights: none, "
      "inputs: "
      "all}\ncheckpoint: {every: 100}\nseed: 9007199254740993\n";
  text.replace(text.find("normalization: l2"), 17,
               "normalization: max_norm, bound: 0.1, homeostasis: {target: 1e-7}");
  const Outcome first = read(text);
  REQUIRE(first.problems.empty());
  const std::string resolved = to_yaml(first.read.config);
  const Outcome second = read(resolved);
  INFO(resolved);
  REQUIRE(second.problems.empty());
  CHECK(second.read.warnings.empty());
  CHECK(to_yaml(second.read.config) == resolved);
  CHECK(second.read.config.output.path == "a b: 'c' #\"d\".h5");
  CHECK(second.read.config.seed == 9007199254740993);
  CHECK(second.read.config.readouts[0].target.of == ReadoutTarget::Of::latent);
  CHECK(second.read.config.readouts[0].target.horizon == 4);
}

TEST_CASE(
    "controls are those of learning and of the same past, unless a list or none stands there") {
  const std::vector<std::string> standard = {"frozen", "same_past"};
  CHECK(read(kMinimal).read.config.controls == standard);
  CHECK(read(kMinimal + "controls: [frozen, same_past]\n").read.config.controls == standard);
  for (const char* const none : {"none", "[]"}) {
    const Outcome outcome = read(kMinimal + "controls: " + none + "\n");
    CHECK(outcome.problems.empty());
    CHECK(outcome.read.config.controls.empty());
    const std::string resolved = to_yaml(outcome.read.config);
    CHECK_SAYS(resolved, "controls: none\n");
    CHECK(read(resolved).read.config.controls.empty());
  }
  CHECK_SAYS(to_yaml(read(kMinimal).read.config), "controls: [frozen, same_past]\n");
}

TEST_CASE("attributes of a layer are its keys, flattened, and only those with effect") {
  const Outcome outcome =
      read_changed("normalization: l2", "normalization: max_norm, homeostasis: {target: 0.25}");
  REQUIRE(outcome.problems.empty());
  const Attributes attributes = attributes_of(outcome.read.config.hierarchy().levels[1].layers[1]);
  std::set<std::string> names;
  for (const auto& [name, value] : attributes) names.insert(name);
  CHECK(names == std::set<std::string>{"type", "size", "learn", "activation", "init", "neuron",
                                       "rule", "learning_rate", "decay", "tau", "theta", "rewire",
                                       "normalization", "bound", "top_down", "lateral",
                                       "homeostasis_target", "homeostasis_strength"});
  const auto value = [&](const std::string& name) {
    return std::find_if(attributes.begin(), attributes.end(),
                        [&](const auto& entry) { return entry.first == name; })
        ->second;
  };
  CHECK(std::get<std::string>(value("rule")) == "bcm");
  CHECK(std::get<std::int64_t>(value("size")) == 2);
  CHECK(std::get<double>(value("homeostasis_target")) == 0.25);
  CHECK(std::get<double>(value("bound")) == 1.0);

  const Attributes plain = attributes_of(outcome.read.config.hierarchy().levels[0].layers[0]);
  CHECK(std::find(plain.begin(), plain.end(),
                  Attributes::value_type("homeostasis", std::string("none"))) != plain.end());
}

namespace {

/// Names of all properties in a JSON Schema.
void collect_keys(const nlohmann::json& schema, std::set<std::string>& keys) {
  if (schema.is_array()) {
    for (const auto& element : schema) collect_keys(element, keys);
  }
  if (!schema.is_object()) return;
  if (schema.contains("properties")) {
    for (const auto& [name, property] : schema["properties"].items()) keys.insert(name);
  }
  for (const auto& [name, part] : schema.items()) collect_keys(part, keys);
}

}  // namespace

TEST_CASE("the JSON Schema requires none of several keys of which one is there") {
  int found = 0;
  const std::function<void(const nlohmann::json&)> look = [&](const nlohmann::json& schema) {
    if (schema.is_object() && schema.contains("properties") && schema.contains("oneOf")) {
      for (const nlohmann::json& one : schema["oneOf"]) {
        for (const nlohmann::json& name : one.value("required", nlohmann::json::array())) {
          const nlohmann::json required = schema.value("required", nlohmann::json::array());
          CHECK(std::find(required.begin(), required.end(), name) == required.end());
          ++found;
        }
      }
    }
    if (!schema.is_structured()) return;
    for (const nlohmann::json& part : schema) look(part);
  };
  look(nlohmann::json::parse(json_schema()));
  CHECK(found > 10);
}

TEST_CASE("the JSON Schema knows every key and which stand together") {
  const nlohmann::json schema = nlohmann::json::parse(json_schema());
  CHECK(schema["type"] == "object");
  CHECK(schema["additionalProperties"] == false);
  CHECK(schema["required"] == nlohmann::json({"experiment"}));
  REQUIRE(schema["oneOf"].size() == 3);  // the third is of agents
  CHECK(schema["oneOf"][0]["required"] == nlohmann::json({"hierarchy", "data"}));
  CHECK(schema["oneOf"][1]["required"] == nlohmann::json({"network", "data"}));
  const auto& layers = schema["properties"]["hierarchy"]["properties"]["levels"]["oneOf"][0]
                             ["items"]["properties"]["layers"]["items"]["oneOf"];
  std::vector<std::string> kinds;
  for (const auto& layer : layers) kinds.push_back(layer["properties"]["type"]["const"]);
  REQUIRE(kinds == std::vector<std::string>{"reactive", "hebbian", "temporal", "predictive",
                                            "kalman", "extended_kalman", "unscented_kalman",
                                            "particle", "regimes", "conv2d"});
  CHECK_FALSE(layers[0]["properties"].contains("rule"));
  const auto& rule = layers[1]["properties"]["rule"]["oneOf"];
  CHECK(rule[0]["enum"].size() == named_rules().size());
  CHECK(layers[1]["properties"]["neuron"]["enum"].size() == named_neurons().size() + 1);
  CHECK(layers[1]["properties"].contains("temperature"));
  CHECK(layers[9]["properties"]["rule"] == layers[1]["properties"]["rule"]);
  CHECK_FALSE(layers[9]["properties"].contains("lateral"));
  CHECK(rule[1]["required"] == nlohmann::json({"equations"}));
  CHECK(layers[2]["properties"].contains("leak"));
  CHECK(layers[3]["properties"].contains("sizes"));
  CHECK_FALSE(layers[3]["properties"].contains("size"));
  // `label: true` is a truth value to anyone who reads YAML.
  const auto& ridge = schema["properties"]["readouts"]["items"]["oneOf"][0];
  CHECK(ridge["properties"]["target"]["properties"]["label"]["enum"] ==
        nlohmann::json({"true", true}));
  // A consensus names readouts in place of a target.
  const auto& consensus = schema["properties"]["readouts"]["items"]["oneOf"].back();
  CHECK(consensus["properties"]["type"]["const"] == "consensus");
  CHECK(consensus["properties"].contains("of"));
  CHECK_FALSE(consensus["properties"].contains("target"));
  // One alternative for files, images and events each, and one for each of fifteen generators.
  CHECK(schema["properties"]["data"]["oneOf"].size() == 18);
  CHECK(schema["properties"]["network"]["properties"]["layers"]["items"]["oneOf"].size() == 28);
}

TEST_CASE("the optimiser is adam unless its type says another") {
  const std::string network =
      "experiment: small\n"
      "data: {source: generator, kind: gaussian, spectrum: [2, 1], steps: 300}\n"
      "network:\n"
      "  layers: [{type: flatten}, {type: dense, size: 1}]\n"
      "  optimizer: ";
  const Outcome given = read(network + "{learning_rate: 0.125}\n");
  REQUIRE(given.problems.empty());
  const auto* adam = std::get_if<AdamRule>(&given.read.config.network()->optimizer);
  REQUIRE(adam != nullptr);
  CHECK(adam->learning_rate == 0.125);
  CHECK_SAYS(read(network + "{nesterov: true}\n").problems, "nesterov");

  const nlohmann::json schema = nlohmann::json::parse(json_schema());
  int may_lack_type = 0;
  for (const auto& rule : schema["properties"]["network"]["properties"]["optimizer"]["oneOf"]) {
    if (rule.contains("required")) continue;
    CHECK(rule["properties"]["type"]["const"] == "adam");
    ++may_lack_type;
  }
  CHECK(may_lack_type == 1);
}

TEST_CASE("a layer too large for the memory is named, with what the hierarchy needs") {
  ExperimentConfig config = read(kMinimal).read.config;
  auto& hierarchy = *config.kind.get_if<HierarchyConfig>();
  for (LayerConfig& layer : hierarchy.levels[1].layers) layer.size = 1000;
  set_memory_limit(memory_stats().used + 1'000'000);
  const std::string told = complaint_of<OutOfMemory>([&] { build_hierarchy(config, 3); });
  set_memory_limit(0);
  CHECK_SAYS(told, "[hierarchy.levels[1].layers[1]] its weights take 4",
             "those of the whole hierarchy 4", "not to be had on the CPU");
}

/// What is written in a page, `NAME` and, of numbers of the catalogue, `NAME: VALUE`.
std::string page(const std::string& name) {
  std::string text = file_text(GAIA_SOURCE_DIR "/docs/" + name);
  REQUIRE(text.size() > 1000);
  return text;
}

TEST_CASE("docs/experiments.md tells in which formats files of data are read") {
  std::string experiments = page("experiments.md");
  std::erase(experiments, '`');
  CHECK_SAYS(experiments, "| " + a_file_of_data() + ", relative to the YAML");
}

TEST_CASE("docs/experiments.md explains every key, docs/catalogue.md those of its rules") {
  std::set<std::string> keys;
  collect_keys(nlohmann::json::parse(json_schema()), keys);
  REQUIRE(keys.size() > 50);
  const std::string experiments = page("experiments.md");
  const std::string catalogue = page("catalogue.md");
  const std::string search = page("search.md");
  for (const std::string& key : keys) {
    INFO(key);
    const bool is_explained = experiments.find("`" + key + "`") != std::string::npos ||
                              search.find("`" + key + "`") != std::string::npos ||
                              catalogue.find("`" + key + ": ") != std::string::npos;
    CHECK(is_explained);
  }
}
