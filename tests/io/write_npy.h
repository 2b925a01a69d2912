// SPDX-License-Identifier: MIT
/// \file
/// NPY files as bytes, for tests of what reads them.
#pragma once

#include <cstring>
#include <string>
#include <vector>

namespace gaia::test {

/// An NPY file: magic, version, length of the header, header, padding, numbers.
template <class T>
inline std::string npy(const std::string& descr, const std::string& shape,
                       const std::vector<T>& numbers, const char* fortran = "False",
                       int major = 1) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
  while ((header.size() + 13) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte) {
    file += static_cast<char>(header.size() >> (8 * byte) & 0xff);
  }
  file += header;
  const std::size_t begin = file.size();
  file.resize(begin + numbers.size() * sizeof(T));
  if (!numbers.empty())
    std::memcpy(file.data() + begin, numbers.data(), numbers.size() * sizeof(T));
  return file;
}

}  // namespace gaia::test
