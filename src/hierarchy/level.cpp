// SPDX-License-Identifier: MIT
#include "level.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "../array/create.h"
#include "../array/joining.h"
#include "../array/ops.h"
#include "../core/message.h"
#include "../layers/hierarchy/filter_layer.h"
#include "step_signals.h"

namespace gaia {
namespace {

/// In which a source of `dtype` is pooled: itself if that is float32 or float64.
DType pooled_dtype(DType dtype) { return promote(floating_result(dtype), DType::float32); }

}  // namespace

HierarchicalLevel::HierarchicalLevel(int id, std::int64_t input_size, std::int64_t output_size,
                                     std::int64_t temporal_resolution, const LevelOptions& options)
    : id_(id),
      input_size_(input_size),
      output_size_(output_size),
      options_(options),
      pool_(options.pooling, temporal_resolution, options.legendre, options.phase) {
  if (input_size < 1 || output_size < 1) {
    fail<ArgumentError>("[level {}] sizes must be at least 1, got {} inputs and {} outputs", id,
                        input_size, output_size);
  }
  if (input_size % pool_.output_size(1) != 0) {
    fail<ArgumentError>(
        "[level {}] with pooling {}, input_size must be a multiple of {} {}, "
        "got {}",
        id, to_string(options.pooling),
        options.pooling == Pooling::legendre ? "the numbers of a window," : "temporal_resolution",
        pool_.output_size(1), input_size);
  }
}

HierarchicalLevel HierarchicalLevel::clone() const {
  HierarchicalLevel twin(id_, input_size_, output_size_, temporal_resolution(), options_);
  for (const auto& layer : layers_) twin.layers_.push_back(layer->clone());
  twin.pool_ = pool_.clone();
  if (top_down_) twin.top_down_ = top_down_->clone();
  twin.held_source_ = held_source_.copy();
  twin.plain_ = plain_.copy();
  twin.representation_ = representation_.copy();
  twin.has_ticked_ = has_ticked_;
  return twin;
}

std::int64_t HierarchicalLevel::source_size() const { return input_size_ / pool_.output_size(1); }

void HierarchicalLevel::add_layer(std::unique_ptr<Layer> layer) {
  if (!layer) fail<ArgumentError>("[level {}] add_layer got no layer", id_);
  const std::int64_t expected = layers_.empty() ? input_size_ : layers_.back()->output_size();
  if (layer->input_size() != expected) {
    fail<ShapeError>(
        "[level {}] layer {} ({}) reads {} numbers, but what comes before it has {}{}; make the "
        "layer "
        "with {} inputs",
        id_, layers_.size(), layer->type(), layer->input_size(), expected,
        layers_.empty() ? ", the input_size of the level" : "", expected);
  }
  if (hears()) {
    fail<ArgumentError>(
        "[level {}] layer {} has a top_down, which the last layer of a level alone can have; add "
        "no "
        "layer behind it",
        id_, layers_.size() - 1);
  }
  layers_.push_back(std::move(layer));
}

void HierarchicalLevel::connect(std::int64_t heard) {
  if (!hears()) return;
  if (top_down_ && top_down_->heard_size() != heard) {
    fail<ShapeError>("[level {}] hears {} numbers from level {}, which now shows {}", id_,
                     top_down_->heard_size(), layers_.back()->top_down()->from, heard);
  }
  const auto* const layer = dynamic_cast<const HebbianLayer*>(layers_.back().get());
  if (!top_down_ && layer != nullptr) top_down_.emplace(*layer, heard);
}

Layer& HierarchicalLevel::layer(std::size_t index) {
  return const_cast<Layer&>(std::as_const(*this).layer(index));
}

const Layer& HierarchicalLevel::layer(std::size_t index) const {
  if (index >= layers_.size()) {
    fail<ArgumentError>("[level {}] there is no layer {} among {}", id_, index, layers_.size());
  }
  return *layers_[index];
}

void HierarchicalLevel::check_complete() const {
  const std::int64_t actual = layers_.empty() ? input_size_ : layers_.back()->output_size();
  if (actual != output_size_) {
    fail<ShapeError>(
        "[level {}] output_size is {}, but {}{}{}; make the level with output_size {}, or add a "
        "layer "
        "from {} to {} numbers",
        id_, output_size_,
        layers_.empty() ? "it has no layers and input_size " : "its last layer answers with ",
        actual, layers_.empty() ? "" : " numbers", actual, actual, output_size_);
  }
}

Array HierarchicalLevel::process_time_step(const Array& x, std::int64_t t, bool learn) {
  if (t < 0) fail<ArgumentError>("[level {}] step must be at least 0, got {}", id_, t);
  if (x.rank() != 1 && x.rank() != 2) {
    fail<ShapeError>("[level {}] process_time_step expects [{}] or [streams, {}], got {}", id_,
                     source_size(), source_size(), x.shape());
  }
  const std::int64_t streams = x.rank() == 1 ? 1 : x.shape(0);
  process_block(x.reshape({streams, 1, x.shape(-1)}), {}, t, 1, learn);
  const Array& held = representation();
  return x.rank() == 1 ? held[0].copy() : held.copy();
}

DType HierarchicalLevel::reading_dtype(DType source) const {
  return layers_.empty() ? pooled_dtype(source) : layers_.front()->dtype();
}

DType HierarchicalLevel::representation_dtype(DType source) const {
  return layers_.empty() ? pooled_dtype(source) : layers_.back()->dtype();
}

void HierarchicalLevel::check_source(const Array& source) const {
  check_complete();
  if (source.rank() != 3 || source.shape(2) != source_size()) {
    fail<ShapeError>("[level {}] expected [streams, ticks, {}], got {}", id_, source_size(),
                     source.shape());
  }
}

void HierarchicalLevel::allocate_state(std::int64_t streams, TickTimes from, DType dtype) {
  if (top_down_) top_down_->allocate_state(streams);
  if (representation_.size() > 0) {
    if (representation_.shape(0) == streams) return;
    fail<ShapeError>("[level {}] its state is of {} stream(s), got {}; reset its state first", id_,
                     representation_.shape(0), streams);
  }
  representation_ = zeros({streams, output_size_}, representation_dtype(dtype));
  held_source_ = zeros({streams, source_size()}, pooled_dtype(dtype));
  pool_.allocate(streams, source_size(), from, pooled_dtype(dtype));
  if (hears()) plain_ = zeros({streams, output_size_}, representation_dtype(dtype));
  for (const auto& layer : layers_) layer->allocate_state(streams);
}

void HierarchicalLevel::hold_source(const HierarchicalLevel& below) {
  if (below.representation_.shape() == held_source_.shape()) {
    // Not into the old one, which the level may still be reading on a stream of its own.
    held_source_ = below.shown_above().copy().astype(held_source_.dtype());
  }
}

std::vector<NamedArray> HierarchicalLevel::state() const {
  using Role = NamedArray::Role;
  const auto number = [](std::int64_t value) {
    return from_values(std::vector<std::int64_t>{value}, {1});
  };
  std::vector<NamedArray> all = {{"representation", Role::state, representation_},
                                 {"has_ticked", Role::state, number(has_ticked_ ? 1 : 0)},
                                 {"held_source", Role::state, held_source_},
                                 {"window", Role::state, pool_.state()},
                                 {"window_steps", Role::state, number(pool_.steps_held())}};
  if (hears()) all.push_back({"plain", Role::state, plain_});
  if (top_down_) {
    for (NamedArray& array : top_down_->arrays()) {
      array.name = "top_down/" + array.name;
      all.push_back(std::move(array));
    }
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    for (NamedArray& array : layers_[i]->arrays()) {
      array.name = "layers/" + std::to_string(i) + "/" + array.name;
      all.push_back(std::move(array));
    }
  }
  return all;
}

void HierarchicalLevel::set_state(const ArrayMap& values, const std::string& prefix,
                                  std::int64_t next_step) {
  const auto source = values.find(prefix + "held_source");
  const bool is_before_data = source != values.end() && source->second.size() == 0;
  for (const NamedArray& mine : state()) {
    if (mine.value.size() == 0) continue;
    const auto found = values.find(prefix + mine.name);
    if (found == values.end()) {
      fail<ArgumentError>("[level {}] expected an array '{}{}' in the state, got none", id_, prefix,
                          mine.name);
    }
    if (found->second.size() == 0 && is_before_data) continue;  // it stays as it begins
    if (!(found->second.shape() == mine.value.shape())) {
      fail<ShapeError>("[level {}] expected {}{} of shape {}, got {}", id_, prefix, mine.name,
                       mine.value.shape(), found->second.shape());
    }
    const bool is_of_layer = mine.name.starts_with("layers/") || mine.name.starts_with("top_down/");
    if (is_of_layer && first_not_finite(found->second.astype(mine.value.dtype())) >= 0) {
      fail<ArgumentError>("[level {}] expected finite numbers in {}{}, got NaN or Inf", id_, prefix,
                          mine.name);
    }
    mine.value.assign(found->second);
  }
  has_ticked_ = values.at(prefix + "has_ticked").item() != 0.0;
  pool_.stand_at(next_step, static_cast<std::int64_t>(values.at(prefix + "window_steps").item()));
}

void HierarchicalLevel::keep(ArrayUndo& undo, std::int64_t first_step, std::int64_t steps,
                             bool learn) {
  learn = learn && options_.learn;
  // Who does not learn answers NaN with NaN, which the next tick replaces.
  using Numbers = ArrayUndo::Numbers;
  undo.keep(representation_, learn ? Numbers::finite : Numbers::any);
  undo.keep(held_source_, Numbers::any);
  kept_ = {has_ticked_, pool_.keep(undo)};
  keep_top_down(undo, learn);
  const bool makes_room = representation_.size() == 0;
  if (!makes_room && count_ticks(first_step, steps, temporal_resolution(), phase()) == 0) return;
  for (const auto& layer : layers_) layer->keep(undo, learn);
}

void HierarchicalLevel::keep_all(ArrayUndo& undo) {
  using Numbers = ArrayUndo::Numbers;
  undo.keep(representation_, Numbers::any);
  undo.keep(held_source_, Numbers::any);
  kept_ = {has_ticked_, pool_.keep(undo)};
  keep_top_down(undo, true);
  for (const auto& layer : layers_) {
    for (const NamedArray& array : layer->arrays()) undo.keep_elements(array.value, Numbers::any);
    layer->keep(undo, true);
  }
}

void HierarchicalLevel::keep_top_down(ArrayUndo& undo, bool learn) {
  if (!hears()) return;
  undo.keep(plain_, ArrayUndo::Numbers::any);
  if (top_down_) {
    top_down_->keep(undo, learn);
  } else {
    undo.before_put_back([this] { top_down_.reset(); });
  }
}

void HierarchicalLevel::put_back() {
  has_ticked_ = kept_.has_ticked;
  pool_.stand_at(kept_.place.next_step, kept_.place.steps_held);
  pieces_.clear();
}

LevelBlock HierarchicalLevel::process_block(const Array& source, TickTimes from,
                                            std::int64_t first_step, std::int64_t steps, bool learn,
                                            bool continues, const Array& room,
                                            const TickSignals& signals) {
  const auto process = [&] {
    return process_unguarded(source, from, first_step, steps, learn, continues, room, signals);
  };
  if (!current_device().is_cpu()) return process();
  check_source(source);
  ArrayUndo undo;
  keep(undo, first_step, steps, learn);
  try {
    LevelBlock made = process();
    if (undo.all_finite()) return made;
    const std::int64_t at = first_not_finite(source);
    if (at < 0) throw diverged(find_not_finite().value_or(NotFinite{0, first_step, true}), 0);
    const std::int64_t row = at / source.shape(2);
    fail<ArgumentError>(
        "[level {}] expected finite numbers, got NaN or Inf at stream {}, tick {} of the source, "
        "number "
        "{}; the level is as it was before",
        id_, row / source.shape(1), row % source.shape(1), at % source.shape(2));
  } catch (...) {
    undo.put_back();
    put_back();
    throw;
  }
}

LevelBlock HierarchicalLevel::process_unguarded(const Array& source, TickTimes from,
                                                std::int64_t first_step, std::int64_t steps,
                                                bool learn, bool continues, const Array& room,
                                                const TickSignals& signals) {
  check_source(source);
  learn = learn && options_.learn;
  allocate_state(source.shape(0), from, source.dtype());
  representation_ = on_current_device(representation_, "level");
  held_source_ = on_current_device(held_source_, "level");
  if (hears()) plain_ = on_current_device(plain_, "level");
  const Array here = on_current_device(source, "level").astype(held_source_.dtype());
  Array x = pool_.process(here, from, first_step, steps, held_source_);
  const std::int64_t first_tick = next_tick(first_step, temporal_resolution(), phase());
  if (!continues) pieces_.clear();
  if (pieces_.empty()) first_tick_ = first_tick;
  Piece piece;
  if (x.shape(1) > 0) {
    read_signals(signals, first_step, steps);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const bool is_last = i + 1 == layers_.size();
      if (is_last && top_down_) {
        x = top_down_->answer_plainly(*layers_[i], x, learn);
        plain_.assign(x.select(1, -1));
      } else {
        x = answer_of(i, x, learn, is_last ? room : Array(), first_tick);
      }
      piece.answers.push_back(x);
      for (Array& values : layers_[i]->tick_values()) piece.beside.push_back(std::move(values));
    }
    if (layers_.empty() && room.size() > 0) {
      room.assign(x);
      x = room;
    }
    representation_.assign(x.select(1, -1));
    has_ticked_ = true;
  } else {
    x = zeros({x.shape(0), 0, output_size_}, representation_.dtype());
  }
  piece.ticks = x;
  pieces_.push_back(std::move(piece));
  return {id_,     temporal_resolution(),   first_tick,           x,
          phase(), top_down_ ? x : Array(), pieces_.back().beside};
}

