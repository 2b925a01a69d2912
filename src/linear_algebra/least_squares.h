// SPDX-License-Identifier: MIT
/// \file
/// What lstsq counts as nothing; not for users.
#pragma once

#include <optional>

#include "../array/array.h"

namespace gaia::detail {

/// The share of the largest singular value of A [..., m, n] up to which others count as 0: `rcond`,
/// or max(m, n) times the spacing of numbers at 1; that spacing for a negative `rcond`, as LAPACK
/// takes it.
double lstsq_share(const Array& a, std::optional<double> rcond);

}  // namespace gaia::detail
