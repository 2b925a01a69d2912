// SPDX-License-Identifier: MIT
#include "row_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "../../array/device.h"
#include "../../array/random_arrays.h"
#include "../../core/text.h"
#include "../../io/file_series.h"
#include "../../io/ordered_series.h"

namespace gaia {
namespace {

RandomStream order_stream(std::uint64_t seed, const char* purpose) {
  return RandomStream::named(seed, fmt::format("data/order/{}", purpose));
}

std::vector<std::int64_t> shuffled_rows(std::int64_t rows, std::uint64_t seed) {
  const GPUContext on_host(Device::cpu());
  return permutation(rows, order_stream(seed, "rows")).to_vector<std::int64_t>();
}

std::vector<std::int64_t> rows_in_runs(double length, std::span<const std::int64_t> classes,
                                       std::uint64_t seed) {
  const auto rows = std::ssize(classes);
  const std::int64_t last_class =
      classes.empty() ? -1 : *std::max_element(classes.begin(), classes.end());
  // Rows that are left of each class, the next one last.
  std::vector<std::vector<std::int64_t>> left(static_cast<std::size_t>(last_class + 1));
  for (const std::int64_t row : shuffled_rows(rows, seed)) {
    left[static_cast<std::size_t>(classes[static_cast<std::size_t>(row)])].push_back(row);
  }
  for (std::vector<std::int64_t>& of_class : left) std::reverse(of_class.begin(), of_class.end());
  const RandomStream runs = order_stream(seed, "runs");
  const RandomStream lengths = order_stream(seed, "lengths");
  std::uint64_t run = 0;
  std::vector<std::int64_t> order;
  std::size_t last = left.size();
  while (std::ssize(order) < rows) {
    std::vector<std::size_t> known;
    for (std::size_t c = 0; c < left.size(); ++c) {
      if (!left[c].empty() && c != last) known.push_back(c);
    }
    if (!known.empty()) {
      last = known[static_cast<std::size_t>(runs.integer(run++, std::ssize(known)))];
    }
    std::vector<std::int64_t>& of_class = left[last];
    for (bool ends = false; !ends && !of_class.empty();) {
      double chance = 0.0;
      lengths.uniforms(order.size(), {&chance, 1});
      order.push_back(of_class.back());
      of_class.pop_back();
      ends = chance < 1.0 / length;
    }
  }
  return order;
}

std::vector<std::int64_t> drawn_rows(const std::vector<OrderConfig::Draw>& parts, std::int64_t rows,
                                     std::uint64_t seed) {
  const RandomStream draw = order_stream(seed, "draw");
  std::vector<std::int64_t> order;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto among =
        static_cast<std::int64_t>(std::floor(parts[i].share * static_cast<double>(rows)));
    if (among < 1) {
      throw DataKeyError(fmt::format("order.draw[{}].share", i), "",
                         fmt::format("{} of {} rows is none; take more", parts[i].share, rows));
    }
    for (std::int64_t k = 0; k < parts[i].count; ++k) {
      order.push_back(draw.integer(order.size(), among));
    }
  }
  return order;
}

/// Why the rows of a series have to stay where they are; empty if they need not.
std::string why_not_ordered(const Series& series) {
  if (series.trial_starts().size() > 1) {
    return "rows of several trials stay in them; leave data.trials out, or the order";
  }
  if (!series.groups().empty()) {
    return "rows of groups (data.groups) stay where they are; leave one of the two out";
  }
  const std::vector<SideColumn> side = series.side_columns();
  if (std::any_of(side.begin(), side.end(),
                  [](const SideColumn& one) { return one.role == SideColumn::Role::time; })) {
    return "the times of rows in another order would not increase; leave data.time out";
  }
  for (std::int64_t c = 0; c < series.channels(); ++c) {
    const std::vector<RowRange> gaps = series.filled(c, 0, series.rows());
    if (gaps.empty()) continue;
    return fmt::format(
        "row {} of channel {} is missing and was filled by its neighbours, which "
        "another order parts; fill it before",
        gaps.front().begin, series.channel_names()[static_cast<std::size_t>(c)]);
  }
  const std::int64_t numbers = series.rows() * series.channels();
  if (!series.reads_at_random() && numbers > kMostOrdered) {
    return fmt::format(
        "the source has {} numbers, of which at most {} are held in memory to be put "
        "in order; put them in order outside, or read fewer (data.columns)",
        grouped(numbers), grouped(kMostOrdered));
  }
  return {};
}

/// The class of each of the first `rows` rows; nothing, with a problem, where one has none.
std::optional<std::vector<std::int64_t>> classes_of(Series& series, std::int64_t rows,
                                                    const AddProblem& add) {
  const std::vector<SideColumn> side = series.side_columns();
  const auto label = std::find_if(side.begin(), side.end(), [](const SideColumn& one) {
    return one.role == SideColumn::Role::label;
  });
  if (label == side.end()) {
    add("data.order.runs",
        "runs are of classes, and these data have none; name them by data.labels, or take shuffle");
    return {};
  }
  const auto place = static_cast<std::size_t>(label - side.begin());
  constexpr std::int64_t most = 1 << 14;
  std::vector<std::int64_t> classes;
  std::vector<double> block;
  for (std::int64_t first = 0; first < rows; first += most) {
    const std::int64_t count = std::min(most, rows - first);
    block.resize(static_cast<std::size_t>(count * series.channels()));
    SideValues codes;
    series.read_with_side(first, count, block, {&place, 1}, {&codes, 1});
    const auto& of_rows = std::get<std::vector<std::int64_t>>(codes);
    classes.insert(classes.end(), of_rows.begin(), of_rows.end());
  }
  const auto none =
      std::find_if(classes.begin(), classes.end(), [](std::int64_t code) { return code < 0; });
  if (none == classes.end()) return classes;
  add("data.order.runs", fmt::format("row {} has no label, and so no place in a run; leave such "
                                     "rows out, or take shuffle",
                                     none - classes.begin()));
  return {};
}

}  // namespace