Array HierarchicalLevel::answer_of(std::size_t index, const Array& x, bool learn, const Array& room,
                                   std::int64_t first_tick) {
  Layer& layer = *layers_[index];
  const auto diverged = [&](std::int64_t tick, const char* why) {
    const std::int64_t step = first_tick + tick * temporal_resolution();
    return DivergedError(message("[run] level {}, layer {} ({}) cannot go on at step {}: {}", id_,
                                 index, layer.type(), step, why),
                         id_, static_cast<int>(index), step);
  };
  try {
    if (room.size() == 0) return layer.process_unguarded(x, learn);
    layer.process_unguarded(x, learn, room);
    return room;
  } catch (const TickFailure& failure) {
    throw diverged(failure.tick, failure.what());
  } catch (const InfiniteInput& input) {
    if (id_ == 0 && index == 0) throw;  // the data are
    throw diverged(input.tick, input.what());
  }
}

std::vector<TickSeries> HierarchicalLevel::tick_series() const {
  std::vector<TickSeries> all;
  for (const auto& layer : layers_) {
    for (TickSeries& series : layer->tick_series()) all.push_back(std::move(series));
  }
  return all;
}

LevelBlock HierarchicalLevel::hear(const LevelBlock& sent, std::int64_t first_step,
                                   std::int64_t steps, bool learn) {
  Piece& piece = pieces_.back();
  const Array plain = piece.ticks;
  piece.ticks =
      top_down_->hear(sent, plain, {first_step, steps, tick_times()}, learn && options_.learn);
  if (plain.shape(1) > 0) {
    piece.answers.back() = piece.ticks;
    representation_.assign(piece.ticks.select(1, -1));
  }
  return {id_,
          temporal_resolution(),
          next_tick(first_step, temporal_resolution(), phase()),
          piece.ticks,
          phase(),
          plain,
          piece.beside};
}

