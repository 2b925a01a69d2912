// SPDX-License-Identifier: MIT
#include "../../../src/experiment/data/row_order.h"

#include <algorithm>
#include <numeric>

#include "../../../src/array/random_arrays.h"
#include "../../../src/core/random.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/setup/load.h"
#include "../../../src/io/ordered_series.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/temp_dir.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using RowNumbers = std::vector<std::int64_t>;

RowNumbers ascending(std::int64_t count) {
  RowNumbers rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

/// Channel a of row r is r, b is 2 r; target t is -r; the label of a row is its place in a week.
std::string weeks(int rows, bool has_gap = false) {
  std::string text = "a,b,t,day\n";
  for (int row = 0; row < rows; ++row) {
    text += (has_gap && row == 7 ? std::string() : std::to_string(row)) + "," +
            std::to_string(2 * row) + "," + std::to_string(-row) + "," +
            std::string(1, static_cast<char>('a' + row % 7)) + "\n";
  }
  return text;
}

const std::string kOrdered =
    "experiment: ordered\nseed: 4\n"
    "data: {source: file, path: d.csv, columns: [a, b], targets: [t], labels: day}\n"
    "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n";

Experiment ordered(const TempDir& folder, const std::vector<std::string>& set,
                   const std::string& text = kOrdered) {
  return load_experiment(folder.write("e.yaml", text), {.set = set, .output = folder.path("r.h5")});
}

std::string refusal(const TempDir& folder, const std::vector<std::string>& set,
                    const std::string& text = kOrdered) {
  return complaint_of<ConfigError>([&] { ordered(folder, set, text); });
}

}  // namespace

TEST_CASE("runs have every row once, no class twice in a row, and the mean length that is asked") {
  RowNumbers classes;
  for (std::int64_t row = 0; row < 6000; ++row) classes.push_back(row * row % 5);  // 0, 1 and 4
  const OrderConfig by{.by = OrderConfig::By::runs, .runs = 12.0};
  const RowNumbers order = row_order(by, 6000, classes, 9);
  RowNumbers sorted = order;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == ascending(6000));
  CHECK(order == row_order(by, 6000, classes, 9));
  CHECK(order != row_order(by, 6000, classes, 10));
  // The same by a plain loop: rows shuffled, a class that is not the last, a coin after each row.
  const RowNumbers shuffled =
      permutation(6000, RandomStream::named(9, "data/order/rows")).to_vector<std::int64_t>();
  const RandomStream runs = RandomStream::named(9, "data/order/runs");
  std::vector<double> coins(6000);
  RandomStream::named(9, "data/order/lengths").uniforms(0, coins);
  RowNumbers expected;
  std::vector<bool> used(6000);
  std::int64_t last = -1;
  std::uint64_t number = 0;
  const auto next_of = [&](std::int64_t wanted) -> std::int64_t {
    for (const std::int64_t row : shuffled) {
      if (!used[static_cast<std::size_t>(row)] &&
          classes[static_cast<std::size_t>(row)] == wanted) {
        return row;
      }
    }
    return -1;
  };
  while (expected.size() < 6000) {
    RowNumbers open;
    for (const std::int64_t one : {0, 1, 4}) {
      if (one != last && next_of(one) >= 0) open.push_back(one);
    }
    if (!open.empty())
      last = open[static_cast<std::size_t>(runs.integer(number++, std::ssize(open)))];
    for (std::int64_t row = next_of(last); row >= 0; row = next_of(last)) {
      used[static_cast<std::size_t>(row)] = true;
      expected.push_back(row);
      if (coins[expected.size() - 1] < 1.0 / 12.0) break;
    }
  }
  CHECK(order == expected);
  std::int64_t ends = 1;
  for (std::size_t t = 1; t < 4000; ++t) {  // before a class is alone
    ends += classes[static_cast<std::size_t>(order[t])] !=
            classes[static_cast<std::size_t>(order[t - 1])];
  }
  CHECK(std::abs(4000.0 / static_cast<double>(ends) - 12.0) < 2.0);
}

TEST_CASE("rows are shuffled, or drawn from the first so many of them") {
  const RowNumbers shuffled = row_order({.by = OrderConfig::By::shuffle}, 50, {}, 3);
  CHECK(shuffled ==
        permutation(50, RandomStream::named(3, "data/order/rows")).to_vector<std::int64_t>());
  CHECK(row_order({}, 5, {}, 3) == ascending(5));
  const OrderConfig by{.by = OrderConfig::By::draw, .draw = {{0.7, 30}, {1.0, 40}}};
  const RowNumbers drawn = row_order(by, 11, {}, 3);
  REQUIRE(drawn.size() == 70);
  const RandomStream draw = RandomStream::named(3, "data/order/draw");
  for (std::uint64_t k = 0; k < 70; ++k) CHECK(drawn[k] == draw.integer(k, k < 30 ? 7 : 11));
}

