// SPDX-License-Identifier: MIT
#include "stochastic_action_model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "../../array/create.h"
#include "../../array/indexing.h"
#include "../../array/ops.h"
#include "../../autograd/grad_mode.h"
#include "../../core/finite.h"
#include "../../core/message.h"

namespace gaia::agents {
namespace {

/// Actions nearer to a bound are taken to be here, in half widths from the middle.
constexpr double kMostSquashed = 0.99;
/// Bounds of the log variance of u: sigma from 0.007 to 2.7.
constexpr double kLeastLogVariance = -10.0, kMostLogVariance = 2.0;
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

Array row_on_device(const std::vector<double>& values, DType dtype) {
  return from_values(values, {1, std::ssize(values)}).astype(dtype);
}

/// Mean and squares of moments in one array [2, D]; their count stands elsewhere.
Array moments_array(const RunningMoments& moments) {
  std::vector<double> values = moments.mean();
  values.insert(values.end(), moments.squares().begin(), moments.squares().end());
  return from_values(values, {2, std::ssize(moments.mean())});
}

RunningMoments moments_from(const Array& array, std::int64_t count) {
  RunningMoments moments(array.shape(1));
  moments.set(count, array[0].to_vector<double>(), array[1].to_vector<double>());
  return moments;
}

}  // namespace

StochasticActionModel::StochasticActionModel(std::int64_t observation_size,
                                             std::vector<double> action_low,
                                             std::vector<double> action_high,
                                             const StochasticActionOptions& options,
                                             RandomStream random)
    : observation_size_(observation_size),
      options_(options),
      batches_(RandomStream::named(random.seed, "batches/" + std::to_string(random.stream))),
      actions_(RandomStream::named(random.seed, "actions/" + std::to_string(random.stream))) {
  const auto need = [](bool is_right, const char* what, const char* range, double got) {
    if (!is_right) fail<ArgumentError>("[policy] {}: expected {}, got {}", what, range, got);
  };
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  need(observation_size >= 1, "observation_size", "1 or more", number(observation_size));
  need(options.batch >= 1, "batch", "1 or more", number(options.batch));
  need(options.capacity >= 1, "replay_capacity", "1 or more", number(options.capacity));
  need(options.max_gradient_norm > 0, "max_gradient_norm", "a number above 0",
       options.max_gradient_norm);
  need(options.optimiser.learning_rate > 0 && std::isfinite(options.optimiser.learning_rate),
       "learning_rate", "a number above 0", options.optimiser.learning_rate);
  if (action_low.empty() || action_low.size() != action_high.size()) {
    fail<ArgumentError>(
        "[policy] bounds: expected a lower and an upper one for one action or more, got {} and {}",
        action_low.size(), action_high.size());
  }
  for (std::size_t a = 0; a < action_low.size(); ++a) {
    const double low = action_low[a], high = action_high[a];
    need(std::isfinite(low) && std::isfinite(high) && low < high, "bounds",
         "finite ones, the lower first", low);
    middle_.push_back(0.5 * (low + high));
    half_.push_back(0.5 * (high - low));
  }
  std::vector<bool> is_unread(static_cast<std::size_t>(observation_size), false);
  for (const std::int64_t d : options.unread) {
    need(d >= 0 && d < observation_size, "unread", "an observation that there is", number(d));
    is_unread[static_cast<std::size_t>(d)] = true;
  }
  for (std::int64_t d = 0; d < observation_size; ++d) {
    if (!is_unread[static_cast<std::size_t>(d)]) read_.push_back(d);
  }
  need(!read_.empty(), "unread", "one observation or more that the policy reads",
       number(std::ssize(options.unread)));
  moments_ = used_ = RunningMoments(std::ssize(read_));
  network_ = std::make_unique<GaussianEnsemble>(
      std::ssize(read_), action_size(),
      GaussianEnsembleOptions{.members = 1,
                              .hidden = options.hidden,
                              .least_log_variance = kLeastLogVariance,
                              .most_log_variance = kMostLogVariance,
                              .dtype = options.dtype,
                              .random = random});
  optimiser_ = std::make_unique<Optimiser>(network_->parameters(), options.optimiser);
  use_moments();
}

void StochasticActionModel::use_moments() {
  mean_ = row_on_device(used_.mean(), options_.dtype);
  scale_ = row_on_device(used_.deviation(), options_.dtype);
}

void StochasticActionModel::need_observation(std::span<const double> observation) const {
  if (std::ssize(observation) == observation_size_ && are_finite(observation)) return;
  fail<ArgumentError>("[policy] observation: expected {} finite numbers, got {}{}",
                      observation_size_, observation.size(),
                      are_finite(observation) ? "" : ", not all finite");
}

std::vector<double> StochasticActionModel::read_of(std::span<const double> observation) const {
  std::vector<double> read;
  for (const std::int64_t d : read_) read.push_back(observation[static_cast<std::size_t>(d)]);
  return read;
}

std::vector<double> StochasticActionModel::unsquashed(std::span<const double> action) const {
  if (std::ssize(action) != action_size() || !are_finite(action)) {
    fail<ArgumentError>("[policy] action: expected {} finite numbers, got {}{}", action_size(),
                        action.size(), are_finite(action) ? "" : ", not all finite");
  }
  std::vector<double> u;
  for (std::size_t a = 0; a < action.size(); ++a) {
    const double apart = (action[a] - middle_[a]) / half_[a];
    u.push_back(std::atanh(std::clamp(apart, -kMostSquashed, kMostSquashed)));
  }
  return u;
}

std::vector<double> StochasticActionModel::squashed(std::span<const double> u) const {
  std::vector<double> action;
  for (std::size_t a = 0; a < u.size(); ++a) {
    action.push_back(middle_[a] + half_[a] * std::tanh(u[a]));
  }
  return action;
}

std::int64_t StochasticActionModel::kept() const { return std::min(taught_, options_.capacity); }

void StochasticActionModel::teach(std::span<const double> observation,
                                  std::span<const double> action) {
  need_observation(observation);
  const std::vector<double> u = unsquashed(action), read = read_of(observation);
  const auto place = static_cast<std::size_t>(taught_ % options_.capacity);
  const auto put = [place](std::vector<double>& rows, const std::vector<double>& row) {
    rows.resize(std::max(rows.size(), (place + 1) * row.size()));
    std::copy(row.begin(), row.end(),
              rows.begin() + static_cast<std::ptrdiff_t>(place * row.size()));
  };
  put(inputs_, read);
  put(targets_, u);
  moments_.add(read);
  ++taught_;
}

StochasticActionModel::Training StochasticActionModel::train(std::int64_t steps) {
  if (steps < 0 || (steps > 0 && taught_ == 0)) {
    fail<ArgumentError>(
        "[policy] train: expected 0 or more steps, and choices to learn from, got {} steps and {} "
        "choices; call teach() first",
        steps, taught_);
  }
  used_ = moments_;
  use_moments();
  const std::size_t in = read_.size(), out = middle_.size();
  const std::vector<double> scale = used_.deviation();
  std::vector<double> normalised = inputs_;
  for (std::size_t i = 0; i < normalised.size(); ++i) {
    normalised[i] = (normalised[i] - used_.mean()[i % in]) / scale[i % in];
  }
  const std::int64_t batch = options_.batch;
  const DType dtype = options_.dtype;
  const Array weights = ones({1, batch}, dtype);
  Training training;
  std::vector<double> x(static_cast<std::size_t>(batch) * in);
  std::vector<double> u(static_cast<std::size_t>(batch) * out);
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b) {
      const auto i = static_cast<std::size_t>(batches_.integer(batch_draws_++, kept()));
      for (std::size_t k = 0; k < in; ++k) x[b * in + k] = normalised[i * in + k];
      for (std::size_t k = 0; k < out; ++k) u[b * out + k] = targets_[i * out + k];
    }
    const EnableGrad recording;
    const Tensor loss =
        network_->loss(from_values(x, {1, batch, std::ssize(read_)}).astype(dtype),
                       from_values(u, {1, batch, action_size()}).astype(dtype), weights);
    training.losses.push_back(loss.item());
    if (!std::isfinite(training.losses.back())) {
      fail<Error>("[policy] expected a finite loss, got {} at step {}; lower the learning rate",
                  training.losses.back(), step);
    }
    loss.backward();
    const double norm = clip_grad_norm(optimiser_->parameters(), options_.max_gradient_norm);
    training.gradient_norm = std::max(training.gradient_norm, norm);
    optimiser_->step();
    optimiser_->zero_grad();
    ++trained_;
  }
  return training;
}

