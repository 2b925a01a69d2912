// SPDX-License-Identifier: MIT
/// \file
/// Bandits and fixed share; gaia/_bandits.py is what people see of them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include "../../src/agents/bandits/fixed_share.h"
#include "../../src/agents/bandits/thompson_sampling.h"
#include "../../src/agents/bandits/ucb1.h"
#include "agent_values.h"
#include "bindings.h"

namespace gaia::python {
namespace {

using namespace agents;

/// What all three have: copies, and their state as arrays by name.
template <class Thing>
void bind_state(nb::class_<Guarded<Thing>>& made) {
  made.def("clone", &Guarded<Thing>::clone)
      .def("state", guarded<Guarded<Thing>>(&Thing::save, &state_as_dict))
      .def("set_state", [](Guarded<Thing>& self, const nb::dict& given) {
        const SavedState saved = saved_state_of(given);
        self.alone([&](Thing& one) { one.restore(saved); });
      });
}

template <class Thing>
void bind_play(nb::class_<Guarded<Thing>>& made) {
  made.def_prop_ro("arms", guarded<Guarded<Thing>>(&Thing::arms))
      .def("choose", guarded<Guarded<Thing>>(&Thing::choose))
      .def("learn", guarded<Guarded<Thing>>(&Thing::learn));
  bind_state(made);
}

}  // namespace

void bind_bandits(nb::module_& module) {
  using UCB1Core = Guarded<UCB1>;
  nb::class_<UCB1Core> ucb1(module, "_UCB1");
  ucb1.def("__init__", [](UCB1Core* self, std::int64_t arms) { new (self) UCB1Core(UCB1(arms)); });
  bind_play(ucb1);

  using ThompsonCore = Guarded<ThompsonSampling>;
  nb::class_<ThompsonCore> thompson(module, "_ThompsonSampling");
  thompson.def(
      "__init__",
      [](ThompsonCore* self, std::int64_t arms, double prior_wins, double prior_losses,
         std::optional<std::uint64_t> seed, const std::optional<Stream>& stream) {
        new (self) ThompsonCore(ThompsonSampling(arms, {.prior_wins = prior_wins,
                                                        .prior_losses = prior_losses,
                                                        .random = agent_stream(seed, stream)}));
      },
      nb::arg("arms"), nb::arg("prior_wins"), nb::arg("prior_losses"), nb::arg("seed").none(),
      nb::arg("stream").none());
  thompson.def_prop_ro("stream", guarded<ThompsonCore>(&ThompsonSampling::options, stream_as_pair));
  bind_play(thompson);

  using ShareCore = Guarded<FixedShare>;
  nb::class_<ShareCore> share(module, "_FixedShare");
  share
      .def("__init__",
           [](ShareCore* self, std::int64_t experts, double rate, double shared) {
             new (self) ShareCore(FixedShare(experts, {.rate = rate, .share = shared}));
           })
      .def_prop_ro("experts", guarded<ShareCore>(&FixedShare::experts))
      .def_prop_ro("weights", guarded<ShareCore>(&FixedShare::weights, as_numpy))
      .def("learn", guarded<ShareCore>(&FixedShare::learn));
  bind_state(share);
}

}  // namespace gaia::python
