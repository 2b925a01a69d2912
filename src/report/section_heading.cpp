// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "../core/text.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

const char* css_class(Finding::Weight weight) {
  switch (weight) {
    case Finding::Weight::failure:
      return "failure";
    case Finding::Weight::warning:
      return "warning";
    case Finding::Weight::note:
      break;
  }
  return "note";
}

/// What the run read, in a few words.
std::string data_text(const RunView& view) {
  const Result& result = view.result;
  const std::string path = result.text("data", "path");
  const std::string source = path.empty() ? result.text("data", "source") : path;
  const std::int64_t channels = result.integer("data", "channels").value_or(1);
  std::string text = fmt::format("{} steps of {}, {} channel{}", grouped(result.series_done()),
                                 source, channels, plural(channels));
  if (view.rate > 0.0) {
    text += fmt::format(" at {} Hz ({})", number_for_people(view.rate),
                        duration_text(static_cast<double>(result.series_done()) / view.rate));
  }
  if (result.epochs() > 1) text += fmt::format(", read {} times", grouped(result.epochs()));
  return text;
}

/// The readout that tells most of a run: with a score that can be trusted, then the best one.
const ReadoutFacts* best_readout(const std::vector<ReadoutFacts>& readouts, ReadoutTask task) {
  const ReadoutFacts* best = nullptr;
  for (const ReadoutFacts& readout : readouts) {
    if (readout.task != task || !readout.score.is_defined()) continue;
    const bool is_better = best == nullptr || (readout.doubts.empty() != best->doubts.empty()
                                                   ? readout.doubts.empty()
                                                   : readout.score.error < best->score.error);
    if (is_better) best = &readout;
  }
  return best;
}

/// Lines that the first screen of a telephone has for scores.
constexpr std::size_t kMostLinesAtTop = 22;
constexpr std::size_t kLinesOfTile = 3;

/// The readouts whose scores stand at the top: the one of each task that tells most, then others,
/// as far as there is room.
std::vector<const ReadoutFacts*> readouts_at_top(const std::vector<ReadoutFacts>& readouts) {
  std::vector<const ReadoutFacts*> order;
  const auto add = [&](const ReadoutFacts* one) {
    const bool is_new = one != nullptr && one->score.is_defined() &&
                        std::find(order.begin(), order.end(), one) == order.end();
    if (is_new) order.push_back(one);
  };
  for (const ReadoutTask task :
       {ReadoutTask::regression, ReadoutTask::classes, ReadoutTask::matching,
        ReadoutTask::statistic, ReadoutTask::anomaly}) {
    add(best_readout(readouts, task));
  }
  for (const ReadoutFacts& readout : readouts) {
    if (readout.doubts.empty()) add(&readout);
  }
  std::size_t lines = 0;
  std::size_t shown = 0;
  for (const ReadoutFacts* one : order) {
    lines += kLinesOfTile + one->baselines.size();
    if (shown > 0 && lines > kMostLinesAtTop) break;
    ++shown;
  }
  order.resize(shown);
  return order;
}

}  // namespace

std::string heading(const Result& result, const std::string& lead, const std::vector<Tile>& tiles) {
  const std::string status = result.status();
  const bool is_known =
      status == "complete" || status == "interrupted" || status == "failed" || status == "running";
  std::string out = fmt::format("<header>\n<h1>{} <span class=\"badge {}\">{}</span></h1>\n",
                                escape(result.text("", "experiment")), is_known ? status : "",
                                escape(status == "running" ? "running or killed" : status));
  out += fmt::format("<p class=\"lead\">{}</p>\n<div class=\"tiles\">\n", escape(lead));
  for (const Tile& tile : tiles) out += tile_markup(tile);
  return out + "</div>\n</header>\n";
}

