// SPDX-License-Identifier: MIT
/// \file
/// Would the tests of this folder see a mistake in attention of any size, or in its gradients?  As
/// planted_kernels_test.cpp.
#include <cmath>

#include "../../cuda/attention_arguments.h"
#include "caught.h"
#include "device_numbers.h"
#include "planted/attention_backward_no_barrier/attention_backward.cuh"
#include "planted/attention_backward_no_barrier_behind/attention_backward.cuh"
#include "planted/attention_backward_no_mask/attention_backward.cuh"
#include "planted/attention_backward_not_waited/attention_backward.cuh"
#include "planted/attention_backward_off_borders/attention_backward.cuh"
#include "planted/attention_backward_right/attention_backward.cuh"
#include "planted/attention_no_barrier/attention.cuh"
#include "planted/attention_no_mask/attention.cuh"
#include "planted/attention_not_waited/attention.cuh"
#include "planted/attention_off_borders/attention.cuh"
#include "planted/attention_right/attention.cuh"

namespace gaia::test {
namespace {

namespace forward = cuda::attention_right;
namespace backward = cuda::attention_backward_right;
using Numbers = std::vector<double>;

/// Between -1 and 1.
float wave_at(int i) { return std::sin(static_cast<float>(i) * 1.7f); }

/// \throws KernelError.
void finish_stream() { REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess); }

/// Causal attention of 2 batches of 150 queries and keys: several tiles of each for a block.
/// Queries and keys have 63 numbers, and one behind each row that is none of theirs.
class PanelAttention {
 public:
  template <class Kernel>
  Numbers answers(Kernel kernel) const {
    cuda::launch("attention", kernel,
                 {.grid = 1,
                  .block = forward::kPanelThreads,
                  .shared_bytes = forward::Panel<float>::shared_bytes(1)},
                 nullptr, cuda::attention_arguments<float>(inputs_), 0.18f,
                 forward::panel_tiles<float, 1>(kBatches, kRows, kStep), y_.data(), largest_.data(),
                 sums_.data());
    finish_stream();
    Numbers all;
    y_.append_to(all);
    largest_.append_to(all);
    sums_.append_to(all);
    return all;
  }

  /// dq, or dk and dv, of attention that has been answered.
  template <class Kernel>
  Numbers gradients(Kernel kernel) const {
    const DeviceNumbers<float> first(kAll, [](int) { return 0; });
    const DeviceNumbers<float> second(kAll, [](int) { return 0; });
    cuda::launch("gradients", kernel,
                 {.grid = 1,
                  .block = backward::kPanelThreads,
                  .shared_bytes = backward::Panel<float>::shared_bytes(2)},
                 nullptr, cuda::attention_arguments<float>(inputs_), 0.18f,
                 backward::panel_tiles<float, 1>(kBatches, kRows, kStep), dy_.data(),
                 cuda::QueryStatistics<float>{largest_.data(), sums_.data(), products_.data()},
                 first.data(), second.data());
    finish_stream();
    Numbers all;
    first.append_to(all);
    second.append_to(all);
    return all;
  }

 private:
  static constexpr int kBatches = 2;
  static constexpr int kRows = 150;
  static constexpr int kStep = 64;
  static constexpr int kAll = kBatches * kRows * kStep;

  static View view(const DeviceNumbers<float>& x, std::int64_t size) {
    return {x.data(), DType::float32, {kBatches, kRows, size}, {kRows * kStep, kStep, 1}};
  }

  DeviceNumbers<float> q_{kAll, wave_at};
  DeviceNumbers<float> k_{kAll, [](int i) { return wave_at(3 * i); }};
  DeviceNumbers<float> v_{kAll, [](int i) { return wave_at(5 * i); }};
  DeviceNumbers<float> dy_{kAll, [](int i) { return wave_at(7 * i); }};
  DeviceNumbers<float> y_{kAll};
  DeviceNumbers<float> largest_{kBatches * kRows};
  DeviceNumbers<float> sums_{kBatches * kRows};  // stand in for their reciprocals
  DeviceNumbers<float> products_{kBatches * kRows, wave_at};
  AttentionInputs inputs_{.scale = 0.125,
                          .causal = true,
                          .q = view(q_, kStep - 1),
                          .k = view(k_, kStep - 1),
                          .v = view(v_, kStep),
                          .key_lengths = {}};
};

/// Whether `run` of a planted kernel does other than `expected`, which is what the kernel does.
template <class Run>
bool does_other(const Numbers& expected, const Run& run) {
  return is_caught([&] { return run() == expected; });
}

}  // namespace

TEST_CASE("Bugs planted in attention of any size are caught") {
  const PanelAttention attention;
#define GAIA_ANSWERS(build) \
  [&] { return attention.answers(cuda::attention_##build::attention_kernel<float, 1>); }
  const Numbers expected = GAIA_ANSWERS(right)();
  CHECK_FALSE(does_other(expected, GAIA_ANSWERS(right)));
  CHECK(does_other(expected, GAIA_ANSWERS(not_waited)));
  CHECK(does_other(expected, GAIA_ANSWERS(no_barrier)));
  CHECK(does_other(expected, GAIA_ANSWERS(off_borders)));
  CHECK(does_other(expected, GAIA_ANSWERS(no_mask)));
#undef GAIA_ANSWERS
}

TEST_CASE("Bugs planted in gradients of attention of any size are caught") {
  const PanelAttention attention;
  attention.answers(forward::attention_kernel<float, 1>);
#define GAIA_GRADIENTS(build, owner)                                                         \
  [&] {                                                                                      \
    using namespace cuda::attention_backward_##build;                                        \
    return attention.gradients(attention_gradient_kernel<float, 1, cuda::TileOwner::owner>); \
  }
  const Numbers by_queries = GAIA_GRADIENTS(right, queries)();
  const Numbers by_keys = GAIA_GRADIENTS(right, keys)();
  CHECK_FALSE(does_other(by_queries, GAIA_GRADIENTS(right, queries)));
  CHECK_FALSE(does_other(by_keys, GAIA_GRADIENTS(right, keys)));
  CHECK(does_other(by_queries, GAIA_GRADIENTS(not_waited, queries)));
  CHECK(does_other(by_keys, GAIA_GRADIENTS(not_waited, keys)));
  CHECK(does_other(by_queries, GAIA_GRADIENTS(no_barrier, queries)));
  CHECK(does_other(by_keys, GAIA_GRADIENTS(no_barrier, keys)));
  CHECK(does_other(by_queries, GAIA_GRADIENTS(no_barrier_behind, queries)));
  CHECK(does_other(by_queries, GAIA_GRADIENTS(off_borders, queries)));
  CHECK(does_other(by_keys, GAIA_GRADIENTS(off_borders, keys)));
  CHECK(does_other(by_queries, GAIA_GRADIENTS(no_mask, queries)));
  CHECK(does_other(by_keys, GAIA_GRADIENTS(no_mask, keys)));
#undef GAIA_GRADIENTS
}

}  // namespace gaia::test
