// SPDX-License-Identifier: MIT
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../core/text.h"

namespace gaia {
namespace {

constexpr std::chrono::milliseconds kBetweenDrawings{200};
constexpr std::int64_t kBarWidth = 24;

std::string batch_text(const BatchReport& report) {
  const std::int64_t done = report.batch + 1;
  const double share = static_cast<double>(done) / static_cast<double>(report.batches);
  const double rate =
      report.seconds > 0.0 ? static_cast<double>(report.samples) / report.seconds : 0.0;
  return fmt::format("{:3.0f} %  {}/{} batches  loss {:.4f}  {} samples/s  ETA {}", 100.0 * share,
                     grouped(done), grouped(report.batches), report.loss(), rate_text(rate),
                     duration_text(report.seconds * (1.0 / share - 1.0)));
}

/// What an epoch brought, in a line.
std::string epoch_text(const EpochReport& report) {
  std::string text = fmt::format("loss {:.4f}", report.loss);
  if (!std::isnan(report.accuracy)) text += fmt::format("  accuracy {:.4f}", report.accuracy);
  text += fmt::format("  test loss {:.4f}", report.validation_loss);
  if (!std::isnan(report.validation_accuracy)) {
    text += fmt::format("  test accuracy {:.4f}", report.validation_accuracy);
  }
  return text + fmt::format("  {} samples/s", rate_text(report.samples_per_second));
}

}  // namespace

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.2f} M", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.1f} k", per_second / 1e3);
  return fmt::format("{:.1f}", per_second);
}

std::string progress_text(const Progress& progress) {
  const double done = static_cast<double>(progress.steps_done);
  const double left = static_cast<double>(progress.steps) - done;
  const double rate = progress.seconds > 0.0 ? done / progress.seconds : 0.0;
  return fmt::format("{:3.0f} %  {}/{} steps  {} steps/s  ETA {}",
                     100.0 * done / static_cast<double>(progress.steps),
                     grouped(progress.steps_done), grouped(progress.steps), rate_text(rate),
                     rate > 0.0 ? duration_text(left / rate) : "?");
}

std::string progress_text(const TrainingProgress& progress) {
  return fmt::format(
      "epoch {:>3}/{}  {}", progress.epoch + 1, progress.epochs,
      progress.report != nullptr ? epoch_text(*progress.report) : batch_text(*progress.batch));
}

std::string progress_text(const AgentProgress& progress) {
  const double done = static_cast<double>(progress.steps_done);
  const double left = static_cast<double>(progress.steps) - done;
  const double rate = progress.seconds > 0.0 ? done / progress.seconds : 0.0;
  std::string text = fmt::format(
      "{:3.0f} %  episode {}/{} of {}", 100.0 * done / static_cast<double>(progress.steps),
      grouped(progress.episode), grouped(progress.episodes),
      progress.control.empty() ? "the agent" : "control " + progress.control);
  if (!std::isnan(progress.last_return)) text += fmt::format("  return {:.4g}", progress.last_return);
  return text + fmt::format("  {} steps/s  ETA {}", rate_text(rate),
                            rate > 0.0 ? duration_text(left / rate) : "?");
}

void ProgressDisplay::write(const std::string& text) {
  std::fputs(text.c_str(), stream_);
  std::fflush(stream_);
}

void ProgressDisplay::draw_bar(std::int64_t done, std::int64_t all,
                               const std::function<std::string()>& text) {
  const auto now = std::chrono::steady_clock::now();
  const bool ends = done == all;
  if (line_is_open_ && !ends && now - last_drawn_ < kBetweenDrawings) return;
  last_drawn_ = now;
  const auto filled = static_cast<std::size_t>(kBarWidth * done / all);
  std::string bar(static_cast<std::size_t>(kBarWidth), '-');
  std::fill_n(bar.begin(), filled, '#');
  write(fmt::format("\r[{}] {}\033[K", bar, text()));
  line_is_open_ = true;
}

void ProgressDisplay::show(const Progress& progress) {
  if (mode_ == ProgressMode::bar) {
    return draw_bar(progress.steps_done, progress.steps, [&] { return progress_text(progress); });
  }
  const std::int64_t tenth = 10 * progress.steps_done / progress.steps;
  if (mode_ != ProgressMode::lines || tenth == last_tenth_) return;
  last_tenth_ = tenth;
  write(progress_text(progress) + "\n");
}

void ProgressDisplay::show(const AgentProgress& progress) {
  if (mode_ == ProgressMode::bar) {
    return draw_bar(progress.steps_done, progress.steps, [&] { return progress_text(progress); });
  }
  const std::int64_t tenth = 10 * progress.steps_done / progress.steps;
  if (mode_ != ProgressMode::lines || tenth == last_tenth_) return;
  last_tenth_ = tenth;
  write(progress_text(progress) + "\n");
}

void ProgressDisplay::show(const TrainingProgress& progress) {
  if (progress.report != nullptr) {
    if (mode_ != ProgressMode::none) {
      write((line_is_open_ ? "\r\033[K" : "") + progress_text(progress) + "\n");
    }
    line_is_open_ = false;
  } else if (mode_ == ProgressMode::bar) {
    draw_bar(progress.batch->batch + 1, progress.batch->batches,
             [&] { return progress_text(progress); });
  }
}

void ProgressDisplay::finish() {
  if (line_is_open_) write("\n");
  line_is_open_ = false;
}

}  // namespace gaia
