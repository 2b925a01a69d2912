// SPDX-License-Identifier: MIT
#include "online_regression.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "../core/message.h"
#include "../core/names.h"
#include "../core/state_fields.h"

namespace gaia {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::int64_t kMostFeaturesOfRls = 8192;  // 512 MiB of S

constexpr NameTable<OnlineMethod, 2> kOnlineMethods{
    {{"rls", OnlineMethod::rls}, {"nlms", OnlineMethod::nlms}}};

void expect_numbers(const char* what, std::size_t got, std::int64_t expected) {
  if (static_cast<std::int64_t>(got) == expected) return;
  fail<ShapeError>("[OnlineRegression] expected {} {}, got {}", expected, what, got);
}

/// S and W after a row x with targets that W misses by `error`, where S^T x = `along`; all that was
/// before is multiplied by `forgetting`.
void update(Eigen::Map<Rows> root, Eigen::Map<Rows> weights, const Eigen::VectorXd& along,
            const Eigen::VectorXd& error, double forgetting) {
  const double inverse = 1.0 / (forgetting + along.squaredNorm());
  const Eigen::VectorXd gain = (root * along) * inverse;
  weights.noalias() += error * gain.transpose();
  const double share = 1.0 / (1.0 + std::sqrt(forgetting * inverse));
  root.noalias() -= (share * gain) * along.transpose();
  if (forgetting < 1.0) root *= 1.0 / std::sqrt(forgetting);
}

}  // namespace

std::string to_string(OnlineMethod method) { return name_of(kOnlineMethods, method); }

OnlineMethod online_method_from_name(std::string_view name) {
  return from_name(kOnlineMethods, name, "method");
}

std::vector<std::string> online_method_names() { return names_of(kOnlineMethods); }

OnlineRegression::OnlineRegression(std::int64_t features, std::int64_t targets,
                                   const OnlineOptions& options)
    : features_(features), targets_(targets), options_(options) {
  if (features < 1 || targets < 1) {
    fail<ArgumentError>("[OnlineRegression] expected 1 or more features and targets, got {} and {}",
                        features, targets);
  }
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto size = static_cast<std::size_t>(features) + 1;
  weights_.resize(static_cast<std::size_t>(targets) * size);
  if (options.method == OnlineMethod::nlms) {
    require(options.step > 0.0 && options.step < 2.0,
            "[OnlineRegression] expected step above 0 and below 2, got {}", options.step);
    require(options.epsilon > 0.0 && finite(options.epsilon),
            "[OnlineRegression] expected epsilon above 0, got {}", options.epsilon);
    return;
  }
  require(options.forgetting > 0.0 && options.forgetting <= 1.0,
          "[OnlineRegression] expected forgetting above 0 and up to 1, got {}", options.forgetting);
  require(options.delta > 0.0 && finite(1.0 / options.delta) && finite(options.delta),
          "[OnlineRegression] expected delta above 0, got {}", options.delta);
  if (features > kMostFeaturesOfRls) {
    fail<ArgumentError>(
        "[OnlineRegression] rls takes up to {} features, got {}; the method nlms takes more",
        kMostFeaturesOfRls, features);
  }
  root_.resize(size * size);
  for (std::size_t i = 0; i < size; ++i) root_[i * size + i] = 1.0 / std::sqrt(options.delta);
  // In the rows until its turn comes again a weight's regularisation falls by as much.
  renewed_ = -options.delta * std::expm1(static_cast<double>(size) * std::log(options.forgetting));
}

std::vector<double> OnlineRegression::predict(std::span<const double> x) const {
  expect_numbers("features", x.size(), features_);
  const Eigen::Map<const Eigen::VectorXd> features(x.data(), features_);
  const Eigen::Map<const Rows> weights(weights_.data(), targets_, features_ + 1);
  std::vector<double> predicted(static_cast<std::size_t>(targets_));
  Eigen::Map<Eigen::VectorXd>(predicted.data(), targets_) =
      weights.leftCols(features_) * features + weights.col(features_);
  return predicted;
}

