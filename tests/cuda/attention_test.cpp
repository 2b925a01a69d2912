// SPDX-License-Identifier: MIT
/// \file
/// Attention where tiles of queries, keys and columns begin and end.
#include <limits>

#include "../../src/array/fused.h"
#include "../../src/array/ops.h"
#include "../support/long_tests.h"
#include "as_on_cpu.h"

namespace gaia::test {
namespace {

struct AttentionSizes {
  std::int64_t queries, keys, size, width;
};

std::vector<Array> run(std::mt19937_64& engine, const AttentionSizes& n, DType dtype,
                       const AttentionOptions& options, double absent = 0.0) {
  const Array q = some(engine, {2, 2, n.queries, n.size}, dtype);
  const Array k = some(engine, {2, 1, n.keys, n.size}, dtype, Layout::transposed);
  const Array v = some(engine, {2, n.keys, 2, n.width}, dtype).swapaxes(1, 2);
  const Array dy = some(engine, {2, 2, n.queries, n.width}, dtype);
  AttentionOptions all = options;
  if (options.key_lengths) {
    all.key_lengths =
        from_values(options.key_lengths->to_vector<double>(), {2, 1}).astype(DType::int64);
    if (n.keys > 40) {  // what is not there may be anything
      k.slice(2, 40, {}).fill(absent);
      v.slice(2, 40, {}).fill(absent);
    }
  }
  const AttentionResult forward = attention_forward(q, k, v, all);
  const AttentionGradients back =
      attention_backward(dy, q, k.broadcast_to({2, 2, n.keys, n.size}), v, forward, all);
  return {forward.y, forward.largest, forward.sum, back.q, back.k, back.v};
}

}  // namespace

TEST_CASE("Attention and its gradients agree with the CPU around tiles") {
  const std::vector<AttentionSizes> sizes = {{1, 1, 1, 1},     {64, 64, 16, 64}, {65, 63, 17, 5},
                                             {33, 130, 8, 65}, {31, 32, 33, 33}, {70, 3, 40, 2},
                                             {20, 40, 70, 70}, {9, 70, 130, 40}, {66, 5, 3, 200}};
  for (const AttentionSizes& n : sizes) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      if (dtype == DType::float64 && n.queries * n.keys > 2000) continue;  // its tiles are half
      for (const bool causal : {false, true}) {
        INFO(n.queries << " " << n.keys << " " << n.size << " " << n.width << " " << causal);
        check_as_on_cpu(
            [&](std::mt19937_64& engine) {
              return run(engine, n, dtype, {.scale = 0.3, .causal = causal});
            },
            64, 64);
      }
    }
  }
}

TEST_CASE("Rows of attention may begin anywhere, and lie any number apart") {
  const auto part = [](std::mt19937_64& engine, DType dtype, std::int64_t rows, std::int64_t size,
                       std::int64_t first, std::int64_t step) {
    return some(engine, {rows, step}, dtype).slice(1, first, first + size);
  };
  // Each row on a border of packs, each off it, every second one on it; ends on borders and not;
  // panels that a block keeps, and too many for that.
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const auto& [first, step] : {std::pair{4, 140}, {3, 140}, {2, 138}, {0, 137}}) {
      for (const std::int64_t size : {64, 66, 132}) {
        INFO(to_string(dtype) << " " << first << " " << step << " " << size);
        check_as_on_cpu(
            [&](std::mt19937_64& engine) -> std::vector<Array> {
              const Array q = part(engine, dtype, 30, size, first, step);
              const Array k = part(engine, dtype, 70, size, first, step);
              const Array v = part(engine, dtype, 70, size, first, step);
              const AttentionResult forward = attention_forward(q, k, v, {.causal = true});
              const AttentionGradients back =
                  attention_backward(q, q, k, v, forward, {.causal = true});
              return {forward.y, back.q, back.k, back.v};
            },
            64, 64);
      }
    }
  }
}

TEST_CASE("Attention of random sizes and its gradients agree with the CPU") {
  std::mt19937_64 engine(3);
  const auto length = [&] {
    return static_cast<std::int64_t>(engine() % (engine() % 4 ? 140 : 3));
  };
  for (int trial = 0; trial < few_or_many(10, 24); ++trial) {
    const AttentionSizes n{length(), length(), length(), length()};
    const DType dtype = engine() % 2 == 0 ? DType::float32 : DType::float64;
    const bool causal = engine() % 2 == 0;
    INFO(n.queries << " " << n.keys << " " << n.size << " " << n.width << " " << to_string(dtype)
                   << " " << causal);
    check_as_on_cpu(
        [&](std::mt19937_64& numbers) {
          return run(numbers, n, dtype, {.scale = 0.05, .causal = causal});
        },
        64, 64);
  }
}

TEST_CASE("Keys that are not there may be NaN and infinite") {
  for (const double absent : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const bool causal : {false, true}) {
      AttentionOptions options{.causal = causal};
      {
        const GPUContext cpu(Device::cpu());
        options.key_lengths = from_values(std::vector<double>{40, 0}, Shape{2, 1});
      }
      check_as_on_cpu(
          [&](std::mt19937_64& engine) {
            return run(engine, {50, 70, 9, 7}, DType::float32, options, absent);
          },
          64, 64);
    }
  }
}

}  // namespace gaia::test
