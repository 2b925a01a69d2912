// SPDX-License-Identifier: MIT
/// \file
/// What layers need of a row of numbers that lie side by side: extremes, sums, and the
/// normalisations computed from them.
#pragma once

#include <cstdint>

#include "../instruction_set.h"
#include "stores.h"

namespace gaia::cpu {

/// A layer_norm of one row: y = (x - mean) rstd weight + bias.
template <class T>
struct RowNorm {
  const T* weight;  ///< Or null.
  const T* bias;    ///< Or null.
  double epsilon;
  Stores stores;  ///< Way to store the rows together.
};

/// What that found: the mean, and 1 / sqrt(variance + epsilon).
struct RowMoments {
  double mean;
  double rstd;
};

/// The gradients of a layer_norm in one row.
template <class T>
struct RowNormSlope {
  const T* weight;  ///< Or null.
  T mean;
  T rstd;
  double* dweight;  ///< [n], added to.
  double* dbias;    ///< [n], added to.
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Sum, in double.
    template <class T> double sum_row(const T* x, std::int64_t n);
    /// Sum of (x - center)^2, in double.
    template <class T> double square_distances(const T* x, std::int64_t n, double center);
    /// Whether no number is NaN or infinite.
    template <class T> bool all_finite(const T* x, std::int64_t n);
    /// Sum of a_i b_i, whose numbers lie so far apart: products and sum in double.
    template <class T> double inner_product(const T* a, std::int64_t a_stride, const T* b,
                                            std::int64_t b_stride, std::int64_t n);
    /// Sum of a_i b_i in T, for outputs of neurons.
    template <class T> T dot(const T* a, const T* b, std::int64_t n);
    /// y += factor x.  y may be x.
    template <class T> void add_scaled(T* y, T factor, const T* x, std::int64_t n);
    /// The largest or smallest number, or NaN if there is one.  n >= 1.
    template <class T> T largest_of_row(const T* x, std::int64_t n);
    template <class T> T smallest_of_row(const T* x, std::int64_t n);
    /// x = exp(scale (x - largest)), 0 where that is too small for a normal number; returns the
    /// sum. An x above the largest, which rounding may make, counts as the largest.
    template <class T> T exponentials_of_row(T * x, std::int64_t n, T scale, T largest);
    /// y = exp(x - max) / sum of these.  y may be x.  n >= 1.
    template <class T> void softmax_row(const T* x, T* y, std::int64_t n);
    /// y = max(x - mean of x, 0).  y may be x.
    template <class T> void coates_row(const T* x, T* y, std::int64_t n);
    /// y = x - max - log(sum of exp(x - max)).  y may be x.  n >= 1.
    template <class T> void log_softmax_row(const T* x, T* y, std::int64_t n);
    /// n >= 1.
    template <class T>
    RowMoments layer_norm_row(const RowNorm<T>& norm, const T* x, T* y, std::int64_t n);
    /// dx of a row with gradients dy.  n >= 1.
    template <class T> void layer_norm_slope_row(const RowNormSlope<T>& norm, const T* x,
                                                 const T* dy, T* dx, std::int64_t n);)

}  // namespace gaia::cpu
