// SPDX-License-Identifier: MIT
/// \file
/// All numbers of a results file, for comparing two of them bit by bit.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "../../src/io/hdf5.h"
#include "catch.h"

namespace gaia::test {

using Datasets = std::map<std::string, std::vector<double>>;

inline void collect(const hdf5::Group& group, const std::string& path, Datasets& all) {
  for (const std::string& name : group.datasets()) {
    const hdf5::Dataset dataset = group.open_dataset(name);
    if (dataset.type() == hdf5::Type::other) continue;  // texts
    all[path + "/" + name] = dataset.read<double>();
  }
  for (const std::string& name : group.groups()) {
    collect(group.open_group(name), path + "/" + name, all);
  }
}

/// Every dataset of a file under its path.
inline Datasets datasets_of(const std::string& file) {
  Datasets all;
  collect(hdf5::File::open(file), "", all);
  return all;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();  // memcmp wants an address even then
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Speed is what may differ between two runs of one seed.
inline bool is_speed(const std::string& path) {
  return path == "/metrics/steps_per_second" || path == "/metrics/seconds" ||
         path == "/history/samples_per_second";
}

/// The path of a dataset that differs, or empty.
inline std::string difference(const Datasets& a, const Datasets& b) {
  for (const auto& [path, values] : a) {
    const auto other = b.find(path);
    if (other == b.end() || other->second.size() != values.size()) return path;
    if (!is_speed(path) && !same_bits(values, other->second)) return path;
  }
  return a.size() == b.size() ? "" : "the number of datasets";
}

/// Checks the same, dataset by dataset.
inline void check_same_datasets(const Datasets& expected, const Datasets& got) {
  REQUIRE(got.size() == expected.size());
  for (const auto& [path, values] : expected) {
    INFO(path);
    REQUIRE(got.contains(path));
    CHECK(got.at(path).size() == values.size());
    if (!is_speed(path)) CHECK(same_bits(values, got.at(path)));
  }
}

}  // namespace gaia::test
