// SPDX-License-Identifier: MIT
/// \file
/// Comparison of several results: what tells them apart, and what came of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../experiment/sweep/seed_scores.h"
#include "axis.h"
#include "decimate.h"
#include "departures.h"
#include "report_files.h"

namespace gaia::report {

/// What is kept of one of many results; its file is closed again.
struct ComparedRun {
  std::string label;  ///< The file's name, or its path where names are alike.
  std::string path;
  std::string status;
  FlatConfig config;
  std::vector<std::pair<std::string, double>> scores;  ///< By name, in the order of the file.
  double seconds = 0.0;
  std::string curve_name;  ///< What the curve is: "test loss", ...
  std::vector<Point> curve;
  /// Scores that it is compared with, each of this seed alone.
  std::vector<ReadoutOverSeeds> judged;
};

/// A number or word of every run: a key of the configuration, or a score.
struct Dimension {
  std::string name;
  bool is_score = false;
  bool higher_is_better = true;    ///< Whether a higher score is better; only for scores.
  std::vector<std::string> texts;  ///< One for each run; "–" where a run has none.
  std::vector<double> numbers;     ///< The same as numbers; of words their index in `words`.
  std::vector<std::string> words;  ///< In the order in which they are met; empty for numbers.
};

/// Runs of the files that can be read. Those of a folder that cannot are moved to what is left out.
/// \throws ConfigError, DataError as Result for a file that was named, or if none can be read.
std::vector<ComparedRun> read_runs(ReportFiles& files);

/// Keys whose values differ, but for output.path, in the order of the configurations.
std::vector<Dimension> differing_keys(const std::vector<ComparedRun>& runs);
/// Runs that differ by their seed alone, as indices.
std::vector<std::vector<std::size_t>> groups_by_settings(const std::vector<ComparedRun>& runs,
                                                         const std::vector<Dimension>& keys);
/// Every score that a run has.
std::vector<Dimension> all_scores(const std::vector<ComparedRun>& runs);

/// "learning_rate" of "hierarchy.levels[0].layers[0].learning_rate", after what comes before it:
/// "levels[0].layers[0]".
std::pair<std::string, std::string> split_key(const std::string& key);

/// A scale for a dimension: logarithmic for positive settings of very different size.
Scale scale_of(const Dimension& dimension);

/// The values of a dimension that has few of them, as ticks; else nothing.
std::vector<Tick> ticks_of_values(const Dimension& dimension);

/// Axes side by side, one for each dimension, a line through them for each run; colours go with the
/// last one.
std::string parallel_coordinates(const std::vector<ComparedRun>& runs,
                                 const std::vector<Dimension>& dimensions);

/// What the page tells of the search whose runs it compares.
struct SearchPart {
  std::string content = {};
  bool has_short_runs = false;  ///< Those of halving, whose scores are not those of whole runs.
};

/// How a search came to its best candidate, compared with candidates at random, as its index.h5 has
/// it; empty for the index of a sweep.  \throws DataError for a file that cannot be read.
SearchPart convergence_section(const std::string& index);

/// The front of a search for several objectives, compared with candidates at random; empty for the
/// index of anything else.  \throws DataError as convergence_section.
std::string front_section(const std::string& index);

/// The whole page; `search` has content where the runs are those of a search.
std::string comparison_page(const std::vector<ComparedRun>& runs,
                            const std::vector<std::string>& left_out, const SearchPart& search);

}  // namespace gaia::report
