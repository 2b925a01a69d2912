// SPDX-License-Identifier: MIT
#include "../../../src/experiment/data/spiking_series.h"

#include <cmath>

#include "../../../src/experiment/run/apply.h"
#include "../../../src/experiment/run/hierarchy_run.h"
#include "../../../src/io/images_series.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Three pictures of 2 x 3 pixels, black but for a few, with classes.
std::unique_ptr<Series> three_pictures(const TempDir& folder) {
  const std::string bytes = {'\x00', '\xff', '\x00', '\x33', '\x00', '\x00',  //
                             '\x00', '\x00', '\x00', '\x00', '\x00', '\x00',  //
                             '\xff', '\xff', '\xff', '\xff', '\xff', '\x66'};
  const std::string images = folder.write("a", idx(3, {3, 2, 3}, bytes));
  const std::string labels = folder.write("b", idx(1, {3}, {'\x04', '\x00', '\x04'}));
  return open_images({images, labels}, {});
}

/// Spike of every row and channel by the definition, number by number.
std::vector<double> by_definition(const std::vector<double>& x, std::size_t width,
                                  std::size_t ticks, double rate, std::uint64_t seed) {
  const RandomStream stream = RandomStream::named(seed, "data/spikes");
  std::vector<double> spikes;
  for (std::size_t row = 0; row < x.size() / width * ticks; ++row) {
    for (std::size_t c = 0; c < width; ++c) {
      double chance = 0.0;
      stream.uniforms(row * width + c, {&chance, 1});
      spikes.push_back(chance < rate * x[row / ticks * width + c] ? 1.0 : 0.0);
    }
  }
  return spikes;
}

}  // namespace

FOLDER_TEST_CASE("rows of spikes are those of the definition, however they are asked for") {
  const auto plain = three_pictures(folder);
  std::vector<double> x(18);
  plain->read(0, 3, x);
  const std::vector<double> expected = by_definition(x, 6, 40, 0.3, 5);
  SpikingSeries spiking(three_pictures(folder), {true, 40, 0.3}, 5);
  REQUIRE(spiking.rows() == 120);
  std::vector<double> whole(720);
  spiking.read(0, 120, whole);
  CHECK(whole == expected);
  for (const std::int64_t block : {1, 7, 41}) {
    std::vector<double> pieces;
    for (std::int64_t first = 0; first < 120; first += block) {
      const std::int64_t count = std::min<std::int64_t>(block, 120 - first);
      std::vector<double> piece(static_cast<std::size_t>(6 * count));
      spiking.read(first, count, piece);
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    }
    CHECK(pieces == expected);
  }
  // Another seed has other spikes, a pixel that is black has none.
  SpikingSeries other(three_pictures(folder), {true, 40, 0.3}, 6);
  std::vector<double> differently(720);
  other.read(0, 120, differently);
  CHECK(differently != expected);
  for (std::size_t row = 40; row < 80; ++row) {
    for (std::size_t c = 0; c < 6; ++c) CHECK(expected[6 * row + c] == 0.0);
  }
}

FOLDER_TEST_CASE("a channel spikes as often as its value says") {
  SpikingSeries spiking(three_pictures(folder), {true, 20000, 0.3}, 1);
  std::vector<double> rows(6 * 20000);
  spiking.read(0, 20000, rows);
  double bright = 0.0;
  double dim = 0.0;
  for (std::size_t row = 0; row < 20000; ++row) {
    bright += rows[6 * row + 1] / 20000.0;
    dim += rows[6 * row + 3] / 20000.0;
  }
  // Four standard deviations.
  CHECK(std::abs(bright - 0.3) < 4.0 * std::sqrt(0.3 * 0.7 / 20000.0));
  CHECK(std::abs(dim - 0.06) < 4.0 * std::sqrt(0.06 * 0.94 / 20000.0));
}

FOLDER_TEST_CASE("every row within is a trial, with what stands beside it") {
  SpikingSeries spiking(three_pictures(folder), {true, 4, 1.0}, 1);
  CHECK(spiking.trial_starts() == std::vector<std::int64_t>{0, 4, 8});
  CHECK(spiking.picture_shape() == std::vector<std::int64_t>{2, 3});
  CHECK(spiking.source_row(7) == 1);
  REQUIRE(spiking.side_columns().size() == 1);
  std::vector<double> rows(36);
  const std::size_t label = 0;
  SideValues classes;
  spiking.read_with_side(3, 6, rows, {&label, 1}, {&classes, 1});
  // Classes "0" and "4" are numbered in order.
  CHECK(std::get<std::vector<std::int64_t>>(classes) ==
        std::vector<std::int64_t>{1, 0, 0, 0, 0, 1});
  // At a rate of 1 a bright pixel spikes at every tick.
  CHECK(rows[1] == 1.0);
  CHECK(rows[5 * 6] == 1.0);
}

TEST_CASE("an experiment shows rows as spikes, and so does what is applied") {
  const TempDir dir;
  dir.write("d.csv", "a,b,kind\n0,1,x\n1,0,y\n0,0.5,x\n1,1,y\n0,1,x\n1,0,y\n");
  const auto load = [&](const std::string& data) {
    return load_text(dir,
                     "experiment: e\nseed: 3\ndata: {source: file, path: d.csv, labels: kind, " +
                         data +
                         "}\nhierarchy:\n  levels:\n    - layers:\n"
                         "        - {type: hebbian, size: 2, init: identity, learn: false}\n",
                     {"device=cpu"});
  };
  Experiment experiment = load("spikes: {ticks: 10, rate: 0.5}");
  CHECK(experiment.steps == 60);
  CHECK(experiment.trials.count() == 6);
  run_hierarchy(experiment);
  const std::vector<double> shown = datasets_of(dir.path("r.h5")).at("/levels/0/representation");
  CHECK(shown == by_definition({0, 1, 1, 0, 0, 0.5, 1, 1, 0, 1, 1, 0}, 2, 10, 0.5, 3));
  dir.write("new.csv", "a,b\n0,1\n1,0\n");
  Experiment applied =
      application_of(dir.path("r.h5"), {.data = dir.path("new.csv"), .output = dir.path("a.h5")});
  run_hierarchy(applied);
  CHECK(datasets_of(dir.path("a.h5")).at("/levels/0/representation") ==
        by_definition({0, 1, 1, 0}, 2, 10, 0.5, 3));
  CHECK_SAYS(complaint_of([&] { load("spikes: {ticks: 10}, whiten: zca"); }), "data.spikes");
  CHECK_SAYS(complaint_of([&] { load("spikes: {ticks: 10}, columns: [b], time: a"); }),
             "data.time");
  CHECK_SAYS(complaint_of([&] { load("spikes: {ticks: 0}"); }), "data.spikes.ticks");
}