void HierarchicalLevel::read_signals(const TickSignals& signals, std::int64_t first_step,
                                     std::int64_t steps) {
  const std::int64_t lead = next_tick(first_step, temporal_resolution(), phase()) - first_step;
  for (const auto& layer : layers_) {
    TickSignals read;  // what is missing, the layer says
    for (const std::string& column : layer->signal_columns()) {
      const auto found = signals.find(column);
      if (found != signals.end()) read.insert(*found);
    }
    const TickSignals here = signals_of_steps(read, lead, steps - lead, temporal_resolution());
    layer->read_signals(here);
    if (top_down_ && layer == layers_.back()) top_down_->read_signals(here);
  }
}

LevelBlock HierarchicalLevel::whole_block() {
  if (pieces_.empty()) fail<Error>("[level {}] has made no block yet", id_);
  // Where nothing ticked there is nothing to join.
  std::vector<Piece> ticking;
  for (Piece& piece : pieces_) {
    if (piece.ticks.shape(1) > 0) ticking.push_back(std::move(piece));
  }
  if (ticking.empty()) {
    pieces_.resize(1);
  } else {
    const auto joined = [&](const auto& of_piece) {
      std::vector<Array> parts;
      for (const Piece& piece : ticking) parts.push_back(of_piece(piece));
      return parts.size() == 1 ? parts[0] : concatenate(parts, 1);
    };
    Piece whole;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      whole.answers.push_back(joined([i](const Piece& piece) { return piece.answers[i]; }));
    }
    for (std::size_t i = 0; i < ticking.front().beside.size(); ++i) {
      whole.beside.push_back(joined([i](const Piece& piece) { return piece.beside[i]; }));
    }
    whole.ticks = layers_.empty() ? joined([](const Piece& piece) { return piece.ticks; })
                                  : whole.answers.back();
    pieces_ = {std::move(whole)};
  }
  return {id_, temporal_resolution(), first_tick_, pieces_[0].ticks, phase(),
          {},  pieces_[0].beside};
}

