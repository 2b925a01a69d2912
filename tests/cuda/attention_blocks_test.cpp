// SPDX-License-Identifier: MIT
/// \file
/// Kernels of attention whose blocks make several tiles one after the other, as they do where there
/// are more tiles than a grid has blocks.
#include <cmath>

#include "../../cuda/attention.cuh"
#include "../../cuda/attention_arguments.h"
#include "../../cuda/attention_backward.cuh"
#include "../../cuda/attention_backward_sm80.cuh"
#include "../../cuda/attention_sm80.cuh"
#include "../emulator/schedules.h"
#include "device_numbers.h"

namespace gaia::test {
namespace {

namespace kernels = cuda::emulated;
using cuda::TileOwner;
using Numbers = std::vector<double>;

constexpr int kBatches = 3;

struct Sizes {
  int queries, keys, size, width;
};

/// Operands of three batches, of which the first has seven keys and the second none.
template <class T>
class BlocksOfAttention {
 public:
  BlocksOfAttention(const Sizes& n, bool causal)
      : n_(n),
        q_(count(n.queries, n.size), [](int i) { return wave(i); }),
        k_(count(n.keys, n.size), [](int i) { return wave(3 * i); }),
        v_(count(n.keys, n.width), [](int i) { return wave(5 * i); }),
        dy_(count(n.queries, n.width), [](int i) { return wave(7 * i); }),
        lengths_(kBatches, [&](int i) { return i == 0   ? 7
                                               : i == 1 ? 0
                                                        : n.keys; }),
        largest_(count(n.queries, 1), [](int) { return 0.0f; }),
        shares_(count(n.queries, 1), [](int i) { return 1 + wave(i) / 2; }),
        products_(count(n.queries, 1), [](int i) { return wave(11 * i); }),
        inputs_{.scale = 0.125,
                .causal = causal,
                .q = view(q_, n.queries, n.size),
                .k = view(k_, n.keys, n.size),
                .v = view(v_, n.keys, n.width),
                .key_lengths = View{lengths_.data(), DType::int64, {kBatches}, {1}}} {}

  /// `blocks` 0 stands for as many as there are tiles.
  template <int Across>
  Numbers answers_by_panels(int blocks) const {
    using P = kernels::Panel<T>;
    const std::int64_t tiles = kernels::panel_tiles<T, Across>(kBatches, n_.queries, n_.width);
    return results<T>(n_.queries, n_.width, n_.queries, 2, [&](T* y, T* statistics) {
      start(kernels::attention_kernel<T, Across>, tiles, blocks, kernels::kPanelThreads,
            P::shared_bytes(P::across(n_.size)), T(0.18), tiles, y, statistics,
            statistics + kBatches * n_.queries);
    });
  }

  template <int Across, TileOwner owner>
  Numbers gradients_by_panels(int blocks) const {
    using P = kernels::Panel<T>;
    constexpr bool by_queries = owner == TileOwner::queries;
    const int rows = by_queries ? n_.queries : n_.keys;
    const std::int64_t tiles = kernels::panel_tiles<T, Across>(
        kBatches, rows, by_queries ? n_.size : std::max(n_.size, n_.width));
    return results<T>(rows, n_.size, n_.keys, n_.width, [&](T* first, T* dv) {
      start(kernels::attention_gradient_kernel<T, Across, owner>, tiles, blocks,
            kernels::kPanelThreads, P::shared_bytes(P::across(n_.size) + P::across(n_.width)),
            T(0.18), tiles, dy_.data(),
            kernels::QueryStatistics<T>{largest_.data(), shares_.data(), products_.data()}, first,
            dv);
    });
  }

  template <int Size>
  Numbers answers_by_tensor_cores(int blocks) const {
    using P = kernels::MmaAttention<T, Size>;
    const std::int64_t tiles = kBatches * kernels::ceil_div(n_.queries, P::kQueries);
    return results<float>(n_.queries, Size, n_.queries, 2, [&](float* y, float* statistics) {
      start(kernels::attention_mma_kernel<T, Size>, tiles, blocks, kernels::kMmaThreads,
            P::kSharedBytes, 0.18f, tiles, y, statistics, statistics + kBatches * n_.queries);
    });
  }

  template <int Size, TileOwner owner>
  Numbers gradients_by_tensor_cores(int blocks) const {
    using P = kernels::MmaGradient<T, Size, owner>;
    const int rows = owner == TileOwner::queries ? n_.queries : n_.keys;
    const std::int64_t tiles = kBatches * kernels::ceil_div(rows, P::kOwn);
    const DeviceNumbers<float> largest(count(n_.queries, 1), [](int) { return 0; });
    const DeviceNumbers<float> shares(count(n_.queries, 1), [](int i) { return 1 + wave(i) / 2; });
    const DeviceNumbers<float> products(count(n_.queries, 1), [](int i) { return wave(11 * i); });
    return results<float>(rows, Size, n_.keys, Size, [&](float* first, float* dv) {
      start(kernels::attention_gradient_mma_kernel<T, Size, owner>, tiles, blocks,
            kernels::kMmaThreads, P::kSharedBytes, 0.125f, 0.18f, tiles, dy_.data(),
            kernels::QueryStatistics<float>{largest.data(), shares.data(), products.data()}, first,
            dv);
    });
  }

