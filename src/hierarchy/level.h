// SPDX-License-Identifier: MIT
/// \file
/// One level of a hierarchy: layers that run at one temporal resolution.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../array/array_map.h"
#include "../core/error.h"
#include "../layers/hierarchy/layer.h"
#include "level_options.h"
#include "temporal_pool.h"
#include "top_down.h"

namespace gaia {

/// What one level computed for a block of steps.
struct LevelBlock {
  int id = 0;
  std::int64_t temporal_resolution = 1;
  std::int64_t first_tick = 0;  ///< Step of the first tick in the block.
  Array ticks;                  ///< [streams, ticks in the block, output_size]
  std::int64_t phase = 0;       ///< Step of the first tick of a trial.
  /// What the level above reads in place of `ticks`, where the level hears another
  /// (TopDownOptions): its answers without that; else without elements.
  Array plain = {};
  /// What its layers report of these ticks beside their answers (HierarchicalLevel::tick_series).
  std::vector<Array> beside = {};
};

/// A level of temporal resolution r ticks at the steps t with (t - phase) % r == 0.  At a tick it
/// pools what it has read since the last one (see Pooling), and its layers run in order; between
/// ticks it holds its representation, the last layer's output.
class HierarchicalLevel {
 public:
  /// `input_size` is what the first layer reads: with Pooling::concat, temporal_resolution times
  /// the size of the representation below. \throws ArgumentError for a size or resolution below 1.
  HierarchicalLevel(int id, std::int64_t input_size, std::int64_t output_size,
                    std::int64_t temporal_resolution = 1, const LevelOptions& options = {});

  HierarchicalLevel(HierarchicalLevel&&) = default;
  HierarchicalLevel& operator=(HierarchicalLevel&&) = default;

  /// A level of its own that goes on bit for bit as this one would; see HierarchyManager::clone.
  HierarchicalLevel clone() const;

  int id() const { return id_; }
  std::int64_t input_size() const { return input_size_; }
  std::int64_t output_size() const { return output_size_; }
  std::int64_t temporal_resolution() const { return pool_.resolution(); }
  std::int64_t phase() const { return pool_.phase(); }
  TickTimes tick_times() const { return {pool_.resolution(), pool_.phase()}; }
  const LevelOptions& options() const { return options_; }
  Pooling pooling() const { return pool_.pooling(); }
  bool learns() const { return options_.learn; }
  /// Whether it learns from here on, as by its options.
  void set_learns(bool learns) { options_.learn = learns; }
  /// Length of the representation below that fits `input_size`.
  std::int64_t source_size() const;

  /// Appends a layer.  \throws ShapeError unless its input size is the size of what comes before
  /// it.
  template <class L, class = std::enable_if_t<std::is_base_of_v<Layer, L>>>
  void add_layer(L layer) {
    add_layer(std::make_unique<L>(std::move(layer)));
  }
  void add_layer(std::unique_ptr<Layer> layer);

  std::size_t layer_count() const { return layers_.size(); }
  Layer& layer(std::size_t index);
  const Layer& layer(std::size_t index) const;

  /// \throws ShapeError, with the way out, unless the last layer's output (or, without layers, the
  /// input) has
  ///         output_size.
  void check_complete() const;

  /// Reads x [source_size] (or [streams, source_size]) at step t and returns the representation,
  /// fresh if t is a tick, else held.  Steps that are left out do not exist for the pooling.
  /// On the CPU a call that fails leaves the level as it was before it.  \throws ShapeError,
  /// ArgumentError, DivergedError as Layer::process.
  Array process_time_step(const Array& x, std::int64_t t, bool learn = true);

  /// Reads a representation [streams, source ticks, source_size], the ticks of `from` in
  /// [first_step, first_step + steps), which is held in between.  A block that
  /// `continues` the one before it is kept beside that, until one comes that does not.  The ticks
  /// are written to `room` [streams, ticks in the block, output_size], if that has elements.
  /// `signals` has what layers read beside it, of every step; a tick reads that of its step.
  /// Fails as process_time_step.
  LevelBlock process_block(const Array& source, TickTimes from, std::int64_t first_step,
                           std::int64_t steps, bool learn = true, bool continues = false,
                           const Array& room = {}, const TickSignals& signals = {});
  /// The same where the caller keeps what may change and looks at what is left, as a hierarchy does
  /// for all of its levels.
  LevelBlock process_unguarded(const Array& source, TickTimes from, std::int64_t first_step,
                               std::int64_t steps, bool learn, bool continues, const Array& room,
                               const TickSignals& signals);

  /// Whether its last layer has a connection from a level above (TopDownOptions).  Alone, without a
  /// HierarchyManager, the level hears nothing, and answers as if there were none.
  bool hears() const { return !layers_.empty() && layers_.back()->top_down() != nullptr; }
  /// The connection; null where there is none, and before `connect`.
  TopDown* top_down() { return top_down_ ? &*top_down_ : nullptr; }
  const TopDown* top_down() const { return top_down_ ? &*top_down_ : nullptr; }
  /// Makes the connection, from a level that shows `heard` numbers, where there is none yet.
  /// \throws ShapeError if it is one to a level of another size.
  void connect(std::int64_t heard);
  /// Makes of the last block, whose answers were plain, what the level shows, of what the level
  /// above computed for the same steps.
  LevelBlock hear(const LevelBlock& sent, std::int64_t first_step, std::int64_t steps, bool learn);

