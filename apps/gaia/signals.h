// SPDX-License-Identifier: MIT
/// \file
/// Which signals a run and a sweep listen to.
#pragma once

namespace gaia::app {

/// SIGINT, SIGTERM and SIGHUP call `on_stop`, but for those that were ignored when the program
/// began (nohup); SIGUSR1 calls `on_checkpoint`.
void handle_signals(void (*on_stop)(int), void (*on_checkpoint)(int));

}  // namespace gaia::app
