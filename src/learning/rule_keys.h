// SPDX-License-Identifier: MIT
/// \file
/// What a rule shows its keys to.
#pragma once

#include <cstdint>

#include "../core/key.h"

namespace gaia {

class RuleKeys {
 public:
  virtual ~RuleKeys() = default;
  virtual void number(const Key& key, double& value, NumberRange range) = 0;
  virtual void integer(const Key& key, std::int64_t& value, IntegerRange range) = 0;
  virtual void flag(const Key& key, bool& value) = 0;
};

}  // namespace gaia
