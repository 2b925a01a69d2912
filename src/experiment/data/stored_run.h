// SPDX-License-Identifier: MIT
/// \file
/// The results file of an earlier run, and how its data were scaled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../io/foreign_hdf5/hdf5_reader.h"
#include "../../learning/whitening.h"
#include "../config/config.h"

namespace gaia {

/// A results file as it tells of itself, closed again; it may be somebody else's.
struct StoredRun {
  std::string path;
  std::string run_id;
  hdf5::Contents contents;
  Scaling scaling;  ///< Empty where its data were not scaled.
  /// What stood before the first value of a trial in each channel; empty where nothing was held.
  std::vector<double> fill;
  Whitening whitening;  ///< Empty where they were not whitened.
};

/// \throws DataError for a file that is no results file of gaia, damaged or hostile.
std::shared_ptr<const StoredRun> open_stored_run(const std::string& path);

/// Whether any of these files, by their SHA-256, is one that the stored run has read as data.
bool reads_same_data(const std::vector<std::string>& hashes, const StoredRun& run);

/// The numbers of a dataset that has this shape.  \throws DataError if it has not, or if one of
/// them is not finite.
std::vector<double> numbers_at(hdf5::Reader& reader, const std::string& file,
                               const std::string& path, const std::vector<std::int64_t>& shape);

}  // namespace gaia
