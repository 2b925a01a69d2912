// SPDX-License-Identifier: MIT
#include "../../../src/experiment/data/filtered_series.h"

#include <cmath>
#include <limits>
#include <random>

#include "../../../src/core/error.h"
#include "../../../src/io/file_series.h"
#include "../../support/catch.h"

using namespace gaia;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Rows in memory that begin trials, with a time, a label and gaps.
class Known final : public Series {
 public:
  Known(std::int64_t rows, std::vector<std::int64_t> starts, std::vector<RowRange> gaps = {})
      : rows_(rows), starts_(std::move(starts)), gaps_(std::move(gaps)) {}

  static double value(std::int64_t row, std::int64_t channel) {
    return static_cast<double>((7 * row * row + 3 * row + 11 * channel) % 32) / 8.0 - 1.5 +
           100.0 * static_cast<double>(channel);
  }
  bool is_missing(std::int64_t row) const {
    for (const RowRange& gap : gaps_) {
      if (row >= gap.begin && row < gap.end) return true;
    }
    return false;
  }

  std::int64_t rows() const override { return rows_; }
  const std::vector<std::string>& channel_names() const override { return names_; }
  const std::vector<std::int64_t>& trial_starts() const override { return starts_; }
  std::vector<SideColumn> side_columns() const override {
    return {{SideColumn::Role::time, "t"}, {SideColumn::Role::label, "k"}};
  }
  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    read_with_side(first, count, out, {}, {});
  }
  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override {
    check_range(first, count, out.size(), channels());
    double last = needs_fill() && !fill().empty() ? fill()[0] : kMissing;
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int64_t row = first + r;
      most_read = std::max(most_read, row);
      ++read_rows;
      for (std::int64_t c = 0; c < 2; ++c) {
        double& to = out[static_cast<std::size_t>(2 * r + c)];
        to = value(row, c);
        if (c == 0 && is_missing(row)) to = holds ? last : kMissing;
        if (c == 0) last = to;
      }
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == 0) {
        std::vector<double> times;
        for (std::int64_t r = 0; r < count; ++r) {
          times.push_back(0.25 * static_cast<double>(first + r));
        }
        side[i] = std::move(times);
      } else {
        std::vector<std::int64_t> labels;
        for (std::int64_t r = 0; r < count; ++r) labels.push_back((first + r) % 5);
        side[i] = std::move(labels);
      }
    }
  }
  std::vector<RowRange> filled(std::int64_t channel, std::int64_t first,
                               std::int64_t count) const override {
    std::vector<RowRange> found;
    for (const RowRange& gap : gaps_) {
      const RowRange part{std::max(first, gap.begin), std::min(first + count, gap.end)};
      if (channel == 0 && part.begin < part.end) found.push_back(part);
    }
    return found;
  }
  bool needs_fill() const override { return holds; }

  bool holds = false;
  std::int64_t read_rows = 0;
  std::int64_t most_read = -1;

 private:
  std::int64_t rows_;
  std::vector<std::int64_t> starts_;
  std::vector<RowRange> gaps_;
  std::vector<std::string> names_ = {"a", "b"};
};

DataConfig band(std::int64_t every = 1) {
  DataConfig data;
  data.source = FileConfig{};
  data.filter = {.is_on = true, .pass = PassBand::band, .edges = {1.0, 40.0}, .order = 4};
  data.sample_rate = 250.0;
  if (every > 1) data.resample = {.by = ResampleConfig::By::every, .every = every};
  return data;
}

/// Direct form I, in long double, of one channel, a trial at a time, from the steady state of its
/// first value: as if this had come so often that the filter rests, which a long run-in gives.
std::vector<double> plain_filter(const std::vector<SosSection>& sections,
                                 const std::vector<double>& trial) {
  constexpr std::size_t before = 60000;
  std::vector<long double> x(before, trial.front());
  x.insert(x.end(), trial.begin(), trial.end());
  for (const SosSection& s : sections) {
    std::vector<long double> y(x.size());
    for (std::size_t t = 0; t < x.size(); ++t) {
      y[t] = s.b0 * x[t];
      if (t > 0) y[t] += s.b1 * x[t - 1] - s.a1 * y[t - 1];
      if (t > 1) y[t] += s.b2 * x[t - 2] - s.a2 * y[t - 2];
    }
    x = std::move(y);
  }
  return {x.begin() + before, x.end()};
}

std::vector<double> all_of(Series& series) {
  std::vector<double> rows(static_cast<std::size_t>(series.rows() * series.channels()));
  series.read(0, series.rows(), rows);
  return rows;
}

}  // namespace

