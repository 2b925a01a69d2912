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

/// Collects arrays of one dtype and launches as few kernels as their number allows.
template <class T, class Term>
class TileSummation {
 public:
  TileSummation(double* sums, cudaStream_t stream) : sums_(sums), stream_(stream) {}

  void add(const T* data, std::int64_t count, std::int64_t first_sum) {
    if (table_.parts == SummedTable<T>::kMost) run();
    table_.part[table_.parts++] = {data, count, table_.tiles, first_sum};
    table_.tiles += ceil_div(count, kSummedTile);
  }

  /// Launches what has been collected.
  void run() {
    if (table_.parts > 0) {
      launch("sum_of_squares", sum_parts_kernel<T, Term>,
             {.grid = blocks_for(table_.tiles, 1), .block = kThreads}, stream_, Term{}, table_,
             sums_);
    }
    table_ = {};
  }

 private:
  double* sums_;
  cudaStream_t stream_;
  SummedTable<T> table_{};
};

/// Where the sums of each array's tiles begin, and behind the last one how many there are.
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
  cudaStream_t stream = begin({});
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
  TileSummation<float, SquareTerm> of_float(sums->as<double>(), stream);
  TileSummation<double, SquareTerm> of_double(sums->as<double>(), stream);
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i].dtype == DType::float64) {
      of_double.add(there[i].as<double>(), counts[i], first[i]);
    } else {
      of_float.add(there[i].as<float>(), counts[i], first[i]);
    }
  }
  of_float.run();
  of_double.run();
  while (first.back() > static_cast<std::int64_t>(there.size())) {
    for (std::size_t i = 0; i < there.size(); ++i) counts[i] = first[i + 1] - first[i];
    const std::vector<std::int64_t> next = first_sums(counts);
    auto fewer = std::make_unique<Scratch>(memory_, bytes_of(next.back()), stream);
    TileSummation<double, SumTerm> of_sums(fewer->as<double>(), stream);
    for (std::size_t i = 0; i < there.size(); ++i) {
      of_sums.add(sums->as<double>() + first[i], counts[i], next[i]);
    }
    of_sums.run();
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
