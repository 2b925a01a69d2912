// SPDX-License-Identifier: MIT
#include "../../src/io/memory_series.h"

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/special_numbers.h"
#include "read_series.h"
#include "side_values.h"

namespace gaia {
namespace {

using Catch::Matchers::StartsWith;
using namespace test;
using Values = std::vector<double>;

std::shared_ptr<const MemoryRows> rows_of(const Array& table,
                                          const std::vector<std::string>& columns = {}) {
  return std::make_shared<const MemoryRows>(MemoryRows{.table = table, .columns = columns});
}

std::string error_of(std::shared_ptr<const MemoryRows> rows, const FileOptions& options = {}) {
  return test::complaint_of([&] { open_memory(std::move(rows), options); });
}

TEST_CASE("open_memory reads tables of both dtypes and any strides where they lie") {
  const Values numbers = {0, 1, 2, 3, 4, 5};
  const Array by_rows = from_values(numbers, {3, 2});
  CHECK(read_all(*open_memory(rows_of(by_rows))) == numbers);
  CHECK(read_all(*open_memory(rows_of(by_rows.astype(DType::float32)))) == numbers);
  CHECK(read_all(*open_memory(rows_of(from_values(numbers, {2, 3}).transpose()))) ==
        Values{0, 3, 1, 4, 2, 5});
  CHECK(read_all(*open_memory(rows_of(by_rows.slice(0, {}, {}, -1)))) == Values{4, 5, 2, 3, 0, 1});

  const auto series = open_memory(rows_of(by_rows));
  by_rows.fill(7.0);
  CHECK(read_all(*series) == Values(6, 7.0));
  test::check_any_cut([] {
    return open_memory(rows_of(random_normal({150, 3}, 0.0, 1.0, DType::float64, {.seed = 1})));
  });
}

TEST_CASE(
    "columns of rows in memory are channels, targets, labels, times and trials as of a file") {
  MemoryRows rows{.table = from_values(Values{1, 10, 0, 2, 20, 0, 3, 30, 1, 4, 40, 1}, {4, 3}),
                  .columns = {"a", "b", "run"}};
  rows.times = std::vector<std::int64_t>{0, 5, 0, 5};
  rows.texts = {{"state", {"cat", "", "ant", "cat"}}};
  const auto series = open_memory(std::make_shared<const MemoryRows>(rows),
                                  {.side = {.targets = {"b"}, .labels = "state", .trial = "run"}});
  CHECK(series->channel_names() == std::vector<std::string>{"a"});
  CHECK(series->trial_starts() == std::vector<std::int64_t>{0, 2});
  CHECK(series->classes() == std::vector<std::string>{"ant", "cat"});
  CHECK(side_of<std::int64_t>(*series, 0) == std::vector<std::int64_t>{0, 5, 0, 5});
  CHECK(side_of<double>(*series, 1) == Values{10, 20, 30, 40});
  CHECK(side_of<std::int64_t>(*series, 2) == std::vector<std::int64_t>{1, -1, 0, 1});
}

TEST_CASE("missing values of rows in memory are refused or interpolated") {
  const auto rows = rows_of(from_values(Values{1, kNaN, 3}, {3, 1}));
  CHECK_THAT(error_of(rows), StartsWith("memory: "));
  CHECK(read_all(*open_memory(rows, {.missing = MissingPolicy::interpolate})) == Values{1, 2, 3});
}

TEST_CASE("the hash of rows in memory is that of the NPY file that NumPy writes of them") {
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  // numpy.save("a.npy", numpy.array([[1, 2], [3, 4], [5, 6]], "<f4")); sha256sum a.npy
  CHECK(open_memory(rows_of(from_values(numbers, {3, 2})))->sha256() ==
        "acb4d4837b6e86680ae9491b3fa5d11870c3900734107ebfec90554a47d42b39");
}

TEST_CASE("arrays of trials are read as their axes say, with what each trial has one value of") {
  // Two trials of three times and two channels: 100 trial + 10 time + channel.
  const Values numbers = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
  const Array eeg = from_values(numbers, {2, 3, 2});
  MemoryRows rows{.table = eeg};
  rows.times = std::vector<double>{0.5, 1.0, 1.5};
  rows.texts = {{"label", {"left", "right"}}};
  rows.of_trials = {{"weight", {7.0, 8.0}}};
  const FileOptions options{.side = {.targets = {"weight"}, .labels = "label"}};
  const auto series = open_memory(std::make_shared<const MemoryRows>(rows), options);
  CHECK(read_all(*series) == numbers);
  CHECK(series->trial_starts() == std::vector<std::int64_t>{0, 3});
  CHECK(series->classes() == std::vector<std::string>{"left", "right"});
  Values block(12);
  std::vector<SideValues> side(3);
  const std::vector<std::size_t> wanted = {0, 1, 2};
  series->read_with_side(0, 6, block, wanted, side);
  CHECK(std::get<Values>(side[0]) == Values{0.5, 1.0, 1.5, 0.5, 1.0, 1.5});
  CHECK(std::get<Values>(side[1]) == Values{7, 7, 7, 8, 8, 8});
  CHECK(std::get<std::vector<std::int64_t>>(side[2]) ==
        std::vector<std::int64_t>{0, 0, 0, 1, 1, 1});
  // The same array, channels before times.
  MemoryRows across{
      .table = from_values(Values{0, 10, 20, 1, 11, 21, 100, 110, 120, 101, 111, 121}, {2, 2, 3})};
  const auto other =
      open_memory(std::make_shared<const MemoryRows>(across), {.axes = {.trials = {{0, 2, 1}}}});
  CHECK(read_all(*other) == numbers);
  rows.texts = {{"label", {"left"}}};
  CHECK_THAT(
      error_of(std::make_shared<const MemoryRows>(rows), options),
      StartsWith("memory: expected a text for each of 6 rows or 2 trials in column 'label'"));
}

TEST_CASE("what is no table is refused, with what came") {
  CHECK(error_of(rows_of(zeros({3}))) ==
        "memory: expected a table of at least one row and one column, or an array of trials, got "
        "shape [3]");
  CHECK_THAT(error_of(rows_of(zeros({0, 3}))), StartsWith("memory: expected a table"));
  CHECK(error_of(rows_of(zeros({3, 1}, DType::int32))) ==
        "memory: expected float32 or float64, got int32");
  CHECK(error_of(rows_of(zeros({3, 2}), {"a"})) ==
        "memory: expected a name for each of 2 columns, got 1 names");
  CHECK_THAT(error_of(rows_of(zeros({3, 2}), {"a", "b"}), {.columns = {"c"}}),
             StartsWith("memory: "));
}

}  // namespace
}  // namespace gaia
