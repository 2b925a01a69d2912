// SPDX-License-Identifier: MIT
// Trials of a stream: where they begin, and that each begins as a stream does.
#include <cmath>
#include <limits>

#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "stream_experiments.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("a trial begins as a stream does where nothing learns") {
  const Streamed folder(experiment_of("float64", kData + kPlain + kOnline));
  const std::vector<StreamRow> all = stream_rows(400, 40);
  LiveStream fresh(folder.result());
  const std::vector<double> expected = answers_to(fresh, all);
  LiveStream stream(folder.result());
  answers_to(stream, stream_rows(600, 33));
  stream.begin_trial();
  stream.begin_trial();
  CHECK(same_bits(answers_to(stream, all), expected));
  CHECK(stream.step() == 73);
}

TEST_CASE("trials of a length that the result names begin by themselves") {
  std::string data = kData;
  data.insert(data.find("window"), "trials: {length: 25}, ");
  const Streamed folder(experiment_of("float64", data + kPlain));
  LiveStream stream(folder.result());
  LiveStream told(folder.result());
  const std::vector<StreamRow> all = stream_rows(400, 80);
  CHECK(stream.trials().empty());
  std::vector<double> expected;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % 25 == 0) told.begin_trial();
    const std::vector<double> answer = told.push(all[i]).values;
    expected.insert(expected.end(), answer.begin(), answer.end());
  }
  const std::vector<double> answers = answers_to(stream, all);
  CHECK(same_bits(answers, expected));
  CHECK(std::isnan(answers[25 * 3]));  // the window is empty again
  CHECK(std::isfinite(answers[24 * 3]));
}

TEST_CASE("another name than that of the trial that goes on begins one") {
  const Streamed folder(experiment_of("float64", kData + kPlain));
  const std::vector<StreamRow> all = stream_rows(400, 30);
  LiveStream named(folder.result());
  LiveStream told(folder.result());
  const std::vector<std::string> names = {"", "first", "first", "second", "first"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = names[i / 7];
    StreamRow row = all[i];
    if (!name.empty() && i % 7 != 3) row.trial = name;  // where it is not given, the trial goes on
    if (i == 21 || i == 28) told.begin_trial();
    const std::vector<double> expected = told.push(all[i]).values;
    CHECK(same_bits(named.push(row).values, expected));
    CHECK(named.trial() == name);
  }
}

TEST_CASE("a row that cannot be used does not begin the trial that it names") {
  std::string data = kData;
  data.replace(data.find("window: 2"), 9, "window: 3, missing: hold");
  const std::string reservoir =
      "    - temporal_resolution: 2\n"
      "      layers: [{type: temporal, size: 5, leak: 0.3}]\n";
  for (const std::string dtype : {"float32", "float64"}) {
    const Streamed folder(experiment_of(dtype, data + kLevels + reservoir + kOnline));
    const std::vector<StreamRow> all = stream_rows(400, 90);
    StreamOptions options = learning_options();
    options.state = folder.path("good.h5");
    LiveStream good(folder.result(), options);
    options.state = folder.path("bad.h5");
    LiveStream stream(folder.result(), options);
    std::size_t begun = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      StreamRow row = all[i];
      row.trial = "trial " + std::to_string(i / 20);
      for (const int fault : {0, 1, 2}) {
        StreamRow bad = row;
        bad.trial = "no trial";
        if (fault == 0) bad.values[1] = std::numeric_limits<double>::infinity();
        if (fault == 1) bad.values[1] = 1e300;  // seen when it is put into the sample, or before
        if (fault == 2) bad.label = "upp";
        CHECK_FALSE(complaint_of([&] { stream.push(bad); }).empty());
        CHECK(stream.trial() == good.trial());
      }
      begun += i > 0 && stream.trial() != *row.trial ? 1 : 0;
      const std::vector<double> expected = good.push(row).values;
      CHECK(same_bits(stream.push(row).values, expected));
    }
    CHECK(begun == 4);
    good.keep();
    stream.keep();
    check_same_datasets(datasets_of(folder.path("good.h5")), datasets_of(folder.path("bad.h5")));
  }
}
