// SPDX-License-Identifier: MIT
/// \file
/// Streams of the emulated devices: queues of copies, launches and allocations.
///
/// CUDA promises when work is done at the latest, and in which order within a stream.  So it may be
/// done at once, or not before something waits for it; a program that forgot to wait passes under
/// the first and computes wrong numbers under the second.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime.h"

namespace gaia::emulator {

/// When what a stream was given is done.
enum class Timing : std::uint8_t {
  at_once,  ///< When it is given.
  late,     ///< When something waits for it, or 1024 pieces have come together.
};

/// For all work from here on; what is waiting is done first.  A program begins with `late` if
/// GAIA_EMULATOR_TIMING=late is in its environment, else with `at_once`.
/// \throws KernelError.
void set_timing(Timing timing);
Timing timing();

/// Gives `stream` (null: the default one of the current device) something to do.
/// \throws KernelError if the stream belongs to another device than the current one, or by the work
/// that is done now.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// The same from any device, for work that cannot fail; does nothing else now.
void append(cudaStream_t stream, std::function<void()> work);

/// Does all that `stream` was given before.
void finish(cudaStream_t stream);

/// How many pieces of work wait in a stream.
std::int64_t queued(cudaStream_t stream);

/// How often, since the program began, a stream was made to wait for another.
std::int64_t waits();

/// How often the host waited for a stream.
std::int64_t synchronisations();

/// How many products of float32 were allowed to round their operands, since the program began.
std::int64_t rounded_products();

/// Streams that are late, for a scope.
class LateStreams {
 public:
  LateStreams() : before_(timing()) { set_timing(Timing::late); }
  ~LateStreams() { set_timing(before_); }
  LateStreams(const LateStreams&) = delete;
  LateStreams& operator=(const LateStreams&) = delete;

 private:
  Timing before_;
};

}  // namespace gaia::emulator
