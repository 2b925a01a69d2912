// SPDX-License-Identifier: MIT
/// \file
/// Joining numbers as the types R of reducers.h say.
#pragma once

#include <cstdint>

#include "../../src/formulas/reducers.h"
#include "../instruction_set.h"

namespace gaia::cpu {

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// values [n] joined with every row of x [rows, n], in their order.
    template <class R, class T> void join_rows(const T* x, std::int64_t stride, std::int64_t rows,
                                               typename R::Value* values, std::int64_t n);
    /// n neighbours joined, n >= 0.
    template <class R, class T> typename R::Value join_row(const T* x, std::int64_t n);
    /// sums [n] += (x - centers)^2 of every row of x [rows, n], in their order.
    template <class T>
    void join_square_distances(const T* x, std::int64_t stride, std::int64_t rows,
                               const double* centers, double* sums, std::int64_t n);
    /// For n columns of x [rows, n], rows from 1 to 2^31 - 1, the first row that holds the largest
    /// of its numbers, or the smallest, or NaN where there is one.
    template <class T> void first_in_columns(const T* x, std::int64_t stride, std::int64_t rows,
                                             std::int64_t n, bool largest, std::int64_t* where);)

}  // namespace gaia::cpu
