// SPDX-License-Identifier: MIT
#include "../../src/io/missing.h"

#include <algorithm>
#include <cmath>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"

namespace gaia {
namespace {

using namespace test;
using Values = std::vector<double>;

Gaps gaps_of(const Values& values, MissingPolicy policy = MissingPolicy::interpolate) {
  Gaps gaps(policy);
  for (const double value : values) gaps.note(value);
  return gaps;
}

Values filled(Values values) {
  const Gaps gaps = gaps_of(values);
  gaps.fill(0, static_cast<std::int64_t>(values.size()), values.data(), 1);
  return values;
}

TEST_CASE("missing policies have names") {
  for (const MissingPolicy policy :
       {MissingPolicy::error, MissingPolicy::hold, MissingPolicy::interpolate}) {
    CHECK(missing_policy_from_name(to_string(policy)) == policy);
  }
  CHECK_THROWS_WITH(missing_policy_from_name("interpolated"),
                    "unknown policy for missing values 'interpolated' (did you mean "
                    "'interpolate'?); known: error, hold, interpolate, keep");
}

TEST_CASE("gaps are filled linearly between their neighbours") {
  CHECK(filled({1.0, kNaN, 3.0}) == Values{1.0, 2.0, 3.0});
  CHECK(filled({1.0, kNaN, kNaN, kNaN, 3.0}) == Values{1.0, 1.5, 2.0, 2.5, 3.0});
  CHECK(filled({4.0, kNaN, 0.0, kNaN, 8.0}) == Values{4.0, 2.0, 0.0, 4.0, 8.0});
  CHECK(filled({1.0, 2.0}) == Values{1.0, 2.0});
}

TEST_CASE("gaps at the ends hold the nearest value") {
  CHECK(filled({kNaN, kNaN, 5.0, 6.0}) == Values{5.0, 5.0, 5.0, 6.0});
  CHECK(filled({5.0, 6.0, kNaN, kNaN}) == Values{5.0, 6.0, 6.0, 6.0});
  CHECK(filled({kNaN, 7.0, kNaN}) == Values{7.0, 7.0, 7.0});
}

TEST_CASE("gaps that are held have the last value, and a fill value before the first") {
  const auto held = [](Values values) {
    Gaps gaps = gaps_of(values, MissingPolicy::hold);
    CHECK(gaps.needs_fill() == std::isnan(values.front()));
    gaps.set_fill(99.0);
    gaps.fill(0, static_cast<std::int64_t>(values.size()), values.data(), 1);
    return values;
  };
  CHECK(held({1.0, kNaN, 3.0}) == Values{1.0, 1.0, 3.0});
  CHECK(held({1.0, kNaN, kNaN, kNaN}) == Values{1.0, 1.0, 1.0, 1.0});
  CHECK(held({kNaN, kNaN, 5.0, kNaN, 6.0}) == Values{99.0, 99.0, 5.0, 5.0, 6.0});
}

TEST_CASE("a trial that begins in a gap carries nothing over it") {
  const Values values = {1, kNaN, kNaN, kNaN, 5, kNaN, 7, kNaN, 9};
  const auto filled_in_trials = [&](MissingPolicy policy, bool is_known, bool& is_split) {
    const std::vector<std::int64_t> starts = {0, 2, 6, 7};
    Gaps gaps(policy);
    for (std::size_t r = 0; r < values.size(); ++r) {
      const bool begins = r > 0 && std::find(starts.begin(), starts.end(), r) != starts.end();
      if (is_known && begins) gaps.begin_trial();
      gaps.note(values[r]);
    }
    is_split = gaps.split(starts);
    CHECK(gaps.needs_fill() == (policy == MissingPolicy::hold));
    CHECK_FALSE(gaps.empty_trial());
    gaps.set_fill(-1.0);
    Values filled = values;
    gaps.fill(0, 9, filled.data(), 1);
    // The gaps of each trial are told apart.
    CHECK(gaps.filled(0, 9) == std::vector<RowRange>{{1, 2}, {2, 4}, {5, 6}, {7, 8}});
    CHECK(gaps.filled(3, 3) == std::vector<RowRange>{{3, 4}, {5, 6}});
    CHECK(gaps.filled(4, 1).empty());
    return filled;
  };
  bool is_split = false;
  for (const bool is_known : {true, false}) {
    CAPTURE(is_known);
    CHECK(filled_in_trials(MissingPolicy::hold, is_known, is_split) ==
          Values{1, 1, -1, -1, 5, 5, 7, -1, 9});
    CHECK(is_split != is_known);
    CHECK(filled_in_trials(MissingPolicy::interpolate, is_known, is_split) ==
          Values{1, 1, 5, 5, 5, 5, 7, 9, 9});
    CHECK(is_split != is_known);
  }
  Gaps empty = gaps_of({1, kNaN, kNaN, 4}, MissingPolicy::hold);
  const std::vector<std::int64_t> starts = {1, 3};
  empty.split(starts);
  CHECK(empty.empty_trial() == 1);
}

TEST_CASE("gaps between very large values are filled with finite ones") {
  CHECK(filled({-1.7e308, kNaN, 1.7e308}) == Values{-1.7e308, 0.0, 1.7e308});
}

TEST_CASE("gaps are filled alike in any block, with any stride") {
  Values values = {kNaN, 1.0, kNaN, kNaN, 7.0, 8.0, kNaN, kNaN, kNaN, kNaN, -3.0, kNaN, kNaN};
  const Gaps gaps = gaps_of(values);
  const Values whole = filled(values);
  const auto rows = static_cast<std::int64_t>(values.size());
  for (std::int64_t first = 0; first < rows; ++first) {
    for (std::int64_t count = 0; first + count <= rows; ++count) {
      // Two columns, of which the second has the gaps.
      Values block(static_cast<std::size_t>(2 * count + 1), 99.0);  // not empty for no rows
      for (std::int64_t r = 0; r < count; ++r) {
        block[static_cast<std::size_t>(2 * r + 1)] = values[static_cast<std::size_t>(first + r)];
      }
      gaps.fill(first, count, block.data() + 1, 2);
      bool is_same = true;
      for (std::int64_t r = 0; r < count; ++r) {
        is_same = is_same && block[static_cast<std::size_t>(2 * r)] == 99.0 &&
                  block[static_cast<std::size_t>(2 * r + 1)] ==
                      whole[static_cast<std::size_t>(first + r)];
      }
      CHECK(is_same);
    }
  }
}

TEST_CASE("gaps are counted, with the place of the first") {
  Gaps gaps(MissingPolicy::error);
  CHECK_FALSE(gaps.has_values());
  gaps.note(1.0, 10);
  gaps.note(kNaN, 12);
  gaps.note(kNaN, 13);
  CHECK(gaps.has_values());
  CHECK(gaps.missing() == 2);
  CHECK(gaps.first_place() == 12);
}

TEST_CASE("too many gaps are refused") {
  std::vector<Gaps> gaps(1, Gaps(MissingPolicy::interpolate));
  for (std::size_t i = 0; i < Gaps::kMostGaps; ++i) {
    gaps[0].note(1.0);
    gaps[0].note(kNaN);
  }
  const std::vector<std::string> names = {"a"};
  CHECK_NOTHROW(check_gaps("f", "row", names, gaps, MissingPolicy::interpolate));
  gaps[0].note(1.0);
  gaps[0].note(kNaN);
  CHECK_THROWS_WITH(check_gaps("f", "row", names, gaps, MissingPolicy::interpolate),
                    "f: expected at most 4194304 gaps in a column, column 'a' has more");
}

TEST_CASE("check_gaps refuses missing values with policy error, naming the first") {
  std::vector<Gaps> gaps = {gaps_of({1.0, 2.0, kNaN, kNaN}, MissingPolicy::error),
                            gaps_of({1.0, kNaN, 2.0, 3.0}, MissingPolicy::error),
                            gaps_of({1.0, 2.0, 3.0, 4.0}, MissingPolicy::error)};
  const std::vector<std::string> names = {"a", "b", "c"};
  CHECK_THROWS_WITH(check_gaps("f.h5", "row", names, gaps, MissingPolicy::error),
                    "f.h5: expected no missing values, got 3, the first in row 1, column 'b'; "
                    "data.missing: hold fills them (for gaia apply: --missing hold)");
  CHECK_NOTHROW(check_gaps("f.h5", "row", names, gaps, MissingPolicy::interpolate));
  gaps.erase(gaps.begin(), gaps.begin() + 2);
  CHECK_NOTHROW(check_gaps("f.h5", "row", names, gaps, MissingPolicy::error));
}

TEST_CASE("check_gaps refuses a column without values with either policy") {
  const std::vector<std::string> names = {"a", "b"};
  for (const MissingPolicy policy : {MissingPolicy::error, MissingPolicy::interpolate}) {
    const std::vector<Gaps> gaps = {gaps_of({1.0, 2.0}, policy), gaps_of({kNaN, kNaN}, policy)};
    CHECK_THROWS_WITH(check_gaps("f", "row", names, gaps, policy),
                      "f: column 'b' has no values at all");
  }
}

TEST_CASE("fill_gaps fills all columns of a block, and nothing that was not missing before") {
  const std::vector<Gaps> gaps = {gaps_of({1.0, kNaN, 3.0}), gaps_of({4.0, 5.0, kNaN})};
  Values block = {1.0, 4.0, kNaN, 5.0, 3.0, kNaN};
  fill_gaps("f", gaps, 0, 3, block);
  CHECK(block == Values{1.0, 4.0, 2.0, 5.0, 3.0, 5.0});
  block = {kNaN, 5.0, kNaN, kNaN};
  CHECK_THROWS_WITH(fill_gaps("f", gaps, 1, 2, block),
                    "f: row 2 misses a value that was there before; the file changed while it was "
                    "read");
}

TEST_CASE("find_gaps goes through a table once, block by block") {
  constexpr std::int64_t kRows = 100000;
  const auto value = [](std::int64_t row, std::int64_t c) {
    return c == 1 && row % 50000 == 7 ? kNaN : static_cast<double>(row);
  };
  std::int64_t next = 0;
  const ReadRows read = [&](std::int64_t first, std::int64_t count, std::span<double> block) {
    CHECK(first == next);
    next = first + count;
    REQUIRE(block.size() >= static_cast<std::size_t>(3 * count));
    for (std::int64_t i = 0; i < 3 * count; ++i) {
      block[static_cast<std::size_t>(i)] = value(first + i / 3, i % 3);
    }
  };
  const std::vector<std::string> names = {"a", "b", "c"};
  const std::vector<Gaps> gaps = find_gaps("f", names, kRows, MissingPolicy::interpolate, read);
  CHECK(next == kRows);
  CHECK(gaps[0].missing() == 0);
  CHECK(gaps[1].missing() == 2);
  Values block = {kNaN};
  gaps[1].fill(50007, 1, block.data(), 1);
  CHECK(block[0] == 50007.0);
  next = 0;
  CHECK_THROWS_WITH(find_gaps("f", names, kRows, MissingPolicy::error, read),
                    "f: expected no missing values, got 2, the first in row 7, column 'b'; "
                    "data.missing: hold fills them (for gaia apply: --missing hold)");
}

TEST_CASE("gaps at the borders of blocks and trials are those of the rows one by one") {
  constexpr std::int64_t kRows = 200000;
  constexpr std::int64_t kBlock = 65536 / 2;  // rows of two columns that are read at once
  const auto is_missing = [](std::int64_t row, std::int64_t c) {
    if (c == 1) return row >= kBlock - 3 && row < kBlock;  // to the end of a block
    const bool is_over_border = row >= 2 * kBlock - 2 && row <= 2 * kBlock;
    const bool begins_block = row >= 3 * kBlock && row < 3 * kBlock + 2;
    const bool is_before_whole_block = row >= 4 * kBlock - 2 && row < 4 * kBlock;
    return is_over_border || begins_block || is_before_whole_block;
  };
  const auto value = [&](std::int64_t row, std::int64_t c) {
    return is_missing(row, c) ? kNaN : static_cast<double>(row % 97);
  };
  const ReadRows read = [&](std::int64_t first, std::int64_t count, std::span<double> block) {
    for (std::int64_t i = 0; i < 2 * count; ++i) {
      block[static_cast<std::size_t>(i)] = value(first + i / 2, i % 2);
    }
  };
  const std::vector<std::int64_t> starts = {0, 5 * kBlock / 2, 3 * kBlock + 1, 6 * kBlock};
  const std::int64_t measured =
      GENERATE_COPY(std::int64_t{0}, std::int64_t{10}, kBlock, kBlock + 5, kRows);
  CAPTURE(measured);
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<Gaps> found = find_gaps("f", names, kRows, MissingPolicy::interpolate, read,
                                            {.measured = measured, .trial_starts = &starts});
  for (std::int64_t c = 0; c < 2; ++c) {
    Gaps expected(MissingPolicy::interpolate, measured);
    Values filled;
    for (std::int64_t row = 0; row < kRows; ++row) {
      if (row > 0 && std::find(starts.begin(), starts.end(), row) != starts.end()) {
        expected.begin_trial();
      }
      expected.note(value(row, c));
      filled.push_back(value(row, c));
    }
    const Gaps& gaps = found[static_cast<std::size_t>(c)];
    CHECK(gaps.missing() == expected.missing());
    CHECK(gaps.first_place() == expected.first_place());
    CHECK(gaps.moments().count() == expected.moments().count());
    CHECK(gaps.moments().mean() == expected.moments().mean());
    Values wanted = filled;
    gaps.fill(0, kRows, filled.data(), 1);
    expected.fill(0, kRows, wanted.data(), 1);
    CHECK(filled == wanted);
  }
}

TEST_CASE("moments are those of the filled column, bit for bit, in the rows that are measured") {
  const Values values = {kNaN, kNaN, 0.3, 0.1, kNaN, kNaN, kNaN, 7.7, 1e9, kNaN, 0.2, kNaN, kNaN};
  const auto rows = static_cast<std::int64_t>(values.size());
  Gaps whole(MissingPolicy::interpolate);
  for (const double value : values) whole.note(value);
  Values filled = values;
  whole.fill(0, rows, filled.data(), 1);
  for (std::int64_t measured = 0; measured <= rows + 1; ++measured) {
    INFO(measured);
    Gaps gaps(MissingPolicy::interpolate, measured);
    for (const double value : values) gaps.note(value);
    Moments expected;
    for (std::int64_t r = 0; r < std::min(measured, rows); ++r) {
      expected.add(filled[static_cast<std::size_t>(r)]);
    }
    const Moments found = moments_of(std::vector<Gaps>{gaps}).front();
    CHECK(found.count() == expected.count());
    CHECK(found.mean() == expected.mean());
    CHECK(found.deviation() == expected.deviation());
    CHECK(found.least() == expected.least());
    CHECK(found.most() == expected.most());
  }
  CHECK(whole.moments().count() == 0);
}

TEST_CASE("find_gaps refuses infinite values") {
  const ReadRows read = [](std::int64_t, std::int64_t count, std::span<double> block) {
    for (std::int64_t i = 0; i < 2 * count; ++i) block[static_cast<std::size_t>(i)] = 0.0;
    block[7] = -INFINITY;
  };
  const std::vector<std::string> names = {"a", "b"};
  CHECK_THROWS_WITH(find_gaps("f", names, 10, MissingPolicy::interpolate, read),
                    "f: row 3, column 'b': expected a finite number, got -inf");
}

}  // namespace
}  // namespace gaia
