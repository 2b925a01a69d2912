// SPDX-License-Identifier: MIT
#include "log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "text.h"

namespace gaia {
namespace {

std::atomic<LogLevel> g_level{LogLevel::info};
std::mutex g_mutex;

LogCallback& callback() {
  static LogCallback value;
  return value;
}

std::set<std::string>& seen_keys() {
  static std::set<std::string> keys;
  return keys;
}

spdlog::logger& stderr_logger() {
  static spdlog::logger logger = [] {
    spdlog::logger made("gaia", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made.set_pattern("gaia: %^%l%$: %v");
    made.set_level(spdlog::level::trace);
    made.flush_on(spdlog::level::trace);
    return made;
  }();
  return logger;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      break;
  }
  return spdlog::level::off;
}

}  // namespace

void set_log_level(LogLevel level) { g_level = level; }
LogLevel log_level() { return g_level; }

LogCallback set_log_callback(LogCallback replacement) {
  const std::lock_guard lock(g_mutex);
  return std::exchange(callback(), std::move(replacement));
}

void log(LogLevel level, const std::string& message) {
  if (level < g_level.load() || level == LogLevel::off) return;
  LogCallback receiver;
  {
    const std::lock_guard lock(g_mutex);
    receiver = callback();
  }
  if (receiver) {
    receiver(level, message);
  } else {
    stderr_logger().log(to_spdlog(level), "{}", printable(message));
  }
}

void log_once(LogLevel level, const std::string& key, const std::string& message) {
  {
    const std::lock_guard lock(g_mutex);
    if (!seen_keys().insert(key).second) return;
  }
  log(level, message);
}

void reset_log_once() {
  const std::lock_guard lock(g_mutex);
  seen_keys().clear();
}

}  // namespace gaia
