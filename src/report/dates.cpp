// SPDX-License-Identifier: MIT
#include "dates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "survey.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kMostDates = 1 << 22;
constexpr std::size_t kEvenly = 48;
constexpr std::size_t kMostGaps = 40;
constexpr double kLargestSeconds = 2e11;  // about the year 8300, and back to -4400
constexpr double kDay = 86400.0;

/// From one tick to the next, in seconds.
constexpr std::array kDateSteps = {
    1e-3,       2e-3,        5e-3,       1e-2,        2e-2,       5e-2,       0.1,
    0.2,        0.5,         1.0,        2.0,         5.0,        10.0,       20.0,
    30.0,       60.0,        120.0,      300.0,       600.0,      1200.0,     1800.0,
    3600.0,     7200.0,      10800.0,    21600.0,     43200.0,    kDay,       2.0 * kDay,
    5.0 * kDay, 10.0 * kDay, 20 * kDay,  50.0 * kDay, 100 * kDay, 200 * kDay, 365 * kDay,
    1e3 * kDay, 3650 * kDay, 1e4 * kDay, 36500 * kDay};

/// The dates beside the coordinate `step` of a group; nothing where it has none, or they fall.
std::vector<DatedStep> read_dates(const Result& result, const std::string& group) {
  const std::vector<std::int64_t> shape = result.shape(group + "/time");
  if (shape.size() != 1 || result.shape(group + "/step") != shape || shape[0] > kMostDates ||
      result.text(group + "/time", "units") != "nanoseconds since 1970-01-01") {
    return {};
  }
  const std::int64_t rows = row_of_step(result, group + "/step", shape[0], result.series_done());
  if (rows < 2) return {};
  std::vector<double> steps(static_cast<std::size_t>(rows));
  std::vector<double> times(steps.size());
  result.read_rows(group + "/step", 0, rows, steps.data());
  result.read_rows(group + "/time", 0, rows, times.data());
  std::vector<DatedStep> dates;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const DatedStep here{steps[i], times[i] * 1e-9};
    const bool rises =
        i == 0 || (here.step > dates[i - 1].step && here.seconds > dates[i - 1].seconds);
    if (!rises || !(std::abs(here.seconds) < kLargestSeconds)) return {};
    dates.push_back(here);
  }
  return dates;
}

/// Keeps steps at equal distances, and those beside the largest gaps.
std::vector<DatedStep> thinned(const std::vector<DatedStep>& all) {
  const std::size_t last = all.size() - 1;
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < kEvenly; ++k) kept.push_back(k * last / (kEvenly - 1));
  const auto pace = [&](std::size_t i) {
    return (all[i + 1].seconds - all[i].seconds) / (all[i + 1].step - all[i].step);
  };
  std::vector<std::size_t> by_pace(last);
  for (std::size_t i = 0; i < last; ++i) by_pace[i] = i;
  const auto most = static_cast<std::ptrdiff_t>(std::min(kMostGaps, last));
  std::partial_sort(by_pace.begin(), by_pace.begin() + most, by_pace.end(),
                    [&](std::size_t a, std::size_t b) { return pace(a) > pace(b); });
  const double usual = (all[last].seconds - all[0].seconds) / (all[last].step - all[0].step);
  for (std::ptrdiff_t g = 0; g < most; ++g) {
    const std::size_t i = by_pace[static_cast<std::size_t>(g)];
    if (pace(i) > 1.5 * usual) kept.insert(kept.end(), {i, i + 1});
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<DatedStep> dates;
  for (const std::size_t i : kept) dates.push_back(all[i]);
  return dates;
}

/// The date of a step or the step of a date, beyond the ends too.
double along(const std::vector<DatedStep>& dates, double at, double DatedStep::*from,
             double DatedStep::*to) {
  std::size_t i = 1;
  while (i + 1 < dates.size() && dates[i].*from < at) ++i;
  const DatedStep& a = dates[i - 1];
  const DatedStep& b = dates[i];
  return a.*to + (at - a.*from) / (b.*from - a.*from) * (b.*to - a.*to);
}

}  // namespace

std::vector<DatedStep> dated_steps(const Result& result) {
  std::vector<std::string> groups;
  for (const std::string& level : result.groups("levels")) groups.push_back("levels/" + level);
  for (const std::string& one : result.groups("readouts")) groups.push_back("readouts/" + one);
  for (const std::string& group : groups) {
    const std::vector<DatedStep> dates = read_dates(result, group);
    if (!dates.empty()) return thinned(dates);
  }
  return {};
}

std::string date_text(double seconds, double step) {
  using namespace std::chrono;
  // Rounded to what is shown, so that a rounding error makes no 12:59:59 of 13:00.
  const double least = step >= 1.0 ? 1.0 : 1e-3;
  const double told = std::round(seconds / least) * least;
  const double day = std::floor(told / kDay);
  const year_month_day date{sys_days{days{static_cast<int>(day)}}};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (step >= kDay) return text;
  const auto rest = static_cast<std::int64_t>(std::round((told - day * kDay) * 1e3));
  text += fmt::format(" {:02}:{:02}", rest / 3'600'000, rest / 60'000 % 60);
  if (step < 60.0) text += fmt::format(":{:02}", rest / 1000 % 60);
  if (step < 1.0) text += fmt::format(".{:03}", rest % 1000);
  return text;
}

std::vector<Tick> date_ticks(const Scale& steps, const std::vector<DatedStep>& dates, int about) {
  std::vector<Tick> ticks;
  if (dates.size() < 2) return ticks;
  const double low = along(dates, steps.low, &DatedStep::step, &DatedStep::seconds);
  const double high = along(dates, steps.high, &DatedStep::step, &DatedStep::seconds);
  const auto found = std::find_if(kDateSteps.begin(), kDateSteps.end(), [&](double step) {
    return step >= (high - low) / about * (1.0 - 1e-9);
  });
  const double step = found == kDateSteps.end() ? kDateSteps.back() : *found;
  // Dates of one gap stand at one step: the first of them is shown.
  const double apart = (steps.high - steps.low) / (1.5 * about);
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1.0) {
    if (std::ssize(ticks) > 4 * about) break;
    const double at = along(dates, k * step, &DatedStep::seconds, &DatedStep::step);
    if (!ticks.empty() && at - ticks.back().value < apart) continue;
    ticks.push_back({at, date_text(k * step, step)});
  }
  return ticks;
}

std::string dates_attributes(const std::vector<DatedStep>& dates) {
  std::string text;
  for (const DatedStep& one : dates) {
    text += fmt::format("{}{:.9g},{:.13g}", text.empty() ? "" : " ", one.step, one.seconds);
  }
  return fmt::format(" data-dates=\"{}\" data-steps=\"{}\"", text, fmt::join(kDateSteps, " "));
}

}  // namespace gaia::report
