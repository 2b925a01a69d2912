// SPDX-License-Identifier: MIT
#include "detection_readout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/message.h"
#include "../core/names.h"
#include "../core/state_fields.h"

namespace gaia {
namespace {

constexpr NameTable<WatchedSeries, 3> kWatchedSeries = {{{"error", WatchedSeries::error},
                                                         {"levels", WatchedSeries::levels},
                                                         {"input", WatchedSeries::input}}};
constexpr NameTable<ChangeMethod, 2> kChangeMethods = {
    {{"page_hinkley", ChangeMethod::page_hinkley}, {"adwin", ChangeMethod::adwin}}};

}  // namespace

std::string to_string(WatchedSeries series) { return name_of(kWatchedSeries, series); }
std::string to_string(ChangeMethod method) { return name_of(kChangeMethods, method); }
WatchedSeries watched_series_from_name(std::string_view name) {
  return from_name(kWatchedSeries, name, "of");
}
ChangeMethod change_method_from_name(std::string_view name) {
  return from_name(kChangeMethods, name, "method");
}

double error_of_prediction(ReadoutTask task, std::span<const double> prediction,
                           std::span<const double> target) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (task == ReadoutTask::anomaly) return prediction[0];
  if (task == ReadoutTask::classes) {
    if (!(target[0] >= 0.0)) return unknown;
    const bool is_none = std::all_of(prediction.begin(), prediction.end(),
                                     [](double probability) { return probability == 0.0; });
    const auto most = std::max_element(prediction.begin(), prediction.end()) - prediction.begin();
    return !is_none && static_cast<double>(most) == target[0] ? 0.0 : 1.0;
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < target.size(); ++k) sum += std::abs(prediction[k] - target[k]);
  return sum / static_cast<double>(target.size());
}

void DetectionOptions::keys(ConfigVisitor& v) {
  v.choice({"of",
            "what is watched: the errors of another readout, the answers of levels, or the "
            "channels"},
           choice_of({"error", "levels", "input"}, watched, watched_series_from_name));
  v.where(watched == WatchedSeries::error, "of: error",
          [&] { v.text({"readout", "name of the readout whose errors are watched"}, readout); });
  v.where(watched != WatchedSeries::error, "of: levels or input", [&] {
    v.choice({"watch", "each number by itself, or the mean of all of them"},
             {{"each", "mean"},
              [this] { return as_mean ? "mean" : "each"; },
              [this](const std::string& word) { as_mean = word == "mean"; }});
  });
  v.choice({"method", "how a change is told: the test of Page and Hinkley, or ADWIN"},
           choice_of({"page_hinkley", "adwin"}, method, change_method_from_name));
  const bool by_sums = method == ChangeMethod::page_hinkley;
  double& delta = by_sums ? page_hinkley.delta : adwin.delta;
  v.number({"delta",
            "page_hinkley: change of the mean that is none (default 0.005); adwin: probability of "
            "a change that is none, at every look (default 0.002)"},
           delta, by_sums ? kNotNegative : NumberRange{0.0, 1.0, true, true});
  v.where(by_sums, "method: page_hinkley", [&] {
    v.integer({"min_instances", "numbers before which no change is told"},
              page_hinkley.min_instances, {1, 1000000000});
    v.number({"threshold", "what the statistic of a change is above"}, page_hinkley.threshold,
             kPositive);
    v.number({"alpha", "weight that a sum keeps, one number later"}, page_hinkley.alpha,
             {0.0, 1.0, true});
    v.choice({"mode", "which way a mean goes that is a change"},
             choice_of(change_mode_names(), page_hinkley.mode, change_mode_from_name));
  });
  v.where(!by_sums, "method: adwin", [&] {
    v.integer({"clock", "numbers from one look for a change to the next"}, adwin.clock,
              {1, 1000000000});
    v.integer({"max_buckets", "buckets of one size in which the window is kept"}, adwin.max_buckets,
              {1, 1000000});
    v.integer({"min_window_length", "numbers of the shorter part of a window at least"},
              adwin.min_window_length, {1, 1000000000});
    v.integer({"grace_period", "numbers before which no change is told"}, adwin.grace_period,
              {0, 1000000000});
  });
}

std::unique_ptr<ReadoutModel> DetectionOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<DetectionReadout>(sizes, *this);
}

DetectionReadout::DetectionReadout(const ReadoutSizes& sizes, const DetectionOptions& options)
    : features_(static_cast<std::size_t>(sizes.features)), as_mean_(options.as_mean) {
  const Detector one = options.method == ChangeMethod::adwin
                           ? Detector(Adwin(options.adwin))
                           : Detector(PageHinkley(options.page_hinkley));
  detectors_.assign(static_cast<std::size_t>(options.series(sizes.features)), one);
}

std::vector<double> DetectionReadout::predict(std::span<const double> features) {
  if (features.size() % features_ != 0) {
    fail<ShapeError>("[DetectionReadout] expected rows of {} numbers, got {}", features_,
                     features.size());
  }
  const std::size_t series = detectors_.size();
  std::vector<double> told;
  told.reserve(features.size() / features_ * 3 * series);
  std::vector<double> numbers;
  for (std::size_t first = 0; first < features.size(); first += features_) {
    const auto row = features.subspan(first, features_);
    numbers.assign(row.begin(), row.end());
    if (as_mean_) {
      double sum = 0.0;
      double count = 0.0;
      for (const double x : row) {
        if (std::isnan(x)) continue;
        sum += x;
        count += 1.0;
      }
      numbers = {sum / count};  // the mean of none is NaN
    }
    const std::size_t at = told.size();
    told.resize(at + 3 * series);
    for (std::size_t k = 0; k < series; ++k) {
      std::visit(
          [&](auto& detector) {
            if (!std::isnan(numbers[k])) told[at + k] = detector.update(numbers[k]) ? 1.0 : 0.0;
            told[at + series + k] = detector.statistic();
            told[at + 2 * series + k] = detector.estimation();
          },
          detectors_[k]);
    }
  }
  return told;
}

void DetectionReadout::set_solution(const ReadoutSolution& /*solution*/) {
  throw ArgumentError("[DetectionReadout] there are no weights to take over");
}

void DetectionReadout::fields(auto& self, auto& state) {
  for (auto& detector : self.detectors_) {
    std::visit([&](auto& one) { state.part(one); }, detector);
  }
}

std::vector<double> DetectionReadout::state() const { return StateFields::of(*this); }

void DetectionReadout::set_state(std::span<const double> state) {
  StateFields::set(*this, "DetectionReadout", state);
}

}  // namespace gaia
