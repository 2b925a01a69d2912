// SPDX-License-Identifier: MIT
#include "top_down.h"

#include <algorithm>
#include <limits>
#include <string>

#include "../array/create.h"
#include "../array/functions.h"
#include "../array/indexing.h"
#include "../array/joining.h"
#include "../array/ops.h"
#include "../array/random_arrays.h"
#include "../array/reductions.h"
#include "../core/message.h"
#include "level.h"

namespace gaia {
namespace {

/// Streams of number `replica` among those that replicas share.
Array of_replica(const Array& all, std::size_t replica, std::size_t replicas) {
  const std::int64_t streams = all.shape(0) / static_cast<std::int64_t>(replicas);
  const std::int64_t first = static_cast<std::int64_t>(replica) * streams;
  return all.slice(0, first, first + streams);
}

/// The same of all arrays, which are side by side in streams.
Array side_by_side(const std::vector<Array>& parts) { return concatenate(parts, 0); }

/// A map reads few numbers: what a chunk costs is the recurrence in it, which grows with its
/// length.
constexpr std::int64_t kChunkOfMap = 16;

HebbianOptions options_of_map(const HebbianLayer& layer, EquationRule rule) {
  return {.rule = std::move(rule),
          .init = Init::zeros,
          .executor = layer.plasticity().executor,
          .chunk = std::min<std::int64_t>(layer.plasticity().chunk, kChunkOfMap),
          .dtype = layer.dtype(),
          .random = RandomStream::named(layer.random().seed,
                                        "top_down/" + std::to_string(layer.random().stream))};
}

}  // namespace

TopDown::TopDown(const HebbianLayer& layer, std::int64_t heard)
    : options_(*layer.top_down()),
      activation_(layer.plasticity().activation),
      layer_learns_(layer.is_plastic()),
      tick_by_tick_(layer.reads_from_above()),
      heard_size_(heard) {
  TopDownRule rule = top_down_rule(options_, activation_, tick_by_tick_);
  learns_from_drive_ = rule.reads_drive;
  passing_ = std::move(rule.passing);
  const HebbianOptions options = options_of_map(layer, std::move(rule.rule));
  random_ = options.random;
  map_ =
      std::make_unique<HebbianLayer>(heard + (options_.bias ? 1 : 0), layer.output_size(), options);
  if (options_.random) map_->set_weights(random_map());
  map_->scale_learning_rate(layer.rate_factor());
}

TopDown TopDown::clone() const {
  TopDown twin;
  twin.options_ = options_;
  twin.mode_ = mode_;
  twin.activation_ = activation_;
  twin.layer_learns_ = layer_learns_;
  twin.tick_by_tick_ = tick_by_tick_;
  twin.learns_from_drive_ = learns_from_drive_;
  twin.heard_size_ = heard_size_;
  twin.passing_ = passing_;
  twin.map_.reset(dynamic_cast<HebbianLayer*>(map_->clone().release()));
  twin.random_ = random_;
  twin.heard_ = heard_.copy();
  return twin;
}

TopDown TopDown::joined(std::vector<std::pair<TopDown*, HebbianLayer*>> replicas) {
  TopDown all;
  const TopDown& first = *replicas.front().first;
  all.options_ = first.options_;
  all.tick_by_tick_ = first.tick_by_tick_;
  all.heard_size_ = first.heard_size_;
  all.replicas_ = std::move(replicas);
  return all;
}

const Array& TopDown::weights() const {
  return replicas_.empty() ? map_->weights() : replicas_.front().first->weights();
}

std::vector<NamedArray> TopDown::arrays() const {
  std::vector<NamedArray> all;
  for (const auto& [one, layer] : replicas_) {
    for (NamedArray& array : one->arrays()) all.push_back(std::move(array));
  }
  if (!replicas_.empty()) return all;
  for (NamedArray& array : map_->arrays()) {
    const bool passes = array.role == NamedArray::Role::memory &&
                        std::find(passing_.begin(), passing_.end(), array.name) != passing_.end();
    if (!passes) all.push_back(std::move(array));
  }
  all.push_back({"heard", NamedArray::Role::state, heard_});
  return all;
}

void TopDown::set_mode(TopDownMode mode) {
  mode_ = mode;
  for (const auto& [one, layer] : replicas_) one->set_mode(mode);
}

void TopDown::scale_learning_rate(double factor) {
  if (map_) map_->scale_learning_rate(factor);
  for (const auto& [one, layer] : replicas_) one->scale_learning_rate(factor);
}

void TopDown::allocate_state(std::int64_t streams) {
  for (const auto& [one, layer] : replicas_) one->allocate_state(streams / std::ssize(replicas_));
  if (!replicas_.empty() || heard_.size() > 0) return;
  map_->allocate_state(streams);
  heard_ = zeros({streams, options_.delay, heard_size_}, map_->dtype());
}

void TopDown::reset_state() {
  for (const auto& [one, layer] : replicas_) one->reset_state();
  if (map_) map_->reset_state();
  heard_ = Array();
}

void TopDown::keep(ArrayUndo& undo, bool learn) {
  for (const auto& [one, layer] : replicas_) one->keep(undo, learn);
  if (!replicas_.empty()) return;
  map_->keep(undo, learn && layer_learns_);
  undo.keep(heard_, ArrayUndo::Numbers::any);
}

void TopDown::read_signals(const TickSignals& signals) {
  signals_ = signals;
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    TickSignals mine;
    for (const auto& [name, values] : signals) {
      mine[name] = of_replica(values, r, replicas_.size());
    }
    replicas_[r].first->read_signals(mine);
  }
}

