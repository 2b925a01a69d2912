// SPDX-License-Identifier: MIT
#include "grad_mode.h"

#include <utility>

namespace gaia {
namespace {

thread_local bool enabled = true;

}  // namespace

bool grad_enabled() { return enabled; }

NoGrad::NoGrad() : before_(std::exchange(enabled, false)) {}
NoGrad::~NoGrad() { enabled = before_; }

EnableGrad::EnableGrad() : before_(std::exchange(enabled, true)) {}
EnableGrad::~EnableGrad() { enabled = before_; }

}  // namespace gaia
