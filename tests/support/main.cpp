// SPDX-License-Identifier: MIT
/// \file
/// Runs the tests of a folder.  Warnings that a test does not expect make it fail.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <stdlib.h>

#include <filesystem>
#include <iostream>

#include "../../cpu/instruction_set.h"
#include "../../src/core/error.h"
#include "../../src/core/log.h"

// Sanitizers end the program where memory is refused; tests see how gaia takes it.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

int main(int argc, char** argv) {
  // What is kept for the next process does not lie among the user's own files.
  setenv("XDG_CACHE_HOME", (std::filesystem::temp_directory_path() / "gaia-tests").c_str(), 1);
  try {
    gaia::cpu::instruction_set();
  } catch (const gaia::Error& error) {  // GAIA_INSTRUCTION_SET is more than this processor has
    std::cerr << error.what() << "; skipped\n";
    return 77;
  }
  int unexpected = 0;
  gaia::set_log_callback([&](gaia::LogLevel level, const std::string& message) {
    if (level < gaia::LogLevel::warning) return;
    ++unexpected;
    std::cerr << "unexpected warning: " << message << "\n";
  });
  const int result = Catch::Session().run(argc, argv);
  gaia::set_log_callback({});
  return result != 0 ? result : unexpected > 0 ? 1 : 0;
}