bool TopDown::wants_drive(bool learn) const {
  if (!replicas_.empty()) {
    return std::any_of(replicas_.begin(), replicas_.end(),
                       [&](const auto& one) { return one.first->wants_drive(learn); });
  }
  if (mode_ == TopDownMode::silent) return false;
  if (options_.as != TopDownOptions::As::gain) return true;
  return learns_from_drive_ && learn && layer_learns_ && !is_random();
}

Array TopDown::answer_plainly(Layer& layer, const Array& x, bool learn) {
  if (tick_by_tick_) return answer_tick_by_tick(layer, x, learn);
  const Array plain =
      Array::uninitialized({x.shape(0), x.shape(1), layer.output_size()}, layer.dtype());
  drive_ = Array();
  if (wants_drive(learn)) {
    drive_ = layer.process_with_drive(x, learn, plain);
  } else {
    layer.process_unguarded(x, learn, plain);
  }
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    TopDown& one = *replicas_[r].first;
    one.drive_ = drive_.size() > 0 ? of_replica(drive_, r, replicas_.size()) : Array();
  }
  return plain;
}

Array TopDown::answer_tick_by_tick(Layer& layer, const Array& x, bool learn) {
  if (!replicas_.empty()) {
    std::vector<Array> plain;
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      const auto& [one, own] = replicas_[r];
      plain.push_back(one->answer_tick_by_tick(*own, of_replica(x, r, replicas_.size()), learn));
    }
    return side_by_side(plain);
  }
  auto& plastic = dynamic_cast<HebbianLayer&>(layer);
  const Shape shape = {x.shape(0), x.shape(1), layer.output_size()};
  const Array plain = Array::uninitialized(shape, layer.dtype());
  answer_ = Array::uninitialized(shape, layer.dtype());
  heard_ = on_current_device(heard_, "top_down");
  const Array s = rows_at(heard_, {0});  // the same at all of these ticks
  const bool learns = learn && layer_learns_;
  for (std::int64_t t = 0; t < x.shape(1); ++t) {
    const Array td = td_of(s);
    const HebbianLayer::Heard made = plastic.hear(x.slice(1, t, t + 1), t, td, learn);
    plain.slice(1, t, t + 1).assign(made.plain);
    answer_.slice(1, t, t + 1).assign(made.answer);
    if (mode_ == TopDownMode::silent || is_random()) continue;
    TickSignals signals = of_ticks(signals_, t, t + 1);
    signals[kPlainAnswerSignal] = made.plain;
    signals[kDriveSignal] = made.drive;
    signals[kAnswerSignal] = made.answer;
    map_->read_signals(signals);
    map_->process_unguarded(s, learns);
  }
  return plain;
}

Array TopDown::rows_at(const Array& heard, const std::vector<std::int64_t>& places) const {
  const auto ticks = static_cast<std::int64_t>(places.size());
  const bool is_one = ticks == 1;
  const Array rows = is_one ? heard.slice(1, places[0], places[0] + 1)
                            : take(heard, from_values(places, {ticks}), 1);
  if (!options_.bias) return rows.contiguous();
  const Array s = Array::uninitialized({heard.shape(0), ticks, heard_size_ + 1}, map_->dtype());
  s.slice(2, 0, heard_size_).assign(rows);
  s.slice(2, heard_size_, heard_size_ + 1).fill(1.0);
  return s;
}