void OnlineRegression::learn(std::span<const double> x, std::span<const double> y) {
  expect_numbers("features", x.size(), features_);
  expect_numbers("targets", y.size(), targets_);
  Eigen::VectorXd row(features_ + 1);
  row.head(features_) = Eigen::Map<const Eigen::VectorXd>(x.data(), features_);
  row[features_] = 1.0;
  const std::vector<double> predicted = predict(x);
  Eigen::VectorXd error(targets_);
  for (std::size_t k = 0; k < y.size(); ++k) {
    error[static_cast<Eigen::Index>(k)] = y[k] - predicted[k];
  }
  const Eigen::Map<Rows> weights(weights_.data(), targets_, features_ + 1);
  const Eigen::Map<Rows> root(root_.data(), features_ + 1, features_ + 1);
  const bool rls = options_.method == OnlineMethod::rls;
  const Eigen::VectorXd along = rls ? Eigen::VectorXd(root.transpose() * row) : row;
  if (!std::isfinite(along.squaredNorm()) || !error.allFinite()) {
    fail<ArgumentError>(
        "[OnlineRegression] row {} holds NaN, infinity or numbers whose squares are too large; "
        "leave such rows out, or scale the features",
        count_);
  }
  if (rls) {
    update(root, weights, along, error, options_.forgetting);
    if (renewed_ > 0.0) renew_regularisation();
  } else {
    auto target = weights;
    target.noalias() +=
        (options_.step / (options_.epsilon + row.squaredNorm()) * error) * row.transpose();
  }
  ++count_;
}

void OnlineRegression::renew_regularisation() {
  // It counts as a row that is 0 but for one feature, with targets of 0.
  const Eigen::Index turn = count_ % (features_ + 1);
  const double size = std::sqrt(renewed_);
  const Eigen::Map<Rows> weights(weights_.data(), targets_, features_ + 1);
  const Eigen::Map<Rows> root(root_.data(), features_ + 1, features_ + 1);
  const Eigen::VectorXd along = size * root.row(turn).transpose();
  const Eigen::VectorXd error = -size * weights.col(turn);
  update(root, weights, along, error, 1.0);
}

std::vector<double> OnlineRegression::predict_and_learn(std::span<const double> rows,
                                                        std::span<const double> y) {
  const auto features = static_cast<std::size_t>(features_);
  const auto targets = static_cast<std::size_t>(targets_);
  if (y.size() % targets != 0) {
    fail<ShapeError>("[OnlineRegression] expected rows of {} targets, got {} numbers", targets,
                     y.size());
  }
  const std::size_t count = y.size() / targets;
  expect_numbers("numbers of features", rows.size(), static_cast<std::int64_t>(count) * features_);
  std::vector<double> predictions;
  predictions.reserve(y.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = rows.subspan(i * features, features);
    const std::vector<double> predicted = predict(x);
    predictions.insert(predictions.end(), predicted.begin(), predicted.end());
    learn(x, y.subspan(i * targets, targets));
  }
  return predictions;
}

std::vector<double> OnlineRegression::weights() const {
  std::vector<double> weights;
  weights.reserve(weights_.size());
  for (auto row = weights_.begin(); row != weights_.end(); row += features_ + 1) {
    weights.insert(weights.end(), row, row + features_);
  }
  return weights;
}

std::vector<double> OnlineRegression::intercepts() const {
  std::vector<double> intercepts;
  const auto size = static_cast<std::size_t>(features_) + 1;
  for (std::size_t i = size; i <= weights_.size(); i += size) intercepts.push_back(weights_[i - 1]);
  return intercepts;
}

void OnlineRegression::fields(auto& self, auto& state) {
  state(self.count_, self.weights_, self.root_);
}

std::vector<double> OnlineRegression::state() const { return StateFields::of(*this); }

void OnlineRegression::set_state(std::span<const double> state) {
  if (!std::all_of(state.begin(), state.end(), [](double value) { return std::isfinite(value); })) {
    throw ArgumentError("[OnlineRegression] expected a state of finite numbers");
  }
  StateFields::set_sized(*this, "OnlineRegression", state, state_size());
}

}  // namespace gaia
