// SPDX-License-Identifier: MIT
#include "grad_mode.h"

#include <utility>

namespace gaia {
namespace {

thread_local bool enabled = true;
thread_local bool second_order = false;

}  // namespace

bool grad_enabled() { return enabled; }

NoGrad::NoGrad() : before_(std::exchange(enabled, false)) {}
NoGrad::~NoGrad() { enabled = before_; }

EnableGrad::EnableGrad() : before_(std::exchange(enabled, true)) {}
EnableGrad::~EnableGrad() { enabled = before_; }

bool records_for_second_order() { return second_order && enabled; }

SecondOrder::SecondOrder() : before_(std::exchange(second_order, true)) {}
SecondOrder::~SecondOrder() { second_order = before_; }

}  // namespace gaia
