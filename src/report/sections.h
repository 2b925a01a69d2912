// SPDX-License-Identifier: MIT
/// \file
/// The parts of a report.  Each gives HTML, empty where the result has nothing for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "axis.h"
#include "dates.h"
#include "findings.h"
#include "result.h"
#include "survey.h"
#include "survey_inputs.h"
#include "weights.h"

namespace gaia::report {

/// Width of a drawing, in units that are pixels where the page has room.
inline constexpr double kWidth = 1064.0;
inline constexpr double kLeft = 62.0;   ///< Room for the numbers of an axis.
inline constexpr double kRight = 58.0;  ///< Room for a scale of colours.
inline constexpr int kLineColors = 6;

/// Everything that was read of one result.
struct RunView {
  explicit RunView(const Result& of)
      : result(of), close_up(choose_close_up(of)), readouts(read_readouts(of)) {}

  const Result& result;
  StepRange close_up;
  std::vector<ReadoutFacts> readouts;
  InputSurvey inputs;
  std::vector<LevelSurvey> levels;
  std::vector<LayerSurvey> layers;
  std::vector<Finding> findings;
  double rate = 0.0;    ///< Rows per second; 0: not known.
  double window = 1.0;  ///< Rows in a sample.
  /// When the steps were, if the series says so.
  std::shared_ptr<const std::vector<DatedStep>> dates;

  /// Steps stay what they are where they have dates, which stand beside them.
  TimeBase time_of(double steps) const {
    return dates ? TimeBase{.label = "date"} : TimeBase::of(steps, rate, window);
  }
};

/// Whether a readout is worth its while, in a few words.
std::string verdict_text(const ReadoutFacts& readout);

/// Number that is shown large.
struct Tile {
  std::string value;
  std::string meaning;
  const char* look = "";  ///< "good", "warn" or "bad".
  /// What stands beside it, as name and number: the scores of controls and baselines.
  std::vector<std::pair<std::string, std::string>> beside = {};
};
/// One tile as HTML.
std::string tile_markup(const Tile& tile);
/// "good", "bad" or "open".
const char* look_of_standing(Verdict::Standing standing);
/// What every verdict section begins with: what something is worth, by its look "good", "bad" or
/// "open".
struct Worth {
  std::string name;
  std::string text;
  const char* look = "open";
  std::string remark = {};  ///< In brackets behind it.
};
std::string worth_list(const std::vector<Worth>& all);

/// "c0" to "c5", then dashed.
std::string line_class(std::size_t index);

// For every result:

std::string heading(const Result& result, const std::string& lead, const std::vector<Tile>& tiles);
std::string findings_section(const Result& result, const std::vector<Finding>& findings);
std::string repeat_section(const Result& result);
/// A sentence of a verdict section: that it is of one seed, and how others are asked.
std::string one_seed_sentence(const Result& result);
std::string weights_section(const Result& result, const std::vector<LayerSurvey>& layers);
/// How plastic layers learnt: their rules, the classes of these, and executors.
std::string rules_section(const std::vector<LayerSurvey>& layers);
/// Weights of the first layer as curves over the window or as pictures, of the others as maps.
std::string fields_section(const Result& result, const std::vector<LayerSurvey>& layers);
/// Nothing where nothing is left out.
std::string left_out_section(const std::vector<std::string>& left_out);
Tile findings_tile(const std::vector<Finding>& findings);

// For hierarchies:

std::string hierarchy_lead(const RunView& view);
std::vector<Tile> hierarchy_tiles(const RunView& view);
std::string verdict_section(const RunView& view);
/// Which level reads and hears which, as a picture; nothing of one level without loops.
std::string talk_section(const Result& result);
/// How sure levels that filter are, and whether they should be; their regimes; readouts that a
/// consensus left out.
std::string filters_section(const RunView& view);
/// Which classes readouts mistake for which.
std::string classes_section(const RunView& view);
/// How well scores and probabilities rank ticks, and scores of anomalies over time.
std::string ranking_section(const RunView& view);
std::string series_section(const RunView& view);
std::string predictions_section(const RunView& view);
/// Forecasts of readouts that read what they have said, and their errors.
std::string free_run_section(const RunView& view);
std::string learning_section(const RunView& view);
std::string spectra_section(const RunView& view);
std::string speed_section(const RunView& view);

// For networks:

std::string network_lead(const Result& result);
std::vector<Tile> network_tiles(const Result& result, const ReadoutFacts& score,
                                const std::vector<Finding>& findings);
/// `without_ridge` says why there is no regression beside the network; empty where there is.
std::string network_verdict_section(const Result& result, const ReadoutFacts& score,
                                    const std::string& without_ridge);
std::string network_learning_section(const Result& result);
std::string network_answers_section(const Result& result);
/// Accuracies in tasks that were trained one after another; nothing where there are none.
std::string tasks_section(const Result& result);
/// Diagnostics of plastic_linear layers, with the ranges that are healthy.
std::string plastic_linear_section(const Result& result);
/// Points of a dataset of the epochs, which are counted from 1.
std::vector<Point> over_epochs(const Result& result, const std::string& dataset);

// For agents:

std::string agent_lead(const Result& result);
std::vector<Tile> agent_tiles(const Result& result, const std::vector<Finding>& findings);
std::string agent_verdict_section(const Result& result);
/// Returns of every episode, compared with those of controls.
std::string agent_returns_section(const Result& result);
/// Beliefs about every factor over the last steps, with the true states.
std::string agent_beliefs_section(const Result& result);
/// Posteriors of policies, and the parts of their expected free energy.
std::string agent_plans_section(const Result& result);
/// What a continuous agent observed and did.
std::string agent_signals_section(const Result& result);

/// Density of pairs (target, prediction), read from two datasets of as many numbers, and the same
/// pairs as a figure of the page.
struct PairSource {
  std::string title;
  std::string target;  ///< Datasets.
  std::string prediction;
  std::int64_t rows = 0;
  std::int64_t columns = 1;  ///< Numbers in a row of both, of which one column is drawn.
  std::int64_t column = 0;
  std::string label = "target";  ///< What the numbers are.
};
std::string pairs_figure(const Result& result, const std::vector<PairSource>& sources);

/// A line of a dataset [rows] or of a column of [rows, columns] over a coordinate, with its
/// extremes; points that are not finite are left out.
std::vector<Point> curve(const Result& result, const std::string& coordinate,
                         const std::string& values, std::int64_t column = 0);

}  // namespace gaia::report
