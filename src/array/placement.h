// SPDX-License-Identifier: MIT
/// \file
/// On which device work is done soonest: an estimate from measured rates, with its reasons.
///
///     const Work work{.name = "one product",
///                     .operands = operands_of({a, b}),
///                     .parts = {{"a b", Products{.m = 2000, .n = 2000, .k = 2000}}}};
///     const GPUContext scope(Device::automatic(work));
///     std::cout << place(work).explain();
///
/// The estimate of a device is the time of every part there, plus that of bringing there what lies
/// elsewhere.  Arrays count as being there twice over: so much memory must be free.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "array.h"
#include "device.h"
#include "placement_rates.h"

namespace gaia {

/// Element-wise operations, reductions and copies: limited by memory.
struct Passes {
  double bytes = 0.0;  ///< Read and written by one call.
  double calls = 1.0;
};

/// Products y [m, n] = a [m, k] b [k, n].
struct Products {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  DType dtype = DType::float32;
  double calls = 1.0;
};

/// Layers that go through a series, each tick after the one before.
struct Ticks {
  TickKind kind = TickKind::chunkwise;
  std::int64_t outputs = 1;
  std::int64_t inputs = 1;  ///< As `outputs` for a recurrent layer.
  DType dtype = DType::float32;
  double ticks = 1.0;  ///< Of all streams and calls together.
  double calls = 1.0;
};

/// Numbers that must go between the host and the device wherever that is; on the CPU it costs
/// nothing.
struct HostTraffic {
  double up = 0.0;    ///< Bytes to the device by one call.
  double down = 0.0;  ///< Bytes to the host by one call.
  double calls = 1.0;
};

struct WorkPart {
  std::string name;
  std::variant<Passes, Products, Ticks, HostTraffic> what;
};

/// What the work reads, and where it lies.
struct Operand {
  double bytes = 0.0;
  Device device = {};
};

struct Work {
  std::string name = {};
  std::vector<Operand> operands = {};
  std::vector<WorkPart> parts = {};  ///< None: not known, and the rule decides.
  /// Of all arrays at the peak, operands included; at least that of the operands is assumed.
  double memory_bytes = 0.0;

  double needed_bytes() const;
};

std::vector<Operand> operands_of(const std::vector<Array>& arrays);

/// A device that work could be done on.
struct PlacementCandidate {
  Device device;
  std::string name = {};
  double free_bytes = 0.0;
  std::optional<Rates> rates = {};
  std::string why_no_rates = {};
};

/// What work is expected to take on a device.
struct PlacementEstimate {
  Device device;
  bool fits = true;              ///< Whether there is memory enough.
  bool known = false;            ///< Whether there are rates, and so the times below.
  double operand_seconds = 0.0;  ///< To bring the operands there.
  std::vector<double> part_seconds = {};
  double seconds = 0.0;  ///< In all.
};

/// A decision, and all that it rests on.
struct Placement {
  Device device;
  std::string reason;  ///< "12 ms estimated, on cpu 1.3 s"
  Work work;
  std::vector<PlacementCandidate> candidates;
  std::vector<PlacementEstimate> estimates;  ///< As candidates.

  /// "cuda:0 (12 ms estimated, on cpu 1.3 s)"
  std::string summary() const;
  /// A table of every part on every device, the rates behind it, and the decision.
  std::string explain() const;
};

/// Below this, unknown work stays on the CPU.
inline constexpr double kLeastGpuBytes = 1e6;

/// Decides between candidates, of which the first is the CPU.  Of those with memory enough (on a
/// GPU twice what is needed and not there yet) it is the one with the shortest estimate, the
/// earlier where they are equal.  Where rates or parts are not known a rule decides: less than 1 MB
/// (kLeastGpuBytes) stays on the CPU, more goes to the first GPU with memory enough.
/// \throws ArgumentError without candidates.
Placement place(const Work& work, std::vector<PlacementCandidate> candidates);

/// Decides between the devices that are available.  Devices that were never measured are, if there
/// is a GPU; without one it is the CPU, and nothing is measured.
Placement place(const Work& work);

/// The devices that are available, with their rates if `with_rates`, which measures where needed.
/// Where that fails, the log says why.
std::vector<PlacementCandidate> placement_candidates(bool with_rates = true);

/// What `rates` says, a line per curve; of all curves if `names` is empty.
std::string rates_text(const Rates& rates, const std::set<std::string>& names = {});

}  // namespace gaia
