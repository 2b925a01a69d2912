// SPDX-License-Identifier: MIT
/// \file
/// The machine's own limits, measured.
#pragma once

#include <string>
#include <vector>

#include "../src/formulas/dtype.h"

namespace gaia::bench {

/// Several measurements of one limit.
struct Ceiling {
  std::string name;  ///< "ceiling/fma/float32", "ceiling/copy", "ceiling/triad_streaming" ...
  int threads = 1;
  double work = 0.0;                 ///< Operations or bytes of one measurement.
  std::vector<double> seconds = {};  ///< Each measurement's.
};

/// Multiplications with additions per second in float32 and float64, and bytes per second of copies
/// and triads of arrays that no cache holds (McCalpin 1995, STREAM; written bytes count once), on
/// `threads` threads with the instruction set in use.  `quick`: short, and of small arrays.
std::vector<Ceiling> measure_ceilings(int threads, bool quick);

/// Multiplications with additions per second of all threads at this moment, over some 200 us: a
/// processor slows down under load, and has not recovered by then.
double fma_rate_now(DType dtype);

/// Bytes of the largest cache, as far as the system tells; else 32 MiB.
double largest_cache();

}  // namespace gaia::bench
