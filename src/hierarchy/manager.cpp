// SPDX-License-Identifier: MIT
#include "manager.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "../core/message.h"
#include "journal.h"

namespace gaia {

HierarchyManager HierarchyManager::clone() const {
  HierarchyManager twin;
  for (const HierarchicalLevel& level : levels_) twin.levels_.push_back(level.clone());
  twin.step_ = step_;
  twin.top_down_mode_ = top_down_mode_;
  twin.forget_failures();
  return twin;
}

void HierarchyManager::add_level(HierarchicalLevel level) {
  const auto place =
      std::find_if(levels_.begin(), levels_.end(),
                   [&](const HierarchicalLevel& other) { return other.id() >= level.id(); });
  if (place != levels_.end() && place->id() == level.id()) {
    fail<ArgumentError>("[add_level] there is a level {} already; remove_level takes it away",
                        level.id());
  }
  if (level.layer_count() > 0) level.check_complete();
  forget_failures();
  levels_.insert(place, std::move(level));
  connect_known();
}

std::size_t HierarchyManager::position(int id) const {
  std::string known;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].id() == id) return i;
    known += (known.empty() ? "" : ", ") + std::to_string(levels_[i].id());
  }
  fail<ArgumentError>("[hierarchy] there is no level {}; known: {}", id,
                      known.empty() ? "none" : known);
}

void HierarchyManager::remove_level(int id) {
  const std::size_t place = position(id);
  forget_failures();
  levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(place));
}

HierarchicalLevel& HierarchyManager::level(int id) {
  expose();
  return levels_[position(id)];
}

const HierarchicalLevel& HierarchyManager::level(int id) const {
  expose();
  return levels_[position(id)];
}

const std::vector<HierarchicalLevel>& HierarchyManager::levels() const {
  expose();
  return levels_;
}

void HierarchyManager::forget_failures() {
  undo_.forget();
  journal_ = std::make_shared<StepJournal>();
}

void HierarchyManager::set_step(std::int64_t step) {
  if (step < 0) fail<ArgumentError>("[set_step] step must be at least 0, got {}", step);
  step_ = step;
}

void HierarchyManager::reset_state() {
  for (HierarchicalLevel& level : levels_) level.reset_state();
  step_ = 0;
}

void HierarchyManager::scale_learning_rate(double factor) {
  if (!(factor >= 0.0) || !std::isfinite(factor)) {
    fail<ArgumentError>("[scale_learning_rate] expected a finite factor of at least 0, got {}",
                        factor);
  }
  end_journal();
  for (HierarchicalLevel& level : levels_) {
    for (std::size_t i = 0; i < level.layer_count(); ++i) {
      level.layer(i).scale_learning_rate(factor);
    }
    if (TopDown* const above = level.top_down()) above->scale_learning_rate(factor);
  }
}

void HierarchyManager::set_top_down(TopDownMode mode) {
  end_journal();
  top_down_mode_ = mode;
  for (HierarchicalLevel& level : levels_) {
    if (TopDown* const above = level.top_down()) above->set_mode(mode);
  }
}

void HierarchyManager::connect() {
  for (HierarchicalLevel& level : levels_) {
    if (!level.hears()) continue;
    const bool is_new = level.top_down() == nullptr;
    level.connect(levels_[sender_of(level)].output_size());
    if (TopDown* const above = level.top_down(); is_new && above != nullptr) {
      above->set_mode(top_down_mode_);
    }
  }
}

void HierarchyManager::connect_known() {
  const auto is_above = [](const HierarchicalLevel& level, const HierarchicalLevel& other) {
    const Layer& layer = level.layer(level.layer_count() - 1);
    return other.id() > level.id() && other.id() == layer.top_down()->from;
  };
  const bool are_known = std::all_of(levels_.begin(), levels_.end(), [&](const auto& level) {
    return !level.hears() || level.top_down() != nullptr ||
           std::any_of(levels_.begin(), levels_.end(),
                       [&](const auto& other) { return is_above(level, other); });
  });
  const bool is_any_new = std::any_of(levels_.begin(), levels_.end(), [](const auto& level) {
    return level.hears() && level.top_down() == nullptr;
  });
  if (are_known && is_any_new) connect();
}

std::size_t HierarchyManager::sender_of(const HierarchicalLevel& level) const {
  const std::int64_t from = level.layer(level.layer_count() - 1).top_down()->from;
  std::string above;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].id() <= level.id()) continue;
    if (levels_[i].id() == from) return i;
    above += (above.empty() ? "" : ", ") + std::to_string(levels_[i].id());
  }
  fail<ArgumentError>(
      "[hierarchy] level {} hears level {} (top_down.from), which is none above it; above: {}",
      level.id(), from, above.empty() ? "none" : above);
}

bool HierarchyManager::any_hears() const {
  return std::any_of(levels_.begin(), levels_.end(),
                     [](const HierarchicalLevel& level) { return level.hears(); });
}

void HierarchyManager::check_shows() const {
  for (const HierarchicalLevel& level : levels_) {
    if (!level.shows_at(step_)) level.representation();
  }
}

