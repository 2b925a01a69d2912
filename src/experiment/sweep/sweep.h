// SPDX-License-Identifier: MIT
/// \file
/// A sweep: one YAML file, many experiments.  Which experiment a number stands for is a function of
/// the file and the command line alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../config/sweep_axes.h"
#include "members.h"

namespace gaia {

class Sweep : public Members {
 public:
  /// Reads the file's axes; `overrides.output` is the folder of the results.
  /// \throws ConfigError for a file that cannot be read, has no `sweep`, or a wrong one.
  Sweep(const std::string& path, const Overrides& overrides);

  const std::vector<SweepAxis>& axes() const { return axes_; }

  std::int64_t size() const override { return size_; }
  /// In the order of the axes; the last axis varies fastest from member to member.
  std::vector<std::string> keys() const override;
  std::vector<MemberSetting> settings(std::int64_t member) const override;

 private:
  std::vector<SweepAxis> axes_;
  std::int64_t size_ = 1;
};

}  // namespace gaia
