// SPDX-License-Identifier: MIT
#include "world_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "../../array/create.h"
#include "../../array/indexing.h"
#include "../../array/joining.h"
#include "../../array/ops.h"
#include "../../autograd/grad_mode.h"
#include "../../core/message.h"

namespace gaia::agents {
namespace {

/// A row for every dimension, on the device.
Array row_of(const std::vector<double>& values, DType dtype) {
  return from_values(values, {std::ssize(values)}).astype(dtype);
}

void put_moments(ArrayMap& into, const std::string& name, const RunningMoments& moments) {
  into[name + ".count"] = from_values(std::vector{moments.count()}, {1});
  into[name + ".mean"] = row_of(moments.mean(), DType::float64);
  into[name + ".squares"] = row_of(moments.squares(), DType::float64);
}

RunningMoments moments_of(const ArrayMap& state, const std::string& name, std::int64_t size) {
  RunningMoments moments(size);
  const auto found = [&](const char* what, std::int64_t length) {
    return array_of_state("world_model", state, name + what, {length});
  };
  moments.set(found(".count", 1).to_vector<std::int64_t>()[0],
              found(".mean", size).to_vector<double>(),
              found(".squares", size).to_vector<double>());
  return moments;
}

}  // namespace

WorldModel::WorldModel(std::int64_t observation_size, std::int64_t action_size,
                       const WorldModelOptions& options, RandomStream random)
    : observation_size_(observation_size),
      action_size_(action_size),
      options_(options),
      batches_(RandomStream::named(random.seed, "batches/" + std::to_string(random.stream))),
      targets_(observation_size),
      used_targets_(observation_size) {
  require(observation_size >= 1, "[world_model] observation_size: expected 1 or more, got {}",
          static_cast<double>(observation_size));
  require(action_size >= 1, "[world_model] action_size: expected 1 or more, got {}",
          static_cast<double>(action_size));
  require(options.batch >= 1, "[world_model] batch: expected 1 or more, got {}",
          static_cast<double>(options.batch));
  require(options.max_gradient_norm > 0,
          "[world_model] max_gradient_norm: expected a number above 0, got {}",
          options.max_gradient_norm);
  require(options.noise >= 0 && std::isfinite(options.noise),
          "[world_model] noise: expected 0 or more, got {}", options.noise);
  keeps_.assign(static_cast<std::size_t>(observation_size), 1.0);
  for (const std::int64_t d : options.unread) {
    require(d >= 0 && d < observation_size,
            "[world_model] unread: expected an observation from 0 to {}, got {}",
            observation_size - 1, static_cast<double>(d));
    keeps_[static_cast<std::size_t>(d)] = 0.0;
  }
  for (std::int64_t d = 0; d < observation_size; ++d) {
    if (keeps_[static_cast<std::size_t>(d)] != 0.0) read_.push_back(d);
  }
  inputs_ = used_inputs_ = RunningMoments(std::ssize(read_) + action_size);
  ensemble_ = std::make_unique<GaussianEnsemble>(std::ssize(read_) + action_size, observation_size,
                                                 GaussianEnsembleOptions{.members = options.members,
                                                                         .hidden = options.hidden,
                                                                         .dtype = options.dtype,
                                                                         .random = random});
  optimiser_ = std::make_unique<Optimiser>(ensemble_->parameters(), options.optimiser);
  use_moments();
}

std::vector<double> WorldModel::input_of(std::span<const double> before,
                                         std::span<const double> action) const {
  std::vector<double> input;
  for (const std::int64_t d : read_) input.push_back(before[static_cast<std::size_t>(d)]);
  input.insert(input.end(), action.begin(), action.end());
  return input;
}

std::vector<double> WorldModel::target_of(std::span<const double> before,
                                          std::span<const double> after) const {
  std::vector<double> target(after.begin(), after.end());
  for (std::size_t d = 0; d < target.size(); ++d) target[d] -= keeps_[d] * before[d];
  return target;
}

void WorldModel::observe(std::span<const double> before, std::span<const double> action,
                         std::span<const double> after) {
  inputs_.add(input_of(before, action));
  targets_.add(target_of(before, after));
}

void WorldModel::use_moments() {
  const DType dtype = options_.dtype;
  input_mean_ = row_of(used_inputs_.mean(), dtype);
  input_scale_ = row_of(used_inputs_.deviation(), dtype);
  target_mean_ = row_of(used_targets_.mean(), dtype);
  const std::vector<double> scale = used_targets_.deviation();
  target_scale_ = row_of(scale, dtype);
  std::vector<double> shift;
  for (const double s : scale) shift.push_back(2 * std::log(s));
  target_shift_ = row_of(shift, dtype);
  for (double& s : shift) s += 2 * std::log(options_.noise);
  noise_ = row_of(shift, dtype);
  kept_ = row_of(keeps_, dtype);
}

WorldModel::Training WorldModel::train(const Replay& replay, std::int64_t steps) {
  require(steps >= 0, "[world_model] steps: expected 0 or more, got {}",
          static_cast<double>(steps));
  require(replay.size() > 0 || steps == 0,
          "[world_model] replay: expected one transition or more, got 0.0");
  used_inputs_ = inputs_;
  used_targets_ = targets_;
  use_moments();

  // All transitions, normalised.
  const auto n = replay.size();
  const auto in = static_cast<std::size_t>(ensemble_->inputs());
  const auto out = static_cast<std::size_t>(observation_size_);
  std::vector<double> inputs, targets;
  inputs.reserve(static_cast<std::size_t>(n) * in);
  targets.reserve(static_cast<std::size_t>(n) * out);
  const std::vector<double> input_scale = used_inputs_.deviation();
  const std::vector<double> target_scale = used_targets_.deviation();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::vector<double> x = input_of(replay.before(i), replay.action(i));
    const std::vector<double> y = target_of(replay.before(i), replay.after(i));
    for (std::size_t k = 0; k < in; ++k) {
      inputs.push_back((x[k] - used_inputs_.mean()[k]) / input_scale[k]);
    }
    for (std::size_t d = 0; d < out; ++d) {
      targets.push_back((y[d] - used_targets_.mean()[d]) / target_scale[d]);
    }
  }

