// SPDX-License-Identifier: MIT
/// \file
/// The readouts of a run and, where the data are at hand, what the same regression reaches without
/// the hierarchy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../experiment/setup/readout.h"
#include "inputs.h"
#include "result.h"

namespace gaia::report {

using Score = RegressionScore;

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
  std::vector<Score> baselines;  ///< And controls, under their titles.

  /// Those that do without what the hierarchy has learnt: all but the regression on level 0.
  std::vector<Score> simple_baselines() const;
};

/// Everything that the file says of its readouts.
std::vector<ReadoutFacts> read_readouts(const Result& result);

/// What the test part of a network's series says of it, beside persistence, the mean and ridge
/// regression on its windows; `without_ridge` is set to the reason where the data for that are not
/// at hand or there are too many.
ReadoutFacts read_network_score(const Result& result, std::string& without_ridge);

/// The readouts of a run done again on other features, with the same ticks, targets and
/// regularisation: ridge regression on the samples that level 0 receives, and on level 0 alone.
class Baselines {
 public:
  /// `inputs` can be read from the data (InputSource::reader).  What cannot be had in the time of a
  /// report is left out.
  Baselines(const Result& result, const InputSource& inputs);

  /// Takes the samples of steps [first, first + count), [count, features], block by block.
  void take(std::int64_t first, std::int64_t count, const std::vector<double>& samples);

  /// Adds the scores to the readouts of these names.
  void add_to(std::vector<ReadoutFacts>& readouts) const;

 private:
  struct Rival {
    std::string name;
    std::string readout;
    bool reads_level = false;  // level 0, else the samples
    std::int64_t spacing = 1;  // steps from one tick that is read to the next
    Readout regression;
  };

  void add_rivals(const ReadoutConfig& readout);
  /// Features of a rival at its ticks in the block, [1, ticks, features].
  Array features_of(const Rival& rival, std::int64_t first_tick, std::int64_t ticks,
                    std::int64_t first, const std::vector<double>& samples) const;

  const Result& result_;
  const InputSource& inputs_;
  std::int64_t level_spacing_ = 0;  // of level 0's recorded ticks; 0: not recorded
  std::int64_t level_size_ = 0;
  std::vector<Rival> rivals_;
};

}  // namespace gaia::report
