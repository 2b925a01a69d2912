// SPDX-License-Identifier: MIT
/// \file
/// What is logged while a LogCapture lives.
#pragma once

#include <string>
#include <vector>

#include "../../src/core/log.h"

namespace gaia::test {

class LogCapture {
 public:
  LogCapture() {
    reset_log_once();
    before_ = set_log_callback(
        [this](LogLevel level, const std::string& message) { lines.push_back({level, message}); });
  }
  ~LogCapture() { set_log_callback(before_); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  /// How many messages of `level` hold `text`.
  int count(LogLevel level, const std::string& text) const {
    int found = 0;
    for (const auto& line : lines) {
      if (line.first == level && line.second.find(text) != std::string::npos) ++found;
    }
    return found;
  }

  std::vector<std::pair<LogLevel, std::string>> lines;

 private:
  LogCallback before_;
};

}  // namespace gaia::test
