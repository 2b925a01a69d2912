// SPDX-License-Identifier: MIT
/// \file
/// gaia inspect: shows what is inside a results file.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "../../src/core/error.h"
#include "../../src/experiment/data/drift.h"
#include "../../src/experiment/data/schema_version.h"
#include "../../src/experiment/results/regimes_in_file.h"
#include "../../src/io/foreign_hdf5/hdf5_reader.h"
#include "../../src/learning/rule_execution.h"
#include "../../src/learning/statistic_readout.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(hdf5::Type type) {
  switch (type) {
    case hdf5::Type::int32:
      return "int32";
    case hdf5::Type::int64:
      return "int64";
    case hdf5::Type::uint8:
      return "uint8";
    case hdf5::Type::float32:
      return "float32";
    case hdf5::Type::float64:
      return "float64";
    case hdf5::Type::other:
    case hdf5::Type::text:
      break;
  }
  return "other";
}

Json attributes_of(const hdf5::Description& object) {
  Json attributes = Json::object();
  for (const auto& [name, value] : object.attributes) {
    std::visit(
        [&, &key = name](const auto& v) {
          using Kind = std::decay_t<decltype(v)>;
          constexpr bool is_one = std::is_arithmetic_v<Kind> || std::is_same_v<Kind, std::string>;
          if constexpr (is_one) attributes[key] = v;
        },
        value);
  }
  return attributes;
}

/// Every dataset, with its shape, type, coordinates and meaning.
Json datasets_of(const hdf5::Contents& contents) {
  Json datasets = Json::array();
  for (const hdf5::DatasetDescription& dataset : contents.datasets) {
    Json coordinates = Json::array();
    for (const std::string& path : dataset.scales) {
      coordinates.push_back(path.substr(path.rfind('/') + 1));
    }
    std::vector<std::string> paths = dataset.other_paths;
    paths.insert(paths.begin(), dataset.path);
    for (const std::string& path : paths) {
      datasets.push_back({{"path", path},
                          {"shape", dataset.shape},
                          {"type", name_of(dataset.type)},
                          {"coordinates", coordinates},
                          {"long_name", dataset.text("long_name").value_or("")}});
    }
  }
  return datasets;
}

/// What moved in the data, and which channel's wire leads to each input of level 0 by now.
Json drifts_of(const hdf5::Contents& contents, hdf5::Reader& reader, std::int64_t done) {
  Json drifts = Json::object();
  const std::string below = "/data/drift/";
  const hdf5::Description* const data = contents.group("/data");
  const std::int64_t channels = data == nullptr ? 0 : data->integer("channels").value_or(0);
  for (const hdf5::Description& group : contents.groups) {
    if (!group.path.starts_with(below)) continue;
    Json& drift = drifts[group.path.substr(below.size())];
    drift = attributes_of(group);
    if (group.text("kind").value_or("") != "swap") continue;
    const auto read = [&](const char* name) {
      const auto* const dataset = contents.dataset(group.path + "/" + name);
      return dataset == nullptr ? std::vector<std::int64_t>() : reader.read<std::int64_t>(*dataset);
    };
    const std::vector<std::int64_t> steps = read("step");
    const std::vector<std::int64_t> a = read("a");
    const std::vector<std::int64_t> b = read("b");
    const auto fit = [&](const std::vector<std::int64_t>& inputs) {
      return inputs.size() == steps.size() &&
             std::all_of(inputs.begin(), inputs.end(),
                         [&](std::int64_t input) { return input >= 0 && input < channels; });
    };
    if (!fit(a) || !fit(b)) continue;
    drift["wires"] = swapped_wires(steps, a, b, static_cast<std::size_t>(channels), done);
  }
  return drifts;
}

/// When levels went over from one regime to another.
Json regimes_of(hdf5::Reader& reader, std::int64_t done) {
  Json all = Json::object();
  for (const RegimesOfLevel& level : regimes_in_file(reader, done)) {
    Json changes = Json::array();
    for (const RegimeChange& change : level.changes) {
      changes.push_back({{"step", change.tick}, {"from", change.from}, {"to", change.to}});
    }
    all["/levels/" + std::to_string(level.level)] = {{"models", level.models},
                                                     {"changes", std::move(changes)}};
  }
  return all;
}

