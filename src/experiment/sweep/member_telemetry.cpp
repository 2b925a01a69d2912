// SPDX-License-Identifier: MIT
#include "member_telemetry.h"

#include <algorithm>

namespace gaia {
namespace {

constexpr std::size_t kMostMessage = 2000;  // bytes of what a member has said

const char* name_of(MemberOutcome outcome) {
  switch (outcome) {
    case MemberOutcome::done:
    case MemberOutcome::elsewhere:
      return "complete";
    case MemberOutcome::failed:
      return "failed";
    case MemberOutcome::interrupted:
    case MemberOutcome::not_begun:
      break;
  }
  return "interrupted";
}

}  // namespace

MemberTelemetry::MemberTelemetry(const TelemetryConfig& config, const Members& members)
    : folder_(members.folder()) {
  if (!config.is_on()) return;
  files_.emplace(config);
  files_->write(line("begin"));
}

MemberTelemetry::~MemberTelemetry() {
  if (!files_ || !is_alive_) return;
  is_alive_ = false;
  TelemetryLine told = line("end");
  told.status = "failed";
  files_->write(told);
}

TelemetryLine MemberTelemetry::line(const char* event) const {
  const std::chrono::duration<double> past = std::chrono::steady_clock::now() - begun_;
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  return {.event = event,
          .words = {{"folder", folder_}},
          .numbers = {{"members", "all", "members", "Members that are to run, as far as is known.",
                       number(before_.members + progress_.members)},
                      {"members", "ended", "members_ended_total", "Members that have ended.",
                       number(before_.ended + progress_.ended)},
                      {"members", "running", "members_running", "Members that run at this moment.",
                       number(progress_.running)},
                      {"", "errors", "errors_total", "Members that have failed.",
                       number(before_.failed + progress_.failed)},
                      {"", "seconds", "run_seconds_total", "Seconds since the first member began.",
                       past.count()},
                      {"", "", "run_is_alive", "1 while members run, 0 when all have ended.",
                       is_alive_ ? 1.0 : 0.0}}};
}

void MemberTelemetry::tell(const MemberProgress& progress) {
  progress_ = progress;
  progress_.result = nullptr;
  if (!files_ || (progress.result == nullptr && !files_->is_due())) return;
  TelemetryLine told = line(progress.result == nullptr ? "progress" : "member");
  if (const MemberResult* const result = progress.result) {
    told.status = name_of(result->outcome);
    told.numbers.push_back({"", "member", "", "", static_cast<double>(result->member)});
    told.numbers.push_back({"", "code", "", "", static_cast<double>(result->code)});
    told.numbers.push_back({"", "member_seconds", "", "", result->seconds});
    if (result->outcome == MemberOutcome::failed) {
      const std::string& said = result->message;
      told.error = said.substr(said.size() - std::min(said.size(), kMostMessage));
    }
  }
  files_->write(told);
}

void MemberTelemetry::begin_more() {
  before_.members += progress_.members;
  before_.ended += progress_.ended;
  before_.failed += progress_.failed;
  progress_ = {};
}

void MemberTelemetry::end(bool interrupted) {
  if (!files_) return;
  is_alive_ = false;
  TelemetryLine told = line("end");
  told.status = interrupted                             ? "interrupted"
                : before_.failed + progress_.failed > 0 ? "failed"
                                                        : "complete";
  files_->write(told);
}

}  // namespace gaia
