// SPDX-License-Identifier: MIT
#include "change_detectors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/message.h"
#include "../core/names.h"
#include "../core/state_fields.h"

namespace gaia {
namespace {

constexpr NameTable<ChangeMode, 3> kChangeModes = {
    {{"up", ChangeMode::up}, {"down", ChangeMode::down}, {"both", ChangeMode::both}}};

void expect_finite_number(const char* who, double x) {
  if (!std::isfinite(x)) fail<ArgumentError>("[{}] expected a finite number, got {}", who, x);
}

void expect_at_least(const char* who, const char* key, std::int64_t least, std::int64_t value) {
  if (value < least) {
    fail<ArgumentError>("[{}] {}: expected {} or more, got {}", who, key, least, value);
  }
}

}  // namespace

std::vector<std::string> change_mode_names() { return {"up", "down", "both"}; }
std::string to_string(ChangeMode mode) { return name_of(kChangeModes, mode); }
ChangeMode change_mode_from_name(std::string_view name) {
  return from_name(kChangeModes, name, "mode");
}

PageHinkley::PageHinkley(const PageHinkleyOptions& options) : options_(options) {
  expect_at_least("PageHinkley", "min_instances", 1, options.min_instances);
  if (!(options.delta >= 0.0) || !std::isfinite(options.delta)) {
    fail<ArgumentError>("[PageHinkley] delta: expected 0 or more, got {}", options.delta);
  }
  if (!(options.threshold > 0.0) || !std::isfinite(options.threshold)) {
    fail<ArgumentError>("[PageHinkley] threshold: expected more than 0, got {}", options.threshold);
  }
  if (!(options.alpha > 0.0 && options.alpha <= 1.0)) {
    fail<ArgumentError>("[PageHinkley] alpha: expected more than 0 and at most 1, got {}",
                        options.alpha);
  }
  restart();
}

void PageHinkley::restart() {
  count_ = 0;
  mean_ = up_ = down_ = 0.0;
  least_up_ = std::numeric_limits<double>::infinity();
  most_down_ = -std::numeric_limits<double>::infinity();
  detected_ = false;
}

bool PageHinkley::update(double x) {
  expect_finite_number("PageHinkley", x);
  if (detected_) restart();
  ++count_;
  mean_ += (x - mean_) / static_cast<double>(count_);
  up_ = options_.alpha * up_ + (x - mean_) - options_.delta;
  down_ = options_.alpha * down_ + (x - mean_) + options_.delta;
  least_up_ = std::min(least_up_, up_);
  most_down_ = std::max(most_down_, down_);
  detected_ = count_ >= options_.min_instances && statistic() > options_.threshold;
  return detected_;
}

double PageHinkley::statistic() const {
  if (count_ == 0) return 0.0;
  const double up = up_ - least_up_;
  const double down = most_down_ - down_;
  return options_.mode == ChangeMode::up     ? up
         : options_.mode == ChangeMode::down ? down
                                             : std::max(up, down);
}

void PageHinkley::fields(auto& self, auto& state) {
  state(self.count_, self.mean_, self.up_, self.down_, self.least_up_, self.most_down_,
        self.detected_);
}

std::vector<double> PageHinkley::state() const { return StateFields::of(*this); }

void PageHinkley::set_state(std::span<const double> state) {
  PageHinkley made = *this;
  StateFields::set(made, "PageHinkley", state);
  *this = made;
}

Adwin::Adwin(const AdwinOptions& options) : options_(options) {
  if (!(options.delta > 0.0 && options.delta < 1.0)) {
    fail<ArgumentError>("[Adwin] delta: expected more than 0 and less than 1, got {}",
                        options.delta);
  }
  expect_at_least("Adwin", "clock", 1, options.clock);
  expect_at_least("Adwin", "max_buckets", 1, options.max_buckets);
  expect_at_least("Adwin", "min_window_length", 1, options.min_window_length);
  expect_at_least("Adwin", "grace_period", 0, options.grace_period);
  restart();
}

void Adwin::restart() {
  ticks_ = width_ = 0;
  total_ = squares_ = statistic_ = 0.0;
  detected_ = false;
  sizes_.assign(1, {});
}

bool Adwin::update(double x) {
  expect_finite_number("Adwin", x);
  if (detected_) restart();
  insert(x);
  ++ticks_;
  if (ticks_ % options_.clock != 0 || width_ <= options_.grace_period) return false;
  statistic_ = 0.0;
  while (is_cut()) {
    detected_ = true;
    drop_oldest();
  }
  return detected_;
}

void Adwin::insert(double x) {
  const auto before = static_cast<double>(width_);
  ++width_;
  if (before > 0.0) {
    const double distance = x - total_ / before;
    squares_ += before * distance * distance / static_cast<double>(width_);
  }
  total_ += x;
  sizes_.front().push_back({x, 0.0});
  merge();
}

void Adwin::merge() {
  const auto most = static_cast<std::size_t>(options_.max_buckets);
  double numbers = 1.0;  // numbers of a bucket
  for (std::size_t k = 0; sizes_[k].size() > most; ++k, numbers *= 2.0) {
    if (k + 1 == sizes_.size()) sizes_.emplace_back();
    const Bucket& older = sizes_[k][0];
    const Bucket& newer = sizes_[k][1];
    const double apart = older.total / numbers - newer.total / numbers;
    sizes_[k + 1].push_back(
        {older.total + newer.total, older.squares + newer.squares + numbers * 0.5 * apart * apart});
    sizes_[k].erase(sizes_[k].begin(), sizes_[k].begin() + 2);
  }
}

void Adwin::drop_oldest() {
  std::vector<Bucket>& largest = sizes_.back();
  const double numbers = std::ldexp(1.0, static_cast<int>(sizes_.size()) - 1);
  const Bucket oldest = largest.front();
  largest.erase(largest.begin());
  // Where two sizes differ by more than one, those between have no bucket.
  while (sizes_.size() > 1 && sizes_.back().empty()) sizes_.pop_back();
  width_ -= static_cast<std::int64_t>(numbers);
  total_ -= oldest.total;
  const auto left = static_cast<double>(width_);
  const double apart = oldest.total / numbers - total_ / left;
  squares_ -= oldest.squares + numbers * left * apart * apart / (numbers + left);
}

bool Adwin::is_cut() {
  const auto least = static_cast<double>(options_.min_window_length);
  const auto all = static_cast<double>(width_);
  const double log_term = std::log(2.0 * std::log(all) / options_.delta);
  double older = 0.0;
  double older_total = 0.0;
  for (std::size_t k = sizes_.size(); k-- > 0;) {
    const double numbers = std::ldexp(1.0, static_cast<int>(k));
    for (std::size_t i = 0; i < sizes_[k].size(); ++i) {
      older += numbers;
      older_total += sizes_[k][i].total;
      const double newer = all - older;
      if (newer < least || newer < 1.0 || older < least) continue;
      const double apart = std::abs(older_total / older - (total_ - older_total) / newer);
      const double shares = 1.0 / (older - least + 1.0) + 1.0 / (newer - least + 1.0);
      const double limit = std::sqrt(2.0 * shares * std::max(0.0, squares_ / all) * log_term) +
                           2.0 / 3.0 * log_term * shares;
      if (!detected_) statistic_ = std::max(statistic_, apart / limit);
      if (apart > limit) return true;
    }
  }
  return false;
}

void Adwin::fields(auto& self, auto& state) {
  state(self.ticks_, self.width_, self.total_, self.squares_, self.statistic_, self.detected_);
  state.list(self.sizes_, [&](auto& size) {
    state.list(size, [&](auto& bucket) { state(bucket.total, bucket.squares); });
  });
}

std::vector<double> Adwin::state() const { return StateFields::of(*this); }

void Adwin::set_state(std::span<const double> state) {
  Adwin made = *this;
  StateFields::set(made, "Adwin", state);
  const std::vector<std::vector<Bucket>>& sizes = made.sizes_;
  double numbers = 0.0;  // numbers in all buckets
  bool fits = !sizes.empty() && (sizes.size() == 1 || !sizes.back().empty());
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    numbers += std::ldexp(static_cast<double>(sizes[k].size()), static_cast<int>(k));
    fits = fits && std::ssize(sizes[k]) <= options_.max_buckets + 1;
  }
  if (!fits || numbers != static_cast<double>(made.width_)) {
    fail<ShapeError>("[Adwin] expected a state of buckets that hold its {} numbers, got {}",
                     made.width_, numbers);
  }
  *this = std::move(made);
}

}  // namespace gaia
