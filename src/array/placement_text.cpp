// SPDX-License-Identifier: MIT
#include "placement_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "../core/text.h"
#include "placement.h"

namespace gaia {
namespace {

/// "1 000", also where there are too many for an integer.
std::string count_text(double count) {
  return count < 1e15 ? grouped(static_cast<std::int64_t>(count + 0.5))
                      : fmt::format("{:.3g}", count);
}

std::string times_text(double calls) {
  return calls == 1.0 ? "" : ", " + count_text(calls) + " times";
}

const char* kind_text(TickKind kind) {
  switch (kind) {
    case TickKind::chunkwise:
      return "plastic";
    case TickKind::stepwise:
      return "plastic, stepwise";
    case TickKind::coupled:
      return "plastic, coupled";
    case TickKind::recurrent:
      break;
  }
  return "recurrent";
}

/// What a part asks for.
struct PartText {
  std::string operator()(const Passes& part) const {
    return "element-wise, " + bytes_text(part.bytes) + times_text(part.calls);
  }
  std::string operator()(const Products& part) const {
    return fmt::format("product {} x {} x {} {}{}", grouped(part.m), grouped(part.k),
                       grouped(part.n), to_string(part.dtype), times_text(part.calls));
  }
  std::string operator()(const Ticks& part) const {
    return fmt::format("{} {} x {} {}, {} ticks in {} call{}", kind_text(part.kind),
                       grouped(part.outputs), grouped(part.inputs), to_string(part.dtype),
                       count_text(part.ticks), count_text(part.calls),
                       part.calls == 1.0 ? "" : "s");
  }
  std::string operator()(const HostTraffic& part) const {
    std::string text;
    if (part.up > 0.0) text += bytes_text(part.up) + " up";
    if (part.down > 0.0) text += (text.empty() ? "" : ", ") + bytes_text(part.down) + " down";
    return text + times_text(part.calls);
  }
};

/// The curves that a part is judged by.
struct PartCurves {
  std::set<std::string>& names;

  static std::string of(DType dtype, const char* curve) {
    return std::string(dtype == DType::float64 ? "float64/" : "float32/") + curve;
  }
  void operator()(const Passes&) const { names.insert("passes"); }
  void operator()(const Products& part) const {
    names.insert({"passes", of(part.dtype, "products")});
  }
  void operator()(const Ticks& part) const {
    constexpr const char* kCurves[] = {"chunkwise", "stepwise", "coupled", "recurrent"};
    names.insert({"passes", of(part.dtype, kCurves[static_cast<int>(part.kind)])});
  }
  void operator()(const HostTraffic&) const { names.insert({"upload", "download"}); }
};

/// A table whose first column is text and whose others are right-aligned.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      text += fmt::format("{:<{}}", row[0], widths[0]);
      for (std::size_t i = 1; i < row.size(); ++i)
        text += fmt::format("  {:>{}}", row[i], widths[i]);
      text += '\n';
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "12 kB on cpu, 3 MB on cuda:0".
std::string operands_text(const Work& work, const std::vector<PlacementCandidate>& candidates) {
  std::string text;
  for (const PlacementCandidate& candidate : candidates) {
    double bytes = 0.0;
    for (const Operand& operand : work.operands) {
      if (operand.device == candidate.device) bytes += operand.bytes;
    }
    if (bytes == 0.0) continue;
    text += (text.empty() ? "" : ", ") + bytes_text(bytes) + " on " + to_string(candidate.device);
  }
  return text;
}

std::string amount_text(const std::string& curve, double amount) {
  if (curve == "passes" || curve == "upload" || curve == "download") return bytes_text(amount);
  if (curve.find("products") == std::string::npos) return count_text(amount) + " weights";
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  for (; amount >= 1000.0 && unit < 4; ++unit) amount /= 1000.0;
  return fmt::format("{:.3g} {}flop", amount, kUnits[unit]);
}

/// At the largest size: what the rate comes to.
std::string peak_text(const std::string& curve, const CostCurve::Point& last) {
  const double rate = last.amount / last.seconds;
  if (curve == "passes" || curve == "upload" || curve == "download") {
    return fmt::format("{:.3g} GB/s", rate / 1e9);
  }
  if (curve.find("products") != std::string::npos) return fmt::format("{:.3g} GFLOP/s", rate / 1e9);
  return fmt::format("{:.3g} G weights/s", rate / 1e9);
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", seconds * 1e3);
  return duration_text(seconds);
}

std::string rates_text(const Rates& rates, const std::set<std::string>& names) {
  std::string text;
  for_each_curve(rates, [&](const std::string& name, const CostCurve& curve) {
    if (curve.points.empty() || (!names.empty() && !names.contains(name))) return;
    const bool per_tick =
        name.find('/') != std::string::npos && name.find("products") == std::string::npos;
    text += fmt::format("  {:<18} ", name);
    for (const CostCurve::Point& point : curve.points) {
      text += fmt::format("{} {}{}, ", amount_text(name, point.amount), time_text(point.seconds),
                          per_tick ? "/tick" : "");
    }
    text += "at most " + peak_text(name, curve.points.back()) + "\n";
  });
  return text;
}

std::string Placement::summary() const { return to_string(device) + " (" + reason + ")"; }

std::string Placement::explain() const {
  Table table;
  std::vector<std::string> row = {"work  " + printable(work.name)};
  for (const PlacementEstimate& one : estimates) row.push_back(to_string(one.device));
  table.add(row);
  const auto add_times = [&](const std::string& name, const auto& seconds_of) {
    row = {"  " + name};
    for (const PlacementEstimate& one : estimates) {
      row.push_back(one.known ? time_text(seconds_of(one)) : std::string("?"));
    }
    table.add(row);
  };
  if (!work.operands.empty()) {
    add_times("operands: " + operands_text(work, candidates),
              [](const PlacementEstimate& one) { return one.operand_seconds; });
  }
  for (std::size_t i = 0; i < work.parts.size(); ++i) {
    add_times(printable(work.parts[i].name) + ": " + std::visit(PartText{}, work.parts[i].what),
              [i](const PlacementEstimate& one) { return one.part_seconds[i]; });
  }
  if (!work.parts.empty()) {
    add_times("in all", [](const PlacementEstimate& one) { return one.seconds; });
  }
  row = {"  memory: " + bytes_text(work.needed_bytes()) + " needed, free"};
  for (const PlacementCandidate& one : candidates) row.push_back(bytes_text(one.free_bytes));
  table.add(row);
  row = {"  enough (on a GPU twice what is not there yet)"};
  for (const PlacementEstimate& one : estimates) row.push_back(one.fits ? "yes" : "no");
  table.add(row);
  std::set<std::string> curves;
  if (!work.operands.empty()) curves.insert({"upload", "download"});
  for (const WorkPart& part : work.parts) std::visit(PartCurves{curves}, part.what);
  std::string text = table.text();
  for (const PlacementCandidate& one : candidates) {
    text += fmt::format("rates of {} ({})\n", to_string(one.device), printable(one.name));
    text += one.rates
                ? rates_text(*one.rates, curves)
                : "  not measured" +
                      (one.why_no_rates.empty() ? "" : ": " + printable(one.why_no_rates)) + "\n";
  }
  return text + "device  " + summary() + "\n";
}

}  // namespace gaia
