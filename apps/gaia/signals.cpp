// SPDX-License-Identifier: MIT
#include "signals.h"

#include <csignal>
#include <initializer_list>

namespace gaia::app {

void handle_signals(void (*on_stop)(int), void (*on_checkpoint)(int)) {
  const auto handle = [](int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Who starts a program with a signal ignored, as nohup does, wants it to go on in spite of it.
    struct sigaction inherited {};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) handle(signal, on_stop);
  }
  handle(SIGUSR1, on_checkpoint);
}

}  // namespace gaia::app
