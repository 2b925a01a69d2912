// SPDX-License-Identifier: MIT
/// \file
/// Waiting for other threads in a test.
#pragma once

#include <chrono>
#include <thread>

namespace gaia::test {

/// Waits until `done`, but not for ever; whether it came.
template <class Done>
bool wait_for(const Done& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace gaia::test
