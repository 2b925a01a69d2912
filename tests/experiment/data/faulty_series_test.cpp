// SPDX-License-Identifier: MIT
#include "../../../src/experiment/data/faulty_series.h"

#include <cmath>
#include <limits>

#include "../../../src/io/file_series.h"
#include "../../../src/io/generators/associations.h"
#include "../../../src/io/generators/ornstein_uhlenbeck.h"
#include "../../io/read_series.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Shows = FaultConfig::Shows;

constexpr std::int64_t kRows = 400;
constexpr std::int64_t kChannels = 3;
constexpr std::uint64_t kSeed = 5;

std::unique_ptr<Series> clean() {
  return make_ornstein_uhlenbeck({.tau = {20.0, 5.0}, .channels = kChannels, .noise = 0.1}, kRows,
                                 kSeed);
}

FaultySeries faulty(const std::vector<FaultConfig>& faults) { return {clean(), faults, kSeed}; }

/// Whether entry 0 makes a value faulty, as the documentation says it.
bool is_out(const FaultConfig& fault, std::int64_t row, std::int64_t channel) {
  if (row < fault.from) return false;
  const auto offsets = RandomStream::named(kSeed, "data/faults/0/offsets");
  const auto draws = RandomStream::named(kSeed, "data/faults/0/faults");
  const std::int64_t offset = offsets.integer(static_cast<std::uint64_t>(channel), fault.length);
  const std::int64_t stretch = (row + offset) / fault.length;
  double u = 0.0;
  draws.uniforms(static_cast<std::uint64_t>(stretch * kChannels + channel), {&u, 1});
  return u < fault.probability;
}

/// The same number, or none in both.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("Faulty values are missing, stand still or are 0, and others stay") {
  const std::vector<double> x = read_all(*clean());
  for (const Shows shows : {Shows::missing, Shows::last, Shows::zero}) {
    const FaultConfig fault{.shows = shows, .probability = 0.4, .length = 3, .from = 10};
    FaultySeries series = faulty({fault});
    const std::vector<double> got = read_all(series);
    std::int64_t out = 0;
    std::vector<double> last(kChannels, std::numeric_limits<double>::quiet_NaN());
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::int64_t c = 0; c < kChannels; ++c) {
        const auto i = static_cast<std::size_t>(row * kChannels + c);
        double expected = x[i];
        if (is_out(fault, row, c)) {
          ++out;
          expected = shows == Shows::zero   ? 0.0
                     : shows == Shows::last ? last[static_cast<std::size_t>(c)]
                                            : std::numeric_limits<double>::quiet_NaN();
        } else {
          last[static_cast<std::size_t>(c)] = x[i];
        }
        INFO(row << ", " << c);
        CHECK(same(got[i], expected));
      }
    }
    CHECK(out > 300);
    CHECK(out < 600);
    CHECK_FALSE(series.needs_fill());  // none before row 10
    CHECK(read_all_latents(series) == read_all_latents(*clean()));
  }
}

TEST_CASE("Faults do not depend on how rows are asked for") {
  const FaultConfig fault{.shows = Shows::last, .probability = 0.5, .length = 40, .from = 1};
  FaultySeries series = faulty({fault});
  const std::vector<double> whole = read_all(series);
  for (const std::int64_t first : {399, 200, 37, 38, 0, 120, 113}) {
    for (const std::int64_t count : {1, 3, 50}) {
      const std::int64_t rows = std::min(count, kRows - first);
      std::vector<double> piece(static_cast<std::size_t>(rows * kChannels));
      series.read(first, rows, piece);
      for (std::size_t i = 0; i < piece.size(); ++i) {
        INFO(first << ", " << count << ", " << i);
        CHECK(same(piece[i], whole[static_cast<std::size_t>(first * kChannels) + i]));
      }
    }
  }
}

