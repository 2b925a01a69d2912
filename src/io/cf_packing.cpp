// SPDX-License-Identifier: MIT
#include "cf_packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "../core/error.h"
#include "../core/log.h"
#include "whole_numbers.h"

namespace gaia {

CfPacking::CfPacking(const hdf5::DatasetDescription& dataset, const std::string& place,
                     const hdf5::Description& root)
    : place_(place) {
  const bool is_nwb = root.has("nwb_version");
  is_float32_ = dataset.type == hdf5::Type::float32;
  const bool is_integer = !is_float32_ && dataset.type != hdf5::Type::float64;
  const std::string sign = dataset.text("_Unsigned").value_or("");
  if (is_integer && (sign == "true" || sign == "false")) {
    const double values = std::ldexp(1.0, static_cast<int>(8 * dataset.element_bytes));
    least_stored_ = sign == "true" ? 0.0 : -values / 2.0;
    values_ = values;
  }
  const auto one = [&](const char* name) { return numbers_of(dataset, name, 1); };
  if (const auto scale = one(is_nwb ? "conversion" : "scale_factor")) scale_ = scale->front();
  if (const auto offset = one(is_nwb ? "offset" : "add_offset")) offset_ = offset->front();
  is_packed_ = scale_ != 1.0 || offset_ != 0.0;
  for (const char* name : {"_FillValue", "missing_value"}) {
    const auto numbers = numbers_of(dataset, name, 0);
    if (!numbers) continue;
    for (const double number : numbers->values) missing_.push_back(stored(number));
    for (const std::int64_t number : numbers->integers) missing_integers_.push_back(number);
    if (numbers->are_integers) continue;
    for (const double number : numbers->values) {
      const bool fits = std::floor(number) == number && std::abs(number) < 0x1p63;
      if (fits) missing_integers_.push_back(static_cast<std::int64_t>(number));
    }
  }
  if (root.has("_NCProperties") && !dataset.has("_FillValue")) add_netcdf_fill(dataset);
  read_range(dataset, is_integer);
}

void CfPacking::add_netcdf_fill(const hdf5::DatasetDescription& dataset) {
  const auto add = [&](std::int64_t fill) {
    missing_.push_back(stored(static_cast<double>(fill)));
    missing_integers_.push_back(fill);
  };
  if (dataset.type == hdf5::Type::float32 || dataset.type == hdf5::Type::float64) {
    missing_.push_back(0x1.ep+122);
  } else if (dataset.element_bytes == 2) {
    add(-32767);
    add(65535);  // without a sign
  } else if (dataset.element_bytes == 4) {
    add(-2147483647);
    add(4294967295);
  } else if (dataset.element_bytes == 8) {
    add(-9223372036854775806);
  }
}

bool CfPacking::keeps_all() const {
  return !is_packed_ && values_ == 0.0 && missing_.empty() && std::isinf(least_) &&
         std::isinf(most_) && least_ < most_;
}

double CfPacking::operator()(double x) const {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  x = stored(x);
  for (const double missing : missing_) {
    if (x == missing) return nothing;
  }
  const double meant = is_packed_ ? scale_ * x + offset_ : x;
  const double ranged = range_is_unpacked_ ? meant : x;
  if (ranged >= least_ && ranged <= most_) return meant;
  if (!std::isnan(x)) tell_of_range();
  return nothing;
}

bool CfPacking::is_missing(std::int64_t x) const {
  const auto as_double = static_cast<double>(x);
  if (!is_beyond_exact(as_double)) return std::isnan((*this)(as_double));
  const auto& missing = missing_integers_;
  if (std::find(missing.begin(), missing.end(), x) != missing.end()) return true;
  if (as_double >= least_ && as_double <= most_) return false;
  tell_of_range();
  return true;
}

std::optional<CfPacking::Numbers> CfPacking::numbers_of(const hdf5::DatasetDescription& dataset,
                                                        const char* name, std::size_t count) const {
  for (const auto& [key, value] : dataset.attributes) {
    if (key != name) continue;
    const Numbers numbers = std::visit(
        [](const auto& held) -> Numbers {
          using Held = std::decay_t<decltype(held)>;
          using Integers = std::vector<std::int64_t>;
          if constexpr (std::is_integral_v<Held>) {
            return {{static_cast<double>(held)}, true, {held}};
          } else if constexpr (std::is_arithmetic_v<Held>) {
            return {{held}};
          } else if constexpr (std::is_same_v<Held, Integers>) {
            return {{held.begin(), held.end()}, true, held};
          } else if constexpr (std::is_same_v<Held, std::vector<double>>) {
            return {held};
          } else {
            return {};
          }
        },
        value);
    if (!numbers.values.empty() && (count == 0 || numbers.values.size() == count)) return numbers;
    throw DataError(fmt::format(
        "{}: its attribute {} is expected to hold {}, by which its numbers are read; correct it "
        "or take it out",
        place_, name,
        count == 2   ? "two numbers"
        : count == 1 ? "one number"
                     : "numbers"));
  }
  return std::nullopt;
}

void CfPacking::read_range(const hdf5::DatasetDescription& dataset, bool is_integer) {
  bool has_integers = true;
  const auto limit = [&](double& to, const Numbers& numbers, std::size_t i) {
    to = numbers.values[i];
    has_integers = has_integers && numbers.are_integers;
  };
  if (const auto least = numbers_of(dataset, "valid_min", 1)) limit(least_, *least, 0);
  if (const auto most = numbers_of(dataset, "valid_max", 1)) limit(most_, *most, 0);
  if (const auto range = numbers_of(dataset, "valid_range", 2)) {
    limit(least_, *range, 0);
    limit(most_, *range, 1);
  }
  // A range of floating numbers for packed integers is one of what they mean.
  range_is_unpacked_ = is_packed_ && is_integer && !has_integers;
  if (range_is_unpacked_) return;
  least_ = stored(least_);
  most_ = stored(most_);
}

double CfPacking::stored(double x) const {
  if (is_float32_) return static_cast<double>(static_cast<float>(x));
  if (values_ == 0.0 || std::isinf(x)) return x;
  if (x < least_stored_) return x + values_;
  return x >= least_stored_ + values_ ? x - values_ : x;
}

void CfPacking::tell_of_range() const {
  if (std::exchange(has_told_, true)) return;
  log_warning(fmt::format(
      "{}: numbers outside {} to {}, as its attributes valid_range, valid_min and valid_max have "
      "it, count as missing",
      place_, least_, most_));
}

}  // namespace gaia
