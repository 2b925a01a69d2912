// SPDX-License-Identifier: MIT
#include "diverged.h"

#include <exception>

#include "foreign_hdf5/hdf5_reader.h"
#include "hdf5.h"

namespace gaia {
namespace {

constexpr const char* kMark = "diverged";
constexpr const char* kFailure = "failure";

void note(const std::string& path, const char* name, const std::string& why) {
  hdf5::File file = hdf5::File::modify(path);
  file.set_attribute(name, why);
  file.close();
}

}  // namespace

void mark_as_diverged(const std::string& path, const std::string& why) { note(path, kMark, why); }

void mark_as_failed(const std::string& path, const std::string& why) { note(path, kFailure, why); }

std::string why_failed(const std::string& path) noexcept {
  try {
    hdf5::probe(path);
    const hdf5::File file = hdf5::File::open(path);
    return file.text_attribute(kMark).value_or(file.text_attribute(kFailure).value_or(""));
  } catch (const std::exception&) {
    return {};
  }
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
