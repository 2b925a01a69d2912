// SPDX-License-Identifier: MIT
#include "member_display.h"

#include <fmt/format.h>

#include "../../src/core/error.h"
#include "../../src/core/text.h"
#include "../../src/experiment/sweep/member_table.h"
#include "console.h"

namespace gaia::app {
namespace {

constexpr std::int64_t kBarWidth = 24;

/// The scores that a member is judged by.
std::string scores_text(const std::string& path) {
  std::string text;
  try {
    for (const MemberScore& score : scores_of(path)) {
      if (score.is_main) text += fmt::format("  {} {:.4f}", score.name, score.value);
    }
  } catch (const DataError&) {
    // Its line says that it is done; the rest is reported when the results are collected.
  }
  return text;
}

/// The last line of what a process has said, which tells why it ended.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.find_last_of('\n', end);
  return printable(text.substr(begin == std::string::npos ? 0 : begin + 1,
                               end - (begin == std::string::npos ? 0 : begin + 1) + 1));
}

std::string reason(const MemberResult& result) {
  const std::string said = last_line(result.message);
  std::string killed = signal_text(result.code);
  if (result.retries > 0) {
    killed += fmt::format("{}tried {} times", killed.empty() ? "" : ", ", result.retries + 1);
  }
  if (killed.empty()) return said;
  return said.empty() ? killed : killed + "; it had said: " + said;
}

const char* word_for(MemberOutcome outcome) {
  switch (outcome) {
    case MemberOutcome::done:
      return "done";
    case MemberOutcome::elsewhere:
      return "done elsewhere";
    case MemberOutcome::failed:
      return "failed";
    case MemberOutcome::interrupted:
      return "stopped";
    case MemberOutcome::not_begun:
      break;
  }
  return "not begun";
}

std::string result_text(const Members& members, const MemberResult& result) {
  std::string text = fmt::format("{}  {}", word_for(result.outcome), members.label(result.member));
  if (result.outcome == MemberOutcome::failed) return text + "  " + reason(result);
  if (result.outcome == MemberOutcome::done)
    text += scores_text(members.result_path(result.member));
  return text + "  " + duration_text(result.seconds);
}

std::string bar_text(const MemberProgress& progress) {
  const auto filled = static_cast<std::size_t>(kBarWidth * progress.ended / progress.members);
  std::string bar(static_cast<std::size_t>(kBarWidth), '-');
  std::fill_n(bar.begin(), filled, '#');
  std::string text = fmt::format("[{}] {}/{} members  {} running", bar, progress.ended,
                                 progress.members, progress.running);
  if (progress.failed > 0) text += fmt::format("  {} failed", progress.failed);
  if (progress.seconds_left > 0.0) {
    text += "  ETA " + duration_text(progress.seconds_left);
  } else if (progress.ended > 0) {
    const double each = progress.seconds / static_cast<double>(progress.ended);
    text += "  ETA " + duration_text(each * static_cast<double>(progress.members - progress.ended));
  }
  return text;
}

}  // namespace

void MemberDisplay::write(const std::string& text) {
  std::fputs(text.c_str(), stream_);
  std::fflush(stream_);
}

void MemberDisplay::show(const MemberProgress& progress) {
  if (mode_ == ProgressMode::bar) {
    const std::string bar = bar_text(progress);
    if (bar != bar_) write("\r" + bar + "\033[K");
    bar_ = bar;
  } else if (mode_ == ProgressMode::lines && progress.result != nullptr) {
    write(fmt::format("member {:>5}  {:>5}/{}  {}\n", progress.result->member, progress.ended,
                      progress.members, result_text(members_, *progress.result)));
  }
}

void MemberDisplay::finish() {
  if (!bar_.empty()) write("\n");
  bar_.clear();
}

MembersEnd end_of(const std::vector<MemberResult>& results) {
  MembersEnd end;
  for (const MemberResult& result : results) {
    switch (result.outcome) {
      case MemberOutcome::done:
      case MemberOutcome::elsewhere:
        ++end.done;
        break;
      case MemberOutcome::failed:
        ++end.failed;
        break;
      case MemberOutcome::interrupted:
      case MemberOutcome::not_begun:
        ++end.left;
        end.interrupted = true;
        break;
    }
  }
  return end;
}

std::string opening_text(const Sweep& sweep, const Shard& shard, std::int64_t complete,
                         std::int64_t members, std::int64_t jobs, int threads) {
  std::string varied;
  for (const std::string& key : sweep.keys()) varied += (varied.empty() ? "" : ", ") + key;
  std::string text =
      fmt::format("sweep    {}  {} members over {}\n", sweep.path(), sweep.size(), varied);
  if (shard.count > 1) {
    text += fmt::format("share    {} of {}: members {}, {} ...\n", shard.index, shard.count,
                        shard.index, shard.index + shard.count);
  }
  text += fmt::format("to run   {} ({} complete already), {} at a time, {} thread{} each\n",
                      members, complete, jobs, threads, threads == 1 ? "" : "s");
  return text;
}

std::string failures_text(const Members& members, const std::vector<MemberResult>& results) {
  std::string text;
  for (const MemberResult& result : results) {
    if (result.outcome == MemberOutcome::failed) {
      if (text.empty()) text = "failed\nmember  code  settings: why\n";
      text += fmt::format("{:>6}  {:>4}  {}: {}\n", result.member, result.code,
                          members.label(result.member), reason(result));
    } else if (result.outcome == MemberOutcome::done && !result.message.empty()) {
      text +=
          fmt::format("member {} said: {}\n", result.member, printable(last_line(result.message)));
    }
  }
  return text;
}

std::string closing_text(const Members& members, const MembersEnd& end, std::int64_t skipped) {
  std::string text =
      fmt::format("{}  {} members run", end.interrupted ? "stopped" : "done   ", end.done);
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (end.failed > 0) text += fmt::format(", {} failed", end.failed);
  if (end.left > 0) text += fmt::format(", {} left: the same command goes on", end.left);
  return text + fmt::format("\nfolder   {}\n", members.folder());
}

}  // namespace gaia::app
