// SPDX-License-Identifier: MIT
/// \file
/// A directory that is gone after the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <stdlib.h>

#include "catch.h"

namespace gaia::test {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "gaia-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }

  /// Writes a file, in place if it exists, and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream file(path(name), std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path(name));
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

/// A TEST_CASE in a `folder` of its own.
#define FOLDER_TEST_CASE(...) GAIA_TEST_IN_FOLDER(GAIA_UNIQUE(in_a_folder_), __VA_ARGS__)
#define GAIA_TEST_IN_FOLDER(body, ...)                      \
  static void body(const ::gaia::test::TempDir& folder);    \
  TEST_CASE(__VA_ARGS__) { body(::gaia::test::TempDir()); } \
  static void body(const ::gaia::test::TempDir& folder)

}  // namespace gaia::test
