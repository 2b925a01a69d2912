// SPDX-License-Identifier: MIT
/// \file
/// What was measured, as a table, JSON, CSV and HDF5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure.h"

namespace gaia::bench {

struct Report {
  std::string started_utc;  ///< ISO 8601.
  std::string host;
  std::string why_no_gpu;  ///< Empty if one was measured.
  bool quick = false;
  Limits cpu;
  std::optional<Limits> gpu;
  std::vector<Row> rows;
  std::vector<Crossover> crossovers;
  std::vector<std::string> left_out;  ///< Cases for which there was no time left.

  /// Whether anything is wrong or failed.
  bool is_bad() const;
  /// Those of the device of a measurement.
  const Limits& limits(const Measurement& measurement) const;
};

/// Calls f(row, measurement) for every measurement, the CPU first.
template <class F>
void for_each_measurement(const Report& report, const F& f) {
  for (const Row& row : report.rows) {
    f(row, row.cpu);
    if (row.gpu) f(row, *row.gpu);
  }
}

/// "cpu" or "gpu": the column of a measurement.
const char* column_name(const Measurement& measurement);

/// For a human: what this machine can do, the table, crossovers, and what went wrong.
std::string to_table(const Report& report);
/// With google-benchmark's keys; times are medians, in ms.
std::string to_json(const Report& report);
/// One line per case and device; times in seconds.
std::string to_csv(const Report& report);
/// A new HDF5 file: a group per case, every single time in it.  \throws OutputError.
void write_hdf5(const Report& report, const std::string& path);

}  // namespace gaia::bench