/// From what is read, [N, read], of the dtype.
StochasticActionModel::Prediction StochasticActionModel::normal_of(const Array& read) const {
  const NoGrad still;
  const GaussianEnsemble::Prediction normal =
      network_->predict(((read - mean_) / scale_).expand_dims(0));
  return {.mean = normal.mean.value()[0], .deviation = exp(0.5 * normal.log_variance.value()[0])};
}

StochasticActionModel::Prediction StochasticActionModel::after(
    std::span<const double> observation) const {
  need_observation(observation);
  return normal_of(row_on_device(read_of(observation), options_.dtype));
}

StochasticActionModel::Prediction StochasticActionModel::predict(const Array& observations) const {
  if (observations.rank() != 2 || observations.shape(1) != observation_size_) {
    fail<ShapeError>("[policy] predict: expected observations [N, {}], got {}", observation_size_,
                     observations.shape());
  }
  const Array read = std::ssize(read_) == observation_size_
                         ? observations
                         : take(observations, from_values(read_, {std::ssize(read_)}), 1);
  return normal_of(read.astype(options_.dtype));
}

std::vector<double> StochasticActionModel::get_action(std::span<const double> observation) const {
  return squashed(after(observation).mean.to_vector<double>());
}

std::vector<double> StochasticActionModel::sample(std::span<const double> observation) {
  const Prediction normal = after(observation);
  std::vector<double> u = normal.mean.to_vector<double>();
  const std::vector<double> deviation = normal.deviation.to_vector<double>();
  std::vector<double> drawn(u.size());
  actions_.normals(action_draws_, drawn);
  action_draws_ += drawn.size();
  for (std::size_t a = 0; a < u.size(); ++a) u[a] += deviation[a] * drawn[a];
  return squashed(u);
}

