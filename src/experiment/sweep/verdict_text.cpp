// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "../../core/command_line.h"
#include "seed_verdict.h"

namespace gaia {
namespace {

/// Reasons that a table has in full.
constexpr std::size_t kMostReasons = 3;

std::string spread_text(const Spread& spread) {
  if (spread.count == 0) return fmt::format("{:>9}  {:>8}", "-", "-");
  if (spread.count < 2) return fmt::format("{:9.4f}  {:>8}", spread.mean, "-");
  return fmt::format("{:9.4f}  {:8.4f}", spread.mean, spread.deviation);
}

/// The first and the last window along the stream, of the score by which the readout is judged.
std::string windows_text(const ReadoutOverSeeds& readout, std::size_t width) {
  std::string text;
  for (const WindowsOverSeeds::Curve& curve : readout.windows.curves) {
    if (curve.score != attribute_of_measure(readout.measure)) continue;
    const std::vector<std::int64_t>& steps = readout.windows.steps;
    text += fmt::format("  along the stream, {}: first window (step {}), last (step {})\n",
                        curve.score, steps.front(), steps.back());
    const auto add = [&](const std::string& title, const WindowsOverSeeds& windows) {
      for (const WindowsOverSeeds::Curve& one : windows.curves) {
        if (one.score != curve.score) continue;
        text += fmt::format(
            "  {:{}}  {}  {}\n", title, width, spread_text(WindowsOverSeeds::spread_at(one, 0)),
            spread_text(WindowsOverSeeds::spread_at(one, windows.steps.size() - 1)));
      }
    };
    add("this run", readout.windows);
    for (const ComparedScores& other : readout.others) add(other.title, other.windows);
  }
  return text;
}

std::string readout_table(const ReadoutOverSeeds& readout, const std::string& seeds) {
  std::size_t width = 8;
  for (const ComparedScores& other : readout.others) width = std::max(width, other.title.size());
  const bool is_agent = readout.measure == "return";
  std::string text =
      fmt::format("{} of {}, {}: {}\n", is_agent ? readout.name : "readout " + readout.name,
                  readout.target, seeds, readout.measure);
  text += fmt::format("  {:{}}  {:>9}  {:>8}  {:>9}  {:>10}  {:>8}  {:>9}\n", "", width, "mean",
                      "sd", "run ahead", "difference", "sd", "sign test");
  text += fmt::format("  {:{}}  {}\n", "this run", width, spread_text(readout.spread));
  for (const ComparedScores& other : readout.others) {
    text += fmt::format("  {:{}}  {}", other.title, width, spread_text(other.spread));
    if (other.difference.count > 0) {
      text += fmt::format("  {:>9}   {}  {:9.2g}",
                          fmt::format("{} of {}", other.ahead, other.difference.count),
                          spread_text(other.difference), other.sign_test_p);
    }
    text += "\n";
  }
  text += windows_text(readout, width);
  if (!readout.purge.empty()) text += "  " + readout.purge + "\n";
  if (!readout.verdict.empty()) text += "  verdict  " + readout.verdict + "\n";
  return text + "\n";
}

}  // namespace

std::string verdict_reason(const std::string& reason) {
  if (reason.empty()) return "NaN or infinity";
  const std::size_t end = reason.starts_with('[') ? reason.find("] ") : std::string::npos;
  return end == std::string::npos ? reason : reason.substr(end + 2);
}

std::string seeds_text(const SeedVerdict& verdict) {
  const std::int64_t last = verdict.first_seed + verdict.seeds - 1;
  return verdict.seeds == 1 ? fmt::format("seed {}", verdict.first_seed)
                            : fmt::format("seeds {} to {}", verdict.first_seed, last);
}

std::string readout_tables(const std::vector<ReadoutOverSeeds>& readouts,
                           const std::string& seeds) {
  std::string text;
  for (const ReadoutOverSeeds& readout : readouts) text += readout_table(readout, seeds);
  return text;
}

std::string verdict_table(const SeedVerdict& verdict) {
  std::string text = readout_tables(verdict.readouts, seeds_text(verdict));
  if (!verdict.diverged.empty()) {
    std::string seeds;
    for (const std::int64_t seed : verdict.diverged) {
      seeds += (seeds.empty() ? "" : ", ") + std::to_string(seed);
    }
    text += fmt::format("{} of {} runs diverged and count nowhere: seed {}\n",
                        verdict.diverged.size(), verdict.seeds, seeds);
    const std::size_t told = std::min(kMostReasons, verdict.reasons.size());
    for (std::size_t i = 0; i < told; ++i) {
      text +=
          fmt::format("  seed {}  {}\n", verdict.diverged[i], verdict_reason(verdict.reasons[i]));
    }
    if (told < verdict.reasons.size()) {
      text += fmt::format("  and {} more, which `gaia report {}` names\n",
                          verdict.reasons.size() - told, as_typed(verdict.file));
    }
  }
  if (verdict.has_fixed_data) {
    text +=
        "The data are the same for every seed: only initial weights and what else the run draws "
        "at random differ.\n";
  }
  return text;
}

}  // namespace gaia
