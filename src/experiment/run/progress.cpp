// SPDX-License-Identifier: MIT
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/text.h"

namespace gaia {
namespace {

constexpr std::chrono::milliseconds kBetweenDrawings{200};
constexpr std::int64_t kBarWidth = 24;

}  // namespace

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.2f} M", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.1f} k", per_second / 1e3);
  return fmt::format("{:.1f}", per_second);
}

std::string speed_text(std::int64_t done, std::int64_t all, double seconds) {
  const double rate = seconds > 0.0 ? static_cast<double>(done) / seconds : 0.0;
  return fmt::format("{} steps/s  ETA {}", rate_text(rate),
                     rate > 0.0 ? duration_text(static_cast<double>(all - done) / rate) : "?");
}

Progress progress_in_steps(std::int64_t done, std::int64_t all, double seconds) {
  const double share = static_cast<double>(done) / static_cast<double>(all);
  return {.steps_done = done, .steps = all, .share = share, .text = [=] {
            return fmt::format("{:3.0f} %  {}/{} steps  {}", 100.0 * share, grouped(done),
                               grouped(all), speed_text(done, all, seconds));
          }};
}

void ProgressDisplay::write(const std::string& text) {
  std::fputs(text.c_str(), stream_);
  std::fflush(stream_);
}

void ProgressDisplay::draw_bar(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const bool ends = progress.steps_done == progress.steps;
  if (line_is_open_ && !ends && now - last_drawn_ < kBetweenDrawings) return;
  last_drawn_ = now;
  const auto filled = static_cast<std::size_t>(kBarWidth * progress.steps_done / progress.steps);
  std::string bar(static_cast<std::size_t>(kBarWidth), '-');
  std::fill_n(bar.begin(), filled, '#');
  write(fmt::format("\r[{}] {}\033[K", bar, progress.text()));
  line_is_open_ = true;
}

void ProgressDisplay::show(const Progress& progress) {
  if (mode_ == ProgressMode::none) return;
  if (progress.ends_part) {
    write((line_is_open_ ? "\r\033[K" : "") + progress.text() + "\n");
    line_is_open_ = false;
    return;
  }
  if (mode_ == ProgressMode::bar) return draw_bar(progress);
  const std::int64_t tenth = 10 * progress.steps_done / progress.steps;
  if (progress.has_parts || tenth == last_tenth_) return;
  last_tenth_ = tenth;
  write(progress.text() + "\n");
}

void ProgressDisplay::finish() {
  if (line_is_open_) write("\n");
  line_is_open_ = false;
}

}  // namespace gaia
