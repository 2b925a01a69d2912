// SPDX-License-Identifier: MIT
/// \file
/// What a paper has published that a run repeats, as a results file or a verdict says it.
#pragma once

#include <optional>
#include <string>

#include "../experiment/sweep/seed_scores.h"
#include "result.h"

namespace gaia::report {

struct PublishedFacts {
  std::string paper;
  std::string where;
  std::string says;
  std::string readout;
  std::string differs;
  PublishedScores scores;  ///< Published number, without those of seeds.
  std::string rival = {};  ///< "FastICA 27 ± 1.6"; empty: none was measured.
};

/// Nothing where the file says nothing of it.
std::optional<PublishedFacts> read_published(const Result& result);

/// What is published and in what the experiment differs, for a page.
std::string published_paragraph(const PublishedFacts& published);

/// "0.985 ± 0.001"
std::string published_text(const PublishedScores& published);

}  // namespace gaia::report
