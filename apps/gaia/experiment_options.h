// SPDX-License-Identifier: MIT
/// \file
/// Options that change an experiment, for every verb that reads one, and what options take.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "../../src/core/text.h"
#include "../../src/experiment/setup/load.h"

namespace gaia::app {

inline void add_overrides(CLI::App& verb, Overrides& overrides) {
  verb.add_option("--set", overrides.set, "Set a key, e.g. --set data.steps=1000")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  verb.add_option("--device", overrides.device, "cpu, cuda, cuda:N or auto");
  verb.add_option("--seed", overrides.seed, "Seed of all random numbers");
  verb.add_option("--output", overrides.output, "Results file")->type_name("PATH");
}

/// Integers from `least` on.
inline CLI::Validator at_least(std::int64_t least) {
  const std::string expected = "an integer >= " + std::to_string(least);
  return CLI::Validator(
      [least, expected](const std::string& text) {
        const auto integer = parse_integer(text);
        if (integer && *integer >= least) return std::string();
        const bool is_beyond = parse_number(text).value_or(0.0) >= 0x1p63;
        return "expected " +
               (is_beyond ? fmt::format("an integer from {} to {}", least,
                                        std::numeric_limits<std::int64_t>::max())
                          : expected) +
               ", got '" + text + "'";
      },
      ">= " + std::to_string(least));
}

}  // namespace gaia::app