std::vector<NamedArray> HierarchyManager::arrays(int id, std::size_t layer) const {
  std::vector<NamedArray> arrays = levels_[position(id)].layer(layer).arrays();
  return journal_ ? journal_->lend(std::move(arrays)) : arrays;
}

void HierarchyManager::fall_over(std::int64_t steps, std::int64_t times) {
  if (steps < 1 || times < 1) {
    fail<ArgumentError>("[fall_over] expected at least 1 step and 1 time, got {} and {}", steps,
                        times);
  }
  end_journal();
  for (HierarchicalLevel& level : levels_) {
    const std::int64_t ticks =
        times * count_ticks(0, steps, level.temporal_resolution(), level.phase());
    for (std::size_t i = 0; i < level.layer_count(); ++i) {
      if (AutoRate* const rate = level.layer(i).automatic_rate()) rate->begin({.ticks = ticks});
    }
  }
}

std::vector<std::string> HierarchyManager::signal_columns() const {
  std::vector<std::string> columns;
  for (const HierarchicalLevel& level : levels_) {
    for (std::size_t i = 0; i < level.layer_count(); ++i) {
      for (const std::string& column : level.layer(i).signal_columns()) {
        if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
          columns.push_back(column);
        }
      }
    }
  }
  return columns;
}

void HierarchyManager::check_sizes(std::int64_t features) const {
  if (levels_.empty()) throw ArgumentError("[hierarchy] has no levels; use add_level");
  std::int64_t below = features;
  for (const HierarchicalLevel& level : levels_) {
    level.check_complete();
    if (level.source_size() != below) {
      fail<ShapeError>("[hierarchy] level {} reads {} numbers, but {} has {}", level.id(),
                       level.source_size(),
                       &level == &levels_.front() ? "the series" : "the level below", below);
    }
    below = level.output_size();
  }
  for (const HierarchicalLevel& level : levels_) {
    if (level.hears()) sender_of(level);
  }
}

void HierarchyManager::end_journal() {
  if (journal_) journal_->end();
}

void HierarchyManager::expose() const {
  if (journal_) journal_->expose();
}

void HierarchyManager::check_finite() const {
  std::optional<HierarchicalLevel::NotFinite> found;
  std::size_t position = 0;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const auto here = levels_[i].find_not_finite();
    if (here && (!found || here->step < found->step)) {
      found = here;
      position = i;
    }
  }
  if (!found) return;
  throw levels_[position].diverged(*found, position);
}

void HierarchyManager::add_observer(std::function<void(const HierarchyBlock&)> observer) {
  observers_.push_back(std::move(observer));
}

void HierarchyManager::measure_time(bool measures) {
  clock_ = measures ? std::make_unique<LevelSeconds>() : nullptr;
}

const LevelSeconds& HierarchyManager::level_seconds() const {
  static const LevelSeconds none;
  return clock_ ? *clock_ : none;
}

void HierarchyManager::allocate_state(std::int64_t streams, std::int64_t features, DType dtype) {
  check_sizes(features);
  connect();
  TickTimes from;
  for (HierarchicalLevel& level : levels_) {
    level.allocate_state(streams, from, dtype);
    from = level.tick_times();
    dtype = level.representation_dtype(dtype);
  }
}

std::vector<NamedArray> HierarchyManager::state() const {
  expose();
  std::vector<NamedArray> all;
  for (const HierarchicalLevel& level : levels_) {
    for (NamedArray& array : level.state()) {
      array.name = "levels/" + std::to_string(level.id()) + "/" + array.name;
      all.push_back(std::move(array));
    }
  }
  return all;
}

void HierarchyManager::set_state(const ArrayMap& given, std::int64_t step) {
  ArrayMap values;  // files hand names out with '.' between their parts
  for (const auto& [name, value] : given) {
    std::string path = name;
    std::replace(path.begin(), path.end(), '.', '/');
    values.emplace(std::move(path), value);
  }
  end_journal();
  connect_known();
  HierarchyUndo undo;
  undo.keep_all(*this);
  try {
    if (!levels_.empty()) {
      const auto samples =
          values.find("levels/" + std::to_string(levels_.front().id()) + "/held_source");
      if (samples != values.end() && samples->second.rank() == 2) {
        const Array& held = samples->second;
        allocate_state(held.shape(0), held.shape(1), held.dtype());
      } else if (samples != values.end() && samples->second.size() == 0) {
        reset_state();  // the state is that of a hierarchy that no data had reached
      }
    }
    set_step(step);
    for (HierarchicalLevel& level : levels_) {
      level.set_state(values, "levels/" + std::to_string(level.id()) + "/", step);
    }
  } catch (...) {
    undo.put_back();
    throw;
  }
}

double HierarchyManager::operations_per_step(bool learn) const {
  double total = 0.0;
  for (const HierarchicalLevel& level : levels_) {
    for (std::size_t i = 0; i < level.layer_count(); ++i) {
      total += static_cast<double>(level.layer(i).operations_per_tick(learn)) /
               static_cast<double>(level.temporal_resolution());
    }
    if (const TopDown* const above = level.top_down()) {
      total += above->operations_per_tick(learn) / static_cast<double>(level.temporal_resolution());
    }
  }
  return total;
}

}  // namespace gaia
