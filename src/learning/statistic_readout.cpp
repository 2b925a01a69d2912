// SPDX-License-Identifier: MIT
#include "statistic_readout.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include "../core/message.h"
#include "../core/names.h"
#include "../core/state_fields.h"
#include "pca.h"

namespace gaia {
namespace {

constexpr NameTable<Statistic, 6> kStatistics = {{{"kurtosis", Statistic::kurtosis},
                                                  {"sparseness", Statistic::sparseness},
                                                  {"selectivity", Statistic::selectivity},
                                                  {"quantisation", Statistic::quantisation},
                                                  {"components", Statistic::components},
                                                  {"weights", Statistic::weights}}};

/// In the order of the enumerators; behind them what these are with other keys.
constexpr StatisticMeasure kStatisticMeasures[] = {
    {"kurtosis", "kurtosis", false},
    {"sparseness", "sparseness", false},
    {"selectivity", "selectivity", false},
    {"quantisation error", "quantisation_error", true},
    {"|cosine|", "cosine", false},
    {"rms error", "rms_error", true},
    {"largest angle", "largest_angle", true},
    {"chi-square error", "chi_square", true}};
constexpr std::size_t kAngle = 6;
constexpr std::size_t kChiSquare = 7;

/// Share of a row that is left of it beside others and is nothing but rounding.
constexpr double kNothing = 1e-10;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::span<const double> row_of(std::span<const double> rows, std::size_t row, std::size_t width) {
  return rows.subspan(row * width, width);
}

/// Takes what lies along `others` [count, width], which are orthonormal, out of a row.
void remove_span(std::vector<double>& row, std::span<const double> others, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::span<const double> other = row_of(others, k, row.size());
    const double share = dot(row, other);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] -= share * other[i];
  }
}

/// The largest angle between the span of rows [count, width] and that of orthonormal `components`
/// [count, width]: its sine is the largest singular value of what the components leave of an
/// orthonormal basis of the rows.
double largest_angle(std::span<const double> rows, std::span<const double> components,
                     std::size_t width) {
  const std::size_t count = rows.size() / width;
  std::vector<double> basis;
  std::vector<double> rest;
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const double> given = row_of(rows, i, width);
    std::vector<double> row(given.begin(), given.end());
    for (int pass = 0; pass < 2; ++pass) remove_span(row, basis, i);
    const double length = std::sqrt(dot(row, row));
    if (!(length > kNothing * std::sqrt(dot(given, given)))) return std::numbers::pi / 2.0;
    for (double& one : row) one /= length;
    basis.insert(basis.end(), row.begin(), row.end());
    remove_span(row, components, count);
    rest.insert(rest.end(), row.begin(), row.end());
  }
  std::vector<double> products(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      products[i * count + j] = dot(row_of(rest, i, width), row_of(rest, j, width));
    }
  }
  const double squared = symmetric_eigenvalues(products, static_cast<std::int64_t>(count)).back();
  return std::asin(std::sqrt(std::clamp(squared, 0.0, 1.0)));
}

}  // namespace

std::string to_string(Statistic statistic) { return name_of(kStatistics, statistic); }

Statistic statistic_from_name(std::string_view name) {
  return from_name(kStatistics, name, "statistic");
}

std::span<const StatisticMeasure> statistic_measures() { return kStatisticMeasures; }

const StatisticMeasure* find_statistic(std::string_view name) {
  const auto found = std::find_if(std::begin(kStatisticMeasures), std::end(kStatisticMeasures),
                                  [&](const StatisticMeasure& one) { return name == one.name; });
  return found == std::end(kStatisticMeasures) ? nullptr : found;
}