Array StochasticActionModel::log_prob(const Array& observations, const Array& actions) const {
  const Prediction normal = predict(observations);
  if (actions.shape() != normal.mean.shape()) {
    fail<ShapeError>("[policy] log_prob: expected actions {}, got {}", normal.mean.shape(),
                     actions.shape());
  }
  const std::vector<double> mean = normal.mean.to_vector<double>();
  const std::vector<double> deviation = normal.deviation.to_vector<double>();
  const std::vector<double> given = actions.astype(DType::float64).to_vector<double>();
  const std::size_t size = middle_.size();
  std::vector<double> result(given.size() / size, 0.0);
  for (std::size_t n = 0; n < result.size(); ++n) {
    const std::vector<double> u = unsquashed(std::span(given).subspan(n * size, size));
    for (std::size_t a = 0; a < size; ++a) {
      const double apart = (u[a] - mean[n * size + a]) / deviation[n * size + a];
      // ln(1 - tanh(u)^2) = -2 ln cosh(u)
      result[n] += -0.5 * apart * apart - std::log(deviation[n * size + a]) - kHalfLogTwoPi -
                   std::log(half_[a]) + 2.0 * std::log(std::cosh(u[a]));
    }
  }
  return from_values(result, {std::ssize(result)});
}

ArrayMap StochasticActionModel::state() const {
  ArrayMap state;
  for (const auto& [name, value] : network_->state()) state["network." + name] = value.copy();
  for (const auto& [name, value] : optimiser_->state()) state["optimiser." + name] = value.copy();
  state["moments"] = moments_array(moments_);
  state["used"] = moments_array(used_);
  state["inputs"] = from_values(inputs_, {kept(), std::ssize(read_)});
  state["targets"] = from_values(targets_, {kept(), action_size()});
  state["counts"] =
      from_values(std::vector<std::int64_t>{taught_, trained_, moments_.count(), used_.count(),
                                            static_cast<std::int64_t>(batch_draws_),
                                            static_cast<std::int64_t>(action_draws_)},
                  {6});
  return state;
}

void StochasticActionModel::set_state(const ArrayMap& state) {
  const std::int64_t in = std::ssize(read_);
  const auto taken = [&](const char* name, const Shape& shape) {
    return array_of_state("policy", state, name, shape);
  };
  const auto counts = taken("counts", {6}).to_vector<std::int64_t>();
  if (*std::min_element(counts.begin(), counts.end()) < 0) {
    fail<ArgumentError>("[policy] set_state: \"counts\": expected 0 or more of each, got less");
  }
  const std::int64_t rows = std::min(counts[0], options_.capacity);
  std::vector<double> inputs = taken("inputs", {rows, in}).to_vector<double>();
  std::vector<double> targets = taken("targets", {rows, action_size()}).to_vector<double>();
  const RunningMoments moments = moments_from(taken("moments", {2, in}), counts[2]);
  const RunningMoments used = moments_from(taken("used", {2, in}), counts[3]);
  network_->set_state(arrays_below(state, "network."));
  optimiser_->set_state(arrays_below(state, "optimiser."));
  inputs_ = std::move(inputs);
  targets_ = std::move(targets);
  moments_ = moments;
  used_ = used;
  taught_ = counts[0];
  trained_ = counts[1];
  batch_draws_ = static_cast<std::uint64_t>(counts[4]);
  action_draws_ = static_cast<std::uint64_t>(counts[5]);
  use_moments();
}

}  // namespace gaia::agents