  Training training;
  const std::int64_t members = options_.members, batch = options_.batch;
  const std::vector<Tensor>& parameters = optimiser_->parameters();
  std::vector<double> x, y, w;
  for (std::int64_t step = 0; step < steps; ++step) {
    x.clear();
    y.clear();
    w.clear();
    for (std::int64_t e = 0; e < members; ++e) {
      for (std::int64_t b = 0; b < batch; ++b) {
        const auto i = static_cast<std::size_t>(batches_.integer(draws_++, n));
        const auto from = [i](const std::vector<double>& rows, std::size_t size) {
          return rows.begin() + static_cast<std::ptrdiff_t>(i * size);
        };
        x.insert(x.end(), from(inputs, in), from(inputs, in) + static_cast<std::ptrdiff_t>(in));
        y.insert(y.end(), from(targets, out),
                 from(targets, out) + static_cast<std::ptrdiff_t>(out));
        w.push_back(replay.is_for(static_cast<std::int64_t>(i), e) ? 1.0 : 0.0);
      }
    }
    const EnableGrad recording;
    const DType dtype = options_.dtype;
    const Tensor loss =
        ensemble_->loss(from_values(x, {members, batch, ensemble_->inputs()}).astype(dtype),
                        from_values(y, {members, batch, observation_size_}).astype(dtype),
                        from_values(w, {members, batch}).astype(dtype));
    training.losses.push_back(loss.item());
    if (!std::isfinite(training.losses.back())) {
      fail<Error>(
          "[world_model] expected a finite loss, got {} at step {} of training; lower the learning "
          "rate or max_gradient_norm",
          training.losses.back(), step);
    }
    loss.backward();
    training.gradient_norm =
        std::max(training.gradient_norm, clip_grad_norm(parameters, options_.max_gradient_norm));
    optimiser_->step();
    optimiser_->zero_grad();
  }
  return training;
}

