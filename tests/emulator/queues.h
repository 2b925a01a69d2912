// SPDX-License-Identifier: MIT
/// \file
/// Streams of the emulator: what they are given is done at once, or else as late as CUDA allows, so
/// that whoever forgot to wait for another stream is found out.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime.h"

namespace gaia::emulator {

enum class Order : std::uint8_t {
  at_once,  ///< Work is done when it is given.
  /// Work is done when someone waits for it, and then no more than he has to wait for: every other
  /// stream lags behind as far as it may.  For one thread at a time.
  late,
};

/// From here on.  What is left to do is done first.
void set_order(Order order);

/// Gives work to a stream.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// How many pieces of work a stream has not done yet.
std::int64_t queued(cudaStream_t stream);

/// How often, since the program began, the host waited for a stream.
std::int64_t synchronisations();

/// Streams that are late, for a scope.
class LateStreams {
 public:
  LateStreams() { set_order(Order::late); }
  ~LateStreams() { set_order(Order::at_once); }
  LateStreams(const LateStreams&) = delete;
  LateStreams& operator=(const LateStreams&) = delete;
};

}  // namespace gaia::emulator
