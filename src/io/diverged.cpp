// SPDX-License-Identifier: MIT
#include "diverged.h"

#include <exception>

#include "foreign_hdf5/hdf5_reader.h"
#include "hdf5.h"

namespace gaia {
namespace {

constexpr const char* kMark = "diverged";

}  // namespace

void mark_as_diverged(const std::string& path, const std::string& why) {
  hdf5::File file = hdf5::File::modify(path);
  file.set_attribute(kMark, why);
  file.close();
}

bool has_diverged(const std::string& path) noexcept {
  try {
    hdf5::probe(path);
    return hdf5::File::open(path).has_attribute(kMark);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace gaia
