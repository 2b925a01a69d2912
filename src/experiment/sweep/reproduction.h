// SPDX-License-Identifier: MIT
/// \file
/// A row of the gallery again: an experiment that repeats a paper, over the seeds that it reports,
/// compared with the published figure and the figure that the gallery's table has.
///
///     const std::string file = find_row("oja", "/usr/bin/gaia");
///     const Reproduction again = reproduce(file, {.data = "mnist"});
///     again.agrees();  // whether the mean lies within the spread of the table's
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "seed_verdict.h"

namespace gaia {

struct ReproduceOptions {
  std::string data = {};   ///< Folder of the data that the row reads; empty: where it says.
  bool is_short = false;   ///< Its short form, whose figures say nothing, over two seeds.
  std::int64_t seeds = 0;  ///< How many of its seeds, from the first on; 0: all.
  std::optional<std::string> device = {};
  std::string output = {};      ///< Empty: results/ROW.verdict.h5.
  SeedVerdictOptions how = {};  ///< Its seeds are those above.
};

/// What the gallery's table says of a row.
struct TableLine {
  std::string measure;
  double mean = 0.0;
  double deviation = 0.0;
};

struct Reproduction {
  enum class Standing {
    not_told,  ///< The paper gives no figure, or no seed has a score.
    within,    ///< Within the published spread or one point.
    better,
    worse,
  };

  std::string row;
  std::string table;  ///< Path of the table.
  bool is_short = false;
  PublishedConfig published;
  SeedVerdict verdict;
  std::optional<TableLine> line = {};  ///< Nothing where the table has none of it.

  /// What the paper is compared with; null where nothing was given.
  const ReadoutOverSeeds* readout() const;
  /// "accuracy", "nrmse_at"
  std::string measure() const;
  Standing standing() const;
  /// Whether learning is ahead of frozen weights, of principal components and of the rival in every
  /// seed, as far as there are such.
  bool is_ahead() const;
  /// Whether it came to what the row expects.
  bool is_as_expected() const;
  /// Whether the mean lies within the spread of the table's, where it has the row; of a short form,
  /// whether there is a score.
  bool agrees() const;
  /// Whether the paper's result comes out, and by how much: "yes: ..." or "no: ...".
  std::string outcome() const;
  /// All of it for people, line by line.
  std::string text() const;
};

/// Path of a row: a file as it is, or NAME of experiments/gallery/NAME.yaml in the working
/// directory, or as installed or in the source tree around `near`, a program or a module.
/// \throws ConfigError for a name that none has, with those that there are.
std::string find_row(const std::string& row, const std::string& near);

/// The comment at the top of a row's YAML: what the paper found, what the row does, what to expect
/// and where its data come from.  \throws DataError for a file that cannot be read.
std::string head_of_row(const std::string& file);

/// Runs a row over its seeds.  \throws ConfigError for an experiment without `published`, and for
/// data of a row that makes its own; what verdict_over_seeds throws.
Reproduction reproduce(const std::string& file, const ReproduceOptions& options);

/// The line of a row and readout in a table of the gallery; nothing where it has none.
/// \throws DataError for a table that cannot be read.
std::optional<TableLine> table_line(const std::string& table, const std::string& row,
                                    const std::string& readout);

}  // namespace gaia
