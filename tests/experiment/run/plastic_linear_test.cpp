// SPDX-License-Identifier: MIT
/// What the results of a network with plastic_linear layers tell of them.
#include <cmath>

#include "../../../src/report/report.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kEpochs = 3;

const std::string kPlastic =
    "experiment: plastic\ndtype: float64\n"
    "data: {source: generator, kind: mackey_glass, steps: 200, window: 6, normalize: zscore}\n"
    "network:\n  layers:\n"
    "    - {type: flatten}\n"
    "    - {type: plastic_linear, size: 5, activation: tanh}\n"
    "    - {type: plastic_linear, size: 1, bias: true}\n"
    "  optimizer: {type: adam, learning_rate: 0.01}\n"
    "  epochs: 3\n"
    "  batch_size: 16\n";

Datasets trained(const TempDir& folder, std::vector<std::string> settings = {}) {
  settings.push_back("device=cpu");
  train_text(folder, kPlastic, settings);
  return datasets_of(folder.path("r.h5"));
}

double length(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

FOLDER_TEST_CASE(
    "a results file has the diagnostics of every plastic_linear layer, epoch by epoch") {
  const Datasets all = trained(folder);
  for (const std::string layer : {"1", "2"}) {
    const std::string path = "/network/layers/" + layer + "/";
    const auto series = [&](const char* name) { return all.at(path + "diagnostics/" + name); };
    const auto last = [&](const char* name) { return series(name).back(); };
    for (const char* name :
         {"fast_norm", "slow_norm", "update_norm", "weight_norm", "sparsity", "gradient_norm"}) {
      INFO(layer << ": " << name);
      REQUIRE(series(name).size() == kEpochs);
      for (const double value : series(name)) CHECK(std::isfinite(value));
    }
    CHECK(series("epoch") == std::vector<double>{0, 1, 2});
    // Those of the last epoch follow from what else is in the file.
    CHECK(last("fast_norm") == Approx(length(all.at(path + "fast"))));
    CHECK(last("slow_norm") == Approx(length(all.at(path + "slow"))));
    CHECK(last("update_norm") == Approx(all.at(path + "update").front()));
    const std::vector<double>& weights = all.at(path + "weights");
    CHECK(last("weight_norm") == Approx(length(weights)));
    const std::size_t columns = layer == "1" ? 6 : 5;
    double zero_codes = 0.0;
    for (std::size_t first = 0; first < weights.size(); first += columns) {
      double size = 0.0;
      for (std::size_t i = 0; i < columns; ++i) size += std::abs(weights[first + i]);
      size /= static_cast<double>(columns);
      for (std::size_t i = 0; i < columns; ++i) {
        zero_codes += std::abs(weights[first + i]) < 0.5 * size ? 1.0 : 0.0;
      }
    }
    CHECK(last("sparsity") == Approx(zero_codes / static_cast<double>(weights.size())));
    CHECK(last("fast_norm") > 0.0);
    CHECK(last("gradient_norm") > 0.0);
    CHECK(series("fast_norm")[0] != series("fast_norm")[1]);
  }
  CHECK_FALSE(all.contains("/network/layers/0/diagnostics/epoch"));
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  CHECK(file.open_dataset("network/layers/1/diagnostics/fast_norm").scales() ==
        std::vector<std::string>{"epoch"});
}

FOLDER_TEST_CASE("gradients in the diagnostics are those that the optimiser was given") {
  const Datasets all = trained(folder, {"network.clip_norm=0.001"});
  double sum = 0.0;
  for (const char* layer : {"1", "2"}) {
    const double norm =
        all.at(std::string("/network/layers/") + layer + "/diagnostics/gradient_norm").back();
    sum += norm * norm;
  }
  CHECK(std::sqrt(sum) <= 0.001 * (1.0 + 1e-9));
  CHECK(sum > 0.0);
}

FOLDER_TEST_CASE("without plasticity the traces of an experiment stay empty") {
  const Datasets with = trained(folder);
  const Datasets all = trained(folder, {"network.layers[1].plasticity=false"});
  CHECK(length(all.at("/network/layers/1/fast")) == 0.0);
  CHECK(length(all.at("/network/layers/1/slow")) == 0.0);
  CHECK(length(all.at("/network/layers/2/fast")) > 0.0);
  CHECK(all.at("/history/loss") != with.at("/history/loss"));
  // The same weights are drawn, so the first epochs differ by the traces alone.
  CHECK(all.at("/network/layers/1/diagnostics/update_norm") == std::vector<double>(kEpochs));
}

FOLDER_TEST_CASE("the report tells which diagnostics of plastic_linear layers are healthy") {
  trained(folder, {"network.layers[1].fast_rate=0", "network.layers[2].fast_rate=0.9",
                   "network.layers[2].slow_rate=0.9", "network.layers[2].slow_decay=0.5"});
  const std::string page = report_page({folder.path("r.h5")});
  const auto row_of = [&](const std::string& layer, const std::string& what) {
    const std::size_t begin = page.find("<td>" + layer + "</td><td>" + what + "</td>");
    REQUIRE(begin != std::string::npos);
    return page.substr(begin, page.find("</tr>", begin) - begin);
  };
  CHECK_SAYS(row_of("layer 1", "norm of the fast trace"), "0.5 to 5", "\"bad\">too low");
  CHECK_SAYS(row_of("layer 2", "norm of the fast trace"), "\"good\">healthy");
  CHECK_SAYS(row_of("layer 2", "norm of the slow trace"), "0.1 to 2", "\"bad\">too high");
  CHECK_SAYS(row_of("layer 1", "norm of the gradient"), "at most 100", "\"good\">healthy");
  CHECK_THAT(row_of("layer 1", "norm of the weights"), !ContainsSubstring("healthy"));
  CHECK_SAYS(page, "id=\"fig-plastic-linear\"", "class=\"bar healthy\"");
  // Other networks have no such part.
  trained(folder, {"network.layers=[{type: flatten}, {type: dense, size: 1}]"});
  CHECK_THAT(report_page({folder.path("r.h5")}), !ContainsSubstring("fig-plastic-linear"));
}
