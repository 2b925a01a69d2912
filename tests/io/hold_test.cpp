// SPDX-License-Identifier: MIT
/// Missing values that are held, by every reader: nothing of a row is of a later one.
#include <cmath>
#include <random>

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../../src/io/csv.h"
#include "../../src/io/hdf5.h"
#include "../../src/io/hdf5_series.h"
#include "../../src/io/joined_series.h"
#include "../../src/io/memory_series.h"
#include "../../src/io/npy.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/log_capture.h"
#include "../support/special_numbers.h"
#include "../support/temp_dir.h"
#include "read_series.h"
#include "write_npy.h"

namespace gaia {
namespace {

using namespace test;
using Values = std::vector<double>;
using Starts = std::vector<std::int64_t>;
constexpr std::size_t kWidth = 2;

/// A table [rows, kWidth] in which a share of the values is missing, but none in the last row of a
/// trial of `length` rows.
Values table_with_gaps(std::int64_t rows, std::int64_t length, double share, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number(3.0, 2.0);
  std::bernoulli_distribution is_missing(share);
  Values table;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < kWidth; ++c) {
      const double value = std::round(1000.0 * number(random)) / 1000.0;
      const bool is_last = r % length == length - 1;
      table.push_back(!is_last && is_missing(random) ? kNaN : value);
    }
  }
  return table;
}

/// By plain loops.
Values held(const Values& table, std::int64_t length, const Values& fill) {
  Values last;
  Values result;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::size_t c = i % kWidth;
    if (c == 0 && (i / kWidth) % static_cast<std::size_t>(length) == 0) last = fill;
    if (!std::isnan(table[i])) last[c] = table[i];
    result.push_back(last[c]);
  }
  return result;
}

std::string csv_of(const Values& table) {
  std::string text = "a,b\n";
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!std::isnan(table[i])) text += std::to_string(table[i]);
    text += (i + 1) % kWidth == 0 ? "\n" : ",";
  }
  return text;
}

/// A file is written once: one that is open must not change.
std::string file_in(const test::TempDir& folder, const std::string& name,
                    const std::string& content) {
  const std::string path = folder.path(name);
  return std::filesystem::exists(path) ? path : folder.write(name, content);
}

/// The same table in trials of `length` rows, by a reader; a table for each folder.
std::unique_ptr<Series> open_with(const std::string& reader, const test::TempDir& folder,
                                  const Values& table, std::int64_t length, MissingPolicy missing) {
  const auto rows = static_cast<std::int64_t>(table.size() / kWidth);
  const SideOptions side{.trial_length = length};
  if (reader == "csv") {
    return open_csv(file_in(folder, "a.csv", csv_of(table)), {.missing = missing, .side = side});
  }
  if (reader == "npy") {
    const std::string shape = "(" + std::to_string(rows) + ", 2)";
    return open_npy(file_in(folder, "a.npy", npy("<f8", shape, table)),
                    {.missing = missing, .side = side});
  }
  if (reader == "npy of three axes") {
    const std::string shape =
        "(" + std::to_string(rows / length) + ", " + std::to_string(length) + ", 2)";
    return open_npy(file_in(folder, "t.npy", npy("<f8", shape, table)),
                    {.missing = missing, .axes = {.trials = {{0, 1, 2}}}});
  }
  if (reader == "hdf5") {
    hdf5::File file = hdf5::File::create(folder.path("a.h5"));
    file.create_dataset("x", {.type = hdf5::Type::float64, .shape = {rows, 2}})
        .write(std::span<const double>(table));
    file.close();
    auto series = open_hdf5(folder.path("a.h5"), {.missing = missing, .side = side});
    std::filesystem::remove(folder.path("a.h5"));
    return series;
  }
  if (reader == "memory") {
    const Array array = from_values(table, {rows, 2});
    return open_memory(std::make_shared<const MemoryRows>(MemoryRows{.table = array}),
                       {.missing = missing, .side = side});
  }
  // Files of one trial each.
  std::vector<std::string> paths;
  for (std::int64_t first = 0; first < rows; first += length) {
    const auto begin = table.begin() + first * static_cast<std::int64_t>(kWidth);
    paths.push_back(file_in(folder, "f" + std::to_string(first) + ".csv",
                            csv_of({begin, begin + length * static_cast<std::int64_t>(kWidth)})));
  }
  return open_files(paths, {.missing = missing}, open_csv);
}

const std::vector<std::string> kFormats = {"csv",  "npy",    "npy of three axes",
                                           "hdf5", "memory", "joined files"};

}  // namespace

TEST_CASE("held values are the last ones of their trial, and the fill before the first") {
  const std::int64_t length = 20;
  for (const std::string& reader : kFormats) {
    for (const double share : {0.0, 0.1, 0.5, 0.9}) {
      CAPTURE(reader, share);
      const test::TempDir folder;
      const Values table = table_with_gaps(60, length, share, 7);
      const auto series = open_with(reader, folder, table, length, MissingPolicy::hold);
      const Values fill = {100.0, -100.0};
      series->set_fill(fill);
      CHECK(read_all(*series) == held(table, length, fill));
      // What was filled, row by row.
      for (std::size_t c = 0; c < kWidth; ++c) {
        std::vector<bool> is_filled(60);
        for (const RowRange& gap : series->filled(static_cast<std::int64_t>(c), 0, 60)) {
          REQUIRE(gap.begin < gap.end);
          CHECK(gap.begin / length == (gap.end - 1) / length);
          for (std::int64_t r = gap.begin; r < gap.end; ++r) {
            is_filled[static_cast<std::size_t>(r)] = true;
          }
        }
        for (std::size_t r = 0; r < 60; ++r) {
          CHECK(is_filled[r] == std::isnan(table[r * kWidth + c]));
        }
      }
      // Another fill, and moments of what is read then.
      series->moments(60);
      const Values other = {7.0, 8.0};
      series->set_fill(other);
      const Values wanted = held(table, length, other);
      CHECK(read_all(*series) == wanted);
      Moments expected;
      for (std::size_t i = 0; i < wanted.size(); i += kWidth) expected.add(wanted[i]);
      CHECK(series->moments(60).front().mean() == expected.mean());
      CHECK(series->moments(60).front().deviation() == expected.deviation());
    }
  }
}

