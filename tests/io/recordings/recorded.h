// SPDX-License-Identifier: MIT
/// \file
/// Files that other programs wrote (tests/data/recordings), and damaged copies of them.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "../../../src/io/npy.h"
#include "../../support/text.h"
#include "../read_series.h"

namespace gaia::test {

inline std::string recorded(const std::string& name) {
  return GAIA_SOURCE_DIR "/tests/data/recordings/" + name;
}

inline std::string bytes_of_recorded(const std::string& name) {
  std::string bytes = file_text(recorded(name));
  REQUIRE_FALSE(bytes.empty());
  return bytes;
}

/// What another program read from a file.
inline std::vector<double> values_of_others(const std::string& name) {
  return read_all(*open_npy(recorded(name)));
}

/// `bytes` with `text` from `at` on.
inline std::string with(std::string bytes, std::size_t at, const std::string& text) {
  return bytes.replace(at, text.size(), text);
}

}  // namespace gaia::test
