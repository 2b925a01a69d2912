// SPDX-License-Identifier: MIT
/// \file
/// Results files, compared number by number.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "../../src/io/hdf5.h"
#include "../apps/command.h"
#include "../support/catch.h"

namespace gaia::test {

/// Bytes of a file; "" if there is none.
inline std::string bytes_of(const std::string& path) {
  return std::filesystem::exists(path) ? Running::content(path) : std::string();
}

inline void collect_numbers(const hdf5::Group& group, const std::string& path,
                            std::map<std::string, std::vector<double>>& numbers) {
  for (const std::string& name : group.datasets()) {
    // The only series that differs between two runs.
    if (name != "steps_per_second") {
      numbers[path + "/" + name] = group.open_dataset(name).read<double>();
    }
  }
  for (const std::string& name : group.groups()) {
    collect_numbers(group.open_group(name), path + "/" + name, numbers);
  }
}

/// Every number of a file, but for the speed.
inline std::map<std::string, std::vector<double>> numbers_of(const std::string& path) {
  std::map<std::string, std::vector<double>> numbers;
  collect_numbers(hdf5::File::open(path), "", numbers);
  return numbers;
}

/// The same bits, so that NaN equals NaN.
inline bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline bool same_results(const std::string& a, const std::string& b) {
  const auto left = numbers_of(a);
  const auto right = numbers_of(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && same_numbers(x.second, y.second);
                    });
}

/// Steps that are safe in a file, finished or not.
inline std::int64_t committed_steps(const std::string& path) {
  return hdf5::File::open(path)
      .open_dataset("/status/committed_steps")
      .read<std::int64_t>()
      .front();
}

/// Whether the file's superblock says that readers may look on: the layout is there, and commits
/// may have been made.
inline bool has_begun(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[12] = {};
  file.read(start, sizeof start);
  return file.gcount() == sizeof start && std::memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0 &&
         (start[11] & 0x04) != 0;
}

}  // namespace gaia::test
