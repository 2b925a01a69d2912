// SPDX-License-Identifier: MIT
#include "window_control.h"

#include <algorithm>

#include "../../array/create.h"
#include "../../array/device.h"
#include "../../array/joining.h"
#include "../../core/error.h"

namespace gaia {
namespace {

constexpr const char* kBefore = "rows_before";

}  // namespace

std::string WindowControl::why_left_out(const ControlSetup& setup,
                                        const ReadoutConfig& /*readout*/) {
  return too_many_features(kRows * setup.channels());
}

double WindowControl::numbers(const ControlSetup& setup, std::int64_t block_steps) {
  const auto channels = static_cast<double>(setup.channels());
  const double ticks =
      static_cast<double>(block_steps) / static_cast<double>(common_spacing(setup));
  return (static_cast<double>(block_steps) + ticks * static_cast<double>(kRows)) * channels;
}

WindowControl::WindowControl(const ControlSetup& setup)
    : channels_(setup.channels()), spacing_(common_spacing(setup)), dtype_(setup.config.dtype) {
  begin_trial();
}

void WindowControl::begin_trial() {
  step_ = 0;
  before_ = zeros({(kRows - 1) * channels_}, dtype_);
}

ReadoutConfig WindowControl::reader_of(const ReadoutConfig& readout) const {
  ReadoutConfig reader = without_squares(readout);
  if (reader.features.input_size <= kRows * channels_) reader.features.input = false;
  return reader;
}

HierarchyBlock WindowControl::process(const RunBlock& run) {
  const Array& x = run.x;
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
  const Array rows = concatenate({before_, newest});
  const std::int64_t first = next_tick(step_, spacing_);
  const Array windows =
      rows.windows(steps, kRows * channels_, channels_).slice(0, first - step_, {}, spacing_);
  HierarchyBlock block{.first_step = step_, .steps = steps, .levels = {}};
  block.levels.push_back({.id = 0,
                          .temporal_resolution = spacing_,
                          .first_tick = first,
                          .ticks = windows.expand_dims(0)});
  before_ = rows.slice(0, rows.size() - before_.size()).copy();
  step_ += steps;
  return block;
}

void WindowControl::add_state(ArrayMap& arrays) const {
  arrays.emplace(kBefore, before_.device().is_cpu() ? before_.copy() : before_.to(Device::cpu()));
}

void WindowControl::set_state(const ArrayMap& arrays, std::int64_t step) {
  const auto found = arrays.find(kBefore);
  if (found == arrays.end()) {
    throw ArgumentError(std::string("[WindowControl] the state has no ") + kBefore);
  }
  if (found->second.shape() != before_.shape()) {
    throw ShapeError("[WindowControl] expected rows before of shape " + to_string(before_.shape()) +
                     ", got " + to_string(found->second.shape()));
  }
  before_ = found->second.astype(dtype_).to(current_device());
  step_ = step;
}

}  // namespace gaia