WorldModel::Prediction WorldModel::predict(const Array& observations, const Array& actions) const {
  if (observations.rank() != 2 || observations.shape(1) != observation_size_ ||
      actions.rank() != 2 || actions.shape(1) != action_size_ ||
      actions.shape(0) != observations.shape(0)) {
    fail<ShapeError>(
        "[world_model] predict: expected observations [N, {}] and actions [N, {}], got {} and {}",
        observation_size_, action_size_, observations.shape(), actions.shape());
  }
  const NoGrad still;
  const Array o = observations.astype(options_.dtype);
  const GaussianEnsemble::Prediction normal =
      ensemble_->predict(input_from(o, actions.astype(options_.dtype)));
  return {.mean = normal.mean.value() * target_scale_ + (o * kept_ + target_mean_),
          .log_variance = logaddexp(normal.log_variance.value() + target_shift_, noise_)};
}

/// What the networks read, of the dtype.
Array WorldModel::input_from(const Array& observations, const Array& actions) const {
  const Array read = std::ssize(read_) == observation_size_
                         ? observations
                         : take(observations, from_values(read_, {std::ssize(read_)}), 1);
  return (concatenate({read, actions}, 1) - input_mean_) / input_scale_;
}

WorldModel::Rollout WorldModel::roll_out(std::span<const double> observation,
                                         const Array& actions) const {
  if (std::ssize(observation) != observation_size_ || actions.rank() != 3 || actions.shape(0) < 1 ||
      actions.shape(1) < 1 || actions.shape(2) != action_size_) {
    fail<ShapeError>(
        "[world_model] roll_out: expected {} observations and actions [steps, N, {}], got {} and "
        "{}",
        observation_size_, action_size_, observation.size(), actions.shape());
  }
  const NoGrad still;
  const Array u = actions.astype(options_.dtype);
  const std::vector<double> first(observation.begin(), observation.end());
  Array o = row_of(first, options_.dtype).broadcast_to({u.shape(1), observation_size_});
  std::vector<Array> raw, before;
  for (std::int64_t t = 0; t < u.shape(0); ++t) {
    raw.push_back(ensemble_->raw(input_from(o, u[t])).value());
    before.push_back(o * kept_ + target_mean_);
    o = mean(raw.back().slice(-1, 0, observation_size_), {0}) * target_scale_ + before.back();
  }
  // What follows is done for all steps at once, with [D, members, steps, N]: axes as short as D are
  // slow where they are the last.
  const auto by_dimension = [](const Array& row) { return row.reshape({-1, 1, 1, 1}); };
  const Array all = stack(raw, 1).transpose({3, 0, 1, 2}).contiguous();
  const Array start = stack(before).transpose({2, 0, 1}).contiguous().expand_dims(1);
  const Array means = all.slice(0, 0, observation_size_) * by_dimension(target_scale_) + start;
  const Array log_variances =
      logaddexp(ensemble_->bounded(all.slice(0, observation_size_), true).value() +
                    by_dimension(target_shift_),
                by_dimension(noise_));
  return {.means = means.transpose({1, 2, 3, 0}),
          .log_variances = log_variances.transpose({1, 2, 3, 0})};
}

ArrayMap WorldModel::state() const {
  ArrayMap state;
  for (const auto& [name, value] : ensemble_->state()) state["ensemble." + name] = value.copy();
  for (const auto& [name, value] : optimiser_->state()) state["optimiser." + name] = value.copy();
  put_moments(state, "inputs", inputs_);
  put_moments(state, "targets", targets_);
  put_moments(state, "used_inputs", used_inputs_);
  put_moments(state, "used_targets", used_targets_);
  state["draws"] = from_values(std::vector{static_cast<std::int64_t>(draws_)}, {1});
  return state;
}

void WorldModel::set_state(const ArrayMap& state) {
  const std::int64_t in = ensemble_->inputs(), out = observation_size_;
  const RunningMoments inputs = moments_of(state, "inputs", in);
  const RunningMoments targets = moments_of(state, "targets", out);
  const RunningMoments used_inputs = moments_of(state, "used_inputs", in);
  const RunningMoments used_targets = moments_of(state, "used_targets", out);
  const std::int64_t draws =
      array_of_state("world_model", state, "draws", {1}).to_vector<std::int64_t>()[0];
  ensemble_->set_state(arrays_below(state, "ensemble."));
  optimiser_->set_state(arrays_below(state, "optimiser."));
  inputs_ = inputs;
  targets_ = targets;
  used_inputs_ = used_inputs;
  used_targets_ = used_targets;
  draws_ = static_cast<std::uint64_t>(draws);
  use_moments();
}

}  // namespace gaia::agents
