// SPDX-License-Identifier: MIT
/// \file
/// What the program's exit code says.
#pragma once

namespace gaia::app {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,    ///< The run failed.
  kUsage = 2,     ///< Wrong usage or configuration, or a file that is not there.
  kBadData = 3,   ///< Input data that cannot be used.
  kNoOutput = 4,  ///< Output that cannot be written, or exists.
  kOutOfMemory = 5,
  kNoDevice = 6,      ///< The device asked for cannot be used.
  kLocked = 7,        ///< The output is in use by another process.
  kDiverged = 8,      ///< NaN or Inf.
  kBug = 70,          ///< A bug of gaia's.
  kInterrupted = 75,  ///< Interrupted; the state is stored.
};

/// Tells the exception in flight on stderr, and returns the exit code for it.  For use in a catch.
int report_exception();

}  // namespace gaia::app
