// SPDX-License-Identifier: MIT
/// \file
/// What is in results files, and whether two hold the same.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "../../src/io/hdf5.h"
#include "../support/catch.h"

namespace gaia::test {

using Datasets = std::map<std::string, std::vector<double>>;

/// Every dataset of a group and those below, under their paths.
inline void collect_datasets(const hdf5::Group& group, const std::string& path, Datasets& all) {
  for (const std::string& name : group.datasets()) {
    all[path + "/" + name] = group.open_dataset(name).read<double>();
  }
  for (const std::string& name : group.groups()) {
    collect_datasets(group.open_group(name), path + "/" + name, all);
  }
}

inline Datasets datasets_of(const std::string& file) {
  Datasets all;
  collect_datasets(hdf5::File::open(file), "", all);
  return all;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Speed is what may differ between two runs of one seed.
inline bool is_speed(const std::string& path) {
  return path == "/metrics/steps_per_second" || path == "/history/samples_per_second";
}

/// Checks that two files have the same datasets, bit for bit but for speeds.
inline void check_same_datasets(const Datasets& expected, const Datasets& got) {
  REQUIRE(got.size() == expected.size());
  for (const auto& [path, values] : expected) {
    INFO(path);
    REQUIRE(got.contains(path));
    if (is_speed(path)) {
      CHECK(got.at(path).size() == values.size());
    } else {
      CHECK(same_bits(values, got.at(path)));
    }
  }
}

}  // namespace gaia::test
