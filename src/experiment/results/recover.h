// SPDX-License-Identifier: MIT
/// \file
/// Brings what a run has committed into a clean file of its own.
#pragma once

#include <cstdint>
#include <string>

namespace gaia {

struct RecoverOptions {
  std::string output = {};  ///< Empty: NAME.recovered.h5 of NAME.h5.partial.
  bool overwrite = false;   ///< Replace an output that exists.
};

struct Recovered {
  std::string file;
  std::int64_t steps = 0;  ///< Saved.
  std::int64_t steps_asked = 0;
  const char* unit = "steps";  ///< What these count.
};

/// Copies every row of the steps that are committed, with all attributes and coordinates, from a
/// results file in whatever state: that of a run that was killed, that is alive, that failed.  The
/// file itself is only read.
/// \throws ConfigError if it is not there, DataError if it is not of gaia or cannot be read,
///         OutputError if the output exists or cannot be written, LockedError if it is in use.
Recovered recover_results(const std::string& path, const RecoverOptions& options = {});

}  // namespace gaia
