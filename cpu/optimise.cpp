// SPDX-License-Identifier: MIT
/// \file
/// Steps of gradient descent, and the norm of gradients and what shortens them.
#include <algorithm>
#include <vector>

#include "../src/array/cast.h"
#include "../src/core/parallel.h"
#include "backend.h"
#include "rows.h"
#include "strided_loop.h"

namespace gaia::cpu {
namespace {

/// Numbers along a run, or, where a rule has no such memory, one that is there for the call alone.
template <class T, bool exists>
struct Memory {
  T* data;
  std::int64_t stride;
  T none{};
  T& operator[](std::int64_t i) {
    if constexpr (exists) return data[i * stride];
    return none;
  }
};

template <int states, class T, class Step>
void step_all(const Step& rule, const OptimisedViews& of) {
  const auto strides_of = [&](const std::optional<View>& memory) {
    return memory ? memory->strides : Strides::filled(of.parameter.rank(), 0);
  };
  T* const first = of.first ? of.first->as<T>() : nullptr;
  T* const second = of.second ? of.second->as<T>() : nullptr;
  const StridedLoop<4> loop(of.parameter.shape, {of.parameter.strides, of.gradient.strides,
                                                 strides_of(of.first), strides_of(of.second)});
  loop.for_each_run([&](const Offsets<4>& at, std::int64_t n, const Offsets<4>& stride) {
    const Step step = rule;  // of its own, so that the compiler sees it constant
    T* const w = of.parameter.as<T>() + at[0];
    const T* const g = of.gradient.as<T>() + at[1];
    const auto along = [&](std::int64_t dw, std::int64_t dg, std::int64_t da, std::int64_t db) {
      Memory<T, (states >= 1)> a{first == nullptr ? nullptr : first + at[2], da};
      Memory<T, (states >= 2)> b{second == nullptr ? nullptr : second + at[3], db};
      for (std::int64_t i = 0; i < n; ++i) step(w[i * dw], g[i * dg], a[i], b[i]);
    };
    const auto is_one_or = [](std::int64_t distance, bool exists) {
      return distance == 1 || !exists;
    };
    const bool is_dense = stride[0] == 1 && stride[1] == 1 && is_one_or(stride[2], states >= 1) &&
                          is_one_or(stride[3], states >= 2);
    if (is_dense) {
      along(1, 1, 1, 1);
    } else {
      along(stride[0], stride[1], stride[2], stride[3]);
    }
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
  std::visit(
      [&](const auto& one) {
        const auto formula = one.at_step(step);
        const int states = one.states();
        for (const OptimisedViews& of : parameters) {
          dispatch_floating(of.parameter.dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            if (states == 0) return step_all<0, T>(formula, of);
            if (states == 1) return step_all<1, T>(formula, of);
            step_all<2, T>(formula, of);
          });
        }
      },
      rule);
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