TEST_CASE("whoever tells no fill gets the mean of what is present, whatever is read first") {
  for (const std::string& reader : kFormats) {
    CAPTURE(reader);
    const test::TempDir folder;
    Values table = table_with_gaps(40, 10, 0.4, 3);
    table[0] = table[1] = kNaN;
    Moments present[kWidth];
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!std::isnan(table[i])) present[i % kWidth].add(table[i]);
    }
    const Values fill = {present[0].mean(), present[1].mean()};
    const Values wanted = held(table, 10, fill);
    const auto series = open_with(reader, folder, table, 10, MissingPolicy::hold);
    CHECK(test::read_rows(*series, 0, 1) == Values{wanted[0], wanted[1]});
    CHECK(read_all(*series) == wanted);
    CHECK(series->fill() == fill);
    test::check_any_cut([&] { return open_with(reader, folder, table, 10, MissingPolicy::hold); });
    const RowRange some[] = {{3, 11}, {20, 21}};
    Moments expected;
    for (const RowRange& range : some) {
      for (std::int64_t r = range.begin; r < range.end; ++r) {
        const double value = table[static_cast<std::size_t>(r) * kWidth];
        if (!std::isnan(value)) expected.add(value);
      }
    }
    const Moments& found = series->moments_of_present(some).front();
    CHECK(found.count() == expected.count());
    CHECK(found.mean() == expected.mean());
  }
}

TEST_CASE("no row that is held changes with what comes after it") {
  const std::int64_t length = 15;
  const std::int64_t rows = 45;
  for (const std::string& reader : kFormats) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      CAPTURE(reader, seed);
      const double share = 0.15 * (seed + 1);
      const Values table = table_with_gaps(rows, length, share, seed);
      const Values others = table_with_gaps(rows, length, 1.0 - share, 100 + seed);
      const auto t = static_cast<std::int64_t>(seed * 7 + 2);
      Values changed = table;
      const auto after = static_cast<std::ptrdiff_t>((t + 1) * static_cast<std::int64_t>(kWidth));
      std::copy(others.begin() + after, others.end(), changed.begin() + after);
      const test::TempDir folder;
      const test::TempDir elsewhere;
      const auto before = [&](const test::TempDir& in, const Values& values) {
        const auto series = open_with(reader, in, values, length, MissingPolicy::hold);
        series->set_fill({0.5, 0.25});
        return test::read_rows(*series, 0, t + 1);
      };
      CHECK(before(folder, table) == before(elsewhere, changed));
    }
  }
}

FOLDER_TEST_CASE("a trial that a gap in time ends carries no value over, held or interpolated") {
  const test::LogCapture log;
  // Between the third and the fourth row lie 97 steps.
  const std::string path =
      folder.write("a.csv", "t,a,b\n0,1,\n1,2,5\n2,,6\n100,,7\n101,4,\n102,5,9\n");
  const auto open = [&](MissingPolicy missing, GapPolicy gaps) {
    return open_files({path}, {.columns = {"a", "b"}, .missing = missing, .side = {.time = "t"}},
                      open_csv, gaps);
  };
  const auto whole = open(MissingPolicy::interpolate, GapPolicy::warn);
  CHECK(test::column(read_all(*whole), 2, 0) ==
        Values{1, 2, std::lerp(2.0, 4.0, 1.0 / 3.0), std::lerp(2.0, 4.0, 2.0 / 3.0), 4, 5});
  const auto split = open(MissingPolicy::interpolate, GapPolicy::split);
  CHECK(split->trial_starts() == Starts{0, 3});
  CHECK(test::column(read_all(*split), 2, 0) == Values{1, 2, 2, 4, 4, 5});
  CHECK(split->moments(6).front().mean() == 3.0);
  CHECK(split->filled(0, 0, 6) == std::vector<RowRange>{{2, 3}, {3, 4}});
  const auto held = open(MissingPolicy::hold, GapPolicy::split);
  held->set_fill({-1.0, -2.0});
  CHECK(test::column(read_all(*held), 2, 0) == Values{1, 2, 2, -1, 4, 5});
  CHECK(test::column(read_all(*held), 2, 1) == Values{-2, 5, 6, 7, 7, 9});
  CHECK(held->moments(6).front().mean() == 13.0 / 6.0);

  const std::string empty = folder.write("b.csv", "t,a,b\n0,1,1\n1,2,5\n50,,6\n100,4,7\n101,4,1\n");
  const DataError error = thrown_by<DataError>([&] {
    open_files({empty},
               {.columns = {"a", "b"}, .missing = MissingPolicy::hold, .side = {.time = "t"}},
               open_csv, GapPolicy::split);
  });
  CHECK_SAYS(error.what(),
             "b.csv: column 'a' has no values at all in the trial that begins at row 2");
}

TEST_CASE("a column that has no value in a trial is refused, as is one with none at all") {
  for (const std::string& reader : kFormats) {
    CAPTURE(reader);
    const test::TempDir folder;
    Values table = table_with_gaps(20, 10, 0.2, 1);
    for (std::size_t r = 10; r < 20; ++r) table[r * kWidth + 1] = kNaN;
    CHECK_THROWS_AS(open_with(reader, folder, table, 10, MissingPolicy::hold), DataError);
  }
}

}  // namespace gaia
