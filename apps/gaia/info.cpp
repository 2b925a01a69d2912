// SPDX-License-Identifier: MIT
/// \file
/// gaia info, version and schema: what this program is and knows.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "../../src/array/device.h"
#include "../../src/core/parallel.h"
#include "../../src/core/text.h"
#include "../../src/core/version.h"
#include "../../src/experiment/config_writer.h"
#include "../../src/io/hdf5.h"
#include "commands.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

using Json = nlohmann::ordered_json;

Json describe() {
  Json devices = Json::array();
  for (const Device device : available_devices()) {
    const DeviceInfo info = device_info(device);
    devices.push_back({{"device", to_string(device)},
                       {"name", info.name},
                       {"description", info.description},
                       {"total_memory", info.total_memory},
                       {"free_memory", info.free_memory},
                       {"version", info.version}});
  }
  return {{"version", version()},
          {"git_commit", git_commit()},
          {"build", build_description()},
          {"threads", num_threads()},
          {"devices", devices},
          {"cuda", why_no_cuda().empty() ? "available" : why_no_cuda()},
          {"libraries", {{"HDF5", hdf5::library_version()}}}};
}

void print(const Json& info) {
  const auto text = [&](const char* key) { return info[key].get<std::string>(); };
  fmt::print("gaia {} ({})\nbuild      {}\nthreads    {}\n", text("version"), text("git_commit"),
             text("build"), info["threads"].get<int>());
  for (const Json& device : info["devices"]) {
    fmt::print("device     {}: {}, {}, memory {} ({} free)\n", device["device"].get<std::string>(),
               device["name"].get<std::string>(), device["description"].get<std::string>(),
               bytes_text(device["total_memory"].get<double>()),
               bytes_text(device["free_memory"].get<double>()));
  }
  fmt::print("cuda       {}\n", text("cuda"));
  for (const auto& [name, number] : info["libraries"].items()) {
    fmt::print("library    {} {}\n", name, number.get<std::string>());
  }
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("info", "Show version, build, devices, memory and libraries");
  const auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "Print JSON");
  verb->callback([&action, json] {
    action = [json] {
      const Json info = describe();
      if (*json) {
        fmt::print("{}\n", info.dump(2));
      } else {
        print(info);
      }
      return static_cast<int>(kDone);
    };
  });
}

void add_schema(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("schema", "Print the JSON Schema of experiments, for editors");
  verb->callback([&action] {
    action = [] {
      fmt::print("{}\n", json_schema());
      return static_cast<int>(kDone);
    };
  });
}

void add_version(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("version", "Print the version");
  verb->callback([&action] {
    action = [] {
      fmt::print("gaia {} ({})\n", version(), git_commit());
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace gaia::app
