// SPDX-License-Identifier: MIT
/// \file
/// The readouts of a run, and what simple forecasts and controls reach beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../experiment/setup/readout.h"
#include "inputs.h"
#include "result.h"

namespace gaia::report {

struct ReadoutFacts {
  std::string name;
  std::string title;   ///< "Readout NAME of channel 0 (temperature)", or "The network".
  std::string path;    ///< "readouts/NAME"
  std::string target;  ///< "channel 0, 36 steps ahead"
  std::string levels;  ///< "[0, 1]"
  std::int64_t horizon = 0;
  std::int64_t rows = 0;       ///< Predictions that are safe in the file.
  bool is_unfinished = false;  ///< The score is of the predictions so far.
  Score score;
  std::string undefined;  ///< Why there is no score; empty where there is one.
  std::vector<Score> baselines;  ///< And controls, under names for people.
  std::vector<std::string> doubts = {};  ///< Why the score says less than it seems to.
};

/// Everything that the file says of its readouts.
std::vector<ReadoutFacts> read_readouts(const Result& result);

/// What the test part of a network's series says of it, beside persistence, the mean and ridge
/// regression on its windows; `without_ridge` is set to the reason where the data for that are not
/// at hand or there are too many.
ReadoutFacts read_network_score(const Result& result, std::string& without_ridge);

}  // namespace gaia::report
