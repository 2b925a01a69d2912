// SPDX-License-Identifier: MIT
/// \file
/// Levels of replicas as one level.
#include <algorithm>
#include <utility>

#include "../array/joining.h"
#include "../core/message.h"
#include "level.h"

namespace gaia {
namespace {

/// The same layer of all replicas.
class JoinedLayer final : public Layer {
 public:
  explicit JoinedLayer(std::vector<Layer*> replicas)
      : Layer(replicas[0]->input_size(), replicas[0]->output_size(), replicas[0]->dtype()),
        replicas_(std::move(replicas)) {}

  std::string type() const override { return replicas_[0]->type(); }
  std::unique_ptr<Layer> clone() const override { return std::make_unique<JoinedLayer>(*this); }
  bool is_plastic() const override { return replicas_[0]->is_plastic(); }
  void allocate_state(std::int64_t streams) override {
    const auto count = static_cast<std::int64_t>(replicas_.size());
    for (Layer* const layer : replicas_) layer->allocate_state(streams / count);
  }
  void keep(ArrayUndo& undo, bool learn) override {
    for (Layer* const layer : replicas_) layer->keep(undo, learn);
  }
  void reset_state() override {
    for (Layer* const layer : replicas_) layer->reset_state();
  }
  std::vector<std::string> signal_columns() const override {
    std::vector<std::string> columns;
    for (const Layer* const layer : replicas_) {
      for (const std::string& column : layer->signal_columns()) {
        if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
          columns.push_back(column);
        }
      }
    }
    return columns;
  }
  /// Signals are [replicas x streams, ticks]; each replica has those of its own streams.
  void read_signals(const TickSignals& signals) override {
    const auto count = static_cast<std::int64_t>(replicas_.size());
    for (std::int64_t r = 0; r < count; ++r) {
      TickSignals mine;
      for (const auto& [name, values] : signals) {
        const std::int64_t streams = values.shape(0) / count;
        mine[name] = values.slice(0, r * streams, (r + 1) * streams);
      }
      replicas_[static_cast<std::size_t>(r)]->read_signals(mine);
    }
  }
  const TopDownOptions* top_down() const override { return replicas_[0]->top_down(); }
  bool answers_with_drive() const override { return replicas_[0]->answers_with_drive(); }
  Array process_with_drive(const Array& x, bool learn, const Array& y) override {
    if (answers_with_drive()) {
      process_unguarded(x, learn, y);
      return y;
    }
    const std::int64_t streams = x.shape(0) / std::ssize(replicas_);
    std::vector<Array> drives;
    std::int64_t first = 0;
    for (Layer* const layer : replicas_) {
      const auto own = [&](const Array& all) { return all.slice(0, first, first + streams); };
      drives.push_back(layer->process_with_drive(own(x), learn, own(y)));
      first += streams;
    }
    return concatenate(drives, 0);
  }
  bool takes_missing() const override { return replicas_[0]->takes_missing(); }
  std::vector<TickSeries> tick_series() const override { return replicas_[0]->tick_series(); }
  std::vector<Array> tick_values() const override {
    std::vector<Array> all = replicas_[0]->tick_values();
    for (std::size_t k = 0; k < all.size(); ++k) {
      std::vector<Array> parts;
      for (const Layer* const layer : replicas_) parts.push_back(layer->tick_values()[k]);
      const GPUContext host(Device::cpu());
      all[k] = concatenate(parts, 0);
    }
    return all;
  }
  std::vector<NamedArray> arrays() const override {
    std::vector<NamedArray> all;
    for (Layer* const layer : replicas_) {
      for (NamedArray& array : layer->arrays()) all.push_back(std::move(array));
    }
    return all;
  }
  std::int64_t operations_per_tick(bool learn) const override {
    return replicas_[0]->operations_per_tick(learn);
  }

 private:
  void answer(const Array& x, bool learn, const Array& y) override {
    replicas_[0]->process_replicas(replicas_, x, learn, y);
  }
  void move_to_current_device() override {}  // each is moved when it computes

  std::vector<Layer*> replicas_;
};

std::string is_not(const std::string& what, const std::string& theirs, const std::string& mine) {
  return message("has {} {}, not {}", what, theirs, mine);
}

}  // namespace

