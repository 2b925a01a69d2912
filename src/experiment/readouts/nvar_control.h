// SPDX-License-Identifier: MIT
/// \file
/// The control of nonlinear memory: a few rows of the series and the products of any two of their
/// numbers.
#pragma once

#include "rows_control.h"

namespace gaia {

/// Nonlinear vector autoregression: with v [n] the numbers of `rows` rows, one every `gap` steps,
/// the newest last, what is read is v and then v_i v_j for i = 0 ... n - 1, j = i ... n - 1.
/// Gauthier, Bollt, Griffith & Barbosa (2021), Nat. Commun. 12, 5564.  Its variants differ by rows
/// and gap.
class NvarControl final : public RowsControl {
 public:
  static constexpr const char* kName = "nvar";
  static constexpr const char* kTitle = "products of a few rows";
  /// Which rows a variant reads.
  struct Lags {
    std::int64_t rows;
    std::int64_t gap;

    std::int64_t before() const { return (rows - 1) * gap; }
    std::int64_t features(std::int64_t channels) const {
      const std::int64_t n = rows * channels;
      return n + n * (n + 1) / 2;
    }
  };
  /// The first two rows are those of the Lorenz system in the paper.
  static constexpr Lags kLags[] = {{2, 1}, {6, 3}};
  static std::string why_left_out(const ControlSetup& setup, const ReadoutConfig& readout);
  static double numbers(const ControlSetup& setup, std::int64_t block_steps);

  explicit NvarControl(const ControlSetup& setup);

  std::string name() const override { return kName; }
  std::size_t variants() const override { return lags_.size(); }
  Attributes variant(std::size_t index) const override {
    return {{"rows", lags_[index].rows}, {"gap", lags_[index].gap}};
  }
  std::vector<ReadoutSource> sources(const ReadoutConfig& /*readout*/,
                                     std::size_t variant) const override {
    return {{static_cast<std::int64_t>(variant), lags_[variant].features(channels_)}};
  }
  /// Least ridge of a readout that goes on by itself.  With less its weights cancel each other, and
  /// the errors of its own forecasts grow at once.
  static constexpr double kLeastFreeRidge = 1e-7;
  /// The newest row is among what it shows.
  ReadoutConfig reader_of(const ReadoutConfig& readout) const override;
  std::int64_t rows_read() const override { return lags_.back().before() + 1; }
  std::unique_ptr<FreeReader> free_reader(std::size_t variant,
                                          const HierarchyManager& run) const override;

 private:
  HierarchyBlock read(const Array& x) override;
  /// What is read of rows of so many numbers each, [ticks, n].
  static Array with_products(const Array& v);

  DType dtype_;
  std::vector<Lags> lags_;  // one for each variant; the last reaches back furthest
};

}  // namespace gaia
