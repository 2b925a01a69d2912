// SPDX-License-Identifier: MIT
/// \file
/// How much is tried: less in the suite of every day than in `scripts/test full`.
#pragma once

#include <cstdlib>
#include <string_view>

namespace gaia::test {

/// Whether GAIA_LONG_TESTS=1 is in the environment.
inline bool long_tests() {
  const char* const wanted = std::getenv("GAIA_LONG_TESTS");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

/// `few` every day, `many` in long tests.
template <class T>
T few_or_many(const T& few, const T& many) {
  return long_tests() ? many : few;
}

/// Takes every n-th of the combinations that nested loops go through, and all in long tests.  Where
/// `n` divides the length of no inner list, and of nothing that takes turns, each value of each
/// list is still met with most of the others.
class EveryNth {
 public:
  explicit EveryNth(int n) : n_(long_tests() ? 1 : n) {}
  bool takes_next() { return number_++ % n_ == 0; }

 private:
  int n_;
  int number_ = 0;
};

}  // namespace gaia::test
