// SPDX-License-Identifier: MIT
/// \file
/// Why the run of a partial file failed.  That it ended in NaN or infinity is a mark of its own:
/// from any of its checkpoints it would do so again, so the file gives way to the next run.
#pragma once

#include <string>

namespace gaia {

/// Notes at the root of a results file, which is closed, why its run diverged.  \throws
/// OutputError.
void mark_as_diverged(const std::string& path, const std::string& why);

/// Notes the same of a run that failed otherwise, whose file stays in its place.  \throws
/// OutputError.
void mark_as_failed(const std::string& path, const std::string& why);

/// What either has noted; empty where nothing is, and for what cannot be read.
std::string why_failed(const std::string& path) noexcept;

/// Whether a file bears the mark; false for what cannot be read.
bool has_diverged(const std::string& path) noexcept;

}  // namespace gaia
