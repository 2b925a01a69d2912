// SPDX-License-Identifier: MIT
#include "regimes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../core/error.h"
#include "../core/message.h"
#include "matrices.hpp"

namespace gaia {
namespace {

/// log Σ exp(x_i), also where all are -infinity.
double log_sum(std::span<const double> x) {
  const double most = *std::max_element(x.begin(), x.end());
  if (std::isinf(most)) return most;
  double sum = 0.0;
  for (const double value : x) sum += std::exp(value - most);
  return most + std::log(sum);
}

/// Checks that numbers are probabilities that sum to 1, and makes them do so to the last digit.
void take_probabilities(const std::string& what, std::span<double> numbers) {
  double sum = 0.0;
  for (const double number : numbers) {
    require(number >= 0.0 && number <= 1.0,
            "[regimes] {}: expected probabilities, in [0, 1], got {}", what, number);
    sum += number;
  }
  require(std::abs(sum - 1.0) <= 1e-9, "[regimes] {}: expected probabilities that sum to 1, got {}",
          what, sum);
  for (double& number : numbers) number /= sum;
}

/// Probabilities of a chain on average that began with equal ones.  (1 + T) / 2 has no period and
/// stays where T does; 64 squarings are 2^64 steps of it.
std::vector<double> long_run(const std::vector<double>& transition, Eigen::Index models) {
  RowMatrix power = 0.5 * (RowMatrix::Identity(models, models) +
                           ConstMatrixMap(transition.data(), models, models));
  for (int step = 0; step < 64; ++step) {
    power = product(power, power);
    power.array().colwise() /= power.rowwise().sum().eval().array();
  }
  const Eigen::RowVectorXd mean = power.colwise().mean();
  return {mean.data(), mean.data() + models};
}

/// One normal distribution of those that are mixed.
struct Part {
  double weight = 0.0;
  const double* mean = nullptr;
  const double* covariance = nullptr;
};

/// Mean and covariance of a mixture.
void mix_moments(std::span<const Part> parts, Eigen::Index size, double* mean, double* covariance) {
  VectorMap m(mean, size);
  MatrixMap P(covariance, size, size);
  m.setZero();
  P.setZero();
  for (const Part& part : parts) {
    if (part.weight > 0.0) m += part.weight * ConstVectorMap(part.mean, size);
  }
  for (const Part& part : parts) {
    if (part.weight == 0.0) continue;
    const Eigen::VectorXd apart = ConstVectorMap(part.mean, size) - m;
    P += part.weight * (ConstMatrixMap(part.covariance, size, size) + apart * apart.transpose());
  }
}

/// Runs what one of the models does; what it complains of names the model.
template <class Work>
void of_model(std::size_t index, const Work& work) {
  try {
    work();
  } catch (const ArgumentError& error) {
    fail<ArgumentError>("[regimes] models[{}]: {}", index, error.what());
  }
}

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace

RegimesFilter::RegimesFilter(std::vector<std::unique_ptr<GaussianFilter>> models,
                             const RegimesOptions& options)
    : models_(std::move(models)), initial_(options.initial) {
  require(!models_.empty(), "[regimes] models: expected at least one, got none");
  const GaussianFilter& first = *models_.front();
  streams_ = first.streams();
  states_ = first.states();
  observed_ = first.observed();
  const std::size_t count = models_.size();
  for (std::size_t j = 0; j < count; ++j) {
    const GaussianFilter& model = *models_[j];
    require<ShapeError>(
        model.states() == states_ && model.observed() == observed_ && model.streams() == streams_,
        "[regimes] models[{}]: expected {} states, {} observed numbers and {} streams, as the "
        "first "
        "has, got {}, {} and {}",
        j, states_, observed_, streams_, model.states(), model.observed(), model.streams());
    require(model.adapted().empty(),
            "[regimes] models[{}]: expected noise that stays as it is, got one that adapts: while "
            "another model is in force it would adapt to what that one explains",
            j);
  }
  std::vector<double> transition = options.transition;
  require<ShapeError>(
      transition.size() == count * count,
      "[regimes] transition: expected {} rows of {} numbers, a row and a column for "
      "each model, got {} numbers",
      count, count, transition.size());
  for (std::size_t i = 0; i < count; ++i) {
    take_probabilities(message("transition[{}]", i),
                       std::span(transition).subspan(i * count, count));
  }
  if (initial_.empty()) {
    initial_ = long_run(transition, static_cast<Eigen::Index>(count));
  } else {
    require<ShapeError>(initial_.size() == count,
                        "[regimes] initial: expected {} numbers, one for each model, got {}", count,
                        initial_.size());
    take_probabilities("initial", initial_);
  }
  for (const double p : transition) log_transition_.push_back(std::log(p));
  state_noise_.assign(first.state_noise().size(), 0.0);
  observation_noise_.assign(first.observation_noise().size(), 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    const auto add = [&](std::span<const double> noise, std::vector<double>& to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += initial_[j] * noise[i];
    };
    add(models_[j]->state_noise(), state_noise_);
    add(models_[j]->observation_noise(), observation_noise_);
  }
  begin();
}

RegimesFilter::RegimesFilter(const RegimesFilter& other)
    : StateFilter(other),
      streams_(other.streams_),
      states_(other.states_),
      observed_(other.observed_),
      log_transition_(other.log_transition_),
      initial_(other.initial_),
      log_probabilities_(other.log_probabilities_),
      probabilities_(other.probabilities_),
      mean_(other.mean_),
      covariance_(other.covariance_),
      state_noise_(other.state_noise_),
      observation_noise_(other.observation_noise_) {
  for (const auto& model : other.models_) {
    // What a GaussianFilter clones is one.
    models_.emplace_back(static_cast<GaussianFilter*>(model->clone().release()));
  }
}

std::unique_ptr<StateFilter> RegimesFilter::clone() const {
  return std::unique_ptr<StateFilter>(new RegimesFilter(*this));
}

const GaussianFilter& RegimesFilter::model(std::int64_t index) const {
  require(index >= 0 && index < models(), "[regimes] expected a model from 0 to {}, got {}",
          models() - 1, index);
  return *models_[at(index)];
}

void RegimesFilter::set_streams(std::int64_t streams) {
  for (const auto& model : models_) model->set_streams(streams);
  streams_ = streams;
  begin();
}

void RegimesFilter::begin() {
  for (const auto& model : models_) model->begin();
  log_probabilities_.clear();
  for (std::int64_t s = 0; s < streams_; ++s) {
    for (const double p : initial_) log_probabilities_.push_back(std::log(p));
  }
  combine();
}

void RegimesFilter::combine() {
  const std::size_t count = models_.size();
  const std::size_t n = at(states_);
  probabilities_.resize(log_probabilities_.size());
  std::transform(log_probabilities_.begin(), log_probabilities_.end(), probabilities_.begin(),
                 [](double value) { return std::exp(value); });
  mean_.resize(at(streams_) * n);
  covariance_.resize(at(streams_) * n * n);
  std::vector<Part> parts(count);
  for (std::size_t s = 0; s < at(streams_); ++s) {
    for (std::size_t j = 0; j < count; ++j) {
      parts[j] = {probabilities_[s * count + j], models_[j]->mean().data() + s * n,
                  models_[j]->covariance().data() + s * n * n};
    }
    mix_moments(parts, states_, mean_.data() + s * n, covariance_.data() + s * n * n);
  }
}

void RegimesFilter::mix() {
  const std::size_t count = models_.size();
  const std::size_t n = at(states_);
  std::vector<double> log_joint(count);
  std::vector<double> next(log_probabilities_.size());
  std::vector<std::vector<double>> means(count, std::vector<double>(at(streams_) * n));
  std::vector<std::vector<double>> covariances(count, std::vector<double>(at(streams_) * n * n));
  std::vector<Part> parts(count);
  for (std::size_t s = 0; s < at(streams_); ++s) {
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t i = 0; i < count; ++i) {
        log_joint[i] = log_transition_[i * count + j] + log_probabilities_[s * count + i];
      }
      const double log_sum_of_all = log_sum(log_joint);
      next[s * count + j] = log_sum_of_all;
      // A model that cannot be the next one goes on from where it is.
      const bool is_possible = !std::isinf(log_sum_of_all);
      for (std::size_t i = 0; i < count; ++i) {
        const double alone = i == j ? 1.0 : 0.0;
        parts[i] = {is_possible ? std::exp(log_joint[i] - log_sum_of_all) : alone,
                    models_[i]->mean().data() + s * n, models_[i]->covariance().data() + s * n * n};
      }
      mix_moments(parts, states_, means[j].data() + s * n, covariances[j].data() + s * n * n);
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    of_model(j, [&] { models_[j]->set_belief(means[j], covariances[j]); });
  }
  log_probabilities_ = std::move(next);
}

void RegimesFilter::predict() {
  mix();
  for (std::size_t j = 0; j < models_.size(); ++j) {
    of_model(j, [&] { models_[j]->predict(); });
  }
  combine();
}

void RegimesFilter::update(std::span<const double> rows, bool adapt, FilterTick& found) {
  const std::size_t count = models_.size();
  const std::size_t m = at(observed_);
  std::vector<FilterTick> ticks(count);
  for (std::size_t j = 0; j < count; ++j) {
    of_model(j, [&] { models_[j]->update(rows, adapt, ticks[j]); });
  }
  found.log_likelihood.assign(at(streams_), 0.0);
  found.innovation.assign(at(streams_) * m, std::numeric_limits<double>::quiet_NaN());
  found.nis.assign(at(streams_), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> log_joint(count);
  std::vector<Part> parts(count);
  std::vector<double> covariance(m * m);
  for (std::size_t s = 0; s < at(streams_); ++s) {
    std::vector<Eigen::Index> present;
    for (std::size_t c = 0; c < m; ++c) {
      if (!std::isnan(rows[s * m + c])) present.push_back(static_cast<Eigen::Index>(c));
    }
    if (present.empty()) continue;
    double* const log_probability = log_probabilities_.data() + s * count;
    for (std::size_t j = 0; j < count; ++j) {
      parts[j] = {std::exp(log_probability[j]), ticks[j].innovation.data() + s * m,
                  models_[j]->innovation_covariance().data() + s * m * m};
      log_joint[j] = log_probability[j] + ticks[j].log_likelihood[s];
    }
    // A missing value is NaN in every model's innovation, and so in the mixture's.
    double* const innovation = found.innovation.data() + s * m;
    mix_moments(parts, observed_, innovation, covariance.data());
    const Eigen::VectorXd v = ConstVectorMap(innovation, observed_)(present);
    const Eigen::LLT<Eigen::MatrixXd> root(
        Eigen::MatrixXd(ConstMatrixMap(covariance.data(), observed_, observed_)(present, present)));
    require(root.info() == Eigen::Success,
            "[regimes] expected a covariance of the innovation that is positive definite, got one "
            "that is not, in stream {}",
            s);
    found.nis[s] = v.dot(root.solve(v));
    const double total = log_sum(log_joint);
    require(std::isfinite(total),
            "[regimes] expected a finite likelihood, got a logarithm of {} in stream {}", total, s);
    found.log_likelihood[s] = total;
    for (std::size_t j = 0; j < count; ++j) log_probability[j] = log_joint[j] - total;
  }
  combine();
}

std::vector<double> RegimesFilter::carried() const {
  std::vector<std::vector<double>> pieces = {log_probabilities_};
  for (const auto& model : models_) pieces.push_back(model->carried());
  std::vector<double> numbers;
  for (std::size_t s = 0; s < at(streams_); ++s) {
    for (const auto& piece : pieces) {
      const std::size_t each = piece.size() / at(streams_);
      const auto begin = piece.begin() + static_cast<std::ptrdiff_t>(s * each);
      numbers.insert(numbers.end(), begin, begin + static_cast<std::ptrdiff_t>(each));
    }
  }
  return numbers;
}

void RegimesFilter::set_carried(std::span<const double> numbers) {
  std::vector<std::size_t> sizes = {models_.size()};
  for (const auto& model : models_) sizes.push_back(model->carried().size() / at(streams_));
  const std::size_t width = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  require<ShapeError>(numbers.size() == width * at(streams_),
                      "[regimes] expected {} numbers for each of {} streams, got {} in all", width,
                      streams_, numbers.size());
  std::vector<std::vector<double>> pieces(sizes.size());
  for (std::size_t s = 0; s < at(streams_); ++s) {
    std::size_t from = s * width;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto piece = numbers.subspan(from, sizes[i]);
      pieces[i].insert(pieces[i].end(), piece.begin(), piece.end());
      from += sizes[i];
    }
  }
  log_probabilities_ = std::move(pieces.front());
  for (std::size_t j = 0; j < models_.size(); ++j) models_[j]->set_carried(pieces[j + 1]);
  combine();
}

}  // namespace gaia
