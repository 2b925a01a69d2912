// SPDX-License-Identifier: MIT
/// \file
/// Datasets of a results file that grow while the run goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../io/hdf5.h"
#include "../data/sample_reader.h"

namespace gaia {

class GrowingDatasets {
 public:
  /// `times`: those that the series has.
  GrowingDatasets(const ExperimentConfig& config, SampleReader::TimeKind times)
      : compression_(static_cast<int>(config.output.compression)),
        has_rate_(config.data.rate_of_rows().has_value()),
        times_(times) {}

  /// One that grows along its first axis, row by row of `row_shape`, up to about `all_rows`, of
  /// which `block_rows` are added at a time.
  hdf5::Dataset dataset(hdf5::Group& group, const std::string& name, hdf5::Type type,
                        const std::vector<std::int64_t>& row_shape, std::int64_t all_rows,
                        std::int64_t block_rows) const;

  /// The coordinate `time` beside `step`; nothing where no times are known.
  std::optional<hdf5::Dataset> times(hdf5::Group& group, std::int64_t rows, std::int64_t block_rows,
                                     const hdf5::Dataset& step, const char* meaning) const;

 private:
  int compression_;
  bool has_rate_;
  SampleReader::TimeKind times_;
};

}  // namespace gaia
