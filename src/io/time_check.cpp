// SPDX-License-Identifier: MIT
#include "time_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "../core/error.h"
#include "../core/log.h"
#include "../core/names.h"
#include "../core/text.h"
#include "columns.h"
#include "dates.h"

namespace gaia {
namespace {

constexpr NameTable<GapPolicy, 3> kPolicies = {
    {{"error", GapPolicy::error}, {"warn", GapPolicy::warn}, {"split", GapPolicy::split}}};

/// A step above so many times the median is a gap.
constexpr double kGap = 1.5;

/// Step between whole numbers in nanoseconds.
double step_between(std::int64_t before, std::int64_t after) {
  // The difference of increasing numbers fits without a sign.
  return static_cast<double>(static_cast<std::uint64_t>(after) -
                             static_cast<std::uint64_t>(before));
}
double step_between(double before, double after) { return after - before; }

/// NumPy's median: the mean of the two in the middle for an even number of steps.
double median_of(std::vector<double> steps) {
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  if (steps.size() % 2 == 1) return *middle;
  return (*std::max_element(steps.begin(), middle) + *middle) / 2.0;
}

template <class Time>
class TimeCheck {
 public:
  TimeCheck(const RowTimes& times, GapPolicy policy) : times_(times), policy_(policy) {}

  std::vector<std::int64_t> run() {
    std::vector<double> steps;
    each_step([&](std::int64_t row, Time before, Time now) {
      if (!(now > before)) fail_order(row, before, now);
      steps.push_back(step_between(before, now));
    });
    std::vector<std::int64_t> starts = times_.trial_starts;
    if (steps.empty()) return starts;
    const double median = median_of(std::move(steps));
    std::vector<std::int64_t> gaps;
    std::string first;
    double longest = 0.0;
    each_step([&](std::int64_t row, Time before, Time now) {
      const double step = step_between(before, now);
      if (step <= kGap * median) return;
      if (gaps.empty()) {
        first =
            fmt::format("{}, from {} to {}", times_.place(row), time_text(before), time_text(now));
      }
      gaps.push_back(row);
      longest = std::max(longest, step);
    });
    if (gaps.empty()) return starts;
    tell(gaps.size(), first, longest, median);
    if (policy_ != GapPolicy::split) return starts;
    std::vector<std::int64_t> all;
    std::merge(starts.begin(), starts.end(), gaps.begin(), gaps.end(), std::back_inserter(all));
    return all;
  }

 private:
  static constexpr bool is_whole = std::is_same_v<Time, std::int64_t>;

  std::string time_text(Time time) const {
    if constexpr (is_whole) return times_.count ? std::to_string(time) : date_text(time);
    return number_text(static_cast<double>(time));
  }

  std::string step_text(double step) const {
    return is_whole && !times_.count ? duration_text(step * 1e-9) : number_text(step);
  }

  /// Calls take(row, time before, its time) for every row that goes on in its trial.
  template <class Take>
  void each_step(const Take& take) const {
    auto next_start = times_.trial_starts.begin();
    std::int64_t row = 0;
    for (const SideValues& file : times_.files) {
      Time before{};
      for (const Time now : std::get<std::vector<Time>>(file)) {
        if (next_start != times_.trial_starts.end() && *next_start == row) {
          ++next_start;
        } else {
          take(row, before, now);
        }
        before = now;
        ++row;
      }
    }
  }

  [[noreturn]] void fail_order(std::int64_t row, Time before, Time now) const {
    throw DataError(fmt::format(
        "{}: expected a time after that of the row before in column {} (data.time), got {} after "
        "{}; sort the rows, or tell trials apart with data.trials",
        times_.place(row), in_quotes(times_.column), time_text(now), time_text(before)));
  }

  void tell(std::size_t count, const std::string& first, double longest, double median) const {
    const std::string what = fmt::format(
        "{} gap{} in column {} (data.time), steps above {} times the median of {}: the longest "
        "takes {}, the first is at {}",
        count, count == 1 ? "" : "s", in_quotes(times_.column), kGap, step_text(median),
        step_text(longest), first);
    if (policy_ == GapPolicy::error) {
      throw DataError(what +
                      "; data.gaps: split makes a trial of each piece, warn goes on over them");
    }
    if (policy_ == GapPolicy::split) {
      log_info(what + "; a trial ends at each of them");
    } else {
      log_warning(what + "; data.gaps: split makes a trial of each piece, error refuses them");
    }
  }

  const RowTimes& times_;
  GapPolicy policy_;
};

}  // namespace

std::string to_string(GapPolicy policy) { return name_of(kPolicies, policy); }

GapPolicy gap_policy_from_name(std::string_view name) {
  return from_name(kPolicies, name, "policy for gaps in time");
}

std::vector<std::int64_t> check_times(const RowTimes& times, GapPolicy policy) {
  const bool are_whole = std::holds_alternative<std::vector<std::int64_t>>(times.files.front());
  return are_whole ? TimeCheck<std::int64_t>(times, policy).run()
                   : TimeCheck<double>(times, policy).run();
}

}  // namespace gaia
