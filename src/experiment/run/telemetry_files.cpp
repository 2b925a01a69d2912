// SPDX-License-Identifier: MIT
#include "telemetry_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "../../array/device_usage.h"
#include "../../core/error.h"
#include "../../core/log.h"
#include "../../core/text.h"
#include "../../io/output_files.h"

namespace gaia {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFirstMetric = "# HELP gaia_";

/// "2026-11-28T12:00:00.123Z"
std::string time_now() {
  using namespace std::chrono;
  const auto now = system_clock::now();
  const std::time_t seconds = system_clock::to_time_t(now);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  const auto past = duration_cast<milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{}.{:03}Z", text, past);
}

Json json_number(double value) {
  if (value == std::floor(value) && std::abs(value) < 0x1p53) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

/// In double quotes, as Prometheus reads labels.
std::string label_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return quoted + "\"";
}

/// How a file begins; empty where there is none or nothing in it, or where it is a pipe, say.
std::string beginning_of(const std::string& path, std::size_t bytes) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text;
}

void refuse_folder(const std::string& path, const char* what) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw OutputError(path + " is a folder; name a file for " + what);
  }
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw OutputError(path + " cannot be written: " + std::strerror(errno));
}

}  // namespace

std::string json_line(const TelemetryLine& line) {
  Json json = {{"time", time_now()}, {"event", line.event}};
  for (const auto& [name, word] : line.words) json[name] = word;
  for (const TelemetryNumber& number : line.numbers) {
    if (*number.name == '\0' || !std::isfinite(number.value)) continue;
    Json& place = *number.group == '\0' ? json : json[number.group];
    place[number.name] = json_number(number.value);
  }
  if (!line.status.empty()) json["status"] = line.status;
  if (!line.error.empty()) json["error"] = line.error;
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string metrics_text(const TelemetryLine& line) {
  std::string labels;
  for (const auto& [name, word] : line.words) {
    labels += (labels.empty() ? "{" : ",") + name + "=" + label_text(word);
  }
  if (!labels.empty()) labels += "}";
  std::string text;
  for (const TelemetryNumber& number : line.numbers) {
    if (*number.metric == '\0' || !std::isfinite(number.value)) continue;
    const bool rises = std::string_view(number.metric).ends_with("_total");
    text +=
        fmt::format("# HELP gaia_{0} {1}\n# TYPE gaia_{0} {2}\ngaia_{0}{3} {4}\n", number.metric,
                    number.help, rises ? "counter" : "gauge", labels, number_text(number.value));
  }
  return text;
}

std::vector<TelemetryNumber> device_numbers(Device device, const TransferStats& before) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const MemoryStats memory = memory_stats(device);
  const DeviceUsage usage = device_usage(device);
  const TransferStats now = transfer_stats();
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  return {
      {"memory", "used", "memory_used_bytes", "Bytes that arrays hold on the device.",
       number(memory.used)},
      {"memory", "peak", "memory_peak_bytes", "Bytes that arrays have held there at most.",
       number(memory.peak)},
      {"memory", "reserved", "memory_reserved_bytes",
       "Bytes taken from the system, for arrays or later ones.", number(memory.reserved)},
      {"memory", "free", "memory_free_bytes", "Bytes of the whole device that are free.",
       number(memory.free)},
      {"pool", "allocations", "allocations_total", "Allocations since the program began.",
       number(memory.allocations)},
      {"pool", "hits", "pool_hits_total", "Allocations that memory in reserve has served.",
       number(memory.hits)},
      {"transfers", "implicit", "implicit_transfers_total",
       "Copies between devices that an operation needed.",
       number(now.implicit_copies - before.implicit_copies)},
      {"transfers", "explicit", "explicit_transfers_total",
       "Copies between devices that were asked for.",
       number(now.explicit_copies - before.explicit_copies)},
      {"transfers", "bytes", "transferred_bytes_total", "Bytes of all these copies.",
       number(now.bytes - before.bytes)},
      {"load", "busy", "device_busy_ratio", "Share of time in which a kernel ran.",
       usage.busy.value_or(unknown)},
      {"load", "memory_busy", "device_memory_busy_ratio",
       "Share of time in which the device's memory was read or written.",
       usage.memory_busy.value_or(unknown)},
      {"load", "temperature", "device_temperature_celsius", "Temperature of the chip.",
       usage.temperature.value_or(unknown)},
      {"load", "clock", "device_clock_hertz", "Clock of the multiprocessors.",
       usage.clock.value_or(unknown)},
      {"load", "power", "device_power_watts", "Power of the whole board.",
       usage.power.value_or(unknown)},
  };
}

