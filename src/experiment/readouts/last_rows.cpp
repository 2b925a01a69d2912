// SPDX-License-Identifier: MIT
#include "last_rows.h"

#include <algorithm>

#include "../../array/create.h"
#include "../../array/device.h"
#include "../../array/joining.h"
#include "../../core/error.h"

namespace gaia {
namespace {

constexpr const char* kBefore = "rows_before";

}  // namespace

LastRows::LastRows(std::int64_t rows, std::int64_t channels, DType dtype)
    : rows_(rows), channels_(channels), dtype_(dtype) {
  begin_trial();
}

void LastRows::begin_trial() {
  step_ = 0;
  before_ = zeros({rows_ * channels_}, dtype_);
}

Array LastRows::take(const Array& x) {
  const std::int64_t steps = x.shape(0);
  const std::int64_t features = x.shape(1);
  if (step_ == 0 && steps > 0) {
    // The first sample of a trial is a window that has older rows already.
    const std::int64_t older = std::min(features, before_.size() + channels_) - channels_;
    if (older > 0) {
      before_.slice(0, before_.size() - older)
          .assign(x[0].slice(0, features - channels_ - older, features - channels_));
    }
  }
  const Array newest = x.slice(1, features - channels_).contiguous().reshape({steps * channels_});
  Array rows = concatenate({before_, newest});
  before_ = rows.slice(0, rows.size() - before_.size()).copy();
  step_ += steps;
  return rows;
}

void LastRows::add_state(ArrayMap& arrays) const {
  arrays.emplace(kBefore, before_.device().is_cpu() ? before_.copy() : before_.to(Device::cpu()));
}

void LastRows::set_state(const ArrayMap& arrays, std::int64_t step) {
  const auto found = arrays.find(kBefore);
  if (found == arrays.end()) {
    throw ArgumentError(std::string("[LastRows] the state has no ") + kBefore);
  }
  if (found->second.shape() != before_.shape()) {
    throw ShapeError("[LastRows] expected rows before of shape " + to_string(before_.shape()) +
                     ", got " + to_string(found->second.shape()));
  }
  before_ = found->second.astype(dtype_).to(current_device());
  step_ = step;
}

}  // namespace gaia
