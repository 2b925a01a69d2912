// SPDX-License-Identifier: MIT
#include "../../../src/experiment/run/apply_network.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../../src/experiment/run/train.h"
#include "../../../src/report/report.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/datasets.h"
#include "../../support/experiment_text.h"
#include "../../support/log_capture.h"
#include "../applied_series.h"
#include "../networks.h"

using namespace gaia;
using namespace gaia::test;

FOLDER_TEST_CASE("a network on a series is applied to new data as it was scaled for it") {
  folder.write("train.csv", csv(rows(kRows), {0, 1, 2}, {"a", "b", "c"}));
  const std::string text =
      "experiment: net\ndtype: float64\n"
      "data: {source: file, path: train.csv, window: 4, normalize: minmax}\n"
      "network:\n  layers:\n"
      "    - {type: flatten}\n"
      "    - {type: dense, size: 8, activation: tanh}\n"
      "    - {type: plastic_linear, size: 8}\n"
      "    - {type: dropout, probability: 0.2}\n"
      "    - {type: dense, size: 1}\n"
      "  target: {channel: 1, horizon: 5}\n"
      "  epochs: 3\n";
  train_text(folder, text, {"device=cpu"});
  const NetworkApplication made = apply_network(
      folder.path("r.h5"), {.data = folder.path("train.csv"), .output = folder.path("a.h5")});
  CHECK(made.samples == 397);
  CHECK(made.targets == 392);
  CHECK(std::isfinite(made.score.nrmse));
  // What it was trained on is among these data, and others are not.
  const auto is_told = [&](const NetworkApplication& of) {
    const hdf5::File file = hdf5::File::open(of.file);
    const bool is_in_file = file.open_group("test").text_attribute("in_sample") == "true";
    const bool is_in_text = of.text().find("warning  the score is in sample") != std::string::npos;
    const bool is_on_page =
        report_page({of.file}).find("the score is in sample") != std::string::npos;
    CHECK(is_in_file == of.in_sample);
    CHECK(is_in_text == of.in_sample);
    CHECK(is_on_page == of.in_sample);
    return of.in_sample;
  };
  CHECK(is_told(made));
  std::vector<std::vector<double>> others = rows(kRows);
  for (std::vector<double>& row : others) row[0] += 0.5;
  folder.write("other.csv", csv(others, {0, 1, 2}, {"a", "b", "c"}));
  CHECK_FALSE(is_told(apply_network(
      folder.path("r.h5"), {.data = folder.path("other.csv"), .output = folder.path("o.h5")})));
  const Datasets trained = datasets_of(folder.path("r.h5"));
  const Datasets applied = datasets_of(folder.path("a.h5"));
  const std::vector<double>& steps = trained.at("/test/step");
  REQUIRE(steps.size() > 100);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // The first sample of 4 rows ends with row 3.
    const auto row = static_cast<std::size_t>(steps[i]) - 3;
    CHECK(applied.at("/test/step")[row] == steps[i]);
    CHECK(applied.at("/test/prediction")[row] ==
          Approx(trained.at("/test/prediction")[i]).margin(1e-12));
    CHECK(applied.at("/test/target")[row] == trained.at("/test/target")[i]);
  }
  // What is read is not replaced, whatever the way to it.
  for (const auto& [output, what] : {std::pair("none/../train.csv", "is the data that is read"),
                                     std::pair("r.h5", "is the result that is applied"),
                                     std::pair("none/../r.h5", "is the result that is applied")}) {
    CHECK_THROWS_WITH_TEXT(
        apply_network(folder.path("r.h5"),
                      {.data = folder.path("train.csv"), .output = folder.path(output)},
                      {.overwrite = true}),
        OutputError, what);
  }
  CHECK(applied.at("/test/step").back() == 399.0);
  CHECK(std::isnan(applied.at("/test/target").back()));
  CHECK(std::isfinite(applied.at("/test/prediction").back()));
  CHECK(same_bits(applied.at("/data/scale"), trained.at("/data/scale")));
  CHECK(
      same_bits(applied.at("/network/layers/1/weights"), trained.at("/network/layers/1/weights")));
  const hdf5::File file = hdf5::File::open(folder.path("a.h5"));
  CHECK(file.text_attribute("status") == "complete");
  CHECK(file.text_attribute("applied_from") == folder.path("r.h5"));
  CHECK(file.text_attribute("applied_from_run_id") ==
        hdf5::File::open(folder.path("r.h5")).text_attribute("run_id"));
  CHECK_SAYS(report_page({folder.path("a.h5")}), "as " + folder.path("r.h5"));

  // Errors, each of which leaves nothing.
  const auto complaint = [&](ApplyOptions options) {
    options.output = folder.path("wrong.h5");
    return complaint_of<ConfigError>([&] { apply_network(folder.path("r.h5"), options); });
  };
  CHECK_SAYS(complaint({.data = folder.path("none.csv")}), "no such file");
  CHECK_SAYS(complaint({.data = folder.write("x.csv", "a,b\n1,2\n3,4\n")}),
             "was trained on (a, b, c), got a, b");
  CHECK_SAYS(complaint({.data = folder.write("y.csv", "a,b,c\n1,2,3\n3,4,5\n")}),
             "2 rows give 0 samples of window 4");
  CHECK_SAYS(complaint({.data = folder.path("train.csv"), .steps = 398}), "expected 398");
  CHECK_THROWS_AS(apply_network(folder.path("r.h5"),
                                {.data = folder.path("train.csv"), .output = folder.path("a.h5")}),
                  OutputError);
  CHECK_THROWS_WITH_TEXT(application_of(folder.path("r.h5"), {.data = folder.path("train.csv")}),
                         ConfigError, "is the result of a network");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
    CHECK(entry.path().filename().string().find("wrong") == std::string::npos);
  }
}

