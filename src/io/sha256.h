// SPDX-License-Identifier: MIT
/// \file
/// The hash by which results name the data they were computed from, and checkpoints their content.
#pragma once

#include <memory>
#include <span>
#include <string>

extern "C" struct evp_md_ctx_st;

namespace gaia {

/// A hash in progress; remembers whether everything went well.
class Sha256 {
 public:
  Sha256();
  void add(std::span<const char> bytes);
  /// In lower-case hexadecimal, once; empty if anything failed.  \throws std::bad_alloc where
  /// memory was too little.
  std::string text();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
  bool good_;
};

/// SHA-256 in lower-case hexadecimal.
std::string sha256_of(std::span<const char> bytes);

/// SHA-256 of a file's content, in lower-case hexadecimal.  \throws DataError if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace gaia
