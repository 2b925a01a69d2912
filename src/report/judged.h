// SPDX-License-Identifier: MIT
/// \file
/// What runs have reached and all that they are compared with, over their seeds: of a verdict,
/// of one result, of a sweep or a search.  Tables and figures for papers are built from it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../experiment/sweep/seed_scores.h"
#include "comparison.h"
#include "result.h"

namespace gaia::report {

/// Runs that differ by their seed alone.
struct Judged {
  /// Settings in which they differ from others: {"learning_rate", "0.01"}.  Of a search also
  /// {"values", "the best that was searched"}.
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::string seeds = {};  ///< "seeds 1 to 10"
  std::vector<ReadoutOverSeeds> readouts = {};

  /// "learning_rate 0.01, size 8"; empty where nothing differs.
  std::string settings_text() const;
};

struct JudgedRuns {
  std::string experiment;
  std::vector<Judged> all;
  std::vector<std::string> left_out = {};  ///< Members that are missing, and why.
  std::string remark = {};                 ///< What else is to be known: seeds that diverged.
};

/// Tables of the file of a verdict, a complete result, or the folder or index of a sweep or a
/// search: of that the candidates that it names, by seeds that have chosen nothing where it has run
/// such. \throws ConfigError, DataError as Result, DataError also where there is nothing that is
/// judged.
JudgedRuns judged_runs(const std::string& path);

/// What a result has; of a member of a sweep by its validation part, where there is one.
std::vector<ReadoutOverSeeds> judged_hierarchy(const Result& result, bool is_member);
/// `part`: "test" or "validation".
std::vector<ReadoutOverSeeds> judged_network(const Result& result, const std::string& part);
std::vector<ReadoutOverSeeds> judged_agent(const Result& result);
/// What the file of a verdict has.
std::vector<ReadoutOverSeeds> judged_verdict(const Result& result);

/// Groups of all runs by their settings, but for the seed.
std::vector<Judged> judged_by_settings(const std::vector<ComparedRun>& runs);

/// "R²" of "R2", "validation accuracy" of the validation part.
std::string measure_of(const ReadoutOverSeeds& readout);

/// Scores along the stream as curves, over several seeds with bands; empty where there are none.
/// `settings` are of runs beside others, of which these have this number.
std::string windows_section(const std::vector<ReadoutOverSeeds>& readouts,
                            const std::string& settings = "", std::size_t number = 0);
/// Scores of every setting compared with those of its controls and baselines, as a table for each
/// readout; empty where nothing is compared.
std::string settings_table(const std::vector<Judged>& runs);

/// "latex", "csv", "markdown".
std::vector<std::string> table_formats();
/// A table of the run, its controls and baselines.  LaTeX needs the package booktabs.
/// \throws ArgumentError for another format.
std::string judged_table(const JudgedRuns& runs, const std::string& format);

/// The scores of all seeds with their means and standard deviations, as SVG of a page, one panel
/// for each readout; as wide as a column of a paper.  Empty where no score is defined.
std::string judged_figure(const JudgedRuns& runs);

}  // namespace gaia::report
