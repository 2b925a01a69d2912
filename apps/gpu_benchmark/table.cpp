// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "../../src/core/parallel.h"
#include "../../src/core/text.h"
#include "../../src/core/version.h"
#include "report.h"

namespace gaia::bench {
namespace {

/// "12.3", three digits where there are as many.
std::string digits(double value) {
  if (value == 0.0) return "0";
  if (value < 0.001) return fmt::format("{:.1e}", value);
  return fmt::format("{:.{}f}", value,
                     value < 0.1   ? 4
                     : value < 1   ? 3
                     : value < 10  ? 2
                     : value < 100 ? 1
                                   : 0);
}

std::string milliseconds(double seconds) { return digits(seconds * 1e3); }

/// Median and interquartile range.
std::string timing(const std::optional<Measurement>& one) {
  if (!one) return "-";
  if (!one->is_measured()) return to_string(one->status);
  const std::string median = milliseconds(one->compute.median_time);
  return one->compute.repeats() == 1 ? median + " once"
                                     : median + " +-" + milliseconds(one->compute.spread());
}

std::string median(const std::optional<BenchmarkResult>& result) {
  return result ? milliseconds(result->median_time) : "-";
}

std::string rate(const Row& row, const Measurement& one, const Limits& limits) {
  if (!one.is_measured()) return "-";
  const double seconds = one.compute.median_time;
  const bool compute = row.what.bytes == 0.0 || is_compute_bound(row.what, limits);
  if (compute) {
    const double operations = row.what.flops / seconds;
    return operations < 1e12 ? fmt::format("{} GFLOP/s", digits(operations * 1e-9))
                             : fmt::format("{} TFLOP/s", digits(operations * 1e-12));
  }
  return fmt::format("{} GB/s", digits(row.what.bytes / seconds * 1e-9));
}

std::string share(const Row& row, const Measurement& one, const Limits& limits) {
  if (!one.is_measured()) return "-";
  const auto value = share_of_limit(row.what, one.compute.median_time, limits);
  return value ? fmt::format("{:.0f} %", *value * 100.0) : "-";
}

std::string factor(const std::optional<double>& value) {
  return value ? digits(*value) + "x" : "-";
}

std::string range(double from, double to) {
  return from == to ? milliseconds(from) : milliseconds(from) + "-" + milliseconds(to);
}

std::string claimed(const Case& one) {
  if (!one.claim) return "-";
  return range(one.claim->cpu_from, one.claim->cpu_to) + " / " +
         range(one.claim->gpu_from, one.claim->gpu_to);
}

using Line = std::vector<std::string>;

/// Columns as wide as they need; the first to the left, the others to the right.
std::string columns(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("{:<{}}", line[0], widths[0]);
    for (std::size_t i = 1; i < line.size(); ++i)
      text += fmt::format("  {:>{}}", line[i], widths[i]);
    text += "\n";
  }
  return text;
}

std::string describe(const Limits& limits) {
  const DeviceInfo info = device_info(limits.device);
  std::string text = fmt::format("{:8} {}, {}{}\n", to_string(limits.device), info.name,
                                 info.description, info.version.empty() ? "" : ", " + info.version);
  text += fmt::format("{:8} copies {} GB/s, float32 products {} GFLOP/s, one call {} us", "",
                      digits(limits.copy_rate * 1e-9), digits(limits.matmul_rate * 1e-9),
                      digits(limits.call_seconds * 1e6));
  if (limits.upload_rate > 0.0) {
    text += fmt::format(", from the host {} GB/s, to it {} GB/s", digits(limits.upload_rate * 1e-9),
                        digits(limits.download_rate * 1e-9));
  }
  text += "\n";
  if (!limits.problem.empty()) text += fmt::format("{:8} not measured: {}\n", "", limits.problem);
  return text;
}

std::string describe(const Crossover& one) {
  const auto from = [&](const std::optional<std::int64_t>& size) {
    return !size                   ? std::string("at no size measured")
           : *size == one.smallest ? "at every size measured"
                                   : "from " + grouped(*size) + " on";
  };
  return fmt::format("{} ({} to {}): the GPU is faster {}; with transfers {}\n", one.sweep,
                     grouped(one.smallest), grouped(one.largest), from(one.from),
                     from(one.from_with_transfers));
}

/// Everything that a cell of the table cannot hold.
std::string remarks(const Report& report) {
  std::string text;
  for_each_measurement(report, [&](const Row& row, const Measurement& one) {
    for (const std::string& remark : {one.message, one.note}) {
      if (remark.empty()) continue;
      text += fmt::format("{} on {}: {}{}\n", row.what.name, to_string(one.device),
                          one.is_measured() ? "" : to_string(one.status) + ", ", remark);
    }
  });
  return text;
}

}  // namespace

std::string to_table(const Report& report) {
  const bool both = report.gpu.has_value();
  std::string text =
      fmt::format("gaia {} ({}), {} thread(s){}\n{}", version(), git_commit(), num_threads(),
                  report.quick ? ", quick" : "", describe(report.cpu));
  text += both ? describe(*report.gpu) : "no GPU   " + report.why_no_gpu + "\n";
  const char* const where = both ? "GPU" : "CPU";
  std::vector<Line> lines = {{"ms: median +-interquartile range", "CPU", "GPU", "speed-up",
                              "with transfers", "up", "down", std::string("rate on ") + where,
                              "of limit", "guide's CPU / GPU"}};
  for (const Row& row : report.rows) {
    const Measurement& shown = both && row.gpu ? *row.gpu : row.cpu;
    const Limits& limits = report.limits(shown);
    lines.push_back({row.what.name, timing(row.cpu), timing(row.gpu), factor(row.speedup()),
                     factor(row.speedup_with_transfers()),
                     median(row.gpu ? row.gpu->upload : std::nullopt),
                     median(row.gpu ? row.gpu->download : std::nullopt), rate(row, shown, limits),
                     share(row, shown, limits), claimed(row.what)});
  }
  text += "\n" + columns(lines);
  if (!report.crossovers.empty()) text += "\n";
  for (const Crossover& one : report.crossovers) text += describe(one);
  if (!report.left_out.empty()) {
    text += fmt::format("\nno time left for {}\n", fmt::join(report.left_out, ", "));
  }
  const std::string more = remarks(report);
  return more.empty() ? text : text + "\n" + more;
}

}  // namespace gaia::bench
