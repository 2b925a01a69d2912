// SPDX-License-Identifier: MIT
/// \file
/// A dense layer with gelu: products by panels, and what follows them while they are in the cache.
#include <algorithm>

#include "../src/core/parallel.h"
#include "backend.h"
#include "gemm.h"
#include "vector/elementwise.h"
#include "vector/reduce.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

// Panels of the results.  Fixed, so that the number of threads does not change any sum.
constexpr std::int64_t kRows = 128;
constexpr std::int64_t kColumns = 256;

std::int64_t panels(std::int64_t length, std::int64_t panel) {
  return (length + panel - 1) / panel;
}

Unary gelu_of(GeluForm form) {
  if (form == GeluForm::exact) return GeluExact{};
  return GeluTanh{};
}

template <class T>
MatrixRef<const T> matrix(const View& x) {
  return {x.as<T>(), x.shape[0], x.shape[1], x.shape[1]};
}

/// Calls f(first row, end of rows, first column, end of columns) for every panel of a matrix.
template <class F>
void for_each_panel(std::int64_t rows, std::int64_t columns, const F& f) {
  const std::int64_t across = panels(columns, kColumns);
  parallel_for(panels(rows, kRows) * across, [&](std::int64_t task) {
    const std::int64_t row = task / across * kRows;
    const std::int64_t column = task % across * kColumns;
    f(row, std::min(rows, row + kRows), column, std::min(columns, column + kColumns));
  });
}

template <class T>
void forward(const LinearGeluRun& run) {
  const Unary gelu = gelu_of(run.form);
  const auto add = GAIA_VECTOR_KERNEL(binary_run<T>);
  const auto apply = GAIA_VECTOR_KERNEL(unary_run<T>);
  const auto x = matrix<T>(run.x);
  const auto weights = matrix<T>(run.weights);
  const std::int64_t out = weights.rows;
  T* const y = run.y.as<T>();
  T* const z = run.z ? run.z->as<T>() : y;
  const T* const bias = run.bias ? run.bias->as<T>() : nullptr;
  for_each_panel(
      x.rows, out,
      [&](std::int64_t row, std::int64_t end, std::int64_t column, std::int64_t column_end) {
        gemm<T>(x.rows_between(row, end), weights.rows_between(column, column_end).transposed(),
                {z + row * out + column, end - row, column_end - column, out});
        for (std::int64_t r = row; r < end; ++r) {
          T* const at = z + r * out + column;
          const std::int64_t n = column_end - column;
          if (bias != nullptr) add(Add{}, at, 1, bias + column, 1, at, n, Stores::through_caches);
          apply(gelu, at, y + r * out + column, n, Stores::through_caches);
        }
      });
}

/// dz, and the sum of its rows by panels: sums [panels, out].
template <class T>
void slopes(const LinearGeluBackwardRun& run, double* sums) {
  const Unary gelu = gelu_of(run.form);
  const auto slope = GAIA_VECTOR_KERNEL(slope_run<T>);
  const auto add_rows = GAIA_VECTOR_KERNEL(join_rows<Sum<double>, T>);
  const std::int64_t out = run.z.shape[1];
  const T* const z = run.z.as<T>();
  const T* const dy = run.dy.as<T>();
  T* const dz = run.dz.as<T>();
  for_each_panel(
      run.z.shape[0], out,
      [&](std::int64_t row, std::int64_t end, std::int64_t column, std::int64_t column_end) {
        double* const sum = sums + row / kRows * out;
        std::fill(sum + column, sum + column_end, 0.0);
        for (std::int64_t r = row; r < end; ++r) {
          // The slope of gelu does not look at its result, in whose place z goes.
          const std::int64_t i = r * out + column;
          slope(gelu, z + i, z + i, dy + i, dz + i, column_end - column);
        }
        add_rows(dz + row * out + column, out, end - row, sum + column, column_end - column);
      });
}

template <class T>
void backward(CpuBackend& backend, const LinearGeluBackwardRun& run) {
  const auto x = matrix<T>(run.x);
  const auto weights = matrix<T>(run.weights);
  const std::int64_t out = weights.rows;
  const Workspace<double> sums(backend, panels(x.rows, kRows) * out);
  slopes<T>(run, sums.data());
  const auto dz = matrix<T>(run.dz);
  if (run.dx) {
    const std::int64_t in = x.columns;
    for_each_panel(
        x.rows, in,
        [&](std::int64_t row, std::int64_t end, std::int64_t column, std::int64_t column_end) {
          gemm<T>(dz.rows_between(row, end), weights.columns_between(column, column_end),
                  {run.dx->as<T>() + row * in + column, end - row, column_end - column, in});
        });
  }
  if (run.dweights) {
    const std::int64_t in = x.columns;
    for_each_panel(
        out, in,
        [&](std::int64_t row, std::int64_t end, std::int64_t column, std::int64_t column_end) {
          gemm<T>(dz.columns_between(row, end).transposed(), x.columns_between(column, column_end),
                  {run.dweights->as<T>() + row * in + column, end - row, column_end - column, in});
        });
  }
  if (run.dbias) {
    for (std::int64_t j = 0; j < out; ++j) {
      double sum = 0.0;
      for (std::int64_t p = 0; p < panels(x.rows, kRows); ++p) sum += sums[p * out + j];
      run.dbias->as<T>()[j] = static_cast<T>(sum);
    }
  }
}

}  // namespace

void CpuBackend::linear_gelu(const LinearGeluRun& run) {
  dispatch_floating(run.x.dtype, [&](auto tag) { forward<typename decltype(tag)::type>(run); });
}

void CpuBackend::linear_gelu_backward(const LinearGeluBackwardRun& run) {
  dispatch_floating(run.x.dtype,
                    [&](auto tag) { backward<typename decltype(tag)::type>(*this, run); });
}

}  // namespace gaia::cpu