TEST_CASE("What is missing or stands still counts as filled, and zeros do not") {
  const FaultConfig fault{.shows = Shows::missing, .probability = 0.3, .length = 2};
  for (const Shows shows : {Shows::missing, Shows::last, Shows::zero}) {
    FaultConfig same_places = fault;
    same_places.shows = shows;
    const FaultySeries series = faulty({same_places});
    for (std::int64_t c = 0; c < kChannels; ++c) {
      std::vector<bool> is_filled(kRows, false);
      std::int64_t end = -1;
      for (const RowRange& gap : series.filled(c, 0, kRows)) {
        CHECK(gap.begin > end);  // stretches that touch are one
        end = gap.end;
        for (std::int64_t row = gap.begin; row < gap.end; ++row) {
          is_filled[static_cast<std::size_t>(row)] = true;
        }
      }
      for (std::int64_t row = 0; row < kRows; ++row) {
        INFO(row << ", " << c);
        CHECK(is_filled[static_cast<std::size_t>(row)] ==
              (shows != Shows::zero && is_out(fault, row, c)));
      }
    }
  }
}

TEST_CASE("A fill value stands before the first value of a trial, and none crosses its border") {
  // Trials of three rows.
  const auto trials = [] { return make_associations({.pairs = 2, .size = 2}, 3 * 40, kSeed); };
  REQUIRE(trials()->trial_starts().size() == 40);
  const std::vector<double> x = read_all(*trials());
  FaultySeries series(trials(), {{.shows = Shows::last, .probability = 0.5}}, kSeed);
  REQUIRE(series.needs_fill());
  const auto channels = static_cast<std::size_t>(series.channels());
  std::vector<double> fill;
  for (std::size_t c = 0; c < channels; ++c) fill.push_back(100.0 + static_cast<double>(c));
  series.set_fill(fill);
  const std::vector<double> got = read_all(series);
  std::int64_t begun = 0;
  for (std::int64_t c = 0; c < series.channels(); ++c) {
    std::vector<bool> is_filled(120, false);
    for (const RowRange& gap : series.filled(c, 0, 120)) {
      CHECK(gap.begin / 3 == (gap.end - 1) / 3);  // within a trial
      for (auto row = static_cast<std::size_t>(gap.begin); row < static_cast<std::size_t>(gap.end);
           ++row) {
        is_filled[row] = true;
      }
    }
    bool has_last = false;
    double last = 0.0;
    for (std::size_t row = 0; row < 120; ++row) {
      if (row % 3 == 0) has_last = false;
      const std::size_t i = row * channels + static_cast<std::size_t>(c);
      if (!is_filled[row]) {
        has_last = true;
        last = x[i];
      }
      if (!has_last) ++begun;
      INFO(row << ", " << c);
      CHECK(got[i] == (has_last ? last : fill[static_cast<std::size_t>(c)]));
    }
  }
  CHECK(begun > 20);
}

TEST_CASE("The last entry of faults decides, and channels without faults have none") {
  const FaultConfig everywhere{.shows = Shows::missing, .probability = 1.0};
  const FaultConfig of_one{.shows = Shows::zero, .probability = 1.0, .from = 7, .channels = {"1"}};
  FaultySeries both = faulty({everywhere, of_one});
  const std::vector<double> got = read_all(both);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool is_zero = i % kChannels == 1 && i / kChannels >= 7;
    CHECK(same(got[i], is_zero ? 0.0 : std::numeric_limits<double>::quiet_NaN()));
  }
  const std::vector<double> x = read_all(*clean());
  FaultySeries one = faulty({of_one});
  const std::vector<double> rest = read_all(one);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    CHECK(rest[i] == (i % kChannels == 1 && i / kChannels >= 7 ? 0.0 : x[i]));
  }
  const std::vector<FaultConfig> other = {{.channels = {"pressure"}}};
  const DataKeyError error = thrown_by<DataKeyError>([&] { faulty(other); });
  CHECK(error.key == "faults[0].channels");
  CHECK(error.column == "pressure");
}