FOLDER_TEST_CASE("a network whose target is now is applied beside the mean of the targets") {
  folder.write("train.csv", csv(rows(kRows), {0, 1}, {"a", "b"}));
  const std::string text =
      "experiment: net\n"
      "data: {source: file, path: train.csv}\n"
      "network:\n"
      "  layers: [{type: flatten}, {type: dense, size: 1}]\n"
      "  target: {channel: 1, horizon: 0}\n"
      "  epochs: 1\n";
  train_text(folder, text, {"device=cpu"});
  const NetworkApplication made = apply_network(
      folder.path("r.h5"), {.data = folder.path("train.csv"), .output = folder.path("a.h5")});
  CHECK(made.targets == kRows);
  CHECK(made.score.baseline == "mean");
  CHECK(made.score.baseline_nrmse == Approx(1.0));
}

TEST_CASE("a network on images tells classes, their probabilities, and how right they are") {
  const ImageFolder folder;
  const TrainingSummary trained = train_text(folder, kImages, {"device=cpu"});
  const std::string images = folder.path("t10k-images-idx3-ubyte");
  const std::string labels = folder.path("t10k-labels-idx1-ubyte");
  const NetworkApplication made = apply_network(
      folder.path("r.h5"), {.data = images, .output = folder.path("a.h5"), .labels = labels});
  CHECK(made.samples == 100);
  CHECK(made.targets == 100);
  CHECK(made.score.accuracy == trained.score.accuracy);
  CHECK(made.score.loss == Approx(trained.score.loss));
  const Datasets before = datasets_of(folder.path("r.h5"));
  const Datasets after = datasets_of(folder.path("a.h5"));
  for (const char* name : {"prediction", "target", "confusion"}) {
    CHECK(
        same_bits(after.at(std::string("/test/") + name), before.at(std::string("/test/") + name)));
  }
  const std::vector<double>& probabilities = after.at("/test/probability");
  REQUIRE(probabilities.size() == 400);
  for (std::size_t i = 0; i < 100; ++i) {
    const auto first = probabilities.begin() + static_cast<std::ptrdiff_t>(4 * i);
    CHECK(first[0] + first[1] + first[2] + first[3] == Approx(1.0));
    CHECK(static_cast<double>(std::max_element(first, first + 4) - first) ==
          after.at("/test/prediction")[i]);
  }
  CHECK_SAYS(report_page({folder.path("a.h5")}), "fig-confusion");
  // The test pictures were read beside those that were trained on, and are none of them.
  CHECK_FALSE(made.in_sample);
  CHECK_THAT(report_page({folder.path("a.h5")}), !ContainsSubstring("in sample"));
  const NetworkApplication same =
      apply_network(folder.path("r.h5"), {.data = folder.path("train-images-idx3-ubyte"),
                                          .output = folder.path("s.h5"),
                                          .labels = folder.path("train-labels-idx1-ubyte")});
  CHECK(same.in_sample);
  CHECK_SAYS(same.text(), "warning  the score is in sample");
  CHECK_SAYS(report_page({folder.path("s.h5")}), "the score is in sample");

  // Labels of a file of which the first pictures are taken.
  const NetworkApplication few =
      apply_network(folder.path("r.h5"),
                    {.data = images, .steps = 30, .output = folder.path("f.h5"), .labels = labels});
  CHECK(few.samples == 30);
  CHECK(few.targets == 30);
  // Without labels there is nothing to score.
  const NetworkApplication blind = apply_network(
      folder.path("r.h5"), {.data = images, .steps = 7, .output = folder.path("b.h5")});
  CHECK(blind.samples == 7);
  CHECK(blind.targets == 0);
  CHECK(std::isnan(blind.score.accuracy));
  const Datasets unknown = datasets_of(folder.path("b.h5"));
  CHECK(unknown.at("/test/target") == std::vector<double>(7, -1.0));
  CHECK(unknown.at("/test/confusion") == std::vector<double>(16, 0.0));
  CHECK(unknown.at("/test/prediction").front() == after.at("/test/prediction").front());
  CHECK_FALSE(report_page({folder.path("b.h5")}).empty());

  const auto fails = [&](const std::string& data, const std::string& given) {
    return apply_network(folder.path("r.h5"),
                         {.data = data, .output = folder.path("c.h5"), .labels = given});
  };
  CHECK_THROWS_WITH_TEXT(
      fails(folder.write("small", gaia::test::idx(3, {2, 4, 4}, std::string(32, 'x'))), ""),
      DataError, "expected images [n, 8, 8]");
  CHECK_THROWS_WITH_TEXT(fails(images, folder.path("train-labels-idx1-ubyte")), DataError,
                         "expected labels [100], one for each picture of");
  CHECK_THROWS_WITH_TEXT(
      fails(images, folder.write("classes", gaia::test::idx(1, {100}, std::string(100, '\x04')))),
      DataError, "expected classes from 0 to 3, got 4");
  CHECK_THROWS_AS(fails(folder.path("none"), ""), ConfigError);
  CHECK_THROWS_AS(fails(folder.write("no_idx", "text"), ""), DataError);
  CHECK_THROWS_WITH_TEXT(apply_network(folder.path("r.h5"), {.data = images, .columns = {"a"}}),
                         ConfigError, "which have no --dataset, --columns, --missing or --decimal");
}
