// SPDX-License-Identifier: MIT
/// \file
/// How fast a device is at what gaia asks of it, as measured on this machine.
///
/// Rates are curves of measured points, from small to large, because neither the overhead of a call
/// nor the peak says how long a small product takes.
#pragma once

#include <string>
#include <vector>

#include "../formulas/dtype.h"
#include "device.h"

namespace gaia {

/// Seconds for an amount of work.
struct CostCurve {
  struct Point {
    double amount;   ///< > 0, ascending.
    double seconds;  ///< > 0, not falling.
    friend bool operator==(const Point&, const Point&) = default;
  };
  std::vector<Point> points;

  /// Between two points linear in the logarithms of both; below the first as much as there; beyond
  /// the last in proportion to the amount.  At least one point is needed.
  double seconds(double amount) const;

  friend bool operator==(const CostCurve&, const CostCurve&) = default;
};

/// Layers that go through a series tick by tick.
enum class TickKind {
  chunkwise,  ///< Plastic, rule of single neurons, chunkwise executor.
  stepwise,   ///< Plastic, rule of single neurons, stepwise executor.
  coupled,    ///< Plastic, rule that couples neurons.
  recurrent,  ///< h <- (1 - leak) h + leak f(drive + R h)
};

/// What was measured of one device.
struct Rates {
  /// Of one dtype.
  struct OfType {
    CostCurve products;   ///< Multiplications and additions, 2 m n k, of one product.
    CostCurve chunkwise;  ///< Weights; seconds per tick, as the others below.
    CostCurve stepwise;
    CostCurve coupled;
    CostCurve recurrent;
    friend bool operator==(const OfType&, const OfType&) = default;
  };

  CostCurve passes;    ///< Bytes that one element-wise operation reads and writes.
  CostCurve upload;    ///< Bytes from the host; no points for the CPU.
  CostCurve download;  ///< Bytes to the host; no points for the CPU.
  OfType float32;      ///< Stands for all dtypes but float64.
  OfType float64;

  /// One operation in a chain of small ones.
  double launch_seconds() const { return passes.points.front().seconds; }
  const OfType& of(DType dtype) const { return dtype == DType::float64 ? float64 : float32; }
  const CostCurve& ticks(TickKind kind, DType dtype) const;

  friend bool operator==(const Rates&, const Rates&) = default;
};

/// visit(name, curve) for every curve: "passes", "float32/products", ...
template <class AnyRates, class Visitor>
void for_each_curve(AnyRates& rates, const Visitor& visit) {
  visit("passes", rates.passes);
  visit("upload", rates.upload);
  visit("download", rates.download);
  visit("float32/products", rates.float32.products);
  visit("float32/chunkwise", rates.float32.chunkwise);
  visit("float32/stepwise", rates.float32.stepwise);
  visit("float32/coupled", rates.float32.coupled);
  visit("float32/recurrent", rates.float32.recurrent);
  visit("float64/products", rates.float64.products);
  visit("float64/chunkwise", rates.float64.chunkwise);
  visit("float64/stepwise", rates.float64.stepwise);
  visit("float64/coupled", rates.float64.coupled);
  visit("float64/recurrent", rates.float64.recurrent);
}

/// What is wrong with rates that came from outside; empty if nothing is.
std::string why_not_rates(const Rates& rates);

/// How much effort measuring takes.
struct MeasureOptions {
  double longest_call = 0.03;  ///< Seconds; sizes that would take longer are left out.
  double together = 1e-3;      ///< Seconds for which calls are timed together at least.
  std::int64_t repeats = 5;    ///< Of which the median counts.
};

/// Measures a device now, in a second or two.  What it allocates, it gives back.
/// \throws OutOfMemory, DeviceError.
Rates measure_rates(Device device, const MeasureOptions& options = {});

/// The rates of a device: as they were set; else as this process or an earlier one measured them
/// (`rates_cache_path`); else measured now, which the log says.
/// \throws OutOfMemory, DeviceError, for the rest of the process, if they cannot be measured.
Rates rates_of(Device device);

/// Measures anew, and keeps that for this process and later ones.
Rates calibrate(Device device);

/// Says how fast a device is, in place of measuring; for this process.
/// \throws ArgumentError for rates that cannot be.
void set_rates(Device device, const Rates& rates);

/// Forgets what this process knows; what is kept in files stays.
void forget_rates();

/// Where measured rates are kept: gaia/rates.json in $XDG_CACHE_HOME, else in ~/.cache; empty where
/// there is neither.
std::string rates_cache_path();

}  // namespace gaia
