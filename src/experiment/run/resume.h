// SPDX-License-Identifier: MIT
/// \file
/// Opens a run that was cut, by a signal, the clock, a kill or a full disk, so that it can go on.
///
///     if (auto cut = open_cut_run("results/ecg.h5")) run_experiment(cut->experiment, {.cut =
///     &cut->run});
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "../../io/hdf5.h"
#include "../../io/output_files.h"
#include "../results/checkpoints.h"
#include "../results/results_parts.h"
#include "../setup/load.h"

namespace gaia {

/// What is left of a run that was cut.
struct CutRun {
  std::unique_ptr<OutputLock> lock;
  hdf5::File partial;  ///< For reading.
  RunFacts facts;      ///< Facts that the file holds about the run.
  FoundCheckpoint found;
};

struct ResumeOptions {
  /// The YAML file that the run was started from, if it is not where it was.
  std::optional<std::string> config = {};
  /// In place of the device that the run was on; its results then agree within rounding only.
  std::optional<std::string> device = {};
  /// Those that the run has read, if it read rows in memory (Overrides::rows).
  std::shared_ptr<const MemoryRows> rows = {};
};

/// A run that was cut, with its experiment as it was; `run` goes to RunOptions.
struct Resumption {
  Experiment experiment;
  CutRun run;
};

/// Opens RESULT.h5 or RESULT.h5.partial; empty if that run is complete.  The experiment is the one
/// stored in the file, on the device that it was on.
/// \throws ConfigError if there is no such run, or the YAML file that it was started from says
///         something else now, key by key; LockedError while the run is alive; DataError for a file
///         that is not of gaia or is damaged, or data that are no longer those it has read;
///         OutputError if there is no checkpoint to go on from.
std::optional<Resumption> open_cut_run(const std::string& path, const ResumeOptions& options = {});

/// What a results file says of its run.
RunFacts stored_facts(const hdf5::File& file);

/// \throws DataError unless the experiment reads the files that the run has read.
void check_inputs(const Experiment& experiment, const RunFacts& facts);

}  // namespace gaia
