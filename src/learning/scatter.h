// SPDX-License-Identifier: MIT
/// \file
/// Sums of products of rows, on the host and on all threads.
#pragma once

#include <cstdint>
#include <span>

namespace gaia {

/// scatter += sum_i x_i x_i^T over the rows x_i of `rows` [count, features]: the lower part of
/// scatter [features, features]; what stands in the upper part afterwards is of no meaning.
/// Products are the Backend's, in the type of the rows; the sums do not depend on the number of
/// threads.
void add_scatter(std::span<const double> rows, std::int64_t features, std::span<double> scatter);
void add_scatter(std::span<const float> rows, std::int64_t features, std::span<double> scatter);

/// cross += sum_i y_i x_i^T over the rows x_i of `rows` [count, features] and y_i of `targets`
/// [count, outputs]; cross is [outputs, features].
void add_cross(std::span<const double> targets, std::int64_t outputs, std::span<const double> rows,
               std::int64_t features, std::span<double> cross);

}  // namespace gaia
