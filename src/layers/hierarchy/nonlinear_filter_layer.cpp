// SPDX-License-Identifier: MIT
#include "nonlinear_filter_layer.h"

#include <utility>
#include <variant>

#include "../../core/message.h"
#include "../../formulas/equations/equations.h"

namespace gaia {
namespace {

void no_adaption(ConfigVisitor& v, const std::string& type) {
  v.forbid({"adapt", ""}, type +
                              " takes its noise as it is given; of layers that filter, kalman and "
                              "extended_kalman adapt theirs");
}

void no_smoother(ConfigVisitor& v) {
  v.forbid({"smooth", ""},
           "the smoother is that of linear models, which layers of type kalman have");
}

/// Count of the numbers that the noise of a filter has.
double noise_numbers(const FilterLayerKeys& layer, double inputs, double outputs) {
  const auto observed = static_cast<double>(layer.observed(static_cast<std::int64_t>(inputs)));
  return outputs * outputs + observed * observed;
}

NonlinearModelOptions nonlinear_model(const TextModelKeys& model, const NoiseKey& Q,
                                      const NoiseKey& R, const NoiseKey& P0) {
  return {.text = model.text, .Q = rows_of(Q), .R = rows_of(R), .P0 = rows_of(P0)};
}

}  // namespace

void TextModelKeys::keys(ConfigVisitor& v) {
  v.text({"state", "one step of the state: one assignment a line, in order", true}, text.state);
  v.text({"observation", "what is observed: one assignment for each number that is", true},
         text.observation);
  std::vector<NamedEntry> entries;
  for (const auto& [name, value] : text.parameters) entries.push_back({name, value});
  v.entries({"parameters", "numbers of the texts by name"}, EntryForm::number, entries);
  text.parameters.clear();
  for (const NamedEntry& entry : entries) {
    text.parameters.emplace_back(entry.name, std::get<double>(entry.value));
  }
  if (text.state.empty() || text.observation.empty()) return;
  try {
    const TextModel model(text);
  } catch (const EquationError& error) {
    for (const EquationProblem& problem : error.problems()) {
      v.refuse({problem.key.c_str(), ""}, problem.message, problem.line, problem.column);
    }
  }
}

std::int64_t TextModelKeys::states() const {
  try {
    return TextModel(text).states();
  } catch (const ArgumentError&) {
    return 0;
  }
}

void ExtendedKalmanLayerOptions::keys(ConfigVisitor& v) {
  model.keys(v);
  noise_keys(v, Q, R, P0);
  form_key(v, form);
  adaption_keys(v, adapt, forgetting);
  no_smoother(v);
  layer.keys(v);
}

std::string ExtendedKalmanLayerOptions::summary() const {
  const std::string text = adaption_text(adapt);
  return text.empty() ? text : text.substr(1);
}

double ExtendedKalmanLayerOptions::weights(double inputs, double outputs) const {
  return noise_numbers(layer, inputs, outputs);
}

std::unique_ptr<StateFilter> ExtendedKalmanLayerOptions::filter_of(std::int64_t /*inputs*/) const {
  return std::make_unique<ExtendedKalmanFilter>(
      ExtendedKalmanOptions{.model = nonlinear_model(model, Q, R, P0),
                            .form = form,
                            .adapt = adapt,
                            .forgetting = forgetting});
}

FilterPlace ExtendedKalmanLayerOptions::place() const {
  return {.observes = layer.observes,
          .adapts = adapted_noise(adapt),
          .learn = learn,
          .covariance = layer.covariance,
          .dtype = dtype};
}

void UnscentedKalmanLayerOptions::keys(ConfigVisitor& v) {
  model.keys(v);
  noise_keys(v, Q, R, P0);
  v.number({"alpha", "how far points lie from the mean"}, points.alpha, kPositive);
  v.number({"beta", "what the middle weighs more in covariances"}, points.beta, kAnyNumber);
  v.optional({"kappa",
              "spread of the points beside alpha; default 3 - n, and 0 for more than 3 "
              "states"},
             points.kappa, kAnyNumber);
  no_adaption(v, name);
  no_smoother(v);
  layer.keys(v);
}

double UnscentedKalmanLayerOptions::weights(double inputs, double outputs) const {
  return noise_numbers(layer, inputs, outputs);
}

std::unique_ptr<StateFilter> UnscentedKalmanLayerOptions::filter_of(std::int64_t /*inputs*/) const {
  return std::make_unique<UnscentedKalmanFilter>(
      UnscentedKalmanOptions{.model = nonlinear_model(model, Q, R, P0), .points = points});
}

FilterPlace UnscentedKalmanLayerOptions::place() const {
  return {.observes = layer.observes, .covariance = layer.covariance, .dtype = dtype};
}

void ParticleLayerOptions::keys(ConfigVisitor& v) {
  const Choice which{{"model", "state"},
                     [this] { return is_linear ? "model" : "state"; },
                     [this](const std::string& key) { is_linear = key == "model"; }};
  v.one_of(
      {{"model", "how the state goes on and what is observed of it, if that is linear"},
       {"state", "one step of the state, one assignment a line; observation stands beside it"}},
      which, [&](const Key& key) {
        if (key.name == std::string("model")) return linear.model_key(v);
        written.keys(v);
      });
  noise_keys(v, linear.Q, linear.R, linear.P0);
  v.integer({"particles", "samples of the state"}, particles, {1, 100000000});
  v.number({"resample_below", "share of effective particles below which they are drawn anew"},
           resample_below, {0.0, 1.0});
  no_adaption(v, name);
  no_smoother(v);
  layer.keys(v);
}

std::string ParticleLayerOptions::summary() const {
  return message("{}with {} particle{}", is_linear ? linear.summary() + " " : "", particles,
                 particles == 1 ? "" : "s");
}

std::int64_t ParticleLayerOptions::outputs(std::int64_t inputs) const {
  return is_linear ? linear.states(layer.observed(inputs)) : written.states();
}

double ParticleLayerOptions::weights(double inputs, double outputs) const {
  return noise_numbers(layer, inputs, outputs);
}

std::unique_ptr<StateFilter> ParticleLayerOptions::filter_of(std::int64_t inputs) const {
  StateModel model =
      is_linear ? StateModel(make_linear_model(linear.options(), layer.observed(inputs)))
                : StateModel(name, nonlinear_model(written, linear.Q, linear.R, linear.P0));
  // Two words of the layer's own stream, so that each layer draws its own numbers.
  const auto words = random.block(0);
  const std::uint64_t seed = std::uint64_t{words[0]} << 32u | words[1];
  return std::make_unique<ParticleFilter>(
      std::move(model),
      ParticleOptions{.particles = particles, .resample_below = resample_below, .seed = seed});
}

FilterPlace ParticleLayerOptions::place() const {
  return {.observes = layer.observes, .covariance = layer.covariance, .dtype = dtype};
}

}  // namespace gaia
