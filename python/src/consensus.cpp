// SPDX-License-Identifier: MIT
/// \file
/// Estimates that are fused; gaia/_consensus.py is what people see of it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../src/learning/consensus.h"
#include "agent_values.h"
#include "bindings.h"
#include "gil.h"

namespace gaia::python {
namespace {

std::span<const double> span_of(const Numbers& numbers) { return {numbers.data(), numbers.size()}; }

using SharedConsensus = Guarded<Consensus>;

nb::tuple fused(SharedConsensus& shared, std::int64_t estimates, std::int64_t numbers,
                const Numbers& given) {
  const std::vector<double> own(given.data(), given.data() + given.size());
  Consensus::FusedRows rows =
      shared.alone([&](Consensus& consensus) { return consensus.fuse_rows(own); });
  const std::int64_t count = std::ssize(rows.means) / numbers;
  return nb::make_tuple(
      numpy_of(std::move(rows.means), {count, numbers}),
      numpy_of(std::move(rows.covariances), {count, numbers, numbers}),
      numpy_of(std::vector<double>(rows.outlier.begin(), rows.outlier.end()), {count, estimates}));
}

}  // namespace

void bind_consensus(nb::module_& module) {
  nb::class_<SharedConsensus>(module, "_Consensus")
      .def("__init__",
           [](SharedConsensus* made, const Numbers& errors, std::int64_t estimates,
              std::int64_t numbers, const std::string& covariance) {
             new (made) SharedConsensus(Consensus(span_of(errors), estimates, numbers,
                                                  consensus_covariance_from_name(covariance)));
           })
      .def("fuse", [](SharedConsensus& shared, const Numbers& given, std::int64_t estimates,
                      std::int64_t numbers) { return fused(shared, estimates, numbers, given); })
      .def("covariance_of_all",
           [](SharedConsensus& shared) {
             const auto of_all =
                 shared.alone([](Consensus& one) { return one.covariance_of_all(); });
             const auto numbers = shared.alone([](Consensus& one) { return one.numbers(); });
             return numpy_of(of_all, {numbers, numbers});
           })
      .def("limit", guarded<SharedConsensus>(&Consensus::limit))
      .def("errors", [](SharedConsensus& shared) {
        const auto errors = shared.alone([](Consensus& one) { return one.errors(); });
        const auto width =
            shared.alone([](Consensus& one) { return one.estimates() * one.numbers(); });
        return numpy_of(errors, {width, width});
      });
  module.def("_second_moment", [](const Numbers& errors, std::int64_t width) {
    return numpy_of(second_moment(span_of(errors), width), {width, width});
  });
}

}  // namespace gaia::python
