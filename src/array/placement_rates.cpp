// SPDX-License-Identifier: MIT
#include "placement_rates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <variant>

#include "../core/error.h"
#include "../core/log.h"
#include "../core/parallel.h"
#include "placement_cache.h"

namespace gaia {
namespace {

/// What this process knows.
struct Known {
  std::mutex mutex;                  // also: one measures, others wait for what it finds
  std::map<std::string, Rates> set;  // by device
  std::map<std::string, std::variant<Rates, std::string>> found;  // by key; or why not
};

Known& known() {
  static Known& instance = *new Known;
  return instance;
}

/// Measures and keeps.  The lock is held.
Rates measure_and_keep(Known& all, Device device, const RatesKey& key, const std::string& path) {
  try {
    log_info("measuring how fast " + to_string(device) + " (" + key.device +
             ") is; this is done once" + (path.empty() ? "" : " and kept in " + path));
    const Rates rates = measure_rates(device);
    all.found[key.text()] = rates;
    if (!path.empty()) write_cached_rates(path, key, rates);
    return rates;
  } catch (const Error& error) {
    all.found[key.text()] = std::string(error.what());
    throw;
  }
}

}  // namespace

double CostCurve::seconds(double amount) const {
  const auto above = std::find_if(points.begin(), points.end(),
                                  [&](const Point& point) { return point.amount >= amount; });
  if (above == points.end()) return points.back().seconds * amount / points.back().amount;
  if (above == points.begin()) return above->seconds;
  const Point& low = *(above - 1);
  const Point& high = *above;
  const double share = std::log(amount / low.amount) / std::log(high.amount / low.amount);
  return low.seconds * std::pow(high.seconds / low.seconds, share);
}

const CostCurve& Rates::ticks(TickKind kind, DType dtype) const {
  const OfType& type = of(dtype);
  switch (kind) {
    case TickKind::chunkwise:
      return type.chunkwise;
    case TickKind::stepwise:
      return type.stepwise;
    case TickKind::coupled:
      return type.coupled;
    case TickKind::recurrent:
      break;
  }
  return type.recurrent;
}

std::string why_not_rates(const Rates& rates) {
  std::string wrong;
  for_each_curve(rates, [&](const std::string& name, const CostCurve& curve) {
    const bool may_be_empty = name == "upload" || name == "download";
    if (curve.points.empty() && !may_be_empty) wrong = name + " has no points";
    CostCurve::Point before{0.0, 0.0};
    for (const CostCurve::Point& point : curve.points) {
      const bool finite = std::isfinite(point.amount) && std::isfinite(point.seconds);
      if (!finite || !(point.amount > before.amount) || !(point.seconds > 0.0) ||
          !(point.seconds >= before.seconds)) {
        wrong = name + " has a point that does not rise";
      }
      before = point;
    }
  });
  if (rates.upload.points.empty() != rates.download.points.empty()) {
    wrong = "upload and download are not both there";
  }
  return wrong;
}

Rates rates_of(Device device) {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  if (const auto set = all.set.find(to_string(device)); set != all.set.end()) return set->second;
  const RatesKey key = rates_key(device);
  if (const auto found = all.found.find(key.text()); found != all.found.end()) {
    if (const Rates* rates = std::get_if<Rates>(&found->second)) return *rates;
    throw DeviceError(std::get<std::string>(found->second));
  }
  const std::string path = rates_cache_path();
  if (!path.empty()) {
    if (const std::optional<Rates> cached = read_cached_rates(path, key)) {
      all.found[key.text()] = *cached;
      return *cached;
    }
  }
  if (inside_parallel_task()) {
    throw DeviceError("[rates_of] a device cannot be measured from inside a parallel task");
  }
  return measure_and_keep(all, device, key, path);
}

Rates calibrate(Device device) {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  all.set.erase(to_string(device));
  return measure_and_keep(all, device, rates_key(device), rates_cache_path());
}

void set_rates(Device device, const Rates& rates) {
  if (const std::string wrong = why_not_rates(rates); !wrong.empty()) {
    throw ArgumentError("[set_rates] expected rising points of every curve; " + wrong);
  }
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  all.set[to_string(device)] = rates;
}

void forget_rates() {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  all.set.clear();
  all.found.clear();
}

}  // namespace gaia
