// SPDX-License-Identifier: MIT
#include "placement_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../core/log.h"
#include "../core/parallel.h"
#include "../core/version.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kWhat = "rates of devices, measured by gaia";
constexpr int kFormat = 1;
constexpr std::uintmax_t kMostBytes = 1 << 20;
constexpr std::size_t kMostEntries = 16;

struct Entry {
  RatesKey key;
  Rates rates;
};

/// A variable that holds an absolute path; the XDG specification says to ignore others.
fs::path folder_from(const char* variable) {
  const char* const value = std::getenv(variable);
  const fs::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : fs::path();
}

Json to_json(const Entry& entry) {
  Json curves = Json::object();
  for_each_curve(entry.rates, [&](const char* name, const CostCurve& curve) {
    Json points = Json::array();
    for (const CostCurve::Point& point : curve.points) {
      points.push_back({point.amount, point.seconds});
    }
    curves[name] = std::move(points);
  });
  return {{"device", entry.key.device},
          {"version", entry.key.version},
          {"gaia", entry.key.gaia},
          {"threads", entry.key.threads},
          {"curves", std::move(curves)}};
}

/// \throws std::exception for anything that is not an entry.
Entry entry_from(const Json& json) {
  Entry entry;
  entry.key = {.device = json.at("device").get<std::string>(),
               .version = json.at("version").get<std::string>(),
               .gaia = json.at("gaia").get<std::string>(),
               .threads = json.at("threads").get<int>()};
  const Json& curves = json.at("curves");
  for_each_curve(entry.rates, [&](const char* name, CostCurve& curve) {
    for (const Json& point : curves.at(name)) {
      if (point.size() != 2) throw std::runtime_error("a point is not a pair");
      curve.points.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
    }
  });
  if (const std::string wrong = why_not_rates(entry.rates); !wrong.empty()) {
    throw std::runtime_error(wrong);
  }
  return entry;
}

/// \throws std::exception for a file of something else.
std::vector<Entry> read_entries(const std::string& path) {
  if (!fs::is_regular_file(path)) throw std::runtime_error("not a regular file");
  if (fs::file_size(path) > kMostBytes) throw std::runtime_error("too long");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be opened");
  const Json json = Json::parse(file);
  if (json.at("what") != kWhat || json.at("format") != kFormat) {
    throw std::runtime_error("another format");
  }
  std::vector<Entry> entries;
  for (const Json& entry : json.at("entries")) entries.push_back(entry_from(entry));
  return entries;
}

/// \throws std::exception.
void write_entries(const std::string& path, const std::vector<Entry>& entries) {
  Json json = {{"what", kWhat}, {"format", kFormat}, {"entries", Json::array()}};
  for (const Entry& entry : entries) json["entries"].push_back(to_json(entry));
  fs::create_directories(fs::path(path).parent_path());
  const std::string beside = path + "." + std::to_string(::getpid());
  try {
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    // What cannot be UTF-8 in the name of a device is replaced: the key will not be found again.
    file << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
    file.close();
    if (!file) throw std::runtime_error("cannot be written");
    fs::rename(beside, path);
  } catch (...) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    throw;
  }
}

}  // namespace

std::string RatesKey::text() const {
  return device + "\n" + version + "\n" + gaia + "\n" + std::to_string(threads);
}

RatesKey rates_key(Device device) {
  const DeviceInfo info = device_info(device);
  return {.device = info.name,
          .version = info.version,
          .gaia = version() + " (" + git_commit() + ")",
          .threads = num_threads()};
}

std::string rates_cache_path() {
  fs::path folder = folder_from("XDG_CACHE_HOME");
  if (folder.empty()) {
    const fs::path home = folder_from("HOME");
    if (home.empty()) return "";
    folder = home / ".cache";
  }
  return (folder / "gaia" / "rates.json").string();
}

std::optional<Rates> read_cached_rates(const std::string& path, const RatesKey& key) {
  try {
    if (!fs::exists(path)) return {};
    for (Entry& entry : read_entries(path)) {
      if (entry.key == key) return std::move(entry.rates);
    }
  } catch (const std::exception& error) {
    log_info(path + " is not what gaia keeps of rates (" + error.what() +
             "); they are measured anew");
  }
  return {};
}

void write_cached_rates(const std::string& path, const RatesKey& key, const Rates& rates) {
  std::vector<Entry> entries;
  try {
    if (fs::exists(path)) entries = read_entries(path);
  } catch (const std::exception&) {
    entries.clear();  // reading has told of it; the new file takes its place
  }
  std::erase_if(entries, [&](const Entry& entry) { return entry.key == key; });
  entries.push_back({key, rates});
  if (entries.size() > kMostEntries) {
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kMostEntries));
  }
  try {
    write_entries(path, entries);
  } catch (const std::exception& error) {
    log_once(LogLevel::info, "rates cache",
             "measured rates cannot be kept in " + path + " (" + error.what() +
                 "); every process that needs them measures anew");
  }
}

}  // namespace gaia
