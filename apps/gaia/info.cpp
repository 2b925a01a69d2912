// SPDX-License-Identifier: MIT
/// \file
/// gaia info, version and schema: what this program is and knows, and which devices there are.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "../../src/array/device.h"
#include "../../src/array/device_usage.h"
#include "../../src/core/parallel.h"
#include "../../src/core/text.h"
#include "../../src/core/version.h"
#include "../../src/experiment/config/config_writer.h"
#include "../../src/io/hdf5.h"
#include "../../src/training/communicator.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

using Json = nlohmann::ordered_json;

/// What a GPU is doing; what is not known is null.
Json usage_of(Device device) {
  const DeviceUsage usage = device_usage(device);
  const auto known = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"text", to_string(usage)},
          {"busy", known(usage.busy)},
          {"memory_busy", known(usage.memory_busy)},
          {"temperature", known(usage.temperature)},
          {"clock", known(usage.clock)},
          {"memory_clock", known(usage.memory_clock)},
          {"power", known(usage.power)},
          {"power_limit", known(usage.power_limit)},
          {"why_not", usage.why_not}};
}

Json describe() {
  Json devices = Json::array();
  for (const Device device : available_devices()) {
    const DeviceInfo info = device_info(device);
    Json one = {{"device", to_string(device)},     {"name", info.name},
                {"description", info.description}, {"total_memory", info.total_memory},
                {"free_memory", info.free_memory}, {"version", info.version}};
    if (!device.is_cpu()) one["usage"] = usage_of(device);
    devices.push_back(std::move(one));
  }
  return {
      {"version", version()},
      {"git_commit", git_commit()},
      {"build", build_description()},
      {"threads", num_threads()},
      {"devices", devices},
      {"cuda", why_no_cuda().empty() ? "available" : why_no_cuda()},
      {"mpi", why_no_mpi().empty() ? "available" : why_no_mpi()},
      {"libraries",
       {{"HDF5", hdf5::library_version()},
        {"yaml-cpp", GAIA_YAML_CPP_VERSION},
        {"Eigen", GAIA_EIGEN_VERSION},
        {"fmt", GAIA_FMT_VERSION},
        {"spdlog", GAIA_SPDLOG_VERSION},
        {"OpenSSL", GAIA_OPENSSL_VERSION},
        {"CLI11", CLI11_VERSION},
        {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                      NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)}}}};
}

void print_info(const Json& info) {
  const auto text = [&](const char* key) { return info[key].get<std::string>(); };
  answer("gaia {} ({})\nbuild      {}\nthreads    {}\n", text("version"), text("git_commit"),
         text("build"), info["threads"].get<int>());
  for (const Json& device : info["devices"]) {
    answer("device     {}: {}, {}, memory {} ({} free)\n", device["device"].get<std::string>(),
           device["name"].get<std::string>(), device["description"].get<std::string>(),
           bytes_text(device["total_memory"].get<double>()),
           bytes_text(device["free_memory"].get<double>()));
    if (device.contains("usage")) {
      answer("usage      {}: {}\n", device["device"].get<std::string>(),
             device["usage"]["text"].get<std::string>());
    }
  }
  answer("cuda       {}\nmpi        {}\n", text("cuda"), text("mpi"));
  for (const auto& [name, number] : info["libraries"].items()) {
    answer("library    {} {}\n", name, number.get<std::string>());
  }
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("info", "Show version, build, devices, memory and libraries");
  const auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "Print JSON");
  verb->callback([&action, json] {
    action = [json] {
      const Json facts = describe();
      if (*json) {
        answer(json_text(facts));
      } else {
        print_info(facts);
      }
      return static_cast<int>(kDone);
    };
  });
}

void add_schema(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("schema", "Print the JSON Schema of experiments, for editors");
  const auto part = std::make_shared<bool>(false);
  verb->add_flag("--part", *part,
                 "of files that include others, or are included: no key of a map is required");
  verb->callback([&action, part] {
    action = [part] {
      answer((*part ? json_schema_of_part() : json_schema()) + "\n");
      return static_cast<int>(kDone);
    };
  });
}

void add_version(CLI::App& app, Action& action) {
  const std::string text = fmt::format("gaia {} ({})", version(), git_commit());
  app.set_version_flag("--version", text, "Print the version and exit");
  CLI::App* verb = app.add_subcommand("version", "Print the version");
  verb->callback([&action, text] {
    action = [text] {
      answer("{}\n", text);
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace gaia::app