Json describe(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw ConfigError(path + ": no such file");
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(path);
  const hdf5::Contents& contents = reader->contents();
  Json result = {{"file", path}, {"attributes", attributes_of(contents.root())}};
  // A verdict is of several runs, none of whose steps it holds.
  if (!contents.root().integer("verdict_version")) {
    check_schema(contents.root().integer("schema_version"), path);
    const hdf5::DatasetDescription* committed = contents.dataset("/status/committed_steps");
    if (committed == nullptr || !committed->shape.empty()) {
      throw DataError(path + ": expected a number /status/committed_steps");
    }
    result["committed_steps"] = reader->read<std::int64_t>(*committed).front();
  }
  Json readouts = Json::object();
  const std::string below = "/readouts/";
  for (const hdf5::Description& group : contents.groups) {
    if (!group.path.starts_with(below)) continue;
    const std::string within = group.path.substr(below.size());
    constexpr std::string_view between = "/controls/";
    const std::size_t at = within.find(between);
    if (at != std::string::npos) {
      const std::string control = within.substr(at + between.size());
      if (control.find('/') != std::string::npos) continue;  // what belongs to a control
      readouts[within.substr(0, at)]["controls"][control] = attributes_of(group);
    } else if (within.find('/') == std::string::npos) {
      readouts[within].update(attributes_of(group));
    }
  }
  result["readouts"] = readouts;
  Json agent = Json::object();
  for (const hdf5::Description& group : contents.groups) {
    const std::string controls_of_agent = "/agent/controls/";
    if (group.path == "/agent") agent.update(attributes_of(group));
    if (group.path.starts_with(controls_of_agent)) {
      agent["controls"][group.path.substr(controls_of_agent.size())] = attributes_of(group);
    }
  }
  if (!agent.empty()) result["agent"] = agent;
  Json layers = Json::object();
  constexpr std::string_view of_level = "/layers/";
  for (const hdf5::Description& group : contents.groups) {
    const std::size_t at = group.path.find(of_level);
    if (!group.path.starts_with("/levels/") || at == std::string::npos) continue;
    if (group.path.find('/', at + of_level.size()) != std::string::npos) continue;
    layers[group.path] = attributes_of(group);
  }
  result["layers"] = layers;
  const std::int64_t done = result.value("committed_steps", std::int64_t{0});
  const Json drifts = drifts_of(contents, *reader, done);
  if (!drifts.empty()) result["drift"] = drifts;
  const Json regimes = regimes_of(*reader, done);
  if (!regimes.empty()) result["regimes"] = regimes;
  result["datasets"] = datasets_of(contents);
  return result;
}

