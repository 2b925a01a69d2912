// SPDX-License-Identifier: MIT
/// \file
/// The picture of who sends to whom, in reports of runs.
#include "../../src/report/result.h"
#include "../../src/report/sections.h"
#include "../support/catch.h"
#include "../support/experiment_text.h"
#include "../support/text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

std::string picture_of(const TempDir& folder, const std::string& levels) {
  const std::string yaml =
      "experiment: talk\n"
      "data: {source: generator, kind: context_values, targets: [wanted], channels: 6,\n"
      "       steps: 120}\n"
      "hierarchy:\n  levels:\n" +
      levels;
  return report::talk_section(report::Result(result_of_text(folder, yaml)));
}

}  // namespace

FOLDER_TEST_CASE("a report draws which level reads and hears which") {
  const std::string svg = picture_of(
      folder,
      "    - layers: [{type: hebbian, size: 3, rule: sanger, learning_rate: 0.001,\n"
      "                top_down: {from: 2, target: wanted, delay: 4}}]\n"
      "    - temporal_resolution: 2\n      pooling: mean\n"
      "      layers: [{type: hebbian, size: 2, rule: oja, activation: tanh,\n"
      "                learning_rate: 0.001, top_down: {from: 2, as: bias, random: true}}]\n"
      "    - temporal_resolution: 4\n      pooling: max\n"
      "      layers: [{type: temporal, size: 5}, {type: hebbian, size: 2, rule: oja,\n"
      "                learning_rate: 0.001}]\n");
  CHECK(times_in(svg, "class=\"frame level\"") == 3);
  CHECK(times_in(svg, "talk up\"") == 3);
  CHECK(times_in(svg, "talk down\"") == 2);
  CHECK(times_in(svg, "talk loop\"") == 1);
  for (const char* const text :
       {"level 0, every step", "level 1, every 2 steps", "level 2, every 4 steps", "hebbian 3",
        "temporal 5 → hebbian 2", ">mean<", ">max<", "level 2 to level 0: gain, 4 ticks late",
        "level 2 to level 1: bias, random", "recurrent", "samples"}) {
    CHECK_SAYS(svg, text);
  }
  // What is said to those who cannot see it.
  CHECK_SAYS(svg,
             "3 levels, each of which reads the one below; level 0 hears level 2 as gain, 4 ticks "
             "late; level 1 hears level 2 as bias, random; level 2: recurrent");
}

FOLDER_TEST_CASE("a report of one level without loops draws no picture of levels") {
  CHECK(picture_of(folder, "    - layers: [{type: hebbian, size: 3, rule: oja}]\n").empty());
  const std::string svg = picture_of(folder, "    - layers: [{type: temporal, size: 3}]\n");
  CHECK(times_in(svg, "talk loop\"") == 1);
  CHECK_SAYS(svg, "No level hears one above it.");
}

FOLDER_TEST_CASE("a report draws how many states a level that filters has") {
  const std::string svg =
      picture_of(folder,
                 "    - layers: [{type: kalman, model: velocity, observes: [0, 2]}]\n"
                 "    - layers: [{type: reactive, size: 5}]\n");
  CHECK_SAYS(svg, "kalman 4", "reactive 5");
}
