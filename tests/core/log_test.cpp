// SPDX-License-Identifier: MIT
#include "../../src/core/log.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "../support/catch.h"
#include "../support/log_capture.h"

namespace gaia {
namespace {

using test::LogCapture;

/// Restores the level at the end of a test.
struct Level {
  explicit Level(LogLevel level) { set_log_level(level); }
  ~Level() { set_log_level(LogLevel::info); }
};

TEST_CASE("Messages reach the callback with their level") {
  const LogCapture log;
  log_info("one");
  log_warning("two");
  gaia::log(LogLevel::error, "three");
  REQUIRE(log.lines.size() == 3);
  CHECK(log.lines[0] == std::pair{LogLevel::info, std::string("one")});
  CHECK(log.lines[1] == std::pair{LogLevel::warning, std::string("two")});
  CHECK(log.lines[2] == std::pair{LogLevel::error, std::string("three")});
}

TEST_CASE("Messages below the level are dropped") {
  const LogCapture log;
  CHECK(log_level() == LogLevel::info);
  log_debug("hidden");
  CHECK(log.lines.empty());
  {
    const Level level(LogLevel::debug);
    log_debug("shown");
  }
  {
    const Level level(LogLevel::error);
    log_warning("hidden");
    gaia::log(LogLevel::error, "shown too");
  }
  {
    const Level level(LogLevel::off);
    gaia::log(LogLevel::error, "hidden");
    gaia::log(LogLevel::off, "hidden");
  }
  REQUIRE(log.lines.size() == 2);
  CHECK(log.lines[0].second == "shown");
  CHECK(log.lines[1].second == "shown too");
}

TEST_CASE("Setting a callback returns the one before") {
  const LogCapture outer;
  int inner = 0;
  LogCallback before = set_log_callback([&](LogLevel, const std::string&) { ++inner; });
  log_info("to the inner one");
  set_log_callback(before);
  log_info("to the outer one");
  CHECK(inner == 1);
  CHECK(outer.lines.size() == 1);
}

TEST_CASE("A callback may log and set another callback") {
  const LogCapture outer;
  std::vector<std::string> seen;
  LogCallback before = set_log_callback([&](LogLevel, const std::string& message) {
    seen.push_back(message);
    if (message == "first") log_info("second");
  });
  log_info("first");
  set_log_callback(before);
  CHECK(seen == std::vector<std::string>{"first", "second"});
}

TEST_CASE("log_once logs a key once until it is reset") {
  const LogCapture log;
  log_once(LogLevel::warning, "key a", "first a");
  log_once(LogLevel::warning, "key a", "second a");
  log_once(LogLevel::warning, "key b", "first b");
  CHECK(log.count(LogLevel::warning, "first a") == 1);
  CHECK(log.count(LogLevel::warning, "second a") == 0);
  CHECK(log.count(LogLevel::warning, "first b") == 1);
  reset_log_once();
  log_once(LogLevel::warning, "key a", "third a");
  CHECK(log.count(LogLevel::warning, "third a") == 1);
}

TEST_CASE("Braces in a message mean nothing") {
  const LogCapture log;
  log_info("{} {0} {:d} %s");
  CHECK(log.count(LogLevel::info, "{} {0} {:d} %s") == 1);
}

TEST_CASE("Many threads log one key once") {
  const LogCapture restores;
  std::atomic<int> lines{0};
  LogCallback before = set_log_callback([&](LogLevel, const std::string&) { ++lines; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 100; ++j) {
        log_once(LogLevel::info, "shared key " + std::to_string(j), "message");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  set_log_callback(before);
  CHECK(lines == 100);
}

}  // namespace
}  // namespace gaia
