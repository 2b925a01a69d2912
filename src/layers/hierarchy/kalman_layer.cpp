// SPDX-License-Identifier: MIT
#include "kalman_layer.h"

#include <algorithm>
#include <utility>

#include "../../core/message.h"
#include "../../core/names.h"
#include "../../filters/regimes.h"

namespace gaia {
namespace {

using ModelKind = LinearModelOptions::Kind;

constexpr NameTable<ModelKind, 3> kModelWords = {{{"level", ModelKind::level},
                                                  {"velocity", ModelKind::velocity},
                                                  {"acceleration", ModelKind::acceleration}}};
constexpr NameTable<ModelKind, 3> kModelMaps = {
    {{"ar", ModelKind::ar}, {"seasonal", ModelKind::seasonal}, {"A", ModelKind::matrices}}};
constexpr NameTable<KalmanForm, 2> kForms = {
    {{"joseph", KalmanForm::joseph}, {"root", KalmanForm::root}}};
constexpr NameTable<NoiseAdaption, 3> kAdaptions = {
    {{"none", NoiseAdaption::none}, {"R", NoiseAdaption::R}, {"Q", NoiseAdaption::Q}}};

bool is_word(ModelKind kind) {
  return kind == ModelKind::level || kind == ModelKind::velocity || kind == ModelKind::acceleration;
}

/// A word of a table.
template <class Enum, std::size_t count>
Choice word_of(const NameTable<Enum, count>& table, Enum& value) {
  std::vector<std::string> known;
  for (const auto& [name, one] : table) known.emplace_back(name);
  return {std::move(known), [&] { return std::string(name_of(table, value)); },
          [&](const std::string& word) { value = from_name(table, word, "word"); }};
}

/// A key of noise.
void noise_key(ConfigVisitor& v, const Key& key, NoiseKey& noise) {
  v.nested(key, noise, kAnyNumber, 0, 2);
}

}  // namespace

MatrixRows rows_of(const NoiseKey& noise) {
  if (noise.shape.size() < 2) return {noise.values};
  MatrixRows rows;
  const auto width = static_cast<std::ptrdiff_t>(noise.shape[1]);
  for (auto from = noise.values.begin(); from != noise.values.end(); from += width) {
    rows.emplace_back(from, from + width);
  }
  return rows;
}

void noise_keys(ConfigVisitor& v, NoiseKey& Q, NoiseKey& R, NoiseKey& P0) {
  noise_key(v, {"Q", "covariance of the noise of the state: a number, a diagonal or a matrix"}, Q);
  noise_key(v, {"R", "covariance of the noise of what is observed, in the same ways"}, R);
  noise_key(v, {"P0", "covariance of the state before the first prediction, in the same ways"}, P0);
}

void form_key(ConfigVisitor& v, KalmanForm& form) {
  v.choice({"form", "how the covariance is kept: by Joseph's form, or by its square root"},
           word_of(kForms, form));
}

void adaption_keys(ConfigVisitor& v, NoiseAdaption& adapt, double& forgetting) {
  v.choice({"adapt", "noise that adapts while the layer learns"}, word_of(kAdaptions, adapt));
  v.where(adapt != NoiseAdaption::none, "adapt: R or Q", [&] {
    v.number({"forgetting", "how much of the noise that adapts a tick leaves"}, forgetting,
             {0.0, 1.0, true, true});
  });
}

std::string adaption_text(NoiseAdaption adapt) {
  if (adapt == NoiseAdaption::none) return {};
  return " adapting " + std::string(name_of(kAdaptions, adapt));
}

AdaptedNoise adapted_noise(NoiseAdaption adapt) {
  return adapt == NoiseAdaption::R   ? AdaptedNoise::observation
         : adapt == NoiseAdaption::Q ? AdaptedNoise::state
                                     : AdaptedNoise::none;
}

void FilterLayerKeys::keys(ConfigVisitor& v) {
  v.forbid({"size", ""},
           "the size of a layer that filters is its number of states, which follows from its model "
           "and from what it observes");
  v.integers({"observes", "inputs that are observed, from 0; default all"}, observes,
             {0, 100000000});
  v.flag({"covariance", "whether results have the covariance of the state at each tick"},
         covariance);
}

void LinearModelKeys::model_key(ConfigVisitor& v) {
  v.word_or_map(
      {"model", "how the state goes on and what is observed of it"},
      {{"level", "velocity", "acceleration"},
       [this] {
         return is_word(model.kind) ? std::string(name_of(kModelWords, model.kind))
                                    : std::string("map");
       },
       [this](const std::string& word) {
         if (word != "map") {
           model.kind = from_name(kModelWords, word, "model");
         } else if (is_word(model.kind)) {
           model.kind = ModelKind::ar;
         }
       }},
      "map", [&] {
        v.one_of({{"ar", "weights of the values before, the last one first"},
                  {"seasonal", "ticks of a season, whose values sum to 0"},
                  {"A", "what the state goes on by, [states, states]; H stands beside it"}},
                 word_of(kModelMaps, model.kind), [&](const Key& key) {
                   const std::string of = key.name;
                   if (of == "ar") v.numbers(key, model.ar, kAnyNumber);
                   if (of == "seasonal") v.integer(key, model.period, {2, 65});
                   if (of != "A") return;
                   v.matrix(key, model.A);
                   v.matrix({"H", "what is observed of the state, [observed, states]"}, model.H);
                 });
      });
}

void LinearModelKeys::keys(ConfigVisitor& v) {
  model_key(v);
  noise_keys(v, Q, R, P0);
  form_key(v, form);
}

LinearModelOptions LinearModelKeys::options() const {
  LinearModelOptions all = model;
  all.Q = rows_of(Q);
  all.R = rows_of(R);
  all.P0 = rows_of(P0);
  return all;
}

std::int64_t LinearModelKeys::states(std::int64_t observed) const {
  try {
    return states_of(model, observed);
  } catch (const ArgumentError&) {
    return 0;
  }
}

std::string LinearModelKeys::summary() const {
  switch (model.kind) {
    case ModelKind::ar:
      return message("ar {}", model.ar.size());
    case ModelKind::seasonal:
      return message("seasonal {}", model.period);
    case ModelKind::matrices:
      return "of matrices";
    default:
      return std::string(name_of(kModelWords, model.kind));
  }
}

void KalmanLayerOptions::keys(ConfigVisitor& v) {
  model.keys(v);
  adaption_keys(v, adapt, forgetting);
  v.flag({"smooth", "whether results have what later ticks say of each tick, too"}, smooth);
  layer.keys(v);
}

std::string KalmanLayerOptions::summary() const { return model.summary() + adaption_text(adapt); }

double KalmanLayerOptions::weights(double inputs, double outputs) const {
  const auto observed = static_cast<double>(layer.observed(static_cast<std::int64_t>(inputs)));
  return outputs * outputs + observed * observed;
}

std::unique_ptr<StateFilter> KalmanLayerOptions::filter_of(std::int64_t inputs) const {
  return std::make_unique<KalmanFilter>(make_linear_model(model.options(), layer.observed(inputs)),
                                        model.form, adapt, forgetting);
}

FilterPlace KalmanLayerOptions::place() const {
  return {.observes = layer.observes,
          .adapts = adapted_noise(adapt),
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
  v.matrix({"transition",
            "how probable it is that the model of the row is followed by that of the "
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
  const auto observed = static_cast<double>(layer.observed(static_cast<std::int64_t>(inputs)));
  return static_cast<double>(models.size()) * (outputs * outputs + observed * observed);
}

std::unique_ptr<StateFilter> RegimesLayerOptions::filter_of(std::int64_t inputs) const {
  std::vector<std::unique_ptr<GaussianFilter>> filters;
  for (const LinearModelKeys& model : models) {
    try {
      filters.push_back(std::make_unique<KalmanFilter>(
          make_linear_model(model.options(), layer.observed(inputs)), model.form));
    } catch (const ArgumentError& error) {
      // "[kalman] Q: expected ..." is about a key of this model.
      const std::string why = error.what();
      const std::string kalman = "[kalman] ";
      if (!why.starts_with(kalman)) throw;
      fail<ArgumentError>("[regimes] models[{}].{}", filters.size(), why.substr(kalman.size()));
    }
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
