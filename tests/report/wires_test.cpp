// SPDX-License-Identifier: MIT
#include "../../src/report/wires.h"

#include <utility>

#include "../../src/report/report.h"
#include "../support/catch.h"
#include "../support/datasets.h"
#include "../support/experiment_text.h"

using namespace gaia;
using gaia::test::TempDir;

namespace {

/// Six channels that are pictures of 2 x 3; wires are swapped twice, all of them and some.
std::string swapped(const std::string& drift) {
  return "experiment: swapped\n"
         "data: {source: generator, kind: gaussian, spectrum: [3, 2, 1, 1, 1, 1], steps: 200,\n"
         "       shape: [2, 3]" +
         drift +
         "}\n"
         "hierarchy: {levels: [{layers: [{type: hebbian, size: 2, rule: oja}]}]}\n";
}

std::string result_with(const TempDir& folder, const std::string& drift) {
  return test::result_of_text(folder, swapped(drift));
}

}  // namespace

FOLDER_TEST_CASE("wires are found in the file, and put back") {
  const std::string path = result_with(folder,
                                       ", drift: [{kind: swap, from: 20, to: 150}, "
                                       "{kind: noise, from: 0, to: 9, deviation: 0.1}, "
                                       "{kind: swap, from: 100, to: 300, share: 0.7}]");
  const gaia::test::Datasets made = gaia::test::datasets_of(path);
  // Numbers of channels through both, swap by swap, up to the last of 200 steps.
  std::vector<std::int64_t> row = {0, 1, 2, 3, 4, 5};
  int done = 0;
  for (const std::string drift : {"/data/drift/0/", "/data/drift/2/"}) {
    const std::vector<double>& steps = made.at(drift + "step");
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (steps[k] >= 200.0) continue;
      std::swap(row[static_cast<std::size_t>(made.at(drift + "a")[k])],
                row[static_cast<std::size_t>(made.at(drift + "b")[k])]);
      ++done;
    }
  }
  REQUIRE(done == 5 + 2);  // of 5 and of 3, the last of which is at step 233
  CHECK(report::wires_at_end(report::Result(path), 6) == row);
  report::Matrix weights{.rows = 2, .columns = 6, .values = {}};
  for (int neuron = 0; neuron < 2; ++neuron) {
    for (const std::int64_t channel : row) {
      weights.values.push_back(static_cast<double>(10 * neuron) + static_cast<double>(channel));
    }
  }
  CHECK(report::with_wires_put_back(weights, row).values ==
        std::vector<double>{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15});
  CHECK_SAYS(report_page({path}), "the same weights with the wires put back");
}

FOLDER_TEST_CASE("without swaps there is nothing to put back") {
  const std::string path = result_with(folder, ", drift: [{kind: lose, from: 20, to: 150}]");
  CHECK(report::wires_at_end(report::Result(path), 6).empty());
  CHECK(report::wires_at_end(report::Result(result_with(folder, "")), 6).empty());
}
