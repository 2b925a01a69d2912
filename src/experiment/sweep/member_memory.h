// SPDX-License-Identifier: MIT
/// \file
/// How much memory members of a sweep or a search take, as it was foretold and as those that have
/// ended took it.
#pragma once

namespace gaia {

/// What a process takes before it holds any array: program and libraries.
inline constexpr double kProgramBytes = 100e6;

/// Before the first member has ended there is what was foretold, and a quarter for what that
/// leaves out.  Then the largest share of what was foretold that any took counts for all; where it
/// is below 1, for members no larger than one of those that have ended.
class MemberMemory {
 public:
  /// Bytes that the process of a member of whom `foretold` are, beside the program, will take.
  double expected(double foretold) const;

  /// What a process that has ended took at its peak.
  void learn(double foretold, double peak);

  bool has_learnt() const { return largest_ >= 0.0; }

 private:
  double share_ = 0.0;     // share of what was foretold, with the program
  double largest_ = -1.0;  // foretold of the largest that has ended
};

}  // namespace gaia
