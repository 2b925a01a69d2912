// SPDX-License-Identifier: MIT
/// \file
/// What a sweep or a search tells of its members while they run; each member tells of itself too.
#pragma once

#include <optional>
#include <string>

#include "../run/telemetry_files.h"
#include "member_run.h"

namespace gaia {

class MemberTelemetry {
 public:
  /// Nothing is reported where there is no file.  \throws OutputError as TelemetryFiles does.
  MemberTelemetry(const TelemetryConfig& config, const Members& members);
  /// One that nobody said the end of has failed.
  ~MemberTelemetry();
  MemberTelemetry(const MemberTelemetry&) = delete;
  MemberTelemetry& operator=(const MemberTelemetry&) = delete;

  /// A line for each member that has ended; else where enough time has gone by.
  void tell(const MemberProgress& progress);
  /// Further members begin, those of the next generation: what has ended counts on.
  void begin_more();
  void end(bool interrupted);

 private:
  TelemetryLine line(const char* event) const;

  std::optional<TelemetryFiles> files_;
  std::string folder_;
  MemberProgress progress_;  // progress of these members
  MemberProgress before_;    // progress of all before
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  bool is_alive_ = true;
};

}  // namespace gaia
