// SPDX-License-Identifier: MIT
#include "front.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "../core/message.h"

namespace gaia {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool is_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double one) { return std::isfinite(one); });
}

/// The number of objectives; 0 of no vectors.
std::size_t objectives_of(const std::vector<Objectives>& values) {
  if (values.empty()) return 0;
  const std::size_t count = values.front().size();
  require(count > 0, "[front] expected vectors of at least one objective, got {}", count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(values[i].size() == count, "[front] expected {} objectives, as the first has, got {}",
            count, values[i].size());
  }
  return count;
}

/// Nowhere larger.
bool covers(std::span<const double> a, std::span<const double> b) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (a[j] > b[j]) return false;
  }
  return true;
}

/// Adds `point` to points of which none covers another, unless one covers it.
void add_uncovered(std::vector<Objectives>& points, Objectives point) {
  for (const Objectives& one : points) {
    if (covers(one, point)) return;
  }
  std::erase_if(points, [&](const Objectives& one) { return covers(point, one); });
  points.push_back(std::move(point));
}

/// The volume of two objectives.
double area(std::vector<Objectives> points, std::span<const double> reference) {
  std::sort(points.begin(), points.end());
  double sum = 0.0;
  double height = reference[1];
  for (const Objectives& one : points) {
    if (one[1] >= height) continue;
    sum += (reference[0] - one[0]) * (height - one[1]);
    height = one[1];
  }
  return sum;
}

/// The volume of points that are below the reference.
double volume(std::vector<Objectives> points, std::span<const double> reference) {
  if (points.empty()) return 0.0;
  const std::size_t last = reference.size() - 1;
  if (last == 0) return reference[0] - std::min_element(points.begin(), points.end())->front();
  if (last == 1) return area(std::move(points), reference);
  std::sort(points.begin(), points.end(), [&](const Objectives& a, const Objectives& b) {
    return a[last] != b[last] ? a[last] < b[last] : a < b;
  });
  double sum = 0.0;
  std::vector<Objectives> below;  // objectives of this slice, without the last objective
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double from = points[i][last];
    points[i].pop_back();
    add_uncovered(below, std::move(points[i]));
    const double to = i + 1 < points.size() ? points[i + 1][last] : reference[last];
    if (to > from) sum += (to - from) * volume(below, reference.first(last));
  }
  return sum;
}

void check_reference(const std::vector<Objectives>& values, std::span<const double> reference) {
  const std::size_t count = objectives_of(values);
  require(!reference.empty() && (values.empty() || reference.size() == count),
          "[front] expected a reference of {} objectives, got {}", std::max<std::size_t>(1, count),
          reference.size());
  for (const double one : reference) {
    require(std::isfinite(one), "[front] the reference must be finite, got {}", one);
  }
}

bool is_below(const Objectives& values, std::span<const double> reference) {
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!(values[j] < reference[j])) return false;
  }
  return true;
}

/// What `values[place]` adds to those that `is_there`: its box without what others have of it.
double contribution(const std::vector<Objectives>& values, const std::vector<bool>& is_there,
                    std::size_t place, std::span<const double> reference) {
  const Objectives& own = values[place];
  if (!is_below(own, reference)) return 0.0;
  double box = 1.0;
  for (std::size_t j = 0; j < own.size(); ++j) box *= reference[j] - own[j];
  std::vector<Objectives> others;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == place || !is_there[i] || !is_below(values[i], reference)) continue;
    Objectives inside = own;
    for (std::size_t j = 0; j < own.size(); ++j) inside[j] = std::max(own[j], values[i][j]);
    if (inside == own) return 0.0;
    add_uncovered(others, std::move(inside));
  }
  return box - volume(std::move(others), reference);
}

/// Whether taking `gone` away leaves what `place` adds as it was: another has all that it had.
bool is_hidden(const std::vector<Objectives>& values, const std::vector<bool>& is_there,
               std::size_t place, std::size_t gone) {
  const Objectives& own = values[place];
  Objectives part = own;
  for (std::size_t j = 0; j < own.size(); ++j) part[j] = std::max(own[j], values[gone][j]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != place && is_there[i] && covers(values[i], part)) return true;
  }
  return false;
}

/// Takes away that of least contribution until none is left: their places, the last first.
class LeastFirst {
 public:
  explicit LeastFirst(const std::vector<Objectives>& values)
      : values_(values), is_there_(values.size(), true) {}

  std::vector<std::size_t> go() {
    set_reference();
    keep_ends();
    for (std::size_t i = 0; i < values_.size(); ++i) contributions_.push_back(of(i));
    std::vector<std::size_t> order;
    while (order.size() < values_.size()) {
      std::size_t least = values_.size();
      for (std::size_t i = 0; i < values_.size(); ++i) {
        if (!is_there_[i]) continue;
        if (least == values_.size() || contributions_[i] <= contributions_[least]) least = i;
      }
      is_there_[least] = false;
      order.push_back(least);
      for (std::size_t i = 0; i < values_.size(); ++i) {
        if (is_there_[i] && !is_end_[i] && !is_hidden(values_, is_there_, i, least)) {
          contributions_[i] = of(i);
        }
      }
    }
    return order;
  }

