// SPDX-License-Identifier: MIT
/// \file
/// What an error says.
#pragma once

#include <optional>
#include <string>

#include "../../src/core/error.h"
#include "catch.h"

namespace gaia::test {

/// The message of the error, an `E`, that `work` ends with; nothing where it ends without one.
template <class E = Error, class Work>
std::string complaint_of(const Work& work) {
  try {
    work();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

/// The error, an `E`, that `work` ends with.
template <class E, class Work>
E thrown_by(const Work& work) {
  std::optional<E> thrown;
  try {
    work();
  } catch (const E& error) {
    thrown.emplace(error);
  }
  REQUIRE(thrown);
  return *thrown;
}

/// What is said of the file at `path`, after its name.
template <class E = DataError, class Work>
std::string complaint_about(const std::string& path, const Work& work) {
  const std::string told = complaint_of<E>(work);
  if (told.empty()) return "";
  REQUIRE(told.substr(0, path.size()) == path);
  return told.substr(path.size());
}

}  // namespace gaia::test
