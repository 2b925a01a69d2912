// SPDX-License-Identifier: MIT
#include "forecast_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "../../learning/ridge.h"
#include "data_survey.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostRows = 20000;
constexpr std::int64_t kLongestHorizon = 100;
constexpr std::int64_t kMostFeatures = 64;  // of windows of more than one row
/// Of two comparisons: where the rows that are compared begin, which are a fifth of all.
constexpr double kComparedFrom[] = {0.3, 0.5};
constexpr double kCompared = 0.2;
/// Far ahead the errors have to be so much smaller than those of persistence, both times.
constexpr double kClearlyBetter = 0.8;
/// Two candidates that differ by less cannot be told apart, and the simpler one is taken.
constexpr double kStandardErrors = 2.0;

/// The first rows of a series, each channel with mean 0 and deviation 1 over the training part.
class Rows {
 public:
  explicit Rows(Series& series)
      : count_(std::min(series.rows(), kMostRows)), width_(series.channels()) {
    values_.resize(static_cast<std::size_t>(count_ * width_));
    series.read(0, count_, values_);
    take_trials(series);
    const std::int64_t end = part(kTrainingShare);
    for (std::int64_t c = 0; c < width_; ++c) {
      Moments moments;
      for (std::int64_t r = 0; r < end; ++r) moments.add(at(r, c));
      const double scale = moments.deviation() > 0.0 ? moments.deviation() : 1.0;
      for (std::int64_t r = 0; r < count_; ++r) at(r, c) = (at(r, c) - moments.mean()) / scale;
    }
  }

  std::int64_t count() const { return count_; }
  std::int64_t width() const { return width_; }
  /// Where a share of the rows ends.  Of several trials what readouts are trained on ends with one.
  std::int64_t part(double share) const {
    return static_cast<std::int64_t>(share * scale_ * static_cast<double>(count_));
  }
  std::int64_t shortest_trial() const { return shortest_; }
  /// Whether they are rows of one trial.
  bool are_together(std::int64_t first, std::int64_t last) const {
    return trial_of_[static_cast<std::size_t>(first)] == trial_of_[static_cast<std::size_t>(last)];
  }
  double& at(std::int64_t row, std::int64_t channel) {
    return values_[static_cast<std::size_t>(row * width_ + channel)];
  }
  double at(std::int64_t row, std::int64_t channel) const {
    return const_cast<Rows*>(this)->at(row, channel);
  }
  /// Rows [newest - window + 1, newest], as a sample has them.
  const double* sample(std::int64_t newest, std::int64_t window) const {
    return &values_[static_cast<std::size_t>((newest - window + 1) * width_)];
  }

  bool changes(std::int64_t channel, std::int64_t first, std::int64_t end) const {
    for (std::int64_t r = first + 1; r < end; ++r) {
      if (at(r, channel) != at(first, channel)) return true;
    }
    return false;
  }

 private:
  void take_trials(const Series& series) {
    const std::vector<std::int64_t>& starts = series.trial_starts();
    shortest_ = series.rows();
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::int64_t end = i + 1 < starts.size() ? starts[i + 1] : series.rows();
      shortest_ = std::min(shortest_, end - starts[i]);
      for (std::int64_t r = starts[i]; r < std::min(end, count_); ++r) {
        trial_of_.push_back(static_cast<std::int64_t>(i));
      }
    }
    if (starts.size() <= 1) return;
    const auto end = static_cast<double>(row_of_share(series, kTrainingShare));
    scale_ = std::min(1.0, end / (kTrainingShare * static_cast<double>(count_)));
  }

  std::int64_t count_;
  std::int64_t width_;
  std::int64_t shortest_ = 0;
  double scale_ = 1.0;
  std::vector<std::int64_t> trial_of_;
  std::vector<double> values_;
};

std::int64_t choose_channel(const Rows& rows) {
  const std::int64_t ends[] = {0, rows.part(kLearningShare), rows.part(kTrainingShare),
                               rows.count()};
  for (std::int64_t c = 0; c < rows.width(); ++c) {
    bool in_all = true;
    for (int i = 0; i < 3; ++i) in_all = in_all && rows.changes(c, ends[i], ends[i + 1]);
    if (in_all) return c;
  }
  return 0;
}

/// The first lag at which the autocorrelation over the training part is below a half.
std::int64_t half_lag(const Rows& rows, std::int64_t channel) {
  const std::int64_t end = rows.part(kTrainingShare);
  const std::int64_t most = std::clamp<std::int64_t>(
      std::min(rows.count() / 50, rows.shortest_trial() / 4), 1, kLongestHorizon);
  for (std::int64_t lag = 1; lag < most; ++lag) {
    double sum = 0.0;
    double squares = 0.0;
    for (std::int64_t r = 0; r < end; ++r) {
      squares += rows.at(r, channel) * rows.at(r, channel);
      const bool is_pair = r >= lag && rows.are_together(r - lag, r);
      if (is_pair) sum += rows.at(r, channel) * rows.at(r - lag, channel);
    }
    if (sum < 0.5 * squares) return lag;
  }
  return most;
}

/// Sums of squared errors of a forecast, and of persistence, by the variance of the targets.
struct Errors {
  std::vector<double> own;  ///< Of each target, the same targets for every window.
  double persistence = 0.0;
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, values.size()));
}

