// SPDX-License-Identifier: MIT
/// \file
/// Filters of hidden states; gaia/_filters.py is what people see of them.
#include "filters.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../src/filters/extended_kalman_filter.h"
#include "../../src/filters/kalman_filter.h"
#include "../../src/filters/particle_filter.h"
#include "../../src/filters/regime_changes.h"
#include "../../src/filters/regimes.h"
#include "../../src/filters/smoother.h"
#include "../../src/filters/unscented_kalman_filter.h"
#include "bindings.h"

namespace gaia::python {
namespace {

/// What a filter knows, as a NumPy array of streams.
template <class Read>
nb::object of_streams(SharedFilter& shared, const Read& read,
                      const std::vector<std::int64_t>& shape) {
  std::int64_t streams = 0;
  std::vector<double> numbers = shared.alone([&](const HeldFilter& held) {
    streams = held.filter->streams();
    const auto found = read(*held.filter);
    return std::vector<double>(found.begin(), found.end());
  });
  std::vector<std::int64_t> all = {streams};
  all.insert(all.end(), shape.begin(), shape.end());
  return numpy_of(std::move(numbers), all);
}

std::pair<std::int64_t, std::int64_t> sizes_of(SharedFilter& shared) {
  return shared.alone([](const HeldFilter& held) {
    return std::pair(held.filter->states(), held.filter->observed());
  });
}

nb::object square(SharedFilter& shared, std::span<const double> (StateFilter::*read)() const,
                  std::int64_t size) {
  std::vector<double> numbers = shared.alone([&](const HeldFilter& held) {
    const auto found = ((*held.filter).*read)();
    return std::vector<double>(found.begin(), found.end());
  });
  return numpy_of(std::move(numbers), {size, size});
}

nb::tuple update(SharedFilter& shared, const Numbers& rows, bool adapt) {
  const std::vector<double> own(rows.data(), rows.data() + rows.size());
  FilterTick found;
  shared.alone([&](HeldFilter& held) { held.filter->update(own, adapt, found); });
  const auto streams = std::ssize(found.nis);
  const auto observed = std::ssize(found.innovation) / streams;
  return nb::make_tuple(numpy_of(std::move(found.log_likelihood)),
                        numpy_of(std::move(found.innovation), {streams, observed}),
                        numpy_of(std::move(found.nis)));
}

LinearModelOptions::Kind kind_of(const std::string& function, const std::string& name) {
  using Kind = LinearModelOptions::Kind;
  for (const auto& [kind, known] :
       {std::pair(Kind::level, "level"), std::pair(Kind::velocity, "velocity"),
        std::pair(Kind::acceleration, "acceleration"), std::pair(Kind::ar, "ar"),
        std::pair(Kind::seasonal, "seasonal"), std::pair(Kind::matrices, "matrices")}) {
    if (name == known) return kind;
  }
  throw ArgumentError("[" + function +
                      "] model: expected level, velocity, acceleration, {'ar': [...]}, "
                      "{'seasonal': p} or {'A': ..., 'H': ...}, got '" +
                      name + "'");
}

LinearModelOptions linear_options(const std::string& function, const std::string& kind,
                                  const std::vector<double>& ar, std::int64_t period,
                                  const MatrixRows& A, const MatrixRows& H, const MatrixRows& Q,
                                  const MatrixRows& R, const MatrixRows& P0) {
  LinearModelOptions options = {
      .kind = kind_of(function, kind), .ar = ar, .period = period, .A = A, .H = H};
  options.Q = Q;
  options.R = R;
  options.P0 = P0;
  return options;
}

KalmanForm form_of(const std::string& function, const std::string& form) {
  if (form == "joseph") return KalmanForm::joseph;
  if (form == "root") return KalmanForm::root;
  throw ArgumentError("[" + function + "] form: expected joseph or root, got '" + form + "'");
}

using NamedNumbers = std::vector<std::pair<std::string, double>>;

NonlinearModelOptions written_options(const std::string& state, const std::string& observation,
                                      const NamedNumbers& parameters, const MatrixRows& Q,
                                      const MatrixRows& R, const MatrixRows& P0) {
  return {.text = {.state = state, .observation = observation, .parameters = parameters},
          .Q = Q,
          .R = R,
          .P0 = P0};
}

std::vector<double> quantile(SharedFilter& shared, double probability) {
  return shared.alone([&](const HeldFilter& held) {
    return dynamic_cast<const ParticleFilter&>(*held.filter).quantile(probability);
  });
}

using MadeFilter = std::unique_ptr<SharedFilter>;

/// A filter of its own.
template <class Filter, class... Given>
MadeFilter made(Given&&... given) {
  return std::make_unique<SharedFilter>(
      HeldFilter(std::make_unique<Filter>(std::forward<Given>(given)...)));
}

MadeFilter kalman_of(const std::string& kind, const std::vector<double>& ar, std::int64_t period,
                     const MatrixRows& A, const MatrixRows& H, const MatrixRows& Q,
                     const MatrixRows& R, const MatrixRows& P0, std::int64_t observed,
                     const std::string& form, const std::string& adapt, double forgetting,
                     std::int64_t streams) {
  KalmanOptions options;
  options.model = linear_options("KalmanFilter", kind, ar, period, A, H, Q, R, P0);
  options.form = form_of("KalmanFilter", form);
  options.adapt = adaption_of("KalmanFilter", adapt);
  options.forgetting = forgetting;
  return made<KalmanFilter>(options, observed, streams);
}

MadeFilter regimes_of(const std::vector<SharedFilter*>& models, const Numbers& transition,
                      const std::vector<double>& initial) {
  std::vector<std::unique_ptr<GaussianFilter>> filters;
  for (SharedFilter* const shared : models) {
    filters.push_back(shared->alone([](const HeldFilter& held) {
      auto* const gaussian = dynamic_cast<const GaussianFilter*>(held.filter.get());
      if (gaussian == nullptr) {
        throw ArgumentError(
            "[RegimesFilter] models: expected Kalman filters, got a filter of type " +
            held.filter->type());
      }
      return std::unique_ptr<GaussianFilter>(
          static_cast<GaussianFilter*>(gaussian->clone().release()));
    }));
  }
  RegimesOptions options;
  options.transition.assign(transition.data(), transition.data() + transition.size());
  options.initial = initial;
  return made<RegimesFilter>(std::move(filters), options);
}

}  // namespace

NoiseAdaption adaption_of(const std::string& function, const std::string& name) {
  if (name == "none") return NoiseAdaption::none;
  if (name == "Q") return NoiseAdaption::Q;
  if (name == "R") return NoiseAdaption::R;
  throw ArgumentError("[" + function + "] adapt: expected None, 'R' or 'Q', got '" + name + "'");
}

void bind_filters(nb::module_& module) {
  nb::class_<SharedFilter>(module, "_Filter")
      .def("clone", [](SharedFilter& shared) { return shared.clone(); })
      .def("type", guarded<SharedFilter>(&StateFilter::type))
      .def("streams", guarded<SharedFilter>(&StateFilter::streams))
      .def("sizes", &sizes_of)
      .def("begin", guarded<SharedFilter>(&StateFilter::begin))
      .def("predict", guarded<SharedFilter>(&StateFilter::predict))
      .def("update", &update)
      .def("mean",
           [](SharedFilter& shared) {
             return of_streams(shared, [](const StateFilter& one) { return one.mean(); },
                               {sizes_of(shared).first});
           })
      .def("covariance",
           [](SharedFilter& shared) {
             const std::int64_t n = sizes_of(shared).first;
             return of_streams(shared, [](const StateFilter& one) { return one.covariance(); },
                               {n, n});
           })
      .def("quantile",
           [](SharedFilter& shared, double probability) {
             std::vector<double> found = quantile(shared, probability);
             const std::int64_t n = sizes_of(shared).first;
             const std::int64_t streams = std::ssize(found) / n;
             return numpy_of(std::move(found), {streams, n});
           })
      .def("effective_particles",
           [](SharedFilter& shared) {
             return numpy_of(shared.alone([](const HeldFilter& held) {
               return dynamic_cast<const ParticleFilter&>(*held.filter).effective_particles();
             }));
           })
      .def("probabilities",
           [](SharedFilter& shared) {
             const std::int64_t models = shared.alone([](const HeldFilter& held) {
               return std::ssize(held.filter->probabilities()) / held.filter->streams();
             });
             return of_streams(shared, [](const StateFilter& one) { return one.probabilities(); },
                               {models});
           })
      .def("Q",
           [](SharedFilter& shared) {
             return square(shared, &StateFilter::state_noise, sizes_of(shared).first);
           })
      .def("R",
           [](SharedFilter& shared) {
             return square(shared, &StateFilter::observation_noise, sizes_of(shared).second);
           })
      .def("A", [](SharedFilter& shared) {
        const std::int64_t n = sizes_of(shared).first;
        return numpy_of(shared.alone([](const HeldFilter& held) {
          return dynamic_cast<const KalmanFilter&>(*held.filter).model().A;
        }),
                        {n, n});
      });
  module.def("_kalman_filter", &kalman_of);
  module.def(
      "_extended_kalman_filter",
      [](const std::string& state, const std::string& observation, const NamedNumbers& parameters,
         const MatrixRows& Q, const MatrixRows& R, const MatrixRows& P0, const std::string& form,
         const std::string& adapt, double forgetting, std::int64_t streams) {
        const ExtendedKalmanOptions options{
            .model = written_options(state, observation, parameters, Q, R, P0),
            .form = form_of("ExtendedKalmanFilter", form),
            .adapt = adaption_of("ExtendedKalmanFilter", adapt),
            .forgetting = forgetting};
        return made<ExtendedKalmanFilter>(options, streams);
      });
  module.def(
      "_unscented_kalman_filter",
      [](const std::string& state, const std::string& observation, const NamedNumbers& parameters,
         const MatrixRows& Q, const MatrixRows& R, const MatrixRows& P0, double alpha, double beta,
         std::optional<double> kappa, std::int64_t streams) {
        const UnscentedKalmanOptions options{
            .model = written_options(state, observation, parameters, Q, R, P0),
            .points = {.alpha = alpha, .beta = beta, .kappa = kappa}};
        return made<UnscentedKalmanFilter>(options, streams);
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
      nb::arg().none(), nb::arg());
  module.def(
      "_linear_particle_filter",
      [](const std::string& kind, const std::vector<double>& ar, std::int64_t period,
         const MatrixRows& A, const MatrixRows& H, const MatrixRows& Q, const MatrixRows& R,
         const MatrixRows& P0, std::int64_t observed, std::int64_t particles, double resample_below,
         std::uint64_t seed, std::int64_t streams) {
        const ParticleOptions options{
            .particles = particles, .resample_below = resample_below, .seed = seed};
        return made<ParticleFilter>(
            StateModel(make_linear_model(
                linear_options("ParticleFilter", kind, ar, period, A, H, Q, R, P0), observed)),
            options, streams);
      });
  module.def(
      "_particle_filter",
      [](const std::string& state, const std::string& observation, const NamedNumbers& parameters,
         const MatrixRows& Q, const MatrixRows& R, const MatrixRows& P0, std::int64_t particles,
         double resample_below, std::uint64_t seed, std::int64_t streams) {
        const ParticleOptions options{
            .particles = particles, .resample_below = resample_below, .seed = seed};
        return made<ParticleFilter>(
            StateModel("particle", written_options(state, observation, parameters, Q, R, P0)),
            options, streams);
      });
  module.def("_regimes_filter", &regimes_of);
  module.def("_regime_changes", [](const Numbers& probabilities, std::int64_t models) {
    std::vector<std::vector<std::int64_t>> changes;
    for (const RegimeChange& change :
         regime_changes({probabilities.data(), probabilities.size()}, models)) {
      changes.push_back({change.tick, change.from, change.to});
    }
    return changes;
  });
  module.def("_smooth", [](std::int64_t states, const Numbers& mean, const Numbers& covariance,
                           const Numbers& A, const Numbers& Q) {
    const auto span_of = [](const Numbers& numbers) {
      return std::span<const double>(numbers.data(), numbers.size());
    };
    SmoothedTrial smoothed = smooth({.states = states,
                                     .mean = span_of(mean),
                                     .covariance = span_of(covariance),
                                     .A = span_of(A),
                                     .Q = span_of(Q)});
    const auto ticks = std::ssize(smoothed.mean) / states;
    return nb::make_tuple(numpy_of(std::move(smoothed.mean), {ticks, states}),
                          numpy_of(std::move(smoothed.covariance), {ticks, states, states}));
  });
}

}  // namespace gaia::python
