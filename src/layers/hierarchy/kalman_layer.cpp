// SPDX-License-Identifier: MIT
#include "kalman_layer.h"

#include <algorithm>
#include <utility>

#include "../../core/message.h"
#include "../../filters/regimes.h"

namespace gaia {
namespace {

/// More states than a filter is made for.
constexpr std::int64_t kMostStates = 64;

Choice word_of(std::vector<std::string> known, std::string& value) {
  return {std::move(known), [&value] { return value; },
          [&value](const std::string& word) { value = word; }};
}

/// A key of noise, of which a diagonal has no number below 0.
void noise_key(ConfigVisitor& v, const Key& key, NoiseKey& noise) {
  v.nested(key, noise, kAnyNumber, 0, 2);
}

/// A matrix [size, size] of what a key says.
std::vector<double> matrix_of(const char* key, const NoiseKey& noise, std::int64_t size) {
  const auto count = static_cast<std::size_t>(size);
  std::vector<double> matrix(count * count);
  if (noise.shape.size() == 2) {
    if (noise.shape[0] != size || noise.shape[1] != size) {
      fail<ShapeError>("{}: expected a number, a diagonal of {}, or a matrix [{}, {}], got [{}, {}]",
                       key, size, size, size, noise.shape[0], noise.shape[1]);
    }
    return noise.values;
  }
  if (noise.shape.size() == 1 && noise.shape[0] != size) {
    fail<ShapeError>("{}: expected a number, a diagonal of {}, or a matrix [{}, {}], got {} numbers",
                     key, size, size, size, noise.shape[0]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    matrix[i * count + i] = noise.shape.empty() ? noise.values.at(0) : noise.values[i];
  }
  return matrix;
}

/// The model of one number that is observed, for each of `observed`; or that of matrices.
LinearModel linear_model(const LinearModelKeys& keys, std::int64_t observed) {
  if (keys.model == "matrices") {
    const std::int64_t states = keys.states(observed);
    const std::vector<std::int64_t> square = {states, states};
    const std::vector<std::int64_t> seen = {observed, states};
    if (states < 1 || keys.A.shape != square) {
      throw ShapeError("model.A: expected a square matrix [states, states]");
    }
    if (keys.H.shape != seen) {
      fail<ShapeError>("model.H: expected [{}, {}], a row for each number that is observed and a "
                       "column for each state, got {}",
                       observed, states,
                       keys.H.shape.size() == 2
                           ? message("[{}, {}]", keys.H.shape[0], keys.H.shape[1])
                           : std::string("none"));
    }
    return {states, observed, keys.A.values, keys.H.values};
  }
  if (keys.model == "velocity") return repeated_model({1, 1, 0, 1}, 2, observed);
  if (keys.model == "acceleration") {
    return repeated_model({1, 1, 0.5, 0, 1, 1, 0, 0, 1}, 3, observed);
  }
  if (keys.model == "level") return repeated_model({1}, 1, observed);
  // The newest value is made of those before, which move on by one.
  const std::int64_t states = keys.states(1);
  const auto count = static_cast<std::size_t>(states);
  if (states < 1) throw ArgumentError("model.ar: expected at least one number, got none");
  std::vector<double> A(count * count);
  for (std::size_t j = 0; j < count; ++j) A[j] = keys.model == "ar" ? keys.ar[j] : -1.0;
  for (std::size_t i = 1; i < count; ++i) A[i * count + i - 1] = 1.0;
  return repeated_model(A, states, observed);
}

/// A filter by the keys of a model.
KalmanOptions kalman_options(const LinearModelKeys& keys, std::int64_t observed) {
  KalmanOptions options{.model = linear_model(keys, observed)};
  options.Q = matrix_of("Q", keys.Q, options.model.states);
  options.R = matrix_of("R", keys.R, observed);
  options.P0 = matrix_of("P0", keys.P0, options.model.states);
  options.form = keys.form == "root" ? KalmanForm::root : KalmanForm::joseph;
  return options;
}

}  // namespace

void FilterLayerKeys::keys(ConfigVisitor& v) {
  v.forbid({"size", ""},
           "the size of a layer that filters is its number of states, which follows from its model "
           "and from what it observes");
  v.integers({"observes", "inputs that are observed, from 0; default all"}, observes,
             {0, 100000000});
  v.flag({"covariance", "whether results have the covariance of the state at each tick"},
         covariance);
}

void LinearModelKeys::keys(ConfigVisitor& v) {
  const auto is_word = [this] {
    return model == "level" || model == "velocity" || model == "acceleration";
  };
  v.word_or_map(
      {"model", "how the state goes on and what is observed of it"},
      {{"level", "velocity", "acceleration"},
       [&] { return is_word() ? model : std::string("map"); },
       [&](const std::string& word) {
         if (word != "map") model = word;
         if (word == "map" && is_word()) model = "ar";
       }},
      "map", [&] {
        v.one_of({{"ar", "weights of the values before, the last one first"},
                  {"seasonal", "ticks of a season, whose effects sum to 0"},
                  {"A", "what the state goes on by, [states, states]; beside H"}},
                 {{"ar", "seasonal", "A"},
                  [this] { return model == "matrices" ? std::string("A") : model; },
                  [this](const std::string& word) { model = word == "A" ? "matrices" : word; }},
                 [&](const Key& key) {
                   const std::string name = key.name;
                   if (name == "ar") v.numbers(key, ar, kAnyNumber);
                   if (name == "seasonal") v.integer(key, seasonal, {2, kMostStates + 1});
                   if (name != "A") return;
                   v.nested(key, A, kAnyNumber, 2, 2);
                   v.nested({"H", "what is observed of the state, [observed, states]"}, H,
                            kAnyNumber, 2, 2);
                 });
      });
  noise_key(v, {"Q", "covariance of the noise of the state: a number, a diagonal or a matrix"}, Q);
  noise_key(v, {"R", "covariance of the noise of what is observed, in the same ways"}, R);
  noise_key(v, {"P0", "covariance of the state before the first prediction, in the same ways"}, P0);
  v.choice({"form", "how the covariance is kept: joseph, or by its square root"},
           word_of({"joseph", "root"}, form));
}

std::int64_t LinearModelKeys::states(std::int64_t observed) const {
  if (model == "velocity") return 2 * observed;
  if (model == "acceleration") return 3 * observed;
  if (model == "ar") return std::ssize(ar) * observed;
  if (model == "seasonal") return (seasonal - 1) * observed;
  if (model == "matrices") return A.shape.empty() ? 0 : A.shape.front();
  return observed;
}

std::string LinearModelKeys::summary() const {
  if (model == "ar") return message("ar {}", ar.size());
  if (model == "seasonal") return message("seasonal {}", seasonal);
  return model;
}

void KalmanLayerOptions::keys(ConfigVisitor& v) {
  model.keys(v);
  v.choice({"adapt", "noise that adapts while the layer learns"}, word_of({"none", "R", "Q"}, adapt));
  v.where(adapt != "none", "adapt: R or Q", [&] {
    v.number({"forgetting", "how much of the noise that adapts a tick leaves"}, forgetting,
             {0.0, 1.0, true, true});
  });
  v.flag({"smooth", "whether results have what later ticks say of each tick, too"}, smooth);
  layer.keys(v);
}

std::string KalmanLayerOptions::summary() const {
  return model.summary() + (adapt == "none" ? "" : " adapting " + adapt);
}

double KalmanLayerOptions::weights(double inputs, double outputs) const {
  const auto observed =
      static_cast<double>(layer.observed(static_cast<std::int64_t>(inputs)));
  return outputs * outputs + observed * observed;
}

std::unique_ptr<StateFilter> KalmanLayerOptions::filter_of(std::int64_t inputs) const {
  KalmanOptions options = kalman_options(model, layer.observed(inputs));
  options.adapt = adapt == "R"   ? KalmanAdapts::R
                  : adapt == "Q" ? KalmanAdapts::Q
                                 : KalmanAdapts::none;
  options.forgetting = forgetting;
  return std::make_unique<KalmanFilter>(options);
}

FilterPlace KalmanLayerOptions::place() const {
  return {.observes = layer.observes,
          .adapts = adapt == "R"   ? AdaptedNoise::observation
                    : adapt == "Q" ? AdaptedNoise::state
                                   : AdaptedNoise::none,
          .learn = learn,
          .covariance = layer.covariance,
          .smooth = smooth,
          .dtype = dtype};
}

void RegimesLayerOptions::keys(ConfigVisitor& v) {
  v.list(
      {"models", "the models that the series switches between, with their noise", true},
      models.size(), [&](std::size_t n) { models.resize(n); },
      [&](std::size_t i) { models[i].keys(v); });
  v.matrix({"transition", "how probable it is that the model of the row is followed by that of the "
                          "column at the next tick; rows sum to 1",
            true},
           transition);
  layer.keys(v);
}

std::string RegimesLayerOptions::summary() const {
  std::string all;
  for (const LinearModelKeys& model : models) all += (all.empty() ? "" : ", ") + model.summary();
  return all;
}

std::int64_t RegimesLayerOptions::outputs(std::int64_t inputs) const {
  return models.empty() ? 0 : models.front().states(layer.observed(inputs));
}

double RegimesLayerOptions::weights(double inputs, double outputs) const {
  const auto observed =
      static_cast<double>(layer.observed(static_cast<std::int64_t>(inputs)));
  return static_cast<double>(models.size()) * (outputs * outputs + observed * observed);
}

std::unique_ptr<StateFilter> RegimesLayerOptions::filter_of(std::int64_t inputs) const {
  std::vector<std::unique_ptr<GaussianFilter>> filters;
  for (const LinearModelKeys& model : models) {
    filters.push_back(
        std::make_unique<KalmanFilter>(kalman_options(model, layer.observed(inputs))));
  }
  RegimesOptions options;
  for (const std::vector<double>& row : transition) {
    options.transition.insert(options.transition.end(), row.begin(), row.end());
  }
  return std::make_unique<RegimesFilter>(std::move(filters), options);
}

FilterPlace RegimesLayerOptions::place() const {
  return {.observes = layer.observes, .covariance = layer.covariance, .dtype = dtype};
}

}  // namespace gaia
