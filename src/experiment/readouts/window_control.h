// SPDX-License-Identifier: MIT
/// \file
/// The control of time: the last rows of the series side by side, and nothing else.
#pragma once

#include "rows_control.h"

namespace gaia {

/// The last 32 rows, normalised as the samples are, oldest first; zeros where a trial has none yet.
class WindowControl final : public RowsControl {
 public:
  static constexpr const char* kName = "window";
  static constexpr const char* kTitle = "the last 32 rows";
  static constexpr std::int64_t kRows = 32;
  static std::string why_left_out(const ControlSetup& setup, const ReadoutConfig& readout);
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  explicit WindowControl(const ControlSetup& setup);

  std::string name() const override { return kName; }
  std::vector<ReadoutSource> sources(const ReadoutConfig& /*readout*/,
                                     std::size_t /*variant*/) const override {
    return {{0, kRows * channels_}};
  }
  /// The rows of a sample are among those that it shows, as far as there are so many.
  ReadoutConfig reader_of(const ReadoutConfig& readout) const override;
  std::int64_t rows_read() const override { return kRows; }
  std::unique_ptr<FreeReader> free_reader(std::size_t variant,
                                          const HierarchyManager& run) const override;

 private:
  HierarchyBlock read(const Array& x) override;
};

}  // namespace gaia
