// SPDX-License-Identifier: MIT
/// \file
/// What has to be known of a device before its times mean anything: how exact its products are at
/// each precision, how exact the gelu is that a product ends with, and where memory comes from.
#pragma once

#include <string>
#include <vector>

#include "../../src/array/device.h"

namespace gaia::bench {

/// An error relative to the largest number of the right answer (gelu: to the larger of its own size
/// and 1), which was computed in double on the host; or something that has no number.
struct Fact {
  std::string what;
  double error = 0.0;
  double most = 0.0;  ///< Largest error that is allowed; 0: there is no number.
  std::string text = {};

  bool is_bad() const { return most > 0.0 && !(error <= most); }
};

/// Within a second or two.  \throws what the operations throw.
std::vector<Fact> find_facts(Device device);

/// A line for each: what, the error, what is allowed, a remark.
std::string to_text(const std::vector<Fact>& facts);

}  // namespace gaia::bench