 private:
  /// Between -1 and 1.
  static float wave(int i) { return std::sin(static_cast<float>(i) * 1.7f); }
  static std::size_t count(int rows, int columns) {
    return static_cast<std::size_t>(kBatches) * static_cast<std::size_t>(rows) *
           static_cast<std::size_t>(columns);
  }
  static View view(const DeviceNumbers<T>& x, std::int64_t rows, std::int64_t columns) {
    return {x.data(), dtype_of<T>(), {kBatches, rows, columns}, {rows * columns, columns, 1}};
  }

  /// What run(first, second) writes to matrices of these sizes, a batch after the other.
  template <class Y, class Run>
  static Numbers results(int first_rows, int first_columns, int second_rows, int second_columns,
                         const Run& run) {
    const DeviceNumbers<Y> first(count(first_rows, first_columns), [](int) { return 0; });
    const DeviceNumbers<Y> second(count(second_rows, second_columns), [](int) { return 0; });
    run(first.data(), second.data());
    REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
    Numbers all;
    first.append_to(all);
    second.append_to(all);
    return all;
  }

  template <class Kernel, class... More>
  void start(Kernel kernel, std::int64_t tiles, int blocks, int threads, std::size_t shared_bytes,
             const More&... more) const {
    const auto grid = static_cast<unsigned>(blocks > 0 ? blocks : static_cast<int>(tiles));
    cuda::launch(
        "attention", kernel,
        {.grid = grid, .block = static_cast<unsigned>(threads), .shared_bytes = shared_bytes},
        nullptr, kernels::attention_arguments<T>(inputs_), more...);
  }

  Sizes n_;
  DeviceNumbers<T> q_;
  DeviceNumbers<T> k_;
  DeviceNumbers<T> v_;
  DeviceNumbers<T> dy_;
  DeviceNumbers<std::int64_t> lengths_;
  DeviceNumbers<T> largest_;
  DeviceNumbers<T> shares_;
  DeviceNumbers<T> products_;
  AttentionInputs inputs_;
};

/// Checks that one block, and two, come to the bits of a block for each tile.
template <class Run>
void check_blocks(const Run& run) {
  const Numbers expected = run(0);
  for (const double number : expected) REQUIRE_FALSE(std::isnan(number));
  for_each_schedule([&](const std::string& schedule) {
    INFO(schedule);
    for (const int blocks : {1, 2}) {
      INFO(blocks << " blocks");
      CHECK((run(blocks) == expected));
    }
  });
}

template <class T, int Across>
void check_panels(const Sizes& n) {
  for (const bool causal : {false, true}) {
    INFO(n.queries << " " << n.keys << " " << n.size << " " << n.width << " " << causal);
    const BlocksOfAttention<T> attention(n, causal);
    check_blocks([&](int blocks) { return attention.template answers_by_panels<Across>(blocks); });
    check_blocks([&](int blocks) {
      return attention.template gradients_by_panels<Across, TileOwner::queries>(blocks);
    });
    check_blocks([&](int blocks) {
      return attention.template gradients_by_panels<Across, TileOwner::keys>(blocks);
    });
  }
}

template <class T, int Size>
void check_tensor_cores(const Sizes& n) {
  for (const bool causal : {false, true}) {
    INFO(Size << " " << causal);
    const BlocksOfAttention<T> attention(n, causal);
    check_blocks(
        [&](int blocks) { return attention.template answers_by_tensor_cores<Size>(blocks); });
    check_blocks([&](int blocks) {
      return attention.template gradients_by_tensor_cores<Size, TileOwner::queries>(blocks);
    });
    check_blocks([&](int blocks) {
      return attention.template gradients_by_tensor_cores<Size, TileOwner::keys>(blocks);
    });
  }
}

}  // namespace

TEST_CASE("Blocks that make several tiles of attention come to the same bits") {
  check_panels<float, 1>({70, 70, 7, 5});     // panels of own rows stay
  check_panels<float, 1>({10, 140, 64, 0});   // no values
  check_panels<float, 1>({70, 66, 0, 9});     // scores of nothing
  check_panels<float, 2>({70, 66, 70, 140});  // they come again and again
  check_panels<float, 2>({66, 10, 130, 3});   // more panels for dk than for dv
  check_panels<float, 2>({66, 70, 3, 130});   // and fewer
  check_panels<double, 1>({70, 40, 40, 70});
  check_panels<double, 1>({40, 70, 5, 3});
}

TEST_CASE("Blocks that make several tiles of attention by tensor cores come to the same bits") {
  check_tensor_cores<bfloat16, 64>({140, 150, 64, 64});
  check_tensor_cores<bfloat16, 128>({140, 70, 128, 128});
  check_tensor_cores<float, 64>({70, 150, 64, 64});
  check_tensor_cores<float, 128>({70, 66, 128, 128});
}

}  // namespace gaia::test
