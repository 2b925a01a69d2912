// SPDX-License-Identifier: MIT
/// \file
/// A connection from a level above, as it runs: what it has heard, the map that makes td of it, and
/// what td makes of the answers (layers/hierarchy/top_down_options.h has the equations).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../array/undo.h"
#include "../layers/hierarchy/hebbian.h"
#include "../layers/hierarchy/top_down_rule.h"
#include "temporal_pool.h"

namespace gaia {

struct LevelBlock;

/// Ticks of a level among some steps.
struct TickSpan {
  std::int64_t first_step = 0;
  std::int64_t steps = 0;
  TickTimes times = {};
};

/// Plain answers do not depend on td, unless the layer's own text reads it: so a level makes them
/// of a whole block, as any other does, and the level above reads them; then the connection hears
/// what the level that sends computed for that block.  Where the text reads td, a block must have
/// no tick of that level but at its last step.
class TopDown {
 public:
  /// Connection to a layer whose top_down() is set, from a level that shows `heard` numbers.
  TopDown(const HebbianLayer& layer, std::int64_t heard);
  TopDown(TopDown&&) = default;
  TopDown& operator=(TopDown&&) = default;

  TopDown clone() const;
  /// Connections of replicas, which do what they do alone, each for its share of the streams; they
  /// and the layers must outlive it.
  static TopDown joined(std::vector<std::pair<TopDown*, HebbianLayer*>> replicas);

  const TopDownOptions& options() const { return options_; }
  std::int64_t heard_size() const { return heard_size_; }
  /// Whether a block must have no tick of the level that sends but at its last step.
  bool hears_tick_by_tick() const { return tick_by_tick_; }

  /// V [outputs, heard], or with a 1 behind what is heard [outputs, heard + 1]; of a random map R.
  const Array& weights() const;
  /// Copies `values` into V.  \throws ShapeError, ArgumentError as HebbianLayer::set_weights.
  void set_weights(const Array& values) { map_->set_weights(values); }
  /// V under the name "weights", the memories of its rule, `m` and `M` of a gain among them, and
  /// "heard" [streams, delay, heard size], oldest first.
  std::vector<NamedArray> arrays() const;

  /// What is heard from here on: for controls.  A clone has it too, `arrays` have not.
  void set_mode(TopDownMode mode);
  void scale_learning_rate(double factor);
  void allocate_state(std::int64_t streams);
  /// Nothing has been heard; V goes on, and so do its memories.
  void reset_state();
  void keep(ArrayUndo& undo, bool learn);

  /// The columns of `signals` at the ticks of the next block.
  void read_signals(const TickSignals& signals);

  /// The plain answers of the layer to x [streams, ticks, inputs], while it learns if it is asked
  /// to.
  Array answer_plainly(Layer& layer, const Array& x, bool learn);
  /// What the level shows of these: `plain` is what answer_plainly gave for the ticks of `own`, and
  /// `sent` what the level above computed for the same steps, all of it.  V learns if it is asked
  /// to.
  Array hear(const LevelBlock& sent, const Array& plain, const TickSpan& own, bool learn);

  double operations_per_tick(bool learn) const;

 private:
  TopDown() = default;

  bool is_random() const { return options_.random || mode_ == TopDownMode::random_map; }
  /// Whether what follows on the plain answers needs the layer's drives.
  bool wants_drive(bool learn) const;
  /// s of each tick, [streams, ticks, heard size], and with a 1 behind it where there is one: rows
  /// of `heard` [streams, rows, heard size].
  Array rows_at(const Array& heard, const std::vector<std::int64_t>& places) const;
  /// R, which is what V would be.
  Array random_map() const;
  /// td of ticks that hear s, by V as it is.
  Array td_of(const Array& s);
  /// y of ticks that hear s.
  Array answer_to(const Array& s, const Array& plain, bool learn);
  /// How many ticks of s the map learns from in one go.
  std::int64_t ticks_at_once(const Array& s) const;
  Array answer_tick_by_tick(Layer& layer, const Array& x, bool learn);

  TopDownOptions options_;
  TopDownMode mode_ = TopDownMode::learnt;
  Activation activation_ = Activation::linear;  // activation of the layer
  bool layer_learns_ = true;
  bool tick_by_tick_ = false;
  bool learns_from_drive_ = false;
  std::int64_t heard_size_ = 0;
  std::vector<std::string> passing_;   // memories of V's text that nothing carries on
  std::unique_ptr<HebbianLayer> map_;  // V; null of joined ones
  RandomStream random_;                // draws of R
  Array random_map_;                   // R of a map that learns, once it is needed
  Array heard_;                        // [streams, delay, heard size], oldest first
  TickSignals signals_;
  Array drive_;   // drive of the ticks that answer_plainly has answered, if wanted
  Array answer_;  // answers of the same, tick by tick
  std::vector<std::pair<TopDown*, HebbianLayer*>> replicas_;
};

}  // namespace gaia