std::vector<std::int64_t> row_order(const OrderConfig& by, std::int64_t rows,
                                    std::span<const std::int64_t> classes, std::uint64_t seed) {
  switch (by.by) {
    case OrderConfig::By::shuffle:
      return shuffled_rows(rows, seed);
    case OrderConfig::By::runs:
      return rows_in_runs(by.runs, classes, seed);
    case OrderConfig::By::draw:
      return drawn_rows(by.draw, rows, seed);
    case OrderConfig::By::none:
      break;
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return order;
}

void order_rows(Experiment& experiment, const AddProblem& add) {
  const OrderConfig& by = experiment.config.data.order;
  if (by.by == OrderConfig::By::none) return;
  Series& series = *experiment.series;
  if (const std::string why = why_not_ordered(series); !why.empty()) {
    return add("data.order", why);
  }
  std::int64_t drawn = 0;
  for (const OrderConfig::Draw& part : by.draw) {
    drawn = std::min(kMostOrdered + 1, drawn + std::min(kMostOrdered + 1, part.count));
  }
  if (drawn > kMostOrdered) {
    return add("data.order.draw",
               fmt::format("expected at most {} rows in all", grouped(kMostOrdered)));
  }
  const std::optional<std::int64_t> training = series.training_rows();
  const std::int64_t rows = training.value_or(series.rows());
  std::vector<std::int64_t> classes;
  if (by.by == OrderConfig::By::runs) {
    const auto found = classes_of(series, rows, add);
    if (!found) return;
    classes = *found;
  }
  std::vector<std::int64_t> order =
      row_order(by, rows, classes, static_cast<std::uint64_t>(experiment.config.data.seed));
  const auto ordered = std::ssize(order);
  for (std::int64_t row = rows; row < series.rows(); ++row) order.push_back(row);
  experiment.series = std::make_unique<OrderedSeries>(
      std::move(experiment.series), std::move(order),
      training ? std::optional<std::int64_t>(ordered) : std::nullopt);
}

}  // namespace gaia