std::string HierarchicalLevel::why_not_replica(const HierarchicalLevel& other) const {
  const auto differs = [](const std::string& what, std::int64_t theirs, std::int64_t mine) {
    return theirs == mine ? "" : is_not(what, std::to_string(theirs), std::to_string(mine));
  };
  for (const std::string& why_not :
       {differs("id", other.id_, id_), differs("input_size", other.input_size_, input_size_),
        differs("output_size", other.output_size_, output_size_),
        differs("temporal_resolution", other.temporal_resolution(), temporal_resolution())}) {
    if (!why_not.empty()) return why_not;
  }
  if (other.pooling() != pooling()) {
    return is_not("pooling", to_string(other.pooling()), to_string(pooling()));
  }
  if (other.options_.held_until_first != options_.held_until_first) {
    return "has another held_until_first";
  }
  if (other.options_.learn != options_.learn) {
    return other.options_.learn ? "learns, where the first does not"
                                : "does not learn, where the first does";
  }
  if (!(other.options_ == options_)) return "has other options";
  if (other.layers_.size() != layers_.size()) {
    return message("has {} layers, not {}", other.layers_.size(), layers_.size());
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::string why_not = layers_[i]->why_not_replica(*other.layers_[i]);
    if (!why_not.empty()) return message("differs: its layer {} {}", i, why_not);
  }
  const bool stands_alike = other.has_ticked_ == has_ticked_ && other.pool_.stands_like(pool_) &&
                            other.representation_.shape() == representation_.shape() &&
                            other.representation_.dtype() == representation_.dtype() &&
                            other.held_source_.shape() == held_source_.shape();
  return stands_alike ? "" : "has come to another state (other steps or streams); use reset_state";
}

HierarchicalLevel HierarchicalLevel::joined(const std::vector<HierarchicalLevel*>& replicas) {
  const HierarchicalLevel& first = *replicas.front();
  HierarchicalLevel whole(first.id_, first.input_size_, first.output_size_,
                          first.temporal_resolution(), first.options_);
  for (std::size_t i = 0; i < first.layers_.size(); ++i) {
    std::vector<Layer*> layers;
    for (HierarchicalLevel* const level : replicas) layers.push_back(level->layers_[i].get());
    whole.add_layer(JoinedLayer(std::move(layers)));
  }
  if (first.top_down_) {
    std::vector<std::pair<TopDown*, HebbianLayer*>> connections;
    for (HierarchicalLevel* const level : replicas) {
      connections.emplace_back(&*level->top_down_,
                               dynamic_cast<HebbianLayer*>(level->layers_.back().get()));
    }
    whole.top_down_ = TopDown::joined(std::move(connections));
  }
  std::vector<const TemporalPool*> pools;
  for (const HierarchicalLevel* const level : replicas) pools.push_back(&level->pool_);
  whole.pool_ = TemporalPool::joined(pools);
  whole.has_ticked_ = first.has_ticked_;
  if (first.representation_.size() == 0) return whole;
  std::vector<Array> representations;
  std::vector<Array> sources;
  for (const HierarchicalLevel* const level : replicas) {
    representations.push_back(level->representation_);
    sources.push_back(level->held_source_);
  }
  whole.representation_ = concatenate(representations, 0);
  whole.held_source_ = concatenate(sources, 0);
  if (first.plain_.size() > 0) {
    std::vector<Array> plain;
    for (const HierarchicalLevel* const level : replicas) plain.push_back(level->plain_);
    whole.plain_ = concatenate(plain, 0);
  }
  return whole;
}

void HierarchicalLevel::part(const std::vector<HierarchicalLevel*>& replicas) const {
  if (representation_.size() == 0) return;
  const std::int64_t streams =
      representation_.shape(0) / static_cast<std::int64_t>(replicas.size());
  std::int64_t first = 0;
  for (HierarchicalLevel* const level : replicas) {
    const auto mine = [&](const Array& all) { return all.slice(0, first, first + streams); };
    level->representation_ = mine(representation_).copy();
    level->held_source_ = mine(held_source_).copy();
    if (plain_.size() > 0) level->plain_ = mine(plain_).copy();
    level->pool_ = pool_.part(first, streams);
    level->has_ticked_ = has_ticked_;
    level->pieces_.clear();
    for (const Piece& piece : pieces_) {
      Piece& own = level->pieces_.emplace_back(Piece{mine(piece.ticks), {}});
      for (const Array& answer : piece.answers) own.answers.push_back(mine(answer));
      for (const Array& values : piece.beside) own.beside.push_back(mine(values));
    }
    level->first_tick_ = first_tick_;
    first += streams;
  }
}

}  // namespace gaia
