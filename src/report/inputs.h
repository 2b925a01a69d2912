// SPDX-License-Identifier: MIT
/// \file
/// The samples of a run, had again: from its file, from the data it read, or from its generator.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../experiment/data/experiment.h"
#include "../experiment/data/sample_reader.h"
#include "result.h"

namespace gaia::report {

/// The experiment of a result with its data: the file where it still has the hash that the result
/// names, or the generator with the same seed.  Nothing, with the reason, where that cannot be;
/// `numbers` are to be read.
std::optional<Experiment> load_again(const Result& result, double numbers, std::string& why_not);

class InputSource {
 public:
  /// Looks for the samples of a hierarchy's run: the data file, where it is still there with the
  /// hash that the result names, or the generator with the same seed; else what the result has
  /// recorded.
  explicit InputSource(const Result& result);

  bool is_found() const { return missing_.empty(); }
  /// Origin of the samples, or why there are none, for a caption.
  const std::string& origin() const { return origin_; }
  const std::string& missing() const { return missing_; }

  const std::vector<std::string>& channels() const { return channels_; }
  /// Length of a sample.
  std::int64_t features() const { return features_; }
  /// Steps that can be read.
  std::int64_t steps() const { return steps_; }

  /// Samples [first, first + count) as rows [count, features]; blocks come in order, each once.
  std::vector<double> read(std::int64_t first, std::int64_t count);

  /// The data and their reader; null where only what was recorded is at hand.
  const Experiment* experiment() const { return experiment_ ? &*experiment_ : nullptr; }
  const SampleReader* reader() const { return reader_ ? &*reader_ : nullptr; }

 private:
  /// Loads the experiment anew; false, with the reason in missing_, where that cannot be.
  bool load();
  bool use_recorded();

  const Result& result_;
  std::string origin_;
  std::string missing_;
  std::vector<std::string> channels_;
  std::int64_t features_ = 0;
  std::int64_t steps_ = 0;
  std::optional<Experiment> experiment_;
  std::optional<SampleReader> reader_;
};

/// The data file of a result where it still has the hash that the result names: as it was called,
/// or seen from the folder of the result or the one above.  Empty, with the reason, if not.
std::string find_data_file(const Result& result, std::string& why_not);

/// A text as a value of `--set`.
std::string quoted_yaml(const std::string& text);

}  // namespace gaia::report