void HierarchicalLevel::leave_room() {
  std::int64_t ticks = 0;
  Piece last;
  for (const Piece& piece : pieces_) {
    if (piece.ticks.shape(1) == 0) continue;
    ticks += piece.ticks.shape(1);
    last = piece;
  }
  if (ticks == 0) return;
  const auto end_of = [](const Array& x) { return x.slice(1, -1, {}).copy(); };
  last.ticks = end_of(last.ticks);
  for (Array& answer : last.answers) answer = end_of(answer);
  for (Array& values : last.beside) values = end_of(values);
  pieces_ = {std::move(last)};
  first_tick_ += (ticks - 1) * temporal_resolution();
}

bool HierarchicalLevel::shows_at(std::int64_t step) const {
  return has_ticked_ || next_tick(step, temporal_resolution(), phase()) == step ||
         options_.held_until_first == LevelOptions::UntilFirst::zeros;
}

const Array& HierarchicalLevel::representation() const {
  if (!has_ticked_ && options_.held_until_first == LevelOptions::UntilFirst::refuse) {
    fail<Error>("[level {}] has no representation before its first tick (held_until_first)", id_);
  }
  return representation_;
}

void HierarchicalLevel::reset_state() {
  pool_.reset();
  for (const auto& layer : layers_) layer->reset_state();
  if (top_down_) top_down_->reset_state();
  held_source_ = Array();
  plain_ = Array();
  representation_ = Array();
  has_ticked_ = false;
  pieces_.clear();
}

