// SPDX-License-Identifier: MIT
/// \file
/// A case on the CPU and on a GPU: verified first, then timed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../benchmarks/cases.h"
#include "../../src/array/benchmark.h"

namespace gaia::bench {

/// How long to measure.
struct Effort {
  std::int64_t warmup = 3;
  std::int64_t repeats = 30;
  double max_seconds = 1.0;  ///< For one number; what takes longer is timed once.
  bool quick = false;        ///< Limits of devices from small arrays.
};

enum class Status : std::uint8_t {
  measured,
  wrong,    ///< The result is not that of the CPU's; nothing was timed.
  failed,   ///< An error ended it.
  skipped,  ///< The device has too little memory.
};

std::string to_string(Status status);

/// A case on one device.
struct Measurement {
  Device device;
  Status status = Status::measured;
  std::string message;                      ///< Why it is not measured.
  std::string note;                         ///< What a reader has to know next to the times.
  double error = 0.0;                       ///< Largest difference from the CPU's result, relative.
  BenchmarkResult compute;                  ///< Operands and result on the device.
  std::optional<BenchmarkResult> upload;    ///< Copy of all operands from the host.
  std::optional<BenchmarkResult> download;  ///< Copy of the result to the host.

  bool is_measured() const { return status == Status::measured; }
  /// Compute and both transfers, medians.
  double with_transfers() const;
};

struct Row {
  Case what;
  Measurement cpu;
  std::optional<Measurement> gpu;

  /// CPU time / GPU time; nothing unless both were measured.
  std::optional<double> speedup() const;
  std::optional<double> speedup_with_transfers() const;
  /// Whether anything is wrong or failed.
  bool is_bad() const;
};

/// What a device can do at most, as measured in this run.
struct Limits {
  Device device;
  double copy_rate = 0.0;     ///< Bytes read and written per second by a copy on the device.
  double matmul_rate = 0.0;   ///< float32 operations per second of a large product.
  double call_seconds = 0.0;  ///< One operation on one number.
  double upload_rate = 0.0;   ///< Bytes per second from the host; 0 for the CPU.
  double download_rate = 0.0;
  std::string problem;  ///< What could not be measured.
};

Row measure(const Case& one, std::optional<Device> gpu, const Effort& effort);

Limits measure_limits(Device device, const Effort& effort);

/// The shortest time that the limits allow / the time taken; nothing where they are not known.
std::optional<double> share_of_limit(const Case& one, double seconds, const Limits& limits);

/// Whether the matrix products of a case take longer than its memory, at these limits.
bool is_compute_bound(const Case& one, const Limits& limits);

/// From which size of a sweep on the GPU is faster at every larger size measured.
struct Crossover {
  std::string sweep;
  std::int64_t smallest = 0;  ///< Sizes that were measured.
  std::int64_t largest = 0;
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> from_with_transfers;
};

/// One for each sweep with sizes measured on both.
std::vector<Crossover> find_crossovers(const std::vector<Row>& rows);

}  // namespace gaia::bench
