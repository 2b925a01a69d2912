// SPDX-License-Identifier: MIT
/// \file
/// gaia inspect: shows what is inside a results file.
#include <memory>
#include <nlohmann/json.hpp>

#include "../../src/core/text.h"
#include "../../src/experiment/results_parts.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepestGroup = 16;

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
      break;
  }
  return "other";
}

Json attributes_of(const hdf5::Object& object) {
  Json attributes = Json::object();
  for (const std::string& name : object.attribute_names()) {
    if (const auto text = object.text_attribute(name)) {
      attributes[name] = *text;
    } else if (const auto integer = object.integer_attribute(name)) {
      attributes[name] = *integer;
    } else if (const auto number = object.number_attribute(name)) {
      attributes[name] = *number;
    }
  }
  return attributes;
}

/// Every dataset below a group, with its shape, type, coordinates and meaning.
void collect(const hdf5::Group& group, const std::string& path, int depth, Json& datasets) {
  for (const std::string& name : group.datasets()) {
    const hdf5::Dataset dataset = group.open_dataset(name);
    datasets.push_back({{"path", path + "/" + name},
                        {"shape", dataset.shape()},
                        {"type", name_of(dataset.type())},
                        {"coordinates", dataset.scales()},
                        {"long_name", dataset.text_attribute("long_name").value_or("")}});
  }
  if (depth == kDeepestGroup) return;
  for (const std::string& name : group.groups()) {
    collect(group.open_group(name), path + "/" + name, depth + 1, datasets);
  }
}

Json describe(const std::string& path) {
  const hdf5::File file = open_results(path);
  Json result = {{"file", path}, {"attributes", attributes_of(file)}};
  result["committed_steps"] =
      file.open_dataset("/status/committed_steps").read<std::int64_t>().front();
  Json readouts = Json::object();
  if (file.has_group("readouts")) {
    const hdf5::Group group = file.open_group("readouts");
    for (const std::string& name : group.groups()) {
      readouts[name] = attributes_of(group.open_group(name));
    }
  }
  result["readouts"] = readouts;
  Json datasets = Json::array();
  collect(file, "", 0, datasets);
  result["datasets"] = datasets;
  return result;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print(const Json& result) {
  answer("{}\n", result["file"].get<std::string>());
  for (const auto& [name, value] : result["attributes"].items()) {
    if (name == "config") continue;  // a page of its own: the attribute holds it
    answer("  {:16} {}\n", name, printable(text_of(value)));
  }
  answer("  {:16} {}\n", "committed_steps", result["committed_steps"].dump());
  for (const auto& [name, score] : result["readouts"].items()) {
    answer("  readout {}: nrmse {}, r2 {} ({}: nrmse {}, r2 {})\n", name, score["nrmse"].dump(),
           score["r2"].dump(), text_of(score["baseline"]), score["baseline_nrmse"].dump(),
           score["baseline_r2"].dump());
  }
  answer("{:44} {:18} {:8} {}\n", "dataset", "shape", "type", "meaning");
  for (const Json& dataset : result["datasets"]) {
    std::string shape;
    for (std::size_t axis = 0; axis < dataset["shape"].size(); ++axis) {
      const std::string name = dataset["coordinates"][axis];
      shape += (axis == 0 ? "" : ", ") + (name.empty() ? "" : name + " ") +
               dataset["shape"][axis].dump();
    }
    answer("{:44} {:18} {:8} {}\n", printable(text_of(dataset["path"])), "[" + shape + "]",
           text_of(dataset["type"]), printable(text_of(dataset["long_name"])));
  }
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("inspect", "Show what is inside a results file");
  const auto file = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  verb->add_option("RESULT", *file, "A .h5 or .h5.partial file")->required();
  verb->add_flag("--json", *json, "Print JSON");
  verb->callback([&action, file, json] {
    action = [file, json] {
      const Json result = describe(*file);
      if (*json) {
        answer(result.dump(2) + "\n");
      } else {
        print(result);
      }
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace gaia::app
