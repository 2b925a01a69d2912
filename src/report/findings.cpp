// SPDX-License-Identifier: MIT
#include "findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/text.h"
#include "../experiment/results/neuron_answers.h"
#include "../experiment/setup/filled_values.h"
#include "markup.h"

namespace gaia::report {
namespace {

constexpr double kSaturatedShare = 0.9;
constexpr double kSameDirection = 0.999;
constexpr double kRunAway = 1e3;  // times the median length at the start
constexpr double kStillMoving = 0.05;

using Weight = Finding::Weight;

void look_at_status(const Result& result, std::vector<Finding>& found) {
  const std::string status = result.status();
  if (status == "complete") return;
  const char* unit = result.kind().unit();
  const std::string share = fmt::format("{} of {} {} are in the file", grouped(result.done()),
                                        grouped(result.steps()), unit);
  if (status == "interrupted") {
    found.push_back({Weight::warning, "The run was interrupted: " + share + "."});
  } else if (status == "failed") {
    const std::string why = result.text("", "diverged");
    found.push_back({Weight::failure, (why.empty() ? "The run failed: " : "The run diverged: ") +
                                          share +
                                          ", and the weights are those at which it stopped." +
                                          (why.empty() ? "" : " " + why + ".")});
  } else {
    found.push_back({Weight::warning,
                     "The run is still going on, or was killed: " + share +
                         ". Weights at the end, scores and whatever is written last are missing "
                         "or may change."});
  }
}

void look_at(const LevelSurvey& level, const Result& result, std::vector<Finding>& found) {
  const std::string where = fmt::format("Level {}", level.index);
  // What the run has noticed of all its ticks, recorded or not.
  const std::string path = fmt::format("levels/{}", level.index);
  for (std::string one : result.texts(path, "noticed")) {
    one.front() = 'L';
    found.push_back({Weight::warning, one + "."});
  }
  if (!level.missing.empty()) return;
  if (level.first_bad_tick >= 0) {
    found.push_back(
        {Weight::failure, fmt::format("{}: NaN or infinite answers, first at step {}.", where,
                                      grouped(level.step_of(level.first_bad_tick)))});
  }
  const std::vector<std::int64_t> dead = dead_neurons(level);
  std::int64_t told = 0;
  for (const char* const name : {"silent_neurons", "always_neurons", "constant_neurons"}) {
    told += result.integer(path, name).value_or(0);
  }
  if (std::ssize(dead) > told) {
    found.push_back(
        {Weight::warning,
         fmt::format("{}: {} of {} neurons are dead: over the last quarter their answer "
                     "does not change ({}).",
                     where, dead.size(), level.neurons, neurons_text(dead))});
  }
  const std::vector<std::int64_t> saturated = saturated_neurons(level);
  if (!saturated.empty()) {
    found.push_back({Weight::warning,
                     fmt::format("{}: {} of {} neurons are saturated: for more than nine tenths of "
                                 "the last quarter they answer at an end of {} ({}).",
                                 where, saturated.size(), level.neurons, level.activation,
                                 neurons_text(saturated))});
  }
  if (level.is_read_partly) {
    found.push_back(
        {Weight::note, fmt::format("{} is very long: figures and spectra are of the beginning of "
                                   "every stretch of {} ticks.",
                                   where, grouped(level.ticks_per_column))});
  }
}

void look_at(const LayerSurvey& layer, bool is_finished, std::vector<Finding>& found) {
  if (!layer.missing.empty()) return;
  if (layer.not_finite > 0 && is_finished) {
    found.push_back({Weight::failure, fmt::format("{}: {} weight{} not finite.", layer.name,
                                                  grouped(layer.not_finite),
                                                  layer.not_finite == 1 ? " is" : "s are")});
    return;
  }
  const double before = quantile(layer.norms_initial, 0.5);
  std::vector<std::int64_t> away;
  for (std::size_t i = 0; i < layer.norms.size() && before > 0.0; ++i) {
    if (layer.norms[i] > kRunAway * before) away.push_back(static_cast<std::int64_t>(i));
  }
  if (!away.empty() && !layer.rule.empty()) {
    found.push_back(
        {Weight::warning,
         fmt::format("{}: the weights of {} of {} neurons have grown more than "
                     "{:g}-fold ({}); a normalisation or a smaller learning_rate holds "
                     "them.",
                     layer.name, away.size(), layer.outputs, kRunAway, neurons_text(away))});
  }
  const std::int64_t twins = layer.rule.empty() || !is_finished ? 0 : count_twins(layer);
  if (twins > 0) {
    found.push_back(
        {Weight::note,
         fmt::format("{}: {} pair{} of neurons weigh their inputs alike, up to size and "
                     "sign.",
                     layer.name, grouped(twins), plural(twins))});
  }
}

/// What of the data was missing and is filled.
void look_at_missing(const Result& result, std::vector<Finding>& found) {
  const FilledValues filled = read_filled(result);
  if (!filled.any()) return;
  const bool is_ahead = filled.looks_ahead();
  found.push_back(
      {filled.is_much() || is_ahead ? Weight::warning : Weight::note,
       fmt::format("Missing values are {} (data.missing): {}.",
                   is_ahead                               ? "interpolated, which looks ahead"
                   : filled.policy == MissingPolicy::keep ? "left to the levels that filter"
                                                          : "held",
                   filled_text(filled))});
}

/// Whether weights still changed when the run ended.
void look_at_metrics(const Result& result, std::vector<Finding>& found) {
  const std::vector<std::int64_t> shape = result.shape("metrics/weight_change");
  if (shape.size() != 2 || shape[0] < 4 || shape[1] < 1 || shape[1] > 1000) return;
  std::vector<double> last(static_cast<std::size_t>(shape[1]));
  result.read_rows("metrics/weight_change", shape[0] - 1, 1, last.data());
  for (std::size_t level = 0; level < last.size(); ++level) {
    if (!(last[level] > kStillMoving)) continue;
    found.push_back(
        {Weight::note, fmt::format("Level {}: the weights still changed by {:.0f} % over the last "
                                   "block; they have not settled.",
                                   level, 100.0 * last[level])});
  }
}

/// Inputs that have left what they are normalised by.
void look_at_inputs(const Result& result, std::vector<Finding>& found) {
  for (const std::string& one : result.texts("data", "noticed")) {
    found.push_back({Weight::warning, "Input: " + one + "."});
  }
}

/// What readouts have noticed, and which of them are beaten; by what, the verdict says.
void look_at(const std::vector<ReadoutFacts>& readouts, const Result& result,
             std::vector<Finding>& found) {
  std::string beaten;
  for (const ReadoutFacts& readout : readouts) {
    for (const std::string& one : result.texts(readout.path, "noticed")) {
      found.push_back({Weight::warning, fmt::format("Readout {}: {}.", readout.name, one)});
    }
    if (readout.verdict().standing != Verdict::Standing::bad) continue;
    beaten += (beaten.empty() ? "" : ", ") + readout.name;
  }
  if (beaten.empty()) return;
  found.push_back(
      {Weight::warning,
       "Beaten by something simpler, or not to be trusted, as the verdict says: " + beaten + "."});
}

}  // namespace

std::vector<std::int64_t> dead_neurons(const LevelSurvey& level) {
  std::vector<std::int64_t> dead;
  if (level.ticks < 8) return dead;
  for (std::size_t i = 0; i < level.figures.size(); ++i) {
    const NeuronFigures& figures = level.figures[i];
    const double noise = 1e-9 * figures.largest_size;
    if (figures.late_deviation <= noise && figures.not_finite == 0) {
      dead.push_back(static_cast<std::int64_t>(i));
    }
  }
  return dead;
}

std::vector<std::int64_t> saturated_neurons(const LevelSurvey& level) {
  std::vector<std::int64_t> saturated;
  for (std::size_t i = 0; i < level.figures.size(); ++i) {
    if (level.figures[i].saturated_share > kSaturatedShare) {
      saturated.push_back(static_cast<std::int64_t>(i));
    }
  }
  return saturated;
}

std::int64_t count_twins(const LayerSurvey& layer) {
  if (layer.inputs < 2) return 0;  // one number points one way or the other
  std::int64_t twins = 0;
  for (std::size_t a = 0; a < layer.rows.size(); ++a) {
    for (std::size_t b = a + 1; b < layer.rows.size(); ++b) {
      double cosine = 0.0;
      for (std::size_t k = 0; k < layer.rows[a].size(); ++k) {
        cosine += layer.rows[a][k] * layer.rows[b][k];
      }
      if (std::abs(cosine) > kSameDirection) ++twins;
    }
  }
  return twins;
}

std::vector<Finding> find_all(const Result& result, const std::vector<LevelSurvey>& levels,
                              const std::vector<LayerSurvey>& layers,
                              const std::vector<ReadoutFacts>& readouts) {
  std::vector<Finding> found;
  look_at_status(result, found);
  look_at_missing(result, found);
  look_at_inputs(result, found);
  for (const LevelSurvey& level : levels) look_at(level, result, found);
  const std::string status = result.status();
  const bool is_finished = status == "complete" || status == "interrupted" || status == "failed";
  for (const LayerSurvey& layer : layers) look_at(layer, is_finished, found);
  look_at_metrics(result, found);
  look_at(readouts, result, found);
  std::ranges::stable_sort(found,
                           [](const Finding& a, const Finding& b) { return a.weight > b.weight; });
  return found;
}

}  // namespace gaia::report
