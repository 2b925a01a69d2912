// SPDX-License-Identifier: MIT
/// \file
/// Rates of devices that are not there, for tests of decisions.
#pragma once

#include "../../src/array/placement_rates.h"

namespace gaia::test {

/// A device that takes `call` seconds for anything, and longer where `rate` bytes, products or
/// weights per second ask for it.
inline CostCurve simple_curve(double call, double rate) {
  return {{{call * rate, call}, {call * rate * 1e6, call * 1e6}}};
}

/// A processor: 1 us for a call, 10 GB/s, 100 GFLOP/s, 1 G weights/s.
inline Rates cpu_rates() {
  const Rates::OfType type{.products = simple_curve(1e-6, 1e11),
                           .chunkwise = simple_curve(1e-8, 1e9),
                           .stepwise = simple_curve(1e-8, 5e8),
                           .coupled = simple_curve(1e-8, 5e8),
                           .recurrent = simple_curve(1e-8, 1e9)};
  return {.passes = simple_curve(1e-6, 1e10),
          .upload = {},
          .download = {},
          .float32 = type,
          .float64 = type};
}

/// A GPU: 10 us for a call, 1 TB/s, 50 TFLOP/s, 1 us for a tick and 1 T weights/s; 20 us and
/// 10 GB/s to and from the host.  float64 at a tenth of the products.
inline Rates gpu_rates() {
  Rates::OfType type{.products = simple_curve(1e-5, 5e13),
                     .chunkwise = simple_curve(1e-6, 1e12),
                     .stepwise = simple_curve(1e-6, 1e12),
                     .coupled = simple_curve(1e-5, 1e12),
                     .recurrent = simple_curve(5e-6, 1e12)};
  Rates rates{.passes = simple_curve(1e-5, 1e12),
              .upload = simple_curve(2e-5, 1e10),
              .download = simple_curve(2e-5, 1e10),
              .float32 = type,
              .float64 = type};
  rates.float64.products = simple_curve(1e-5, 5e12);
  return rates;
}

/// Forgets, before and after a test, what the process knows of rates.
struct NoRates {
  NoRates() { forget_rates(); }
  ~NoRates() { forget_rates(); }
  NoRates(const NoRates&) = delete;
  NoRates& operator=(const NoRates&) = delete;
};

}  // namespace gaia::test