  /// Keeps in `undo` whatever these steps may change, so that they can be undone: its arrays are
  /// put back, then put_back is called.
  void keep(ArrayUndo& undo, std::int64_t first_step, std::int64_t steps, bool learn);
  /// Keeps in `undo` whatever any steps may change, weights too where it does not learn.
  void keep_all(ArrayUndo& undo);
  /// Stands where it stood by `keep`; of the blocks since then nothing is left.
  void put_back();
  /// The last block and those that it continues, as one.
  LevelBlock whole_block();
  /// Keeps of the last block a copy of its last tick alone, and lets go of the room that it was
  /// written to.
  void leave_room();

  /// The representation as it stands, [streams, output_size].
  /// \throws Error before the first tick, if held_until_first is `refuse`.
  const Array& representation() const;
  bool has_ticked() const { return has_ticked_; }
  /// Whether there is something to show at `step`: it is a tick, or there was one, or zeros will
  /// do.
  bool shows_at(std::int64_t step) const;

  /// Forgets everything carried from earlier steps; weights stay.
  void reset_state();

  /// The levels of replicas as one, whose streams are theirs one after another.  It computes by
  /// their layers, which must outlive it; their other state it copies.  why_not_replica is empty
  /// for all of them.
  static HierarchicalLevel joined(const std::vector<HierarchicalLevel*>& replicas);
  /// Gives each of `replicas` its part of the state.
  void part(const std::vector<HierarchicalLevel*>& replicas) const;
  /// In what `other` differs so much from this level that they cannot be replicas, to follow its
  /// name.  Empty if it does not.
  std::string why_not_replica(const HierarchicalLevel& other) const;

  /// First value that is not finite, or nothing.
  struct NotFinite {
    int layer;
    std::int64_t step;
    bool in_weights;  ///< Else in the layer's output.
  };
  /// Whether the last block, or one that it continues, left NaN or Inf in an output or in the
  /// weights of any layer.
  std::optional<NotFinite> find_not_finite() const;

  /// Whether all answers of the last block are within -bound and bound.
  bool answers_within(double bound) const;
  /// What its layers report of each tick beside their answers, layer after layer.
  std::vector<TickSeries> tick_series() const;
  /// Whether NaN in what it reads is a value that is missing, which its first layer can do without.
  bool takes_missing() const { return !layers_.empty() && layers_.front()->takes_missing(); }

  /// Whether all layers repeat what they did (Layer::repeats), and read nothing beside the source.
  bool repeats() const;

  /// The error that tells of what find_not_finite has found in the level at `position`.
  DivergedError diverged(const NotFinite& found, std::size_t position) const;

  /// Whether the representation, and if they are asked for the weights and memories of its layers,
  /// are free of NaN and Inf.
  bool carries_finite(bool weights) const;

  /// The dtype of the representation, given that of what is read.
  DType representation_dtype(DType source) const;

  /// In which the first layer computes with a source of `dtype`.
  DType reading_dtype(DType source) const;

  /// Makes room for everything that is carried from step to step, for a source of `dtype` that
  /// ticks as `from` says.  \throws ShapeError if there is state of other streams.
  void allocate_state(std::int64_t streams, TickTimes from, DType dtype);

  /// Takes over what `below` shows before the next block, a copy: what is read until `below` ticks.
  void hold_source(const HierarchicalLevel& below);

  /// Everything from which the level goes on bit for bit; the arrays share their elements with it.
  std::vector<NamedArray> state() const;
  /// Takes over what `state` of such a level was before step `next_step`: the arrays of `values`
  /// whose names begin with `prefix`.  There is room for it (allocate_state).
  /// \throws ArgumentError for an array that is missing, ShapeError for another shape.
  void set_state(const ArrayMap& values, const std::string& prefix, std::int64_t next_step);

 private:
  /// What was computed for a block.
  struct Piece {
    Array ticks;
    std::vector<Array> answers;      ///< Answers of each layer; empty where nothing ticked.
    std::vector<Array> beside = {};  ///< What layers report of ticks; empty where nothing ticked.
  };

  /// What `keep` has kept beside arrays.
  struct Kept {
    bool has_ticked = false;
    TemporalPool::Place place;
  };

  /// What the level above reads: the representation, without what comes from above.
  const Array& shown_above() const { return plain_.size() > 0 ? plain_ : representation_; }
  void keep_top_down(ArrayUndo& undo, bool learn);
  void check_source(const Array& source) const;
  /// Answer of a layer to x at ticks from step `first_tick` on, written to `room` if that has
  /// elements.  \throws DivergedError where the layer cannot go on.
  Array answer_of(std::size_t index, const Array& x, bool learn, const Array& room,
                  std::int64_t first_tick);
  /// Hands layers what they read of `signals` at the ticks of a block.
  void read_signals(const TickSignals& signals, std::int64_t first_step, std::int64_t steps);

  int id_;
  std::int64_t input_size_;
  std::int64_t output_size_;
  LevelOptions options_;
  TemporalPool pool_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::optional<TopDown> top_down_;
  Array held_source_;     // [streams, source_size]
  Array plain_;           // [streams, output_size]: what the level above reads, if it is another
  Array representation_;  // [streams, output_size]
  bool has_ticked_ = false;
  std::vector<Piece> pieces_;    // the last block, behind those that it continues
  std::int64_t first_tick_ = 0;  // number of the first of them
  Kept kept_;
};

/// Whether all numbers of a floating array on the CPU are within -bound and bound; NaN is not.
bool all_within(const Array& x, double bound);

}  // namespace gaia
