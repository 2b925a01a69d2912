// SPDX-License-Identifier: MIT
/// \file
/// All numbers of a results file, for comparing two of them bit by bit.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "../../src/io/hdf5.h"

namespace gaia::test {

using Datasets = std::map<std::string, std::vector<double>>;

inline void collect(const hdf5::Group& group, const std::string& path, Datasets& all) {
  for (const std::string& name : group.datasets()) {
    all[path + "/" + name] = group.open_dataset(name).read<double>();
  }
  for (const std::string& name : group.groups()) {
    collect(group.open_group(name), path + "/" + name, all);
  }
}

/// Every dataset of a file under its path, but for the speed of the run, which no two share.
inline Datasets datasets_of(const std::string& file) {
  Datasets all;
  collect(hdf5::File::open(file), "", all);
  all.erase("/metrics/steps_per_second");
  all.erase("/history/samples_per_second");
  return all;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// The path of a dataset that differs, or empty.
inline std::string difference(const Datasets& a, const Datasets& b) {
  for (const auto& [path, values] : a) {
    const auto other = b.find(path);
    if (other == b.end() || !same_bits(values, other->second)) return path;
  }
  return a.size() == b.size() ? "" : "the number of datasets";
}

}  // namespace gaia::test