bool HierarchicalLevel::carries_finite(bool weights) const {
  if (first_not_finite(representation_) >= 0) return false;
  if (!weights) return true;
  const auto are_finite = [](const std::vector<NamedArray>& arrays) {
    return std::all_of(arrays.begin(), arrays.end(),
                       [](const NamedArray& array) { return first_not_finite(array.value) < 0; });
  };
  if (top_down_ && !are_finite(top_down_->arrays())) return false;
  return std::all_of(layers_.begin(), layers_.end(), [&](const std::unique_ptr<Layer>& layer) {
    return are_finite(layer->arrays());
  });
}

bool all_within(const Array& x, double bound) {
  if (!is_floating(x.dtype())) return true;
  const Array numbers =
      promote(x.dtype(), DType::float32) == x.dtype() ? x : x.astype(DType::float32);
  const Array in_order = numbers.contiguous();
  const auto look = [&]<class T>(std::span<const T> values) {
    const T most = static_cast<T>(bound);
    std::int64_t outside = 0;
    for (const T value : values) outside += std::abs(value) <= most ? 0 : 1;
    return outside == 0;
  };
  const auto count = static_cast<std::size_t>(in_order.size());
  const void* const data = in_order.view().data;
  return in_order.dtype() == DType::float64
             ? look(std::span(static_cast<const double*>(data), count))
             : look(std::span(static_cast<const float*>(data), count));
}