std::string tile_markup(const Tile& tile) {
  std::string out =
      fmt::format("<div class=\"tile {}{}\"><b>{}</b><span>{}</span>", tile.look,
                  tile.beside.empty() ? "" : " score", escape(tile.value), escape(tile.meaning));
  if (!tile.beside.empty()) {
    out += "<table class=\"beside\"><tbody>";
    for (const auto& [name, number] : tile.beside) {
      out +=
          fmt::format("<tr><td>{}</td><td class=\"n\">{}</td></tr>", escape(name), escape(number));
    }
    out += "</tbody></table>";
  }
  return out + "</div>\n";
}

Tile findings_tile(const std::vector<Finding>& findings) {
  const auto grave = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.weight != Finding::Weight::note;
  });
  const bool failed = !findings.empty() && findings.front().weight == Finding::Weight::failure;
  if (grave == 0) return {"none", "warnings"};
  return {std::to_string(grave), fmt::format("warning{}, listed below", plural(grave)),
          failed ? "bad" : "warn"};
}

std::string findings_section(const Result& result, const std::vector<Finding>& findings) {
  std::string out = "<ul class=\"findings\">\n";
  const bool is_calm = std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.weight != Finding::Weight::note;
  });
  if (is_calm) {
    out += fmt::format("<li class=\"fine\">{}</li>\n",
                       result.has_group("", "levels")
                           ? "The run is complete; no neuron is dead or saturated, all numbers are "
                             "finite, and no weights ran away."
                           : "The run is complete, and all its numbers are finite.");
  }
  for (const Finding& finding : findings) {
    out +=
        fmt::format("<li class=\"{}\">{}</li>\n", css_class(finding.weight), escape(finding.text));
  }
  return out + "</ul>\n";
}

std::string left_out_section(const std::vector<std::string>& left_out) {
  if (left_out.empty()) return {};
  std::string out = "<ul class=\"findings\">\n";
  for (const std::string& one : left_out) {
    out += fmt::format("<li class=\"warning\">{}</li>\n", escape(one));
  }
  return out + "</ul>\n";
}

std::string hierarchy_lead(const RunView& view) {
  const Result& result = view.result;
  std::string text = fmt::format("{} level{} read {}", view.levels.size(),
                                 plural(std::ssize(view.levels)), data_text(view));
  std::string resolutions;
  for (const LevelSurvey& level : view.levels) {
    resolutions += (resolutions.empty() ? "" : ", ") + std::to_string(level.temporal_resolution);
  }
  if (resolutions != "1") text += ", ticking every " + resolutions + " steps";
  text += fmt::format(". Seed {}, {} on {}.", result.integer("", "seed").value_or(0),
                      result.text("", "dtype"), result.text("", "device"));
  return text;
}

std::vector<Tile> hierarchy_tiles(const RunView& view) {
  std::vector<Tile> tiles;
  for (const ReadoutFacts* readout : readouts_at_top(view.readouts)) {
    Tile tile{value_text(readout->score.value),
              fmt::format("{} of {}", measure_text(readout->score), readout->name),
              readout->verdict().standing == Verdict::Standing::good  ? "good"
              : readout->verdict().standing == Verdict::Standing::bad ? "warn"
                                                                      : ""};
    for (const Score& other : readout->baselines) {
      tile.beside.emplace_back(other.name, value_text(other.value));
    }
    tiles.push_back(std::move(tile));
  }
  const Result& result = view.result;
  tiles.push_back({grouped(result.done()), result.done() == result.steps()
                                               ? "steps"
                                               : "steps of " + grouped(result.steps())});
  const double seconds = result.number("", "wall_seconds").value_or(0.0);
  if (seconds > 0.0) {
    tiles.push_back({duration_text(seconds), "from start to end"});
    const double speed = static_cast<double>(result.done()) / seconds;
    tiles.push_back(
        {grouped(static_cast<std::int64_t>(std::min(speed, 1e15))), "steps per second"});
  }
  tiles.push_back(findings_tile(view.findings));
  return tiles;
}

}  // namespace gaia::report