 private:
  void set_reference() {
    for (std::size_t j = 0; j < values_.front().size(); ++j) {
      const auto [least, most] =
          std::minmax_element(values_.begin(), values_.end(),
                              [&](const auto& a, const auto& b) { return a[j] < b[j]; });
      const double range = (*most)[j] - (*least)[j];
      // A range that is lost in the value is the next larger number.
      reference_.push_back(std::max((*most)[j] + (range > 0.0 ? range : 1.0),
                                    std::nextafter((*most)[j], kInfinite)));
    }
  }

  void keep_ends() {
    is_end_.assign(values_.size(), false);
    for (std::size_t j = 0; j < reference_.size(); ++j) {
      const auto least = std::min_element(
          values_.begin(), values_.end(),
          // Among equal ones that is taken which is best in all else; it is covered by none.
          [&](const auto& a, const auto& b) { return a[j] != b[j] ? a[j] < b[j] : a < b; });
      is_end_[static_cast<std::size_t>(least - values_.begin())] = true;
    }
  }

  double of(std::size_t place) const {
    return is_end_[place] ? kInfinite : contribution(values_, is_there_, place, reference_);
  }

  const std::vector<Objectives>& values_;
  std::vector<bool> is_there_;
  std::vector<bool> is_end_;
  Objectives reference_;
  std::vector<double> contributions_;
};

}  // namespace

bool dominates(std::span<const double> a, std::span<const double> b) {
  require(a.size() == b.size(), "[front] expected as many objectives of both, got {} and {}",
          a.size(), b.size());
  const bool is_known = is_finite(a);
  if (!is_known || !is_finite(b)) return is_known;
  return covers(a, b) && !std::equal(a.begin(), a.end(), b.begin());
}

std::vector<std::int64_t> non_dominated_ranks(const std::vector<Objectives>& values) {
  objectives_of(values);
  const std::size_t count = values.size();
  std::vector<std::vector<std::size_t>> dominated(count);  // by each
  std::vector<std::size_t> above(count, 0);                // how many dominate each
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      if (i == k || !dominates(values[i], values[k])) continue;
      dominated[i].push_back(k);
      ++above[k];
    }
  }
  std::vector<std::int64_t> ranks(count, 0);
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < count; ++i) {
    if (above[i] == 0) front.push_back(i);
  }
  for (std::int64_t rank = 0; !front.empty(); ++rank) {
    std::vector<std::size_t> next;
    for (const std::size_t i : front) {
      ranks[i] = rank;
      for (const std::size_t k : dominated[i]) {
        if (--above[k] == 0) next.push_back(k);
      }
    }
    front = std::move(next);
  }
  return ranks;
}

std::vector<std::size_t> non_dominated(const std::vector<Objectives>& values) {
  objectives_of(values);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_dominated =
        !is_finite(values[i]) ||
        std::any_of(values.begin(), values.end(),
                    [&](const Objectives& other) { return dominates(other, values[i]); });
    if (!is_dominated) places.push_back(i);
  }
  return places;
}

std::vector<double> crowding_distances(const std::vector<Objectives>& values) {
  const std::size_t objectives = objectives_of(values);
  for (const Objectives& one : values) {
    require(is_finite(one), "[front] crowding: expected finite values, got {}",
            *std::find_if(one.begin(), one.end(), [](double x) { return !std::isfinite(x); }));
  }
  std::vector<double> distances(values.size(), 0.0);
  for (std::size_t j = 0; j < objectives; ++j) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return values[a][j] < values[b][j]; });
    const double range = values[order.back()][j] - values[order.front()][j];
    distances[order.front()] = distances[order.back()] = kInfinite;
    if (!(range > 0.0)) continue;
    for (std::size_t i = 1; i + 1 < order.size(); ++i) {
      distances[order[i]] += (values[order[i + 1]][j] - values[order[i - 1]][j]) / range;
    }
  }
  return distances;
}

double hypervolume(const std::vector<Objectives>& values, std::span<const double> reference) {
  check_reference(values, reference);
  std::vector<Objectives> points;
  for (const Objectives& one : values) {
    if (is_below(one, reference)) points.push_back(one);
  }
  return volume(std::move(points), reference);
}

std::vector<double> hypervolume_contributions(const std::vector<Objectives>& values,
                                              std::span<const double> reference) {
  check_reference(values, reference);
  const std::vector<bool> all(values.size(), true);
  std::vector<double> contributions;
  for (std::size_t i = 0; i < values.size(); ++i) {
    contributions.push_back(contribution(values, all, i, reference));
  }
  return contributions;
}

std::vector<std::size_t> order_by_dominance(const std::vector<Objectives>& values) {
  const std::vector<std::int64_t> ranks = non_dominated_ranks(values);
  const std::int64_t last = ranks.empty() ? -1 : *std::max_element(ranks.begin(), ranks.end());
  std::vector<std::size_t> order;
  for (std::int64_t rank = 0; rank <= last; ++rank) {
    std::vector<std::size_t> places;
    std::vector<Objectives> of_rank;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (ranks[i] != rank) continue;
      places.push_back(i);
      of_rank.push_back(values[i]);
    }
    if (!is_finite(of_rank.front())) {  // all of them then, in their order
      order.insert(order.end(), places.begin(), places.end());
      continue;
    }
    const std::vector<std::size_t> least_first = LeastFirst(of_rank).go();
    for (auto place = least_first.rbegin(); place != least_first.rend(); ++place) {
      order.push_back(places[*place]);
    }
  }
  return order;
}

}  // namespace gaia
