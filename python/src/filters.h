// SPDX-License-Identifier: MIT
/// \file
/// What bindings of filters share: a filter that one thread at a time uses.
#pragma once

#include <memory>
#include <string>

#include "../../src/filters/kalman_filter.h"
#include "../../src/filters/state_filter.h"
#include "agent_values.h"

namespace gaia::python {

/// A filter of any type, which is copied with what it knows.
struct HeldFilter {
  std::unique_ptr<StateFilter> filter;

  HeldFilter(std::unique_ptr<StateFilter> held) : filter(std::move(held)) {}
  HeldFilter(HeldFilter&&) = default;
  HeldFilter(const HeldFilter& other) : filter(other.filter->clone()) {}

  StateFilter& within() { return *filter; }
};

using SharedFilter = Guarded<HeldFilter>;

/// \throws ArgumentError unless the name is none, Q or R; `function` is who complains.
NoiseAdaption adaption_of(const std::string& function, const std::string& name);

}  // namespace gaia::python
