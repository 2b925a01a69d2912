// SPDX-License-Identifier: MIT
/// \file
/// On which device something is done soonest: it is tried on each.
///
///     const Placement placement = fastest_device([&] { matmul(a, b); });
///     const GPUContext scope(placement.device);
///     std::cout << placement.explain();
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "device.h"

namespace gaia {

/// Bytes that work has to need for a device other than the CPU to be tried, in this process; 0, the
/// default: any.
/// \throws ArgumentError for a negative number.
void set_offload_threshold(std::int64_t bytes);
std::int64_t offload_threshold();

/// What a trial found on one device.
struct TrialTime {
  /// Something that was timed, and how long it took.
  struct Part {
    std::string name;  ///< "a block of 256 steps"
    double seconds = 0.0;
  };
  std::vector<Part> parts = {};
  double seconds = 0.0;  ///< What all that there is to do would take at this speed.
};

/// Work of which a part can be done to see how long all of it would take.
struct DeviceTrial {
  std::string name = {};
  /// Bytes of all arrays at the peak, on the device that does the work; 0 where it is not known.
  double memory_bytes = 0.0;
  /// Bytes below which it stays on the CPU untried, as far as its need is known.
  std::int64_t least_bytes = offload_threshold();
  /// Does the part on the current device.  It works on copies: nothing may depend on how often, and
  /// where, it was called.
  std::function<TrialTime()> run = {};
};

/// A device that work was to be tried on.
struct TriedDevice {
  Device device = {};
  std::string name = {};  ///< Name that its maker gives it.
  double free_bytes = 0.0;
  TrialTime time = {};       ///< Without parts where there was no trial.
  std::string why_not = {};  ///< Why it is not to be taken; empty if it may be.
};

/// A decision, and all that it rests on.
struct Placement {
  Device device = {};
  std::string reason = {};  ///< "about 12 ms, on cpu about 1.3 s"
  std::string name = {};    ///< Name of the work, as in its DeviceTrial; so is the memory.
  double memory_bytes = 0.0;
  std::vector<TriedDevice> tried = {};  ///< Every device that is available, the CPU first.

  /// "cuda:0 (about 12 ms, on cpu about 1.3 s)"
  std::string summary() const;
  /// What was tried on every device, how long it took, and the decision.
  std::string explain() const;
  /// Seconds on `device`; 0 where nothing was tried.
  double seconds() const;
};

/// Tries the work on every device that is available, and takes the one on which all of it would be
/// done soonest, the earlier where they are equal.  A device without room for the work, or whose
/// trial throws, is not taken, and `why_not` says why; where no device may be taken it is the CPU.
/// The first of several GPUs of one name that can do it stands for all.  Without a GPU it is the
/// CPU, and nothing is tried, unless `even_alone`.  Counts in transfer_stats() are as before.
Placement place(const DeviceTrial& trial, bool even_alone = false);

struct FastestDeviceOptions {
  std::string name = "an operation";
  double calls = 1.0;         ///< How often `f` will be called in all.
  double memory_bytes = 0.0;  ///< Bytes of all arrays at the peak, as in a DeviceTrial.
  double seconds = 0.3;       ///< For the calls on one device; one is always made and timed.
};

/// Times calls of `f`, whose result is dropped, on every device (as by benchmark_device), and takes
/// the one where they take the least time.  What `f` reads is copied to the device by every call,
/// as it will be later, unless it lies there: so residence counts.  `f` is called many times on
/// each device, and must leave nothing behind that matters. \throws ArgumentError for calls or
/// seconds that are not above 0, and what `f` throws on the CPU
///         where it throws on every device.
Placement fastest_device(const std::function<void()>& f, const FastestDeviceOptions& options = {});

/// "1.23 us", "12.3 ms", "2.0 s".
std::string time_text(double seconds);

}  // namespace gaia