Array TopDown::random_map() const {
  const Array& v = map_->weights();
  return random_normal(v.shape(), 0.0, 1.0, v.dtype(), random_);
}

Array TopDown::td_of(const Array& s) {
  const Array td =
      Array::uninitialized({s.shape(0), s.shape(1), map_->output_size()}, map_->dtype());
  if (mode_ == TopDownMode::silent) {
    td.fill(0.0);
    return td;
  }
  if (!is_random()) {
    answer_linearly(Activation::linear, s, on_current_device(map_->weights(), "top_down"), {}, td);
    return td;
  }
  if (!options_.random && random_map_.size() == 0) random_map_ = random_map();
  const Array& r = options_.random ? map_->weights() : random_map_;
  answer_linearly(Activation::linear, s, on_current_device(r, "top_down"), {}, td);
  // 0 where s is: there R s is 0 too.
  const Array length = norm(s, {2}, true);
  return td / (2.0 * maximum(length, std::numeric_limits<float>::min()));
}

Array TopDown::hear(const LevelBlock& sent, const Array& plain, const TickSpan& own, bool learn) {
  if (!replicas_.empty()) {
    std::vector<Array> answers;
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      LevelBlock part = sent;
      part.ticks = of_replica(sent.ticks, r, replicas_.size());
      answers.push_back(
          replicas_[r].first->hear(part, of_replica(plain, r, replicas_.size()), own, learn));
    }
    return side_by_side(answers);
  }
  heard_ = on_current_device(heard_, "top_down");
  const Array news = on_current_device(sent.ticks, "top_down").astype(heard_.dtype());
  const Array heard = news.shape(1) > 0 ? concatenate({heard_, news}, 1) : heard_;
  Array answer = plain;
  if (plain.shape(1) > 0) {
    std::vector<std::int64_t> places;  // rows sent last before each tick, `delay` ticks ago
    for (std::int64_t i = 0; i < plain.shape(1); ++i) {
      const auto [resolution, phase] = own.times;
      const std::int64_t step = next_tick(own.first_step, resolution, phase) + i * resolution;
      places.push_back(
          count_ticks(own.first_step, step - own.first_step, sent.temporal_resolution, sent.phase));
    }
    answer = tick_by_tick_ ? answer_ : answer_to(rows_at(heard, places), plain, learn);
  }
  answer_ = drive_ = Array();
  if (news.shape(1) > 0) heard_.assign(heard.slice(1, news.shape(1), {}));
  return answer;
}

Array TopDown::answer_to(const Array& s, const Array& plain, bool learn) {
  using As = TopDownOptions::As;
  if (mode_ == TopDownMode::silent) return plain;
  Array td;
  if (is_random()) {
    td = td_of(s);
  } else {
    td = Array::uninitialized(plain.shape(), plain.dtype());
    TickSignals signals = signals_;
    signals[kPlainAnswerSignal] = plain;
    if (drive_.size() > 0) signals[kDriveSignal] = drive_;
    const std::int64_t at_once = ticks_at_once(s);
    for (std::int64_t first = 0; first < s.shape(1); first += at_once) {
      const std::int64_t end = std::min(s.shape(1), first + at_once);
      map_->read_signals(of_ticks(signals, first, end));
      map_->process_unguarded(s.slice(1, first, end), learn && layer_learns_,
                              td.slice(1, first, end));
    }
  }
  if (options_.as == As::gain) return plain * (td + 1.0);
  const Activation f = options_.as == As::prior ? Activation::softmax : activation_;
  td += drive_;
  activate(f, td, td);
  return td;
}

std::int64_t TopDown::ticks_at_once(const Array& s) const {
  // What a rule reads stays in the cache on a CPU; a GPU has fewer launches so.
  constexpr std::int64_t kNumbers = 65536;
  if (!current_device().is_cpu()) return s.shape(1);
  const std::int64_t chunk = map_->plasticity().chunk;
  return chunk * std::max<std::int64_t>(1, kNumbers / (chunk * s.shape(0) * map_->output_size()));
}

double TopDown::operations_per_tick(bool learn) const {
  return static_cast<double>(learn && layer_learns_ && !options_.random ? 4 : 2) *
         static_cast<double>(weights().size());
}

}  // namespace gaia
