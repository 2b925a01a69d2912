// SPDX-License-Identifier: MIT
/// \file
/// What verbs that run an experiment over several seeds have in common.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <string>

#include "../../src/core/platform.h"
#include "../../src/core/text.h"
#include "../../src/experiment/sweep/seed_verdict.h"
#include "console.h"
#include "signals.h"

namespace gaia::app {

inline std::atomic<bool> g_stop_seeds{false};

extern "C" inline void on_stop_seeds(int /*signal*/) { g_stop_seeds = true; }

/// Has Ctrl-C end the runs, and reports progress.
inline SeedVerdictOptions options_of_seeds(bool quiet, const std::string& command_line) {
  handle_signals(on_stop_seeds, SIG_IGN);
  SeedVerdictOptions options{
      .command_line = command_line, .command = {platform::program_path()}, .stop = &g_stop_seeds};
  if (quiet) return options;
  options.on_progress = [](const SeedProgress& progress) {
    tell(fmt::format("seed {}{}  {} of {}, {}\n", progress.seed,
                     progress.diverged ? " diverged" : "", progress.ended, progress.seeds,
                     duration_text(progress.seconds)));
  };
  return options;
}

}  // namespace gaia::app
