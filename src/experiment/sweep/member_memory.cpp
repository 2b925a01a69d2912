// SPDX-License-Identifier: MIT
#include "member_memory.h"

#include <algorithm>

namespace gaia {
namespace {

constexpr double kBeforeAnyHasEnded = 1.25;

}  // namespace

double MemberMemory::expected(double foretold) const {
  const double share = foretold <= largest_ ? share_
                       : has_learnt()       ? std::max(1.0, share_)
                                            : kBeforeAnyHasEnded;
  return share * (foretold + kProgramBytes);
}

void MemberMemory::learn(double foretold, double peak) {
  share_ = std::max(share_, peak / (foretold + kProgramBytes));
  largest_ = std::max(largest_, foretold);
}

}  // namespace gaia
