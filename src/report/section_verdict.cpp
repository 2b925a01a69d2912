// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

/// Names of all baselines, in the order in which they are met.
std::vector<std::string> baseline_names(const std::vector<ReadoutFacts>& readouts) {
  std::vector<std::string> names;
  for (const ReadoutFacts& readout : readouts) {
    for (const Score& score : readout.baselines) {
      if (std::find(names.begin(), names.end(), score.name) == names.end()) {
        names.push_back(score.name);
      }
    }
  }
  return names;
}

const Score* baseline_of(const ReadoutFacts& readout, const std::string& name) {
  for (const Score& score : readout.baselines) {
    if (score.name == name) return &score;
  }
  return nullptr;
}

/// Near 0 its digits would be of no use, and long.
std::string r2_text(double r2) { return std::abs(r2) < 0.0005 ? "0" : number_for_people(r2, 3); }

std::string score_cell(const Score* score, double best) {
  if (score == nullptr || !score->is_defined()) return "<td class=\"n\">–</td>";
  const bool is_best = score->error <= best;
  if (score->measure != std::string_view("R2")) {
    return fmt::format("<td class=\"n{}\">{} <span class=\"note\">({})</span></td>",
                       is_best ? " best" : "", escape(number_for_people(score->value, 3)),
                       score->measure);
  }
  return fmt::format("<td class=\"n{}\">{} <span class=\"note\">({})</span></td>",
                     is_best ? " best" : "", escape(number_for_people(score->error)),
                     escape(r2_text(score->value)));
}

std::string score_table(const std::vector<ReadoutFacts>& readouts,
                        const std::vector<std::string>& names) {
  std::string out =
      "<div class=\"scroll\"><table id=\"verdict-table\">\n<thead><tr><th>readout</th>"
      "<th>predicts</th><th>from levels</th><th class=\"n\">this run</th>";
  for (const std::string& name : names) out += "<th class=\"n\">" + escape(name) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const ReadoutFacts& readout : readouts) {
    const Score* const rival = best_of(readout.baselines);
    const double best =
        rival == nullptr ? readout.score.error : std::min(rival->error, readout.score.error);
    out += fmt::format("<tr><td>{}{}</td><td>{}</td><td>{}</td>{}", escape(readout.name),
                       readout.is_unfinished ? " (so far)" : "", escape(readout.target),
                       escape(readout.levels), score_cell(&readout.score, best));
    for (const std::string& name : names) out += score_cell(baseline_of(readout, name), best);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

/// What every readout is worth, in words.
std::string verdict_list(const std::vector<ReadoutFacts>& readouts) {
  std::string out = "<ul class=\"verdicts\">\n";
  for (const ReadoutFacts& readout : readouts) {
    const std::string text = verdict_text(readout);
    if (text.empty()) continue;
    out += "<li><b>" + escape(readout.name) + "</b>: " + escape(text) + "</li>\n";
  }
  return out + "</ul>\n";
}

constexpr double kRow = 34.0;

std::string score_drawing(const std::vector<ReadoutFacts>& readouts,
                          const std::vector<std::string>& names) {
  Range range;
  range.add(1.0);
  for (const ReadoutFacts& readout : readouts) {
    range.add(readout.score.error);
    for (const Score& score : readout.baselines) range.add(score.error);
  }
  const double rows = static_cast<double>(readouts.size());
  constexpr double left = 220.0;
  const Box box{left, 26.0, kWidth - left - 20.0, rows * kRow};
  Figure figure(kWidth, box.y + box.height + 44.0);
  Panel panel(box, {range.with_zero(0.06), "NRMSE (1: as good as the mean of the target)", 8},
              {{0.0, rows}, "", 1, false, false});
  panel.mark_x(1.0, "rule dashed");
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    const ReadoutFacts& readout = readouts[i];
    const double y = rows - static_cast<double>(i) - 0.5;
    Range ends;
    ends.add(readout.score.error);
    for (const Score& score : readout.baselines) ends.add(score.error);
    if (ends.is_empty()) continue;
    const Point span[] = {{ends.low(), y}, {ends.high(), y}};
    panel.line(span, "soft thin");
    const Point at_run[] = {{readout.score.error, y}};
    const std::string run_text[] = {"this run: " + number_for_people(readout.score.error)};
    panel.dots(at_run, 7.0, "c0", run_text);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Score* score = baseline_of(readout, names[k]);
      if (score == nullptr) continue;
      const Point at[] = {{score->error, y}};
      const std::string text[] = {names[k] + ": " + number_for_people(score->error)};
      panel.dots(at, 4.5, "c" + std::to_string(1 + k % 4), text);
    }
    figure.text(left - 12.0, box.y + box.height * (1.0 - y / rows) + 4.0, readout.name, "cell",
                "end");
  }
  panel.add_legend("this run", "c0 bold");
  for (std::size_t k = 0; k < names.size(); ++k) {
    panel.add_legend(names[k], "bold c" + std::to_string(1 + k % 4));
  }
  figure.add(panel);
  return figure.svg("errors of the readouts beside those of the baselines");
}

}  // namespace

std::string best_baseline_text(const ReadoutFacts& readout, double Score::*number) {
  const Score* const best = best_of(readout.baselines);
  return best == nullptr ? "" : best->name + " " + number_for_people(best->*number, 3);
}

std::string verdict_text(const ReadoutFacts& readout) {
  if (!readout.score.is_defined()) {
    return readout.undefined.empty() ? "" : "not defined: " + readout.undefined;
  }
  const Verdict verdict = verdict_of(readout.score, readout.baselines, readout.doubts);
  if (!verdict.text.empty()) return verdict.text;
  const Score* const best = best_of(readout.baselines);
  if (best == nullptr) return "does better than the mean of its target";
  return is_clearly_better(readout.score, *best) ? "does better than all of these"
                                                 : "does about as well as " + best->name;
}

std::string verdict_section(const RunView& view) {
  if (view.readouts.empty()) {
    return paragraph("This experiment has no readouts, so there is nothing to score.");
  }
  const std::vector<std::string> names = baseline_names(view.readouts);
  std::string out = verdict_list(view.readouts) + score_table(view.readouts, names);
  const bool is_scored =
      std::any_of(view.readouts.begin(), view.readouts.end(),
                  [](const auto& readout) { return std::isfinite(readout.score.error); });
  if (!is_scored) {
    return out + paragraph(
                     "No readout has a score: that takes ticks after the split, and a target "
                     "that varies there.");
  }
  out += figure_markup(
      "fig-verdict", "Error of every readout beside its baselines",
      score_drawing(view.readouts, names),
      "NRMSE is the root mean square error over the standard deviation of the target; R² (in "
      "brackets above) is 1 − NRMSE². Both are taken on the ticks after the split, which no "
      "regression has seen. Persistence says that the target stays as it is, mean that it is what "
      "it was on average in training; the ridge "
      "regressions have the ticks, targets and regularisation of the readout, and read the "
      "samples that level 0 receives, or level 0, in place of its levels.  Frozen weights are "
      "the same hierarchy with the weights that the run began with, which never learns.",
      "A hierarchy earns its keep where its dot lies to the left of the dashed line and of all "
      "others; its learning does where the dot lies to the left of that of frozen weights.");
  if (!view.inputs.missing.empty()) {
    out += paragraph(
        "Ridge regressions without the hierarchy are left out: " + view.inputs.missing + ".");
  }
  return out;
}

}  // namespace gaia::report