bool is_error_measure(std::string_view name) {
  for (const StatisticMeasure& one : kStatisticMeasures) {
    if (name == one.name || name == one.attribute) return one.is_error;
  }
  // Such as nrmse_at and log_loss.
  constexpr std::string_view parts[] = {"mse", "error", "loss", "angle"};
  return std::any_of(std::begin(parts), std::end(parts), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

double error_of(const StatisticMeasure& measure, double value) {
  if (measure.is_error) return value;
  return &measure == kStatisticMeasures ? 1.0 / (3.0 + value) : 1.0 - value;
}

void StatisticOptions::keys(ConfigVisitor& v) {
  v.choice({"of",
            "what is measured: kurtosis, sparseness or selectivity of what neurons answer, "
            "quantisation, the squared distance of what the level reads from the nearest row of "
            "its weights, or in the end components, how its rows agree with principal components, "
            "or weights, how far they are from those that are expected",
            true},
           choice_of(names_of(kStatistics), measured, statistic_from_name));
  v.where(measured == Statistic::selectivity, "of: selectivity", [&] {
    v.text({"over",
            "latent of a generator whose values, 0, 1 ..., are what neurons may select; default "
            "the classes of data.labels"},
           over);
  });
  v.where(measured == Statistic::components, "of: components", [&] {
    v.flag(
        {"subspace", "the largest angle between the span of all rows and that of the components"},
        subspace);
  });
  v.where(measured == Statistic::weights, "of: weights", [&] {
    v.numbers({"expected", "weights that are expected, row by row; required"}, expected,
              kAnyNumber);
    v.numbers({"deviation", "standard deviations of these, by which errors are divided"}, deviation,
              kPositive);
    v.integers({"places", "numbers of the weights that are expected, row by row; default all"},
               places, {0, 1000000000000});
  });
}

const StatisticMeasure& StatisticOptions::measure() const {
  if (measured == Statistic::components && subspace) return kStatisticMeasures[kAngle];
  if (measured == Statistic::weights && !deviation.empty()) return kStatisticMeasures[kChiSquare];
  return kStatisticMeasures[static_cast<std::size_t>(measured)];
}

std::unique_ptr<ReadoutModel> StatisticOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<StatisticReadout>(sizes, *this);
}

StatisticReadout::StatisticReadout(const ReadoutSizes& sizes, const StatisticOptions& options)
    : options_(options) {
  if (options.measured == Statistic::components) covariance_.emplace(sizes.features);
}

void StatisticReadout::add(std::span<const double> features, std::span<const double> /*targets*/) {
  if (covariance_) covariance_->add(features);
}

std::vector<double> StatisticReadout::predict(std::span<const double> features) {
  if (covariance_) return agreement(features);
  if (options_.measured == Statistic::weights) return {error(features)};
  return {features.begin(), features.end()};
}

std::vector<double> StatisticReadout::agreement(std::span<const double> weights) {
  const auto width = static_cast<std::size_t>(covariance_->features());
  const std::size_t rows = weights.size() / width;
  require(rows > 0 && weights.size() == rows * width,
          "[StatisticReadout] expected rows of {} weights, got {} weights", width, weights.size());
  if (components_.size() != weights.size()) {
    components_ = principal_components(*covariance_, static_cast<std::int64_t>(rows)).components;
  }
  if (options_.subspace) return {largest_angle(weights, components_, width)};
  std::vector<double> cosines(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<const double> row = row_of(weights, i, width);
    const double length = std::sqrt(dot(row, row));
    if (length == 0.0) continue;
    cosines[i] = std::abs(dot(row, row_of(components_, i, width))) / length;
  }
  return cosines;
}

double StatisticReadout::error(std::span<const double> weights) const {
  const std::vector<double>& expected = options_.expected;
  double sum = 0.0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const std::size_t place =
        options_.places.empty() ? k : static_cast<std::size_t>(options_.places[k]);
    if (place >= weights.size()) {
      fail<ShapeError>("[StatisticReadout] expected more than {} weights, got {}", place,
                       weights.size());
    }
    const double deviation = options_.deviation.empty() ? 1.0 : options_.deviation[k];
    const double one = (weights[place] - expected[k]) / deviation;
    sum += one * one;
  }
  const double mean = sum / static_cast<double>(expected.size());
  return options_.deviation.empty() ? std::sqrt(mean) : mean;
}

void StatisticReadout::set_solution(const ReadoutSolution& /*solution*/) {
  throw ArgumentError("[StatisticReadout] learns nothing that another could take over");
}

void StatisticReadout::fields(auto& self, auto& state) {
  state(self.is_solved_);
  if (self.covariance_) state.rest(*self.covariance_);
}

std::vector<double> StatisticReadout::state() const { return StateFields::of(*this); }

void StatisticReadout::set_state(std::span<const double> state) {
  StateFields::set(*this, "StatisticReadout", state);
  components_.clear();
}

}  // namespace gaia
