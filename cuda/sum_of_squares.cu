// SPDX-License-Identifier: MIT
/// \file
/// The norm of gradients: all arrays together go from elements to sums of tiles, and from those to
/// sums of their tiles, until each array has one number left.
#include "sum_of_squares.cuh"

#include <numeric>
#include <vector>

#include "backend.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

struct SquareTerm {
  __device__ double operator()(double x) const { return x * x; }
};
struct SumTerm {
  __device__ double operator()(double x) const { return x; }
};

/// Collects arrays of one dtype for launches that put the sums of their tiles into `sums`.
template <class T, class Term>
auto tile_sums(double* sums, cudaStream_t stream) {
  const auto start = [sums, stream](const PartTable<SummedPart<T>>& table) {
    launch("sum_of_squares", sum_parts_kernel<T, Term>,
           {.grid = blocks_for(table.tiles, 1), .block = kThreads}, stream, Term{}, table, sums);
  };
  return PartCollector<SummedPart<T>, decltype(start)>(kSummedTile, start);
}

/// The places where the sums of each array's tiles begin, and behind the last one their number.
std::vector<std::int64_t> first_sums(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> first = {0};
  for (const std::int64_t count : counts) {
    first.push_back(first.back() + ceil_div(count, kSummedTile));
  }
  return first;
}

std::int64_t bytes_of(std::int64_t sums) {
  return sums * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

double CudaBackend::sum_of_squares(std::span<const View> views) {
  Call stream = begin({});
  std::vector<View> there;
  std::vector<std::int64_t> counts;
  for (const View& view : views) {
    if (view.count() == 0) continue;
    stream = begin({&view});
    there.push_back(view);
    counts.push_back(view.count());
  }
  if (there.empty()) return 0.0;
  std::vector<std::int64_t> first = first_sums(counts);
  auto sums = std::make_unique<Scratch>(memory_, bytes_of(first.back()), stream);
  auto of_float = tile_sums<float, SquareTerm>(sums->as<double>(), stream);
  auto of_double = tile_sums<double, SquareTerm>(sums->as<double>(), stream);
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i].dtype == DType::float64) {
      of_double.add({.data = there[i].as<double>(), .count = counts[i], .first_sum = first[i]});
    } else {
      of_float.add({.data = there[i].as<float>(), .count = counts[i], .first_sum = first[i]});
    }
  }
  of_float.finish();
  of_double.finish();
  while (first.back() > static_cast<std::int64_t>(there.size())) {
    for (std::size_t i = 0; i < there.size(); ++i) counts[i] = first[i + 1] - first[i];
    const std::vector<std::int64_t> next = first_sums(counts);
    auto fewer = std::make_unique<Scratch>(memory_, bytes_of(next.back()), stream);
    auto of_sums = tile_sums<double, SumTerm>(fewer->as<double>(), stream);
    for (std::size_t i = 0; i < there.size(); ++i) {
      of_sums.add(
          {.data = sums->as<double>() + first[i], .count = counts[i], .first_sum = next[i]});
    }
    of_sums.finish();
    sums = std::move(fewer);
    first = next;
  }
  std::vector<double> of_views(there.size());
  check(cudaMemcpyAsync(of_views.data(), sums->as<double>(), of_views.size() * sizeof(double),
                        cudaMemcpyDeviceToHost, stream),
        "sum_of_squares");
  check(cudaStreamSynchronize(stream), "sum_of_squares");
  return std::accumulate(of_views.begin(), of_views.end(), 0.0);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
