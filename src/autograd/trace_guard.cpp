// SPDX-License-Identifier: MIT
#include "trace_guard.h"

#include <utility>

namespace gaia {
namespace {

thread_local bool t_traces_writable = true;

}  // namespace

bool traces_writable() { return t_traces_writable; }

TraceGuard::TraceGuard() : before_(std::exchange(t_traces_writable, false)) {}
TraceGuard::~TraceGuard() { t_traces_writable = before_; }

TraceState::TraceState(bool writable) : before_(std::exchange(t_traces_writable, writable)) {}
TraceState::~TraceState() { t_traces_writable = before_; }

}  // namespace gaia