TelemetryFiles::TelemetryFiles(TelemetryConfig config) : config_(std::move(config)) {
  if (!config_.file.empty() && config_.file == config_.metrics) {
    throw OutputError(config_.file +
                      " cannot have both the lines and the metrics of telemetry; "
                      "name two files");
  }
  if (!config_.metrics.empty()) {
    refuse_folder(config_.metrics, "metrics");
    const std::string begins = beginning_of(config_.metrics, kFirstMetric.size());
    if (!begins.empty() && begins != kFirstMetric) {
      throw OutputError(config_.metrics +
                        " is there and holds no metrics of gaia, so it is not replaced; remove it, "
                        "or name another file");
    }
    make_folder_of(config_.metrics);
    replace_metrics("");
  }
  if (config_.file.empty()) return;
  refuse_folder(config_.file, "telemetry");
  const std::string begins = beginning_of(config_.file, 1);
  if (!begins.empty() && begins != "{") {
    throw OutputError(config_.file +
                      " is there and holds no lines of JSON, so nothing is added to it; remove it, "
                      "or name another file");
  }
  make_folder_of(config_.file);
  lines_ = ::open(config_.file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (lines_ < 0) fail_to_write(config_.file);
  // A line that was cut, by a full disk say, is left behind.
  char last = '\n';
  const off_t size = ::lseek(lines_, 0, SEEK_END);
  if (size > 0 && ::pread(lines_, &last, 1, size - 1) == 1 && last != '\n') add_line("\n");
}

TelemetryFiles::~TelemetryFiles() {
  if (lines_ >= 0) ::close(lines_);
}

bool TelemetryFiles::is_due() const {
  const std::chrono::duration<double> past = std::chrono::steady_clock::now() - last_;
  return past.count() >= config_.seconds.value_or(1.0);
}

void TelemetryFiles::add_line(const std::string& text) {
  // In one call, so that lines of several processes do not mix.
  const ssize_t written = ::write(lines_, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    if (written >= 0) errno = ENOSPC;
    fail_to_write(config_.file);
  }
}

void TelemetryFiles::replace_metrics(const std::string& text) {
  const std::string aside = fmt::format("{}.{}.new", config_.metrics, ::getpid());
  std::ofstream file(aside, std::ios::binary | std::ios::trunc);
  errno = 0;
  file << text << std::flush;
  if (!file) {
    const int error = errno;
    file.close();
    std::remove(aside.c_str());
    errno = error;
    fail_to_write(config_.metrics);
  }
  file.close();
  if (std::rename(aside.c_str(), config_.metrics.c_str()) != 0) fail_to_write(config_.metrics);
}

void TelemetryFiles::write(const TelemetryLine& line) noexcept {
  last_ = std::chrono::steady_clock::now();
  const auto attempt = [](const std::string& path, const auto& what) {
    try {
      what();
    } catch (const std::exception& error) {
      try {
        log_once(LogLevel::warning, "telemetry " + path,
                 std::string("[telemetry] ") + error.what());
      } catch (...) {  // no memory to tell it
      }
    }
  };
  if (lines_ >= 0) attempt(config_.file, [&] { add_line(json_line(line)); });
  if (!config_.metrics.empty()) {
    attempt(config_.metrics, [&] { replace_metrics(metrics_text(line)); });
  }
}

}  // namespace gaia