/// A value of the file in one line, whatever the file says.
std::string text_of(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>()
                                       : value.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// "accuracy 0.9 (the most frequent class: 0.1; frozen: 0.4)"; empty without such a score.
std::string score_text(const Json& scores, const std::string& key, const std::string& baseline_key,
                       const char* baseline) {
  const auto number_of = [](const Json& of, const std::string& name) {
    const Json value = of.value(name, Json());
    const bool is_known = value.is_number() && std::isfinite(value.get<double>());
    return is_known ? text_of(value) : std::string("not defined");
  };
  const Json score = scores.value(key, Json());
  if (!score.is_number() || !std::isfinite(score.get<double>())) return {};
  std::string text =
      key + " " + text_of(score) + " (" + baseline + ": " + number_of(scores, baseline_key);
  const Json controls = scores.value("controls", Json::object());
  for (const auto& [control, reached] : controls.items()) {
    text += "; " + text_of(control) + ": " + number_of(reached, key);
  }
  return text + ")";
}

/// How plastic layers learn, as far as the file says it.
void print_rules(const Json& layers) {
  for (const auto& [path, layer] : layers.items()) {
    const auto read = [&, &all = layer](const char* key) {
      return all.contains(key) ? text_of(all[key]) : std::string();
    };
    const std::string told = RuleExecution::from(read).text();
    if (told.empty()) continue;
    const std::string rule = read("rule");  // which predictive layers have not
    answer("  {}: {}, {}\n", text_of(path), rule.empty() ? read("type") : rule, told);
  }
}

/// What moved in the data.
void print_drifts(const Json& drifts) {
  for (const auto& [number, drift] : drifts.items()) {
    const auto read = [&, &all = drift](const char* key) {
      return text_of(all.value(key, Json()));
    };
    std::string wires;
    if (drift.contains("wires")) {
      std::int64_t moved = 0;
      std::int64_t input = 0;
      for (const Json& channel : drift["wires"]) moved += channel.get<std::int64_t>() != input++;
      wires = ": " + std::to_string(moved) + " of " + std::to_string(input) +
              " inputs have the wire of another channel by now (--json lists them)";
    }
    answer("  drift {}: {}, steps {} to {}{}\n", text_of(number), read("kind"), read("from"),
           read("to"), wires);
  }
}

/// How far a readout goes by itself, and its controls.
void print_free_run(const std::string& name, const Json& scores, const Json& controls) {
  const auto number_of = [](const Json& of, const char* key) {
    const Json value = of.value(key, Json());
    const bool has_left = value.is_number() && std::isinf(value.get<double>());
    return has_left ? std::string("infinite") : text_of(value);
  };
  const auto told = [&](const Json& of) {
    return "nrmse " + number_of(of, "nrmse_at") + ", valid steps " + number_of(of, "valid_steps");
  };
  std::string others;
  for (const auto& [control, reached] : controls.items()) {
    if (!reached.contains("nrmse_at")) continue;
    others += (others.empty() ? " (" : "; ") + text_of(control) + ": " + told(reached);
  }
  answer("  readout {} by itself: {}{}\n", text_of(name), told(scores),
         others.empty() ? "" : others + ")");
}

void print_regimes(const Json& regimes) {
  constexpr std::size_t most = 12;
  for (const auto& [path, level] : regimes.items()) {
    const Json& changes = level["changes"];
    std::string told;
    for (std::size_t i = 0; i < std::min(most, changes.size()); ++i) {
      told += (i == 0 ? ": " : ", ") + text_of(changes[i]["from"]) + " to " +
              text_of(changes[i]["to"]) + " at step " + text_of(changes[i]["step"]);
    }
    if (changes.size() > most) {
      told += " and " + std::to_string(changes.size() - most) + " more (--json lists them)";
    }
    answer("  {}: {} models, {} changes of the regime{}\n", text_of(path), text_of(level["models"]),
           std::to_string(changes.size()), told);
  }
}

/// Mean returns of a run that has ended.
void print_agent(const Json& agent) {
  const auto score = [](const Json& of) {
    const Json mean = of.value("mean_return", Json());
    return mean.is_number() ? text_of(mean) : std::string("not known yet");
  };
  std::string controls;
  const Json all = agent.value("controls", Json::object());
  for (const auto& [name, reached] : all.items()) {
    controls += (controls.empty() ? " (" : "; ") + text_of(name) + ": " + score(reached);
  }
  answer("  agent in {}: mean return {}{}\n", text_of(agent.value("environment", Json(""))),
         score(agent), controls.empty() ? "" : controls + ")");
}

void print_contents(const Json& result) {
  answer("{}\n", text_of(result["file"]));
  for (const auto& [name, value] : result["attributes"].items()) {
    if (name == "config") continue;  // a page of its own: the attribute holds it
    answer("  {:16} {}\n", text_of(name), text_of(value));
  }
  if (result.contains("committed_steps")) {
    answer("  {:16} {}\n", "committed_steps", text_of(result["committed_steps"]));
  }
  print_rules(result["layers"]);
  if (result.contains("agent")) print_agent(result["agent"]);
  if (result.contains("drift")) print_drifts(result["drift"]);
  if (result.contains("regimes")) print_regimes(result["regimes"]);
  for (const auto& [name, scores] : result["readouts"].items()) {
    if (!result.contains("committed_steps") && scores.contains("verdict")) {
      answer("  readout {}: {}\n", text_of(name), text_of(scores["verdict"]));
      continue;
    }
    std::string told =
        score_text(scores, "accuracy", "majority_accuracy", "the most frequent class");
    if (told.empty()) told = score_text(scores, "auc_roc", "baseline_auc_roc", "|x - mean|");
    const Json matched = scores.value("mean_correlation", Json());
    if (told.empty() && matched.is_number() && std::isfinite(matched.get<double>())) {
      told = "mean |r| " + text_of(matched) + ", worst " +
             text_of(scores.value("worst_correlation", Json()));
    }
    for (const StatisticMeasure& one : statistic_measures()) {
      const Json value = scores.value(one.attribute, Json());
      if (told.empty() && value.is_number() && std::isfinite(value.get<double>())) {
        told = std::string(one.name) + " " + text_of(value);
      }
    }
    if (!told.empty()) {
      answer("  readout {}: {}\n", text_of(name), told);
      continue;
    }
    const Json changes = scores.value("changes", Json());
    if (changes.is_number_integer()) {
      const bool is_one = changes.get<std::int64_t>() == 1;
      answer("  readout {}: {} change{} (/readouts/{}/changes)\n", text_of(name), text_of(changes),
             is_one ? "" : "s", text_of(name));
      continue;
    }
    const auto score = [&, &all = scores](const char* key) {
      return text_of(all.value(key, Json()));
    };
    const Json nrmse = scores.value("nrmse", Json());
    if (!nrmse.is_number() || !std::isfinite(nrmse.get<double>())) {
      answer("  readout {}: not defined: {}\n", text_of(name),
             text_of(scores.value("score_undefined", Json("it has no score"))));
      continue;
    }
    std::string more;
    // The mean is printed next to another baseline; files of earlier versions lack it.
    if (scores.contains("mean_nrmse") && score("baseline") != "mean") {
      more = "; mean: nrmse " + score("mean_nrmse") + ", r2 " + score("mean_r2");
    }
    const Json controls = scores.value("controls", Json::object());
    for (const auto& [control, reached] : controls.items()) {
      more += "; " + text_of(control) + ": nrmse " + text_of(reached.value("nrmse", Json())) +
              ", r2 " + text_of(reached.value("r2", Json()));
    }
    answer("  readout {}: nrmse {}, r2 {} ({}: nrmse {}, r2 {}{})\n", text_of(name), score("nrmse"),
           score("r2"), score("baseline"), score("baseline_nrmse"), score("baseline_r2"), more);
    if (scores.contains("nrmse_at")) print_free_run(name, scores, controls);
  }
  answer("{:44} {:18} {:8} {}\n", "dataset", "shape", "type", "meaning");
  for (const Json& dataset : result["datasets"]) {
    std::string shape;
    for (std::size_t axis = 0; axis < dataset["shape"].size(); ++axis) {
      const std::string name = text_of(dataset["coordinates"][axis]);
      shape += (axis == 0 ? "" : ", ") + (name.empty() ? "" : name + " ") +
               text_of(dataset["shape"][axis]);
    }
    answer("{:44} {:18} {:8} {}\n", text_of(dataset["path"]), "[" + shape + "]",
           text_of(dataset["type"]), text_of(dataset["long_name"]));
  }
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("inspect", "Show what is inside a results file");
  const auto file = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  verb->add_option("RESULT", *file, "A .h5 or .h5.partial file of a run, or a verdict")->required();
  verb->add_flag("--json", *json, "Print JSON");
  verb->callback([&action, file, json] {
    action = [file, json] {
      const Json result = describe(*file);
      if (*json) {
        answer(json_text(result));
      } else {
        print_contents(result);
      }
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace gaia::app
