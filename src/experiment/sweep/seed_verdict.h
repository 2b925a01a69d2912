// SPDX-License-Identifier: MIT
/// \file
/// One experiment with its controls over several seeds: whether what one run shows is more than
/// chance.
///
///     const SeedVerdict verdict = verdict_over_seeds("ecg.yaml", {}, {.seeds = 10});
///     verdict.readouts[0].verdict;  // "learning loses 0.056 to frozen weights (...)"
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../setup/load.h"
#include "seed_scores.h"

namespace gaia {

/// Version of the file that is written, as its attribute `verdict_version`.
constexpr std::int64_t kVerdictVersion = 1;

/// How far it is.
struct SeedProgress {
  std::int64_t ended = 0;
  std::int64_t seeds = 0;
  std::int64_t seed = 0;  ///< Seed of the run that has just ended.
  bool diverged = false;
  double seconds = 0.0;  ///< Since the first began.
};

struct SeedVerdictOptions {
  std::int64_t seeds = 10;
  bool overwrite = false;
  std::string command_line = {};
  /// How many run at a time.  More than one are processes of their own, `command` with the options
  /// of `gaia run`: {"gaia"}.
  std::int64_t jobs = 1;
  std::vector<std::string> command = {};
  /// Set by a signal handler: what runs is given up.
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const SeedProgress&)> on_progress = {};
};

struct SeedVerdict {
  std::string file;  ///< NAME.verdict.h5
  std::string experiment;
  std::int64_t first_seed = 0;
  std::int64_t seeds = 0;
  std::vector<std::int64_t> diverged = {};  ///< The seeds whose runs did.
  std::vector<std::string> reasons = {};    ///< Why each of them did, with level, step and way out.
  /// The data are read from files: only what is drawn at random in the run differs.
  bool has_fixed_data = false;
  std::vector<ReadoutOverSeeds> readouts = {};
  double seconds = 0.0;
  bool interrupted = false;  ///< Asked to stop before the end: nothing was written.
};

/// Runs the experiment of `path` for the seeds from that of the experiment on.  Its results are
/// scores alone, of runs that are removed when they have reported them; they are written to
/// overrides.output, or NAME.verdict.h5 for an experiment that writes NAME.h5.
/// \throws ConfigError for an experiment without readouts, of a network, or with `sweep`; what
///         run_experiment throws, but for DivergedError: a run that diverges is counted.
SeedVerdict verdict_over_seeds(const std::string& path, const Overrides& overrides,
                               const SeedVerdictOptions& options);

/// A table of all readouts, and a sentence for each.
std::string verdict_table(const SeedVerdict& verdict);

/// The same of readouts alone; `seeds`: "seeds 1 to 10".
std::string readout_tables(const std::vector<ReadoutOverSeeds>& readouts, const std::string& seeds);
std::string seeds_text(const SeedVerdict& verdict);

/// Why a run diverged, without the mark of the function that has found it.
std::string verdict_reason(const std::string& reason);

}  // namespace gaia
