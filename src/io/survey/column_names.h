// SPDX-License-Identifier: MIT
/// \file
/// What the name of a column says of it, in the words that people use in tables.
#pragma once

#include <string>

namespace gaia {

/// Whether it says when rows were taken: "time", "Timestamp", "time [s]", "year", ...
bool is_called_time(const std::string& name);

/// Whether it counts by the calendar, as "year" and "day of week" do, so that no trial is told by
/// it.
bool is_called_calendar(const std::string& name);

/// How fine the parts are that it tells apart, if it is one that tells trials apart: 0 "trial",
/// "Trial ID", ...; 1 "epoch", "segment", ...; 2 "run", ...; 3 "session"; 4 "subject".  -1 for
/// other names.
int trial_rank(const std::string& name);

/// Whom or what trials are of, if it says so: 0 "subject", "participant", ...; 1 "session".  -1 for
/// other names.
int group_rank(const std::string& name);

/// Whether it names classes: "label", "class", "condition", "target", "y", ...
bool is_called_label(const std::string& name);

}  // namespace gaia
