// SPDX-License-Identifier: MIT
/// \file
/// published: what a paper says that the experiment repeats.  No number of a run depends on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../core/keys.h"

namespace gaia {

/// Another method's score, measured outside of gaia.
struct PublishedRival {
  bool is_there = false;
  std::string name;
  double mean = 0.0;
  std::optional<double> spread = {};
  std::string by = {};  ///< Program that has measured it.
};

struct PublishedConfig {
  enum class Expect {
    within,  ///< The published figure comes out, within its spread or one point.
    ahead,   ///< Learning is ahead of what it is compared with in every seed.
    misses,  ///< It does not come out; `differs` says what was tried.
  };

  bool is_there = false;
  std::string paper;
  std::string where;                  ///< Page, table or figure.
  std::string says;                   ///< What is published, a sentence.
  std::string readout;                ///< Name of the one whose score is compared.
  std::string score;                  ///< Another number of it in results: "nrmse_at".
  std::optional<double> value = {};   ///< Published figure in the readout's measure.
  std::optional<double> spread = {};  ///< Its spread, as the paper gives it.
  std::int64_t first_seed = 101;
  std::int64_t seeds = 10;
  Expect expect = Expect::within;
  std::string differs;  ///< In what the experiment differs from the paper.
  PublishedRival rival = {};
  bool hours = false;  ///< Whether it takes longer than one night has time for.
  std::vector<NamedEntry> short_form = {};  ///< Settings of a form that takes seconds.
};

std::string to_string(PublishedConfig::Expect expect);

/// \throws ArgumentError for an unknown name.
PublishedConfig::Expect expect_from_name(std::string_view name);

}  // namespace gaia
