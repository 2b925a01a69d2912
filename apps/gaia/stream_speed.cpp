// SPDX-License-Identifier: MIT
#include "stream_speed.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../src/core/text.h"

namespace gaia::app {

void StreamSpeed::note_arrival() {
  arrival_ = Clock::now();
  if (!first_) first_ = arrival_;
}

void StreamSpeed::note_row() {
  if (waiting_.empty() || waiting_.back().arrival != arrival_) waiting_.push_back({arrival_, 0});
  ++waiting_.back().rows;
}

void StreamSpeed::note_written() {
  last_ = Clock::now();
  for (const Waiting& rows : waiting_) {
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(last_ - rows.arrival);
    latencies_.add(time.count(), rows.rows);
  }
  waiting_.clear();
}

std::string StreamSpeed::text() const {
  const std::int64_t rows = latencies_.count();
  if (rows == 0) return "speed    no rows\n";
  const double seconds = std::max(1e-9, std::chrono::duration<double>(last_ - *first_).count());
  return fmt::format(
      "speed    {} rows in {}, {} rows/s; from reading a row to its answer: median {:.1f} us, p99 "
      "{:.1f} us\n",
      grouped(rows), duration_text(seconds),
      grouped(static_cast<std::int64_t>(static_cast<double>(rows) / seconds)),
      1e6 * latencies_.quantile(0.5), 1e6 * latencies_.quantile(0.99));
}

}  // namespace gaia::app
