// SPDX-License-Identifier: MIT
/// \file
/// Steps of gradient descent, and the norm of gradients and what shortens them.
#include <algorithm>
#include <vector>

#include "../src/core/parallel.h"
#include "../src/formulas/cast.h"
#include "backend.h"
#include "rows.h"
#include "strided_loop.h"
#include "vector/optimise.h"

namespace gaia::cpu {
namespace {

/// A parameter with its gradient and memory, whatever their strides.
template <int states, class T, class Formula>
void step_with_strides(const Formula& formula, T* w, const T* g, T* a, T* b,
                       const Offsets<4>& stride, std::int64_t n) {
  T none{};
  for (std::int64_t i = 0; i < n; ++i) {
    formula(w[i * stride[0]], g[i * stride[1]], states >= 1 ? a[i * stride[2]] : none,
            states >= 2 ? b[i * stride[3]] : none);
  }
}

template <int states, class T>
void step_all(const OptimiserRule& rule, std::int64_t step, const OptimisedViews& of) {
  const auto strides_of = [&](const std::optional<View>& memory) {
    return memory ? memory->strides : of.parameter.strides;
  };
  T* const first = of.first ? of.first->as<T>() : nullptr;
  T* const second = of.second ? of.second->as<T>() : nullptr;
  const StridedLoop<4> loop(of.parameter.shape, {of.parameter.strides, of.gradient.strides,
                                                 strides_of(of.first), strides_of(of.second)});
  const auto step_along = GAIA_VECTOR_KERNEL(optimise_run<T>);
  loop.for_each_run([&](const Offsets<4>& at, std::int64_t n, const Offsets<4>& stride) {
    T* const w = of.parameter.as<T>() + at[0];
    const T* const g = of.gradient.as<T>() + at[1];
    T* const a = first == nullptr ? nullptr : first + at[2];
    T* const b = second == nullptr ? nullptr : second + at[3];
    if (stride == Offsets<4>{1, 1, 1, 1}) return step_along(rule, step, w, g, a, b, n);
    std::visit(
        [&](const auto& one) {
          step_with_strides<states>(one.at_step(step), w, g, a, b, stride, n);
        },
        rule);
  });
}

/// By blocks, whose sums are added in order.
template <class T>
double sum_of_squares_of(const View& x) {
  constexpr std::int64_t block = 1 << 14;
  const T* const p = x.as<T>();
  const std::int64_t count = x.count();
  std::vector<double> sums(static_cast<std::size_t>((count + block - 1) / block));
  parallel_for(static_cast<std::int64_t>(sums.size()), [&](std::int64_t task) {
    const T* const from = p + task * block;
    sums[static_cast<std::size_t>(task)] =
        sum_of<double>(std::min(block, count - task * block), [from](std::int64_t i) {
          const auto number = static_cast<double>(from[i]);
          return number * number;
        });
  });
  return sum_of<double>(static_cast<std::int64_t>(sums.size()),
                        [&](std::int64_t i) { return sums[static_cast<std::size_t>(i)]; });
}

}  // namespace

void CpuBackend::optimise(const OptimiserRule& rule, std::int64_t step,
                          std::span<const OptimisedViews> parameters) {
  const int states = std::visit([](const auto& one) { return one.states(); }, rule);
  for (const OptimisedViews& of : parameters) {
    dispatch_floating(of.parameter.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (states == 0) return step_all<0, T>(rule, step, of);
      if (states == 1) return step_all<1, T>(rule, step, of);
      step_all<2, T>(rule, step, of);
    });
  }
}

double CpuBackend::sum_of_squares(std::span<const View> views) {
  double total = 0.0;
  for (const View& x : views) {
    total += dispatch_floating(
        x.dtype, [&](auto tag) { return sum_of_squares_of<typename decltype(tag)::type>(x); });
  }
  return total;
}

void CpuBackend::scale(double factor, std::span<const ScaledViews> arrays) {
  for (const ScaledViews& of : arrays) {
    dispatch_floating(of.x.dtype, [&](auto tag) {
      auto value = cast<typename decltype(tag)::type>(factor);
      const View everywhere{&value, of.x.dtype, of.x.shape, Strides::filled(of.x.rank(), 0)};
      binary(Multiply{}, of.x, everywhere, of.y);
    });
  }
}

std::string CpuBackend::why_not_fused(FusedKernel /*kernel*/, DType dtype) const {
  if (dtype == DType::float32 || dtype == DType::float64) return {};
  return "takes float32 and float64, got " + to_string(dtype);
}

}  // namespace gaia::cpu
