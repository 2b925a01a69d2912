// SPDX-License-Identifier: MIT
/// \file
/// Products with packed codes; threads share the outputs.
#include "vector/ternary.h"

#include <algorithm>

#include "../src/core/parallel.h"
#include "backend.h"

namespace gaia::cpu {
namespace {

/// Products that a task computes at least, and the outputs that it takes at a time.
constexpr std::int64_t kProductsOfTask = 1 << 17;
constexpr std::int64_t kOutputsOfTask = 4;

}  // namespace

void CpuBackend::ternary_product(const TernaryRun& run) {
  dispatch_floating(run.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const TernaryRows<T> of{.x = run.x.as<T>(),
                            .packed = run.packed.as<std::int32_t>(),
                            .y = run.y.as<T>(),
                            .rows = run.x.shape[0],
                            .columns = run.x.shape[1],
                            .words = run.packed.shape[1],
                            .outputs = run.packed.shape[0]};
    const std::int64_t products_of_output = std::max<std::int64_t>(1, of.rows * of.columns);
    const std::int64_t outputs =
        (std::max(kOutputsOfTask, kProductsOfTask / products_of_output) + kOutputsOfTask - 1) /
        kOutputsOfTask * kOutputsOfTask;
    const auto kernel = GAIA_VECTOR_KERNEL(ternary_outputs<T>);
    parallel_for((of.outputs + outputs - 1) / outputs, [&](std::int64_t task) {
      kernel(of, task * outputs, std::min((task + 1) * outputs, of.outputs));
    });
  });
}

}  // namespace gaia::cpu
