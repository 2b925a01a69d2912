// SPDX-License-Identifier: MIT
/// \file
/// How the results file of a run that fails comes to an end.
#pragma once

#include <functional>
#include <string>

namespace gaia {

/// To be called in a handler, whose error it throws on, the first being the one that is reported:
/// after an OutputError `abandon` leaves the file, which cannot be written, as it is; after others
/// `finish` ends it as failed, with what was committed, and the partial file of `output` is marked
/// as failed or diverged with the reason.
[[noreturn]] void end_failed_run(const std::string& output, const std::function<void()>& abandon,
                                 const std::function<void()>& finish);

}  // namespace gaia
