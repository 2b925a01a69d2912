// SPDX-License-Identifier: MIT
/// \file
/// What fuzz targets share: the function that libFuzzer calls, and inputs as files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "../../../src/core/log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count);

namespace gaia::test {

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t count) {
  return {reinterpret_cast<const char*>(bytes), count};
}

/// Ends the program, which is how a target says that what must hold does not.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << "\n";
  std::abort();
}

/// A regular file in memory with the bytes given last.
class InputInMemory {
 public:
  InputInMemory() : file_(memfd_create("input", MFD_CLOEXEC)) {
    require(file_ >= 0, "there is a file in memory");
    // Readers warn of what they leave out.
    set_log_callback([](LogLevel, const std::string&) {});
  }

  std::string path_with(std::string_view bytes) const {
    require(ftruncate(file_, 0) == 0, "the file can be emptied");
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t put =
          pwrite(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      require(put > 0, "the file can be written");
      done += static_cast<std::size_t>(put);
    }
    return "/proc/self/fd/" + std::to_string(file_);
  }

 private:
  int file_;
};

}  // namespace gaia::test
