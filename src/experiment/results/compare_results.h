// SPDX-License-Identifier: MIT
/// \file
/// Whether two results of one experiment hold the same, dataset by dataset and attribute by
/// attribute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../io/hdf5.h"

namespace gaia {

/// Place in which two results differ.
struct ResultDifference {
  std::string path;       ///< Path of the dataset or group: "/levels/0/representation".
  std::string attribute;  ///< Name of the attribute of it that differs; empty: the numbers.
  std::string text;       ///< What is different, for a person.
  // Numbers of one shape:
  std::int64_t count = 0;                ///< How many of them differ.
  std::int64_t size = 0;                 ///< How many there are.
  std::vector<std::int64_t> first = {};  ///< Indices of the first that differs.
  double expected = 0.0;                 ///< Number in the first file,
  double got = 0.0;                      ///< and in the other.
  double largest = 0.0;                  ///< Largest difference; infinity where one is not finite.
  double relative = 0.0;                 ///< The same by the largest number of the dataset.
};

struct ResultComparison {
  std::int64_t datasets = 0;    ///< How many were compared,
  std::int64_t attributes = 0;  ///< and of these.
  double largest = 0.0;  ///< Largest relative difference of all datasets of floating numbers.
  std::vector<ResultDifference> differences = {};
};

/// Compares what two runs of one experiment and seed must have in common: every dataset and
/// attribute but what the clock, the machine and the places of files have a part in (times, speeds,
/// names of hosts, devices and files, the version that wrote it).  Numbers are the same where their
/// bits are, or where both are NaN.
///
/// With a `tolerance` above 0, datasets of floating numbers alone are compared, but for /metrics:
/// they may differ by that share of their largest number.  What was rounded on the way to whole
/// numbers and texts can turn by a little.
ResultComparison compare_results(const hdf5::File& one, const hdf5::File& other,
                                 double tolerance = 0.0);

}  // namespace gaia
