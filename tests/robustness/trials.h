// SPDX-License-Identifier: MIT
/// \file
/// What the tests of this folder share: how often, at which moment, and what came of it.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "../apps/command.h"
#include "../experiment/minimal.h"
#include "../support/catch.h"
#include "../support/environment.h"
#include "../support/long_tests.h"

namespace gaia::test {

/// How often something is tried: GAIA_SOAK_<name> in the environment, else `usual`, and three times
/// as often in long tests.  0: all there is.
inline int trials(const std::string& name, int usual) {
  const char* const asked = std::getenv(("GAIA_SOAK_" + name).c_str());
  return asked == nullptr ? few_or_many(usual, 3 * usual) : std::atoi(asked);
}

/// For the table of scripts/soak.
inline void tell_row(const std::string& what, std::size_t times, const std::string& result) {
  std::cout << "row: " << what << " | " << times << " | " << result << std::endl;
}

/// "code 0: 3, 4: 12": which exit codes there were, how often.
inline std::string codes_text(const std::map<int, int>& codes) {
  std::string text;
  for (const auto& [code, times] : codes) {
    text += (text.empty() ? "code " : ", ") + std::to_string(code) + ": " + std::to_string(times);
  }
  return text;
}

/// `count` of 1 ... all, spread evenly; 0: all of them.
inline std::vector<long> spread(long all, int count) {
  std::vector<long> chosen;
  if (count == 0 || count > all) count = static_cast<int>(all);
  for (int i = 0; i < count; ++i) chosen.push_back(1 + i * all / count);
  return chosen;
}

/// Runs the command; one that takes longer than a minute is killed, with code 128 + SIGKILL.
inline Finished attempt(const TempDir& folder, std::vector<std::string> arguments,
                        const std::string& program = GAIA_COMMAND) {
  arguments.insert(arguments.begin(), {"-s", "KILL", "60", program});
  return Running(folder, arguments, "/usr/bin/timeout").wait();
}

/// Moments in milliseconds, the same in every run of the tests.
class Moments {
 public:
  Moments(int least, int most) : between_(least, most) {}
  std::chrono::milliseconds next() { return std::chrono::milliseconds(between_(engine_)); }

 private:
  std::mt19937 engine_{20261121};
  std::uniform_int_distribution<int> between_;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__clang__)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

}  // namespace gaia::test