bool HierarchicalLevel::answers_within(double bound) const {
  return std::all_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
    return std::all_of(piece.answers.begin(), piece.answers.end(),
                       [&](const Array& answer) { return all_within(answer, bound); });
  });
}

bool HierarchicalLevel::repeats() const {
  return !hears() &&
         std::all_of(layers_.begin(), layers_.end(), [](const std::unique_ptr<Layer>& layer) {
           return layer->repeats() && layer->signal_columns().empty();
         });
}

DivergedError HierarchicalLevel::diverged(const NotFinite& found, std::size_t position) const {
  const std::string place = found.in_weights ? "weights" : "representation";
  std::string layer;
  if (const auto number = static_cast<std::size_t>(found.layer); number < layers_.size()) {
    const Layer& of = *layers_[number];
    layer = message(", layer {} ({} {})", found.layer, of.type(),
                    Shape{of.output_size(), of.input_size()});
  }
  return {message("[run] NaN or Inf in the {} of level {}{} at step {}; try a smaller "
                  "learning_rate or homeostasis strength, decay, or a normalization",
                  place, id_, layer, found.step),
          static_cast<int>(position), found.layer, found.step};
}

std::optional<HierarchicalLevel::NotFinite> HierarchicalLevel::find_not_finite() const {
  std::optional<NotFinite> earliest;
  std::int64_t tick = 0;  // count of those before the piece
  const auto step_of = [this](std::int64_t number) {
    return first_tick_ + number * temporal_resolution();
  };
  for (const Piece& piece : pieces_) {
    for (std::size_t i = 0; i < piece.answers.size(); ++i) {
      const Array by_tick = piece.answers[i].swapaxes(0, 1);  // [ticks, streams, n]
      const std::int64_t at = first_not_finite(by_tick);
      if (at < 0) continue;
      const std::int64_t step = step_of(tick + at / (by_tick.shape(1) * by_tick.shape(2)));
      if (!earliest || step < earliest->step) {
        earliest = NotFinite{static_cast<int>(i), step, false};
      }
    }
    tick += piece.ticks.shape(1);
    if (earliest) return earliest;
  }
  if (tick == 0) return earliest;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    std::vector<NamedArray> arrays = layers_[i]->arrays();
    if (top_down_ && i + 1 == layers_.size()) {
      for (NamedArray& array : top_down_->arrays()) arrays.push_back(std::move(array));
    }
    for (const NamedArray& array : arrays) {
      if (first_not_finite(array.value) >= 0) {
        return NotFinite{static_cast<int>(i), step_of(tick - 1), true};
      }
    }
  }
  return std::nullopt;
}

}  // namespace gaia
