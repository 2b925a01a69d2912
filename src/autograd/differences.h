// SPDX-License-Identifier: MIT
/// \file
/// Differences between neighbours of tensors, as of arrays (`array/differences.h`).
#pragma once

#include <cstdint>
#include <optional>

#include "../array/differences.h"
#include "tensor.h"

namespace gaia {

/// y[i] = x[i + 1] - x[i] along `axis`, n times.
Tensor diff(const Tensor& x, std::int64_t n = 1, std::int64_t axis = -1,
            const std::optional<Tensor>& prepend = {}, const std::optional<Tensor>& append = {});

}  // namespace gaia
