// SPDX-License-Identifier: MIT
/// \file
/// The mark on the partial file of a run that ended in NaN or infinity: from any of its checkpoints
/// it would do so again, so the file gives way to the next run.
#pragma once

#include <string>

namespace gaia {

/// Notes at the root of a results file, which is closed, why its run diverged.  \throws
/// OutputError.
void mark_as_diverged(const std::string& path, const std::string& why);

/// Whether a file bears the mark; false for what cannot be read.
bool has_diverged(const std::string& path) noexcept;

}  // namespace gaia