TEST_CASE(
    "A filtered series is a plain loop over each trial, from the state of rest of its first "
    "value") {
  const std::vector<std::int64_t> starts = {0, 300, 301, 650};
  constexpr std::int64_t rows = 900;
  const std::vector<double> edges = {1.0, 40.0};
  const auto sections = butterworth(4, PassBand::band, edges, 250.0);
  for (const std::int64_t every : {1, 4}) {
    CAPTURE(every);
    FilteredSeries series(std::make_unique<Known>(rows, starts), band(every));
    std::vector<SosSection> all = sections;
    if (every > 1) {
      const double edge = 0.8 / 2.0 / static_cast<double>(every);
      const auto antialias = chebyshev(8, 0.05, PassBand::low, {&edge, 1}, 1.0);
      all.insert(all.end(), antialias.begin(), antialias.end());
    }
    std::vector<std::int64_t> expected_starts;
    std::vector<std::int64_t> source;
    std::vector<double> expected;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const std::int64_t end = k + 1 < starts.size() ? starts[k + 1] : rows;
      expected_starts.push_back(std::ssize(source));
      std::vector<std::vector<double>> filtered;
      for (std::int64_t c = 0; c < 2; ++c) {
        std::vector<double> trial;
        for (std::int64_t r = starts[k]; r < end; ++r) trial.push_back(Known::value(r, c));
        filtered.push_back(plain_filter(all, trial));
      }
      for (std::int64_t r = starts[k]; r < end; r += every) {
        source.push_back(r);
        for (const auto& channel : filtered) {
          expected.push_back(channel[static_cast<std::size_t>(r - starts[k])]);
        }
      }
    }
    REQUIRE(series.rows() == std::ssize(source));
    CHECK(series.trial_starts() == expected_starts);
    const std::vector<double> found = all_of(series);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      REQUIRE_THAT(found[i], Catch::Matchers::WithinAbs(expected[i], 1e-9));
    }
    // What stands beside a row is that of its source row.
    std::vector<SideValues> side(2);
    std::vector<double> block(2 * 40);
    const std::vector<std::size_t> wanted = {0, 1};
    series.read_with_side(60, 40, block, wanted, side);
    for (std::int64_t r = 0; r < 40; ++r) {
      const std::int64_t from = source[static_cast<std::size_t>(60 + r)];
      CHECK(series.source_row(60 + r) == from);
      CHECK(std::get<std::vector<double>>(side[0])[static_cast<std::size_t>(r)] ==
            0.25 * static_cast<double>(from));
      CHECK(std::get<std::vector<std::int64_t>>(side[1])[static_cast<std::size_t>(r)] == from % 5);
    }
  }
}

TEST_CASE("A filtered series has the same bits however its rows are asked for") {
  constexpr std::int64_t rows = 60000;
  const std::vector<std::int64_t> starts = {0, 41000};
  for (const std::int64_t every : {1, 3}) {
    CAPTURE(every);
    FilteredSeries whole(std::make_unique<Known>(rows, starts), band(every));
    const std::vector<double> expected = all_of(whole);
    auto within = std::make_unique<Known>(rows, starts);
    Known& known = *within;
    FilteredSeries cut(std::move(within), band(every));
    std::minstd_rand random(5);
    std::vector<double> block;
    for (int i = 0; i < 60; ++i) {
      const auto first = static_cast<std::int64_t>(random() % static_cast<unsigned>(cut.rows()));
      const std::int64_t count =
          std::min<std::int64_t>(cut.rows() - first, static_cast<std::int64_t>(random() % 5000));
      block.resize(static_cast<std::size_t>(2 * count));
      cut.read(first, count, block);
      REQUIRE(std::equal(block.begin(), block.end(), expected.begin() + 2 * first));
    }
    // Going back costs a stretch between two kept places, not all that came before.
    cut.read(cut.rows() - 1, 1, std::span(block).first(2));
    known.read_rows = 0;
    const std::int64_t late = every == 1 ? 40000 : 13000;
    cut.read(late, 1, std::span(block).first(2));
    CHECK(known.read_rows < (every == 1 ? 17000 : 41000));
    CHECK(block[0] == expected[static_cast<std::size_t>(2 * late)]);
  }
}

TEST_CASE("A filter looks at no later row") {
  auto within = std::make_unique<Known>(1000, std::vector<std::int64_t>{0});
  Known& known = *within;
  FilteredSeries series(std::move(within), band(4));
  std::vector<double> row(2);
  series.read(100, 1, row);
  CHECK(known.most_read == 400);
}

TEST_CASE("Values that are kept missing stay so, and the filter holds the last one") {
  const std::vector<RowRange> gaps = {{0, 3}, {10, 14}};
  DataConfig data = band();
  data.source = FileConfig{.missing = MissingPolicy::keep};
  FilteredSeries series(std::make_unique<Known>(40, std::vector<std::int64_t>{0}, gaps), data);
  const std::vector<double> found = all_of(series);
  SosFilter filter(butterworth(4, PassBand::band, data.filter.edges, 250.0));
  filter.settle(Known::value(3, 0));
  for (std::int64_t r = 0; r < 40; ++r) {
    const double value = found[static_cast<std::size_t>(2 * r)];
    const bool is_missing = r < 3 || (r >= 10 && r < 14);
    if (r < 3) {
      CHECK(std::isnan(value));
      continue;
    }
    const double expected = filter.step(Known::value(is_missing ? 9 : r, 0));
    CHECK((is_missing ? std::isnan(value) : value == expected));
  }
}

