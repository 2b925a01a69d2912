// SPDX-License-Identifier: MIT
/// \file
/// Steps of gradient descent.
#include <functional>

#include "backend.h"
#include "optimise.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// Collects parameters of one dtype and launches as few kernels as their number and layouts allow.
template <class T, class Step>
class Optimisation {
 public:
  Optimisation(const Step& step, int states, cudaStream_t stream)
      : step_(step), states_(states), stream_(stream) {}

  void add(const OptimisedViews& of) {
    const auto strides_of = [&](const std::optional<View>& memory) {
      return memory ? memory->strides : Strides::filled(of.parameter.rank(), 0);
    };
    const auto data_of = [](bool exists, const std::optional<View>& memory) {
      return exists && memory ? memory->template as<T>() : nullptr;
    };
    const OptimisedPart<T> part{.parameter = of.parameter.as<T>(),
                                .gradient = of.gradient.as<T>(),
                                .first = data_of(states_ >= 1, of.first),
                                .second = data_of(states_ >= 2, of.second),
                                .count = of.parameter.count()};
    if (part.count == 0) return;
    const auto is_contiguous = [](const T* data, const std::optional<View>& memory) {
      return data == nullptr || memory->is_contiguous();
    };
    if (of.parameter.is_contiguous() && of.gradient.is_contiguous() &&
        is_contiguous(part.first, of.first) && is_contiguous(part.second, of.second)) {
      together_.add(part);
      return;
    }
    Table alone{};
    alone.append(part, kOptimisedTile<T>);
    run(alone, make_walk<4>(of.parameter.shape, {of.parameter.strides, of.gradient.strides,
                                                 strides_of(of.first), strides_of(of.second)}));
  }

  /// Launches what has been collected.
  void finish() { together_.finish(); }

 private:
  using Table = PartTable<OptimisedPart<T>>;

  void run(const Table& table, const Walk<4>& walk) {
    launch("optimise", optimise_kernel<T, Step>,
           {.grid = blocks_for(table.tiles, 1), .block = kThreads}, stream_, step_, table, walk);
  }

  Step step_;
  int states_;
  cudaStream_t stream_;
  PartCollector<OptimisedPart<T>, std::function<void(const Table&)>> together_{
      kOptimisedTile<T>, [this](const Table& table) { run(table, {}); }};
};

}  // namespace

void CudaBackend::optimise(const OptimiserRule& rule, std::int64_t step,
                           std::span<const OptimisedViews> parameters) {
  Call stream = begin({});
  for (const OptimisedViews& of : parameters) {
    stream = begin({&of.parameter, &of.gradient, if_any(of.first), if_any(of.second)});
  }
  std::visit(
      [&](const auto& one) {
        const auto formula = one.at_step(step);
        using Step = std::decay_t<decltype(formula)>;
        Optimisation<float, Step> of_float(formula, one.states(), stream);
        Optimisation<double, Step> of_double(formula, one.states(), stream);
        for (const OptimisedViews& of : parameters) {
          if (of.parameter.dtype == DType::float64) {
            of_double.add(of);
          } else {
            of_float.add(of);
          }
        }
        of_float.finish();
        of_double.finish();
      },
      rule);
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
