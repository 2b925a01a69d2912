// SPDX-License-Identifier: MIT
/// \file
/// A filter of a hidden state as a layer of a hierarchy.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../../core/error.h"
#include "../../filters/state_filter.h"
#include "filter_place.h"
#include "layer_kind.h"

namespace gaia {

/// A number that a layer reads is infinite.
class InfiniteInput : public ArgumentError {
 public:
  InfiniteInput(const std::string& what, std::int64_t at_tick)
      : ArgumentError(what), tick(at_tick) {}
  std::int64_t tick;  ///< Tick of the call, from 0.
};

/// A layer whose answer at a tick is the mean of a filter that has predicted and then taken what
/// the layer reads, the first tick like any other.  It computes in float64 on the host, whatever
/// the dtype and the device; its answers are cast.  NaN is a value that is missing; what is
/// infinite is refused (InfiniteInput), and so is a state that the dtype cannot hold (TickFailure).
///
/// Noise that adapts is shared by the streams, moves by the mean over them, and counts as what the
/// layer has learnt: it goes on over trials.  Mean and covariance begin anew with reset_state.
///
/// It tells of each tick (tick_series): `log_likelihood`, `innovation` [observed], `nis`; where
/// there are several models `probability` [model]; where it is asked for `covariance` [state,
/// source_state]; and for a smoother also, as far as they are not known otherwise, `mean` [state]
/// in float64, and the noise `Q` that the prediction was computed with.
class FilterLayer final : public Layer {
 public:
  /// `filter` observes as many numbers as `place` says of `input_size`; `kind` has the options that
  /// both were computed from, or is null.
  /// \throws ArgumentError if an input that is observed is none, or is named twice; ShapeError if
  ///         the filter observes another number of them.
  FilterLayer(std::int64_t input_size, std::unique_ptr<StateFilter> filter,
              const FilterPlace& place = {}, std::shared_ptr<const LayerKind> kind = nullptr);
  /// By the options of a kind of layer, which have `filter_of(inputs)` and `place()`.
  template <class Options>
    requires requires(const Options& options) { options.filter_of(std::int64_t{1}); }
  FilterLayer(std::int64_t input_size, const Options& options)
      : FilterLayer(input_size, options.filter_of(input_size), options.place(),
                    LayerKind::Of<Options>::with(options)) {}

  std::string type() const override { return filter_->type(); }
  std::unique_ptr<LayerKind> kind() const override;
  std::unique_ptr<Layer> clone() const override;
  bool is_plastic() const override { return place_.adapts != AdaptedNoise::none && place_.learn; }
  bool takes_missing() const override { return true; }
  std::string why_not_replica(const Layer& other) const override;
  void allocate_state(std::int64_t streams) override;
  void reset_state() override;
  void keep(ArrayUndo& undo, bool learn) override;
  std::vector<TickSeries> tick_series() const override;
  std::vector<Array> tick_values() const override;
  /// R [observed, observed] and Q [states, states], the one that adapts first; `adapted` [1, n],
  /// everything that adapting goes on from; and `filter` [streams, n], what is carried from tick to
  /// tick.
  std::vector<NamedArray> arrays() const override;
  std::int64_t operations_per_tick(bool learn) const override;

  /// The filter as it stood behind the last tick.
  const StateFilter& filter() const { return *filter_; }
  const FilterPlace& place() const { return place_; }
  /// What the state goes on by, [states, states]; nothing of filters that have no such matrix.
  std::span<const double> transition() const;

 private:
  FilterLayer(const FilterLayer& other);

  void answer(const Array& x, bool learn, const Array& y) override;
  void move_to_current_device() override {}  // it computes on the host

  /// Lets the filter stand where the arrays say, which others may have set.
  void stand_at_arrays(std::int64_t streams);
  /// Sets the arrays to where the filter stands.
  void note(bool has_adapted);
  std::int64_t input_of(std::int64_t observed) const;

  std::unique_ptr<StateFilter> filter_;
  FilterPlace place_;
  std::shared_ptr<const LayerKind> kind_;
  // On the host, in float64:
  Array state_noise_;        // [states, states]; without elements of a filter that has none
  Array observation_noise_;  // [observed, observed]
  Array adapted_;            // [1, n]
  Array carried_;            // [streams, n]
  std::vector<Array> told_;  // values of the last call
};

}  // namespace gaia
