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
template <class Core>
void bind_state(nb::class_<Core>& made) {
  made.def("clone", &Core::clone)
      .def("state",
           [](Core& self) {
             nb::dict state;
             const SavedState saved = self.alone([](const auto& one) { return one.save(); });
             for (const auto& [name, values] : saved) state[name.c_str()] = numpy_of(values);
             return state;
           })
      .def("set_state", [](Core& self, const nb::dict& given) {
        SavedState saved;
        for (const auto [name, value] : given) {
          const auto numbers = nb::cast<Numbers>(value);
          saved[nb::cast<std::string>(name)].assign(numbers.data(),
                                                    numbers.data() + numbers.size());
        }
        self.alone([&](auto& one) { one.restore(saved); });
      });
}

template <class Core>
void bind_play(nb::class_<Core>& made) {
  made.def_prop_ro("arms",
                   [](Core& self) { return self.alone([](auto& one) { return one.arms(); }); })
      .def("choose", [](Core& self) { return self.alone([](auto& one) { return one.choose(); }); })
      .def("learn", [](Core& self, std::int64_t arm, double reward) {
        self.alone([&](auto& one) { one.learn(arm, reward); });
      });
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
  thompson.def_prop_ro("stream", [](ThompsonCore& self) {
    return as_pair(self.alone([](auto& one) { return one.options().random; }));
  });
  bind_play(thompson);

  using ShareCore = Guarded<FixedShare>;
  nb::class_<ShareCore> share(module, "_FixedShare");
  share
      .def("__init__",
           [](ShareCore* self, std::int64_t experts, double rate, double shared) {
             new (self) ShareCore(FixedShare(experts, {.rate = rate, .share = shared}));
           })
      .def_prop_ro(
          "experts",
          [](ShareCore& self) { return self.alone([](auto& one) { return one.experts(); }); })
      .def_prop_ro("weights",
                   [](ShareCore& self) {
                     return numpy_of(self.alone([](auto& one) { return one.weights(); }));
                   })
      .def("learn", [](ShareCore& self, const std::vector<double>& losses) {
        self.alone([&](auto& one) { one.learn(losses); });
      });
  bind_state(share);
}

}  // namespace gaia::python
