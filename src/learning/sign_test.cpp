// SPDX-License-Identifier: MIT
#include "sign_test.h"

#include <algorithm>
#include <cmath>

#include "../core/message.h"

namespace gaia {

double sign_test(std::int64_t ahead, std::int64_t behind) {
  if (ahead < 0 || behind < 0) {
    fail<ArgumentError>("[sign_test] expected numbers of pairs, got {} and {}", ahead, behind);
  }
  const std::int64_t pairs = ahead + behind;
  const std::int64_t fewer = std::min(ahead, behind);
  const auto n = static_cast<double>(pairs);
  // For many pairs 2^-n is no double, but its logarithm is.
  double p = 0.0;
  for (std::int64_t k = 0; k <= fewer; ++k) {
    const auto i = static_cast<double>(k);
    p += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) -
                  n * std::log(2.0));
  }
  return std::min(1.0, 2.0 * p);
}

}  // namespace gaia
