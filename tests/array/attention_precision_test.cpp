// SPDX-License-Identifier: MIT
/// \file
/// Attention where less than float32 is allowed, on each device: on a GPU this is what confirms how
/// the operands of tensor cores lie.
#include "../reference/attention_problem.h"
#include "../support/devices.h"
#include "../support/log_capture.h"

namespace gaia::test {

TEST_CASE("attention and its gradients are as exact as their precision allows") {
  const LogCapture log;  // the CPU has no kernel for bfloat16, and says so
  for (const auto& [dtype, precision] : tensor_core_kinds()) {
    for (const bool causal : {false, true}) {
      for (const AttentionProblem& problem :
           {AttentionProblem{dtype, precision, 70, 90, 64, causal},
            AttentionProblem{dtype, precision, 40, 50, 128, causal}}) {
        INFO(problem);
        const AttentionNumbers wanted = exact_attention(problem, {45, 17});
        on_each_device([&] {
          check_attention(computed_attention(problem, {45, 17}), wanted, limits_of(problem));
        });
      }
    }
  }
}

}  // namespace gaia::test
