// SPDX-License-Identifier: MIT
#include "member_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

#include "../../array/device.h"
#include "../../core/error.h"
#include "../../core/log.h"
#include "member_memory.h"

namespace gaia {
namespace {

/// What a process takes on a GPU before it holds any array there.
constexpr double kContextBytes = 500e6;

/// What `gaia info --json` says; empty where it says nothing.
std::string info_of(const std::string& gaia) {
  ChildProcesses asked;
  // What it says to stdout is wanted, and heard on stderr; what it logs there is not.
  const char* line = "exec \"$0\" info --json 3>&2 2>/dev/null >&3";
  asked.start(0, {"/bin/sh", "-c", line, gaia});
  std::vector<EndedChild> ended;
  while (ended.empty()) ended = asked.wait(std::chrono::seconds(1));
  return ended.front().code == 0 ? ended.front().errors : std::string();
}

}  // namespace

std::vector<double> free_on_gpus(const std::string& gaia) {
  std::vector<double> free;
  try {
    const nlohmann::json info = nlohmann::json::parse(info_of(gaia));
    for (const auto& one : info.at("devices")) {
      const Device device = Device::from_name(one.at("device").get<std::string>());
      if (device.is_cpu()) continue;
      // One that cannot be used is not among them, and keeps its number.
      free.resize(static_cast<std::size_t>(device.index()), 0.0);
      free.push_back(one.at("free_memory").get<double>());
    }
  } catch (const std::exception& error) {
    log_warning(fmt::format(
        "{} info --json did not tell what memory the GPUs have, so members are not dealt to them: "
        "{}",
        gaia, error.what()));
    return {};
  }
  return free;
}

std::vector<std::int64_t> room_on_gpus(double memory_bytes, const std::vector<double>& free) {
  std::vector<std::int64_t> room;
  for (const double bytes : free) {
    room.push_back(static_cast<std::int64_t>(bytes / (memory_bytes + kContextBytes)));
  }
  if (!room.empty() && *std::max_element(room.begin(), room.end()) == 0) {
    const auto most = std::max_element(free.begin(), free.end()) - free.begin();
    room[static_cast<std::size_t>(most)] = 1;
  }
  return room;
}

std::int64_t jobs_that_fit(std::int64_t jobs, double memory_bytes,
                           const std::vector<std::int64_t>& room) {
  const auto free = static_cast<double>(device_info(Device::cpu()).free_memory);
  const auto on_host = static_cast<std::int64_t>(free / (memory_bytes + kProgramBytes));
  const std::int64_t fit = std::min(jobs, std::max<std::int64_t>(1, on_host));
  if (room.empty()) return fit;
  return std::min(fit, std::accumulate(room.begin(), room.end(), std::int64_t{0}));
}

std::vector<ChildProcesses::Environment> gpu_environments(std::int64_t jobs,
                                                          std::vector<std::int64_t> room,
                                                          const std::string& visible) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < visible.size();) {
    const std::size_t end = std::min(visible.find(',', begin), visible.size());
    names.push_back(visible.substr(begin, end - begin));
    begin = end + 1;
  }
  for (std::size_t i = names.size(); i < room.size(); ++i) names.push_back(std::to_string(i));
  std::vector<ChildProcesses::Environment> environments;
  if (room.size() < 2) return environments;
  const auto has_room = [](std::int64_t left) { return left > 0; };
  while (std::any_of(room.begin(), room.end(), has_room)) {
    for (std::size_t gpu = 0; gpu < room.size(); ++gpu) {
      if (static_cast<std::int64_t>(environments.size()) == jobs) return environments;
      if (room[gpu]-- > 0) environments.push_back({{"CUDA_VISIBLE_DEVICES", names[gpu]}});
    }
  }
  return environments;
}

}  // namespace gaia
