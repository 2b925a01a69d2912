// SPDX-License-Identifier: MIT
/// \file
/// Results files, whole or not.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "../../src/io/hdf5.h"
#include "../apps/command.h"
#include "../support/catch.h"
#include "../support/datasets.h"

namespace gaia::test {

/// Bytes of a file; "" if there is none.
inline std::string bytes_of(const std::string& path) {
  return std::filesystem::exists(path) ? file_text(path) : std::string();
}

/// Whether all their datasets but the speeds are the same bits.
inline bool same_results(const std::string& a, const std::string& b) {
  return difference(datasets_of(a), datasets_of(b)).empty();
}

/// Steps that are safe in a file, finished or not.
inline std::int64_t committed_steps(const std::string& path) {
  return hdf5::File::open(path)
      .open_dataset("/status/committed_steps")
      .read<std::int64_t>()
      .front();
}

/// Whether the file's superblock says that readers may look on, or that its writer has closed it:
/// the layout is there, and commits may have been done.
inline bool has_begun(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[12] = {};
  file.read(start, sizeof start);
  return file.gcount() == sizeof start && std::memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0 &&
         (start[11] == 0 || (start[11] & 0x04) != 0);
}

}  // namespace gaia::test
