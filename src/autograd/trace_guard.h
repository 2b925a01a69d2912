// SPDX-License-Identifier: MIT
/// \file
/// Whether layers with traces of their activity write them.
#pragma once

namespace gaia {

/// Whether layers that the calling thread runs may write traces; true until a guard says otherwise.
bool traces_writable();

/// While one lives, no layer that this thread runs writes its traces: what is imagined, as in
/// planning, leaves no mark.  Layers go on using the traces that they have.  Guards nest, and each
/// restores what it found, after an exception too.  `parallel_map` hands the state on to its
/// threads.
class TraceGuard {
 public:
  TraceGuard();
  ~TraceGuard();
  TraceGuard(const TraceGuard&) = delete;
  TraceGuard& operator=(const TraceGuard&) = delete;

 private:
  bool before_;
};

/// Puts a state in force for a scope, as it was on another thread.
class TraceState {
 public:
  explicit TraceState(bool writable);
  ~TraceState();
  TraceState(const TraceState&) = delete;
  TraceState& operator=(const TraceState&) = delete;

 private:
  bool before_;
};

}  // namespace gaia