/// Samples of a window, and how much the channel changes from its newest row to `horizon` rows
/// after it.  Errors are told of the rows that the widest window can tell of too, so that those of
/// two windows stand row beside row: a wide window reaches into a trial later than a narrow one.
class Attempt {
 public:
  Attempt(const Rows& rows, std::int64_t channel, std::int64_t horizon, std::int64_t window,
          std::int64_t widest, double compared_from)
      : rows_(rows),
        channel_(channel),
        horizon_(horizon),
        window_(window),
        widest_(widest),
        from_(compared_from),
        features_(window * rows.width()),
        ridge_(features_) {
    const Taken taken = take(window, window - 1, rows.part(from_) - horizon);
    ridge_.add(taken.x, taken.change);
  }

  /// By the variance of the targets; of a constant nothing can be told.
  Errors errors(double ridge) {
    ridge_.solve(ridge);
    const std::int64_t first = std::max(widest_ - 1, rows_.part(from_));
    const Taken taken = take(widest_, first, rows_.part(from_ + kCompared) - horizon_);
    const std::vector<double>& change = taken.change;
    const std::vector<double> found = ridge_.predict(taken.x);
    Moments targets;
    for (std::size_t i = 0; i < change.size(); ++i) targets.add(taken.now[i] + change[i]);
    const double variance = std::pow(targets.deviation(), 2);
    Errors errors;
    for (std::size_t i = 0; i < change.size(); ++i) {
      const auto share = [&](double error) {
        return variance > 0.0 ? error * error / variance : 1.0;
      };
      errors.own.push_back(share(found[i] - change[i]));
      errors.persistence += share(change[i]) / static_cast<double>(change.size());
    }
    return errors;
  }

 private:
  struct Taken {
    std::vector<double> x;
    std::vector<double> now;
    std::vector<double> change;
  };

  /// Whose newest rows are [first, end), where their trial holds `before` rows up to the newest and
  /// goes on to the target.
  Taken take(std::int64_t before, std::int64_t first, std::int64_t end) const {
    Taken taken;
    for (std::int64_t r = first; r < end; ++r) {
      if (!rows_.are_together(r - before + 1, r + horizon_)) continue;
      const double* const sample = rows_.sample(r, window_);
      taken.x.insert(taken.x.end(), sample, sample + features_);
      taken.now.push_back(rows_.at(r, channel_));
      taken.change.push_back(rows_.at(r + horizon_, channel_) - taken.now.back());
    }
    return taken;
  }

  const Rows& rows_;
  std::int64_t channel_;
  std::int64_t horizon_;
  std::int64_t window_;
  std::int64_t widest_;
  double from_;
  std::int64_t features_;
  RidgeRegression ridge_;
};

struct Candidate {
  ForecastChoice choice;
  bool is_clearly_better = false;  ///< Than persistence.
  std::vector<double> errors;      ///< At each row that is compared.
};

/// Whether the errors of one are no larger than those of another, as far as can be told: the mean
/// of their differences is within kStandardErrors of its standard error.  Of what overlaps, the
/// changes over `horizon` rows, only every horizon-th counts as another observation.
bool is_as_good(const Candidate& one, const Candidate& other) {
  Moments differences;
  for (std::size_t i = 0; i < one.errors.size(); ++i) {
    differences.add(one.errors[i] - other.errors[i]);
  }
  const double observations =
      static_cast<double>(one.errors.size()) / static_cast<double>(one.choice.horizon);
  const double error = differences.deviation() / std::sqrt(std::max(1.0, observations));
  return differences.mean() <= kStandardErrors * error + 1e-12;
}

/// Of all windows and regularisations so far ahead the simplest that is as good as the best.
Candidate best_at(const Rows& rows, std::int64_t channel, std::int64_t horizon) {
  const auto is_possible = [&](std::int64_t window) {
    return window * rows.width() <= kMostFeatures && 20 * window <= rows.count() &&
           4 * window <= rows.shortest_trial();
  };
  std::int64_t widest = 1;
  while (is_possible(2 * widest)) widest *= 2;
  std::vector<Candidate> candidates;  // from simple to rich
  for (std::int64_t window = 1; window <= widest; window *= 2) {
    Attempt early(rows, channel, horizon, window, widest, kComparedFrom[0]);
    Attempt late(rows, channel, horizon, window, widest, kComparedFrom[1]);
    for (const double ridge : {1e4, 100.0, 10.0, 1.0, 0.1, 1e-2, 1e-4}) {
      Errors a = early.errors(ridge);
      const Errors b = late.errors(ridge);
      const double first = mean_of(a.own);
      const double second = mean_of(b.own);
      const bool is_clear =
          first <= kClearlyBetter * a.persistence && second <= kClearlyBetter * b.persistence;
      a.own.insert(a.own.end(), b.own.begin(), b.own.end());
      const ForecastChoice choice{channel,
                                  horizon,
                                  window,
                                  ridge,
                                  1.0 - (first + second) / 2.0,
                                  1.0 - (a.persistence + b.persistence) / 2.0};
      candidates.push_back({choice, is_clear, std::move(a.own)});
    }
  }
  const Candidate& best = *std::max_element(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.choice.r2 < b.choice.r2; });
  return *std::find_if(candidates.begin(), candidates.end(),
                       [&](const Candidate& each) { return is_as_good(each, best); });
}

}  // namespace

ForecastChoice choose_forecast(Series& series) {
  const Rows rows(series);
  const std::int64_t channel = choose_channel(rows);
  for (std::int64_t horizon = half_lag(rows, channel); horizon > 1; horizon /= 2) {
    const Candidate here = best_at(rows, channel, horizon);
    if (here.is_clearly_better) return here.choice;
  }
  return best_at(rows, channel, 1).choice;
}

}  // namespace gaia
