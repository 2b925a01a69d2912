// SPDX-License-Identifier: MIT
#include "window_control.h"

namespace gaia {

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

WindowControl::WindowControl(const ControlSetup& setup) : RowsControl(setup, kRows - 1) {}

std::unique_ptr<FreeReader> WindowControl::free_reader(std::size_t /*variant*/,
                                                       const HierarchyManager& /*run*/) const {
  class Reader final : public FreeReader {
   public:
    explicit Reader(const WindowControl& of) : copy_(of) {}
    HierarchyBlock read(const Array& x) override { return copy_.read(x); }

   private:
    WindowControl copy_;
  };
  return std::make_unique<Reader>(*this);
}

ReadoutConfig WindowControl::reader_of(const ReadoutConfig& readout) const {
  ReadoutConfig reader = without_squares(readout);
  if (reader.features.input_size <= kRows * channels_) reader.features.input = false;
  return reader;
}

HierarchyBlock WindowControl::read(const Array& x) {
  const std::int64_t step = last_.step();
  const std::int64_t steps = x.shape(0);
  const Array rows = last_.take(x);
  const std::int64_t first = next_tick(step, spacing_);
  const Array windows =
      rows.windows(steps, kRows * channels_, channels_).slice(0, first - step, {}, spacing_);
  HierarchyBlock block{.first_step = step, .steps = steps, .levels = {}};
  block.levels.push_back({.id = 0,
                          .temporal_resolution = spacing_,
                          .first_tick = first,
                          .ticks = windows.expand_dims(0)});
  return block;
}

}  // namespace gaia