FOLDER_TEST_CASE("a source is read in the order, with what stands beside it") {
  folder.write("d.csv", weeks(70));
  for (const std::string order : {"shuffle", "{runs: 4}", "{draw: [{count: 200}]}"}) {
    INFO(order);
    Experiment experiment = ordered(folder, {"data.order=" + order});
    Series& series = *experiment.series;
    const std::int64_t rows = order[1] == 'd' ? 200 : 70;
    REQUIRE(series.rows() == rows);
    CHECK(experiment.steps == rows);
    std::vector<double> values(2 * static_cast<std::size_t>(rows));
    std::vector<SideValues> side(2);
    const std::vector<std::size_t> wanted = {0, 1};
    series.read_with_side(0, rows, values, wanted, side);
    const auto& targets = std::get<std::vector<double>>(side[0]);
    const auto& days = std::get<std::vector<std::int64_t>>(side[1]);
    for (std::int64_t t = 0; t < rows; ++t) {
      const auto i = static_cast<std::size_t>(t);
      const std::int64_t from = series.source_row(t);
      CHECK(values[2 * i] == static_cast<double>(from));
      CHECK(values[2 * i + 1] == static_cast<double>(2 * from));
      CHECK(targets[i] == static_cast<double>(-from));
      CHECK(days[i] == from % 7);
    }
    // The same piece by piece, and after it was written and read.
    std::vector<double> piece(2 * 9);
    series.read(11, 9, piece);
    CHECK(std::equal(piece.begin(), piece.end(), values.begin() + 22));
    const Experiment again =
        load_experiment_text(to_yaml(experiment.config), folder.path("again.yaml"));
    CHECK(again.series->source_row(13) == series.source_row(13));
    CHECK(to_yaml(again.config) == to_yaml(experiment.config));
    CHECK(ordered(folder, {"data.order=" + order, "seed=5"}).series->source_row(13) !=
          series.source_row(13));
  }
}

FOLDER_TEST_CASE("latents of a generator are read in the order of its rows") {
  const std::string text =
      "experiment: ordered\nseed: 4\n"
      "data: {source: generator, kind: turning_subspace, steps: 50, to: 20, channels: 9}\n"
      "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n";
  const std::size_t rows = 50;
  Experiment as_made = ordered(folder, {}, text);
  Experiment experiment = ordered(folder, {"data.order=shuffle"}, text);
  Series& series = *experiment.series;
  const auto width = static_cast<std::size_t>(series.latents());
  REQUIRE(width == 4);
  std::vector<double> before(width * rows);
  std::vector<double> after(width * rows);
  as_made.series->read_latents(0, rows, before);
  series.read_latents(0, rows, after);
  std::size_t moved = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto from = static_cast<std::size_t>(series.source_row(static_cast<std::int64_t>(row)));
    moved += from != row ? 1 : 0;
    for (std::size_t k = 0; k < width; ++k) {
      CHECK(after[row * width + k] == before[from * width + k]);
    }
  }
  CHECK(moved > 40);
}

TEST_CASE("of pictures those to learn from are put in order, and whitening follows") {
  const gaia::test::ImageFolder folder;
  const std::string text =
      "experiment: pictures\n"
      "data: {source: images, folder: .}\n"
      "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n";
  for (const std::string order : {"{runs: 10}", "shuffle", "{draw: [{share: 0.5, count: 900}]}"}) {
    INFO(order);
    Experiment experiment = ordered(folder, {"data.order=" + order, "data.whiten=zca"}, text);
    const std::int64_t training = order[1] == 'd' ? 900 : 300;
    REQUIRE(experiment.series->rows() == training + 100);
    CHECK(experiment.series->training_rows() == training);
    for (std::int64_t row = 0; row < training; ++row) {
      CHECK(experiment.series->source_row(row) < (order[1] == 'd' ? 150 : 300));
    }
    for (std::int64_t row = 0; row < 100; ++row) {
      CHECK(experiment.series->source_row(training + row) == 300 + row);
    }
  }
}

FOLDER_TEST_CASE("what cannot be put in order is told by its key") {
  folder.write("d.csv", weeks(70));
  CHECK_SAYS(refusal(folder, {"data.order={runs: 4}", "data.labels=null"}),
             "data.order.runs: ", "name them by data.labels, or take shuffle");
  CHECK_SAYS(refusal(folder, {"data.order={runs: 0.5}"}),
             "data.order.runs: expected a number in [1, ");
  CHECK_SAYS(refusal(folder, {"data.order={draw: [{share: 0.001, count: 5}]}"}),
             "data.order.draw[0].share: 0.001 of 70 rows is none");
  CHECK_SAYS(refusal(folder, {"data.order={draw: [{share: 1.5, count: 5}]}"}),
             "data.order.draw[0].share: expected a number in (0, 1]");
  CHECK_SAYS(refusal(folder, {"data.order={draw: [{share: 0.5}]}"}),
             "data.order.draw[0].count: missing");
  CHECK_SAYS(refusal(folder, {"data.order={draw: [{count: 5}], runs: 3}"}),
             "expected exactly one of the keys runs, draw, got 2");
  CHECK_SAYS(refusal(folder, {"data.order=sorted"}), "known: none, shuffle");
  CHECK_SAYS(refusal(folder, {"data.order=shuffle", "data.trials={length: 10}"}),
             "data.order: rows of several trials stay in them");
  CHECK_SAYS(refusal(folder, {"data.order=shuffle", "data.groups=day", "data.labels=null"}),
             "data.order: rows of groups");
  CHECK_SAYS(refusal(folder, {"data.order=shuffle", "data.time=a", "data.columns=[b]"}),
             "data.order: the times of rows in another order");
  folder.write("d.csv", weeks(70, true));
  CHECK_SAYS(refusal(folder, {"data.order=shuffle", "data.missing=hold"}),
             "data.order: row 7 of channel a is missing");
  std::string unlabelled = weeks(70);
  unlabelled += "70,140,-70,\n";
  folder.write("d.csv", unlabelled);
  CHECK_SAYS(refusal(folder, {"data.order={runs: 4}"}), "data.order.runs: row 70 has no label");
}
