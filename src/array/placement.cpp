// SPDX-License-Identifier: MIT
#include "placement.h"

#include <algorithm>
#include <utility>

#include "../core/error.h"
#include "../core/log.h"
#include "../core/text.h"
#include "placement_text.h"

namespace gaia {
namespace {

/// Seconds of a part on a device.
struct PartTime {
  const Rates& rates;

  double operator()(const Passes& part) const {
    return part.calls * rates.passes.seconds(part.bytes);
  }
  double operator()(const Products& part) const {
    const auto m = static_cast<double>(part.m);
    const auto n = static_cast<double>(part.n);
    const auto k = static_cast<double>(part.k);
    const double bytes = (m * k + k * n + m * n) * static_cast<double>(size_of(part.dtype));
    // Long thin ones are limited by what they read.
    return part.calls * std::max(rates.of(part.dtype).products.seconds(2.0 * m * n * k),
                                 rates.passes.seconds(bytes));
  }
  double operator()(const Ticks& part) const {
    const double weights = static_cast<double>(part.outputs) * static_cast<double>(part.inputs);
    return part.calls * rates.launch_seconds() +
           part.ticks * rates.ticks(part.kind, part.dtype).seconds(weights);
  }
  double operator()(const HostTraffic& part) const {
    return part.calls * (transfer(rates.upload, part.up) + transfer(rates.download, part.down));
  }

  static double transfer(const CostCurve& curve, double bytes) {
    return bytes > 0.0 && !curve.points.empty() ? curve.seconds(bytes) : 0.0;
  }
};

const PlacementCandidate* candidate_of(const std::vector<PlacementCandidate>& all, Device device) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const PlacementCandidate& one) { return one.device == device; });
  return found == all.end() ? nullptr : &*found;
}

/// Between GPUs by way of the host.
double bring(const Operand& operand, const PlacementCandidate& to,
             const std::vector<PlacementCandidate>& all) {
  if (operand.device == to.device) return 0.0;
  const PlacementCandidate* from = candidate_of(all, operand.device);
  const double down =
      from != nullptr && from->rates ? PartTime::transfer(from->rates->download, operand.bytes) : 0;
  return down + PartTime::transfer(to.rates->upload, operand.bytes);
}

bool has_memory(const Work& work, const PlacementCandidate& candidate) {
  // The CPU is what remains when nothing else will do.
  if (candidate.device.is_cpu()) return true;
  double there = 0.0;
  for (const Operand& operand : work.operands) {
    if (operand.device == candidate.device) there += operand.bytes;
  }
  return 2.0 * (work.needed_bytes() - there) <= candidate.free_bytes;
}

PlacementEstimate estimate(const Work& work, const PlacementCandidate& candidate,
                           const std::vector<PlacementCandidate>& all) {
  PlacementEstimate result{.device = candidate.device,
                           .fits = has_memory(work, candidate),
                           .known = candidate.rates.has_value()};
  if (!candidate.rates) return result;
  for (const Operand& operand : work.operands) {
    result.operand_seconds += bring(operand, candidate, all);
  }
  result.seconds = result.operand_seconds;
  for (const WorkPart& part : work.parts) {
    result.part_seconds.push_back(std::visit(PartTime{*candidate.rates}, part.what));
    result.seconds += result.part_seconds.back();
  }
  return result;
}

/// By what the guides of gaia's predecessors promise: bytes alone.
void decide_by_rule(Placement& placement, const std::string& why) {
  const double bytes = placement.work.needed_bytes();
  const std::string rule = "by the rule, since " + why + ": ";
  if (bytes < kLeastGpuBytes) {
    placement.device = Device::cpu();
    placement.reason = rule + bytes_text(bytes) + " are less than " + bytes_text(kLeastGpuBytes);
    return;
  }
  for (const PlacementEstimate& one : placement.estimates) {
    if (one.device.is_cpu() || !one.fits) continue;
    placement.device = one.device;
    placement.reason = rule + bytes_text(bytes) + ", twice which is free there";
    return;
  }
  placement.device = Device::cpu();
  placement.reason = rule + "no GPU has twice " + bytes_text(bytes) + " free";
}

void decide_by_time(Placement& placement) {
  const PlacementEstimate* best = nullptr;
  for (const PlacementEstimate& one : placement.estimates) {
    if (one.fits && (best == nullptr || one.seconds < best->seconds)) best = &one;
  }
  placement.device = best->device;
  placement.reason = time_text(best->seconds) + " estimated";
  for (const PlacementEstimate& one : placement.estimates) {
    if (&one == best) continue;
    placement.reason += ", on " + to_string(one.device) + " " +
                        (one.fits ? time_text(one.seconds) : std::string("too little memory"));
  }
}

}  // namespace

double Work::needed_bytes() const {
  double bytes = 0.0;
  for (const Operand& operand : operands) bytes += operand.bytes;
  return std::max(bytes, memory_bytes);
}

std::vector<Operand> operands_of(const std::vector<Array>& arrays) {
  std::vector<Operand> operands;
  for (const Array& array : arrays) {
    operands.push_back({static_cast<double>(array.bytes()), array.device()});
  }
  return operands;
}

Placement place(const Work& work, std::vector<PlacementCandidate> candidates) {
  if (candidates.empty()) throw ArgumentError("[place] expected at least one device, got none");
  Placement placement{.device = candidates.front().device,
                      .reason = {},
                      .work = work,
                      .candidates = std::move(candidates),
                      .estimates = {}};
  const PlacementCandidate* unknown = nullptr;
  for (const PlacementCandidate& candidate : placement.candidates) {
    placement.estimates.push_back(estimate(work, candidate, placement.candidates));
    if (!candidate.rates && unknown == nullptr) unknown = &candidate;
  }
  if (placement.candidates.size() == 1) {
    const std::string why = why_no_cuda();
    placement.reason = why.empty() ? "the only one" : why;
  } else if (work.parts.empty()) {
    decide_by_rule(placement, "what is to be done is not known");
  } else if (unknown != nullptr) {
    decide_by_rule(placement, to_string(unknown->device) + " was not measured");
  } else {
    decide_by_time(placement);
  }
  return placement;
}

Placement place(const Work& work) {
  const bool has_gpu = available_devices().size() > 1;
  return place(work, placement_candidates(has_gpu && !work.parts.empty()));
}

std::vector<PlacementCandidate> placement_candidates(bool with_rates) {
  std::vector<PlacementCandidate> candidates;
  for (const Device device : available_devices()) {
    PlacementCandidate one{.device = device};
    try {
      const DeviceInfo info = device_info(device);
      one.name = info.name;
      one.free_bytes = static_cast<double>(info.free_memory);
      if (with_rates) one.rates = rates_of(device);
    } catch (const Error& error) {
      one.why_no_rates = error.what();
      log_once(LogLevel::warning, "rates of " + to_string(device),
               to_string(device) + " cannot be measured (" + error.what() +
                   "); device auto goes by the size of the data instead");
    }
    candidates.push_back(std::move(one));
  }
  return candidates;
}

Device Device::automatic(const Work& work) {
  if (available_devices().size() == 1) return automatic();
  return place(work).device;
}

}  // namespace gaia
