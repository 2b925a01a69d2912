// SPDX-License-Identifier: MIT
/// \file
/// Runs of neighbours as they are, a single number many times, reversed runs, and every
/// second number.
#pragma once

#include <cstdint>

#include "../instruction_set.h"
#include "stores.h"

namespace gaia::cpu {

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// Copies bytes to where they do not overlap.
    void copy_bytes(const void* from, void* to, std::int64_t bytes, Stores stores);
    /// y = value, n neighbours.  T: bool, int32, int64, float, double, or bfloat16's bits.  Through
    /// the caches: where no other lines are read, stores of whole ones past them are no faster.
    template <class T> void fill_row(T value, T* y, std::int64_t n);
    /// y_i = x_-i for n numbers, of any type that fill_row takes.
    template <class T> void copy_reversed(const T* x, T* y, std::int64_t n);
    /// y_i = x_2i for n numbers, likewise.
    template <class T> void copy_from_every_second(const T* x, T* y, std::int64_t n);
    /// y_2i = x_i for n numbers; what lies between them stays.
    template <class T> void copy_to_every_second(const T* x, T* y, std::int64_t n);)

}  // namespace gaia::cpu
