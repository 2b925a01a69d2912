// SPDX-License-Identifier: MIT
/// \file
/// Rules by their equations in the network of an experiment.
#include "../../../src/core/error.h"
#include "../../../src/io/hdf5.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// kSeries with another layer in front, or after the first one that is trained.
std::string with_layer(const std::string& layer,
                       const std::string& before = "    - {type: flatten}\n") {
  std::string yaml = kSeries;
  yaml.insert(yaml.find(before), layer);
  return yaml;
}

const std::string kTraces =
    "    - type: hebbian\n      size: 3\n      rule:\n        equations: |\n"
    "          slow = slow + (y - slow)/20\n"
    "          dw = rate*(y - slow)*(pre - y*w)\n"
    "        parameters: {rate: 0.002}\n"
    "        traces: {pre: 2}\n";

std::string complaint(const std::string& yaml) {
  const TempDir folder;
  return complaint_about_text(folder, yaml);
}

}  // namespace

FOLDER_TEST_CASE("a network trains with a layer that learns by its equations, the same each time") {
  const auto train = [&](const std::string& name) {
    train_text(folder, with_layer(kTraces), {}, name);
    const hdf5::File file = hdf5::File::open(folder.path(name));
    const hdf5::Group layer = file.open_group("network/layers/0");
    CHECK(layer.text_attribute("rule") == "equations");
    CHECK(layer.text_attribute("rule_class") == "matrix");
    return std::pair(layer.open_dataset("weights").read<float>(),
                     layer.open_dataset("slow").read<float>());
  };
  const auto [weights, slow] = train("a.h5");
  CHECK(weights.size() == 3);
  REQUIRE(slow.size() == 3);
  CHECK(slow[0] != 0.0F);
  CHECK(train("b.h5") == std::pair(weights, slow));
}

TEST_CASE("what a network cannot do with a rule is told before it is trained") {
  CHECK_SAYS(complaint(with_layer(kTraces, "    - {type: dense, size: 16, activation: tanh}\n")),
             "network.layers[1]", "the rule has traces, and that begins anew for every sample");
  CHECK_SAYS(complaint(with_layer("    - {type: hebbian, size: 2, rule: {equations: \"y = z > 0\\n"
                                  "dw = y*x\"}}\n",
                                  "    - {type: dense, size: 1}\n")),
             "network.layers[2].rule.equations: they assign y, so no gradient reaches "
             "network.layers[1] (dense) below");
  CHECK_SAYS(complaint(with_layer("    - {type: hebbian, size: 2, rule: {equations: dw = gain*y*x, "
                                  "signals: {gain: column}}}\n")),
             "network.layers[0].rule.signals.gain: signals are columns beside the samples of a "
             "hierarchy; a network has none");
  CHECK(complaint(with_layer("    - {type: hebbian, size: 2, rule: {equations: \"y = z > 0\\n"
                             "dw = 0.01*y*x\"}}\n"))
            .empty());
}
