// SPDX-License-Identifier: MIT
/// \file
/// The readouts of a run, and what simple forecasts and controls reach beside them, as the file
/// has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../experiment/readouts/verdict.h"
#include "../experiment/setup/filled_values.h"
#include "../learning/readout_kind.h"
#include "result.h"

namespace gaia::report {

struct ReadoutFacts {
  std::string name;
  std::string title;   ///< "Readout NAME of channel 0 (temperature)", or "The network".
  std::string path;    ///< "readouts/NAME"
  std::string target;  ///< "channel 0 (temperature), 36 steps ahead", "the classes", "anomalies"
  std::string levels;  ///< "[0, 1]"
  ReadoutTask task = ReadoutTask::regression;
  std::int64_t horizon = 0;
  std::int64_t rows = 0;             ///< Predictions that are safe in the file.
  std::vector<std::string> outputs;  ///< What each of several targets is called.
  std::vector<std::string> classes;  ///< Names of the classes.
  bool is_unfinished = false;        ///< The score is of the predictions so far.
  Score score;
  std::optional<Score> validation;  ///< Score in the part by which sweeps and searches choose.
  /// Other numbers of the same predictions: {"balanced accuracy", 0.81}, {"AUC-PR", 0.4}.
  std::vector<std::pair<std::string, double>> more;
  /// Figure that a paper has published in the same measure.
  std::optional<double> published = {};
  std::string undefined;                       ///< Why there is no score; empty where there is one.
  std::vector<Score> baselines;                ///< And controls, under their titles.
  std::vector<std::string> doubts;             ///< Why the score says less than it seems to.
  std::string purge;                           ///< What was left out of training, as a sentence.
  std::vector<std::string> remarks;            ///< What has read the rows that are scored.
  std::vector<std::string> controls_left_out;  ///< "pca: it has no part for training alone"

  /// Beside all baselines and controls.
  Verdict verdict() const { return verdict_of(score, baselines, doubts, remarks); }
  /// "temperature", or "output 2" where the file has no names.
  std::string output_name(std::int64_t index) const;
  /// "ventricular", or "3" where the file has no names.
  std::string class_name(std::int64_t index) const;
};

/// What the file says of missing values; nothing where it says nothing.
FilledValues read_filled(const Result& result);

/// Everything that the file says of its readouts, but for those that predict nothing
/// (changes.h).
std::vector<ReadoutFacts> read_readouts(const Result& result);

/// Adds a score that is defined, and not there yet.
void add_baseline(ReadoutFacts& readout, Score score);

/// How many targets a readout has at a tick.
std::int64_t count_targets(const Result& result, const ReadoutFacts& readout);

/// "R²" for the measure "R2"; other measures as they are.
std::string measure_text(const Score& score);
/// A value of such a measure to a thousandth; near 0 its digits would be of no use, and long.
std::string value_text(double value);

}  // namespace gaia::report
