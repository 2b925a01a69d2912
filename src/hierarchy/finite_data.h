// SPDX-License-Identifier: MIT
/// \file
/// Data that are not finite: found before they are read, or named as the cause of what went wrong.
#pragma once

#include <cstdint>

#include "../array/array.h"
#include "../core/error.h"

namespace gaia {

/// Whether data [streams, steps, features] are finite, read in the order in which they lie: rows of
/// a window, which overlap, once.
bool all_finite(const Array& x);

/// Says which of the data [streams, steps, features] up to step `step`, the first of which is
/// `first`, is not finite, or is not in `dtype`; returns where none is.  `is_undone`: the hierarchy
/// that reads them is as it was before.
/// \throws ArgumentError.
void blame_data(const Array& x, std::int64_t first, std::int64_t step, DType dtype, bool is_undone);

/// Does `work`, which reads these data from step `first` on in `dtype`.  Only where it finds what
/// is not finite are the data looked at, which may be why; not at all where NaN is a value that is
/// missing, which the hierarchy can do without.
/// \throws ArgumentError where they are, else what `work` throws.
template <class Work>
void or_blame_data(const Work& work, const Array& x, std::int64_t first, DType dtype,
                   bool is_undone, bool takes_missing) {
  if (takes_missing) return work();
  try {
    work();
  } catch (const DivergedError& error) {
    blame_data(x, first, error.step, dtype, is_undone);
    throw;
  }
}

}  // namespace gaia