TEST_CASE(
    "Before the first value of a trial the mean of what is filtered stands, and the filter "
    "begins behind") {
  const std::vector<RowRange> gaps = {{0, 5}, {20, 23}, {30, 31}};
  auto within = std::make_unique<Known>(40, std::vector<std::int64_t>{0, 20}, gaps);
  within->holds = true;
  FilteredSeries series(std::move(within), band(2));
  CHECK(series.needs_fill());
  series.set_fill({7.5, -1.0});
  const std::vector<double> found = all_of(series);
  for (const std::int64_t row : {0, 1, 2, 10, 11}) {
    CAPTURE(row);
    CHECK(found[static_cast<std::size_t>(2 * row)] == 7.5);
  }
  for (const std::int64_t row : {3, 9, 12, 15}) {
    CAPTURE(row);
    CHECK(found[static_cast<std::size_t>(2 * row)] != 7.5);
  }
  // Rows 6 and 24 are the first that have values and stay: the filter has rested until 5 and 23.
  const double edge = 0.2;
  std::vector<SosSection> sections = butterworth(4, PassBand::band, band().filter.edges, 250.0);
  const auto antialias = chebyshev(8, 0.05, PassBand::low, {&edge, 1}, 1.0);
  sections.insert(sections.end(), antialias.begin(), antialias.end());
  SosFilter filter(sections);
  filter.settle(Known::value(5, 0));
  filter.step(Known::value(5, 0));
  CHECK(found[6] == filter.step(Known::value(6, 0)));
  const std::vector<RowRange> expected = {{0, 3}, {10, 12}, {15, 16}};
  CHECK(series.filled(0, 0, series.rows()) == expected);
  CHECK(series.filled(0, 11, 4) == std::vector<RowRange>{{11, 12}});
  CHECK(series.filled(1, 0, series.rows()).empty());
}

TEST_CASE("Rates that are no whole parts of another keep the row before each time") {
  const KeptRows kept(250.0, 100.0);
  const std::vector<std::int64_t> expected = {0, 2, 5, 7, 10, 12, 15};
  for (std::size_t j = 0; j < expected.size(); ++j) {
    CHECK(kept.row_of(static_cast<std::int64_t>(j)) == expected[j]);
  }
  for (std::int64_t rows = 0; rows < 60; ++rows) {
    std::int64_t count = 0;
    while (kept.row_of(count) < rows) ++count;
    CHECK(kept.count(rows) == count);
  }
  const KeptRows sound(44100.0, 16000.0);
  CHECK(sound.row_of(16000) == 44100);
  CHECK(sound.count(44100) == 16000);
  CHECK(KeptRows().count(17) == 17);
  CHECK_THROWS_AS(KeptRows(100.0, 250.0), ArgumentError);
}

TEST_CASE("At the rate of the source every row stays, whatever that rate is") {
  // 7 (1 / 3) / (1 / 3) is less than 7 in float64.
  for (const double rate : {1.0 / 3.0, 1.0 / 3600.0, 0.1, 360.0}) {
    for (const double to : {rate, std::nextafter(rate, 0.0)}) {
      const KeptRows kept(rate, to);
      for (std::int64_t row = 0; row < 2000; ++row) {
        REQUIRE(kept.row_of(row) == row);
        REQUIRE(kept.count(row) == row);
      }
    }
  }
}

TEST_CASE("A filter row by row has the bits of the series, and goes on from its state") {
  DataConfig data = band(3);
  FilteredSeries series(std::make_unique<Known>(500, std::vector<std::int64_t>{0}), data);
  const std::vector<double> expected = all_of(series);
  RowFilter first(data, 2);
  RowFilter second(data, 2);
  std::vector<double> found;
  for (std::int64_t r = 0; r < 500; ++r) {
    RowFilter& filter = r < 200 ? first : second;
    if (r == 200) second.set_state(first.state());
    std::vector<double> row = {Known::value(r, 0), Known::value(r, 1)};
    const bool will = filter.keeps_next();
    const bool stays = filter.change(row);
    CHECK(will == stays);
    CHECK(stays == (r % 3 == 0));
    if (stays) found.insert(found.end(), row.begin(), row.end());
  }
  CHECK(found == expected);
  CHECK_THROWS_AS(first.set_state(std::vector<double>(4)), ShapeError);
}

TEST_CASE("Frequencies that the rate does not have are refused by their key") {
  DataConfig data = band();
  data.sample_rate = 60.0;
  const auto make = [&] {
    return FilteredSeries(std::make_unique<Known>(10, std::vector<std::int64_t>{0}), data);
  };
  CHECK_THROWS_AS(make(), DataKeyError);
  CHECK_THROWS_WITH(make(), ContainsSubstring("half the rate of 60.0, which is 30.0, got 40.0"));
  data = band();
  data.resample = {.by = ResampleConfig::By::to, .to = 500.0};
  CHECK_THROWS_WITH(make(), ContainsSubstring("rows are left out, none are made up; got 500.0"));
}
