// SPDX-License-Identifier: MIT
/// \file
/// What reports tell of levels that filter, from files of known numbers.
#include "../../src/report/filters.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "../../src/core/random.h"
#include "../../src/experiment/data/schema_version.h"
#include "../../src/io/hdf5.h"
#include "../../src/report/sections.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"
#include "../support/temp_dir.h"
#include "../support/text.h"

using namespace gaia;
using namespace gaia::test;
using namespace gaia::report;

namespace {

/// A results file of one level that filters.
class FilterFile {
 public:
  FilterFile(const TempDir& folder, std::int64_t ticks, std::int64_t spacing = 1)
      : path_(folder.path("r.h5")), file_(hdf5::File::create(path_)), ticks_(ticks) {
    file_.set_attribute("schema_version", kSchemaVersion);
    file_.set_attribute("experiment", "e");
    file_.set_attribute("status", "complete");
    file_.set_attribute("steps", ticks * spacing);
    hdf5::Group status = file_.create_group("status");
    status.create_dataset("committed_steps", {.type = hdf5::Type::int64, .shape = {}})
        .write<std::int64_t>(std::vector{ticks * spacing});
    file_.create_group("data");
    file_.create_group("readouts");
    hdf5::Group levels = file_.create_group("levels");
    hdf5::Group level = levels.create_group("0");
    level.set_attribute("temporal_resolution", spacing);
    level.set_attribute("pooling", "last");
    hdf5::Group layer = level.create_group("layers").create_group("0");
    layer.set_attribute("type", "kalman");
    std::vector<double> steps;
    for (std::int64_t t = 0; t < ticks; ++t) steps.push_back(static_cast<double>(t * spacing));
    put("levels/0/step", {}, steps);
    put_whole("levels/0/layers/0/R", {1, 1}, {1.0});
  }

  /// A dataset [ticks, ...] at a path below the root.
  void put(const std::string& path, std::vector<std::int64_t> row,
           const std::vector<double>& numbers) {
    row.insert(row.begin(), ticks_);
    put_whole(path, row, numbers);
  }
  void put_whole(const std::string& path, const std::vector<std::int64_t>& shape,
                 const std::vector<double>& numbers) {
    const std::size_t at = path.rfind('/');
    hdf5::Group group = file_.open_group(path.substr(0, at));
    group.create_dataset(path.substr(at + 1), {.type = hdf5::Type::float64, .shape = shape})
        .write<double>(numbers);
  }
  hdf5::File& file() { return file_; }

  Result result() {
    file_.close();
    return Result(path_);
  }

 private:
  std::string path_;
  hdf5::File file_;
  std::int64_t ticks_;
};

std::vector<double> normals(std::int64_t count, std::uint64_t seed = 1) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  RandomStream::named(seed, "test").normals(0, numbers);
  return numbers;
}

/// Innovations of variance `variance` that the filter takes to have variance 1.
void put_innovations(FilterFile& made, const std::vector<double>& normal, double variance) {
  std::vector<double> v;
  std::vector<double> nis;
  std::vector<double> likelihood;
  for (const double z : normal) {
    v.push_back(std::sqrt(variance) * z);
    nis.push_back(variance * z * z);
    likelihood.push_back(-0.5 * nis.back() - 0.9189385332046727);
  }
  made.put("levels/0/innovation", {1}, v);
  made.put("levels/0/nis", {}, nis);
  made.put("levels/0/log_likelihood", {}, likelihood);
}

}  // namespace

TEST_CASE("How sure a filter is stands beside how sure it should be") {
  struct Case {
    double variance;
    Sureness::Verdict verdict;
    const char* text;
  };
  const std::vector<double> normal = normals(4000);
  double sum = 0.0;
  for (const double z : normal) sum += z * z;
  for (const Case& one : {Case{1.0, Sureness::Verdict::right, "as sure as it should be"},
                          Case{1.5, Sureness::Verdict::too_sure, "too sure"},
                          Case{0.5, Sureness::Verdict::too_timid, "too timid"}}) {
    const TempDir folder;
    FilterFile made(folder, 4000, 2);
    put_innovations(made, normal, one.variance);
    const Result result = made.result();
    const auto filter = survey_filter(result, 0, {0, 100});
    REQUIRE(filter);
    CHECK(filter->type == "kalman");
    CHECK(filter->ticks == 4000);
    CHECK(filter->sureness.numbers == 4000);
    CHECK(filter->sureness.mean() == Approx(one.variance * sum / 4000.0).epsilon(1e-12));
    // SciPy's quantiles of chi squared of 4000 degrees, divided by these.
    CHECK(filter->sureness.low() == Approx(0.956649354).epsilon(1e-8));
    CHECK(filter->sureness.high() == Approx(1.044297764).epsilon(1e-8));
    CHECK(filter->sureness.verdict() == one.verdict);
    CHECK(filter->stretches.size() == 80);
    CHECK(filter->stretches[1].first_step == 100.0);
    CHECK(filter->stretches[1].last_step == 198.0);
    std::int64_t beyond = 0;
    for (const double z : normal) beyond += one.variance * z * z > 3.841458820694124 ? 1 : 0;
    CHECK(filter->sureness.beyond == beyond);
    const std::string page = filters_section(RunView(result));
    CHECK_SAYS(page, std::string("level 0 (kalman)</b>: ") + one.text + ": NIS is ",
               "0.9566 to 1.044 in 95 % of runs", "id=\"fig-nis-0\"");
    CHECK(times_in(page, "What it could not predict is") ==
          (one.verdict == Sureness::Verdict::right ? 0U : 1U));
  }
}

FOLDER_TEST_CASE("Ticks that observed nothing, or a part, count as what they observed") {
  FilterFile made(folder, 5);
  made.put("levels/0/innovation", {2}, {1, 2, kNaN, 1, kNaN, kNaN, 0, 0, 2, kNaN});
  made.put("levels/0/nis", {}, {5, 1, kNaN, 0, 4});
  made.put("levels/0/log_likelihood", {}, {-4, -2, 0, -1, -3});
  const Result result = made.result();
  const auto filter = survey_filter(result, 0, {0, 5});
  REQUIRE(filter);
  CHECK(filter->sureness.numbers == 6);
  CHECK(filter->sureness.ticks == 4);
  CHECK(filter->sureness.mean() == Approx(10.0 / 6.0));
  CHECK(filter->sureness.beyond == 1);  // 4 of one number (3.84); 5 of two is below 5.99
  CHECK(filter->log_likelihood == Approx(-10.0));
  CHECK(filter->models == 0);
  CHECK(filter->bands.empty());
}

FOLDER_TEST_CASE("A level without a filter has no such part") {
  FilterFile made(folder, 20);
  const Result result = made.result();
  CHECK_FALSE(survey_filter(result, 0, {0, 20}));
  CHECK_FALSE(survey_filter(result, 1, {0, 20}));
  CHECK(survey_outliers(result).empty());
  CHECK(filters_section(RunView(result)).empty());
}

FOLDER_TEST_CASE("The band around a state is 1.96 standard deviations wide on either side") {
  FilterFile made(folder, 50);
  put_innovations(made, normals(50), 1.0);
  std::vector<double> m;
  std::vector<double> P;
  for (int t = 0; t < 50; ++t) {
    m.insert(m.end(), {t * 1.0, -t * 2.0});
    P.insert(P.end(), {4.0, 0.5, 0.5, 0.25 * t});
  }
  made.put("levels/0/representation", {2}, m);
  made.put("levels/0/covariance", {2, 2}, P);
  made.put("levels/0/smoothed", {2}, m);
  const Result result = made.result();
  const auto filter = survey_filter(result, 0, {10, 30});
  REQUIRE(filter);
  REQUIRE(filter->bands.size() == 2);
  const StateBand& first = filter->bands[0];
  const StateBand& second = filter->bands[1];
  REQUIRE(first.mean.size() == 20);
  CHECK(first.mean[0].x == 10.0);
  CHECK(first.mean[0].y == 10.0);
  CHECK(first.low[3].y == Approx(13.0 - 1.96 * 2.0));
  CHECK(first.high[3].y == Approx(13.0 + 1.96 * 2.0));
  CHECK(second.low[6].y == Approx(-32.0 - 1.96 * std::sqrt(0.25 * 16)));
  CHECK(second.high[6].y == Approx(-32.0 + 1.96 * std::sqrt(0.25 * 16)));
  CHECK(first.smoothed.size() == 20);
  CHECK(first.smoothed_low.empty());
  CHECK(first.channel == -1);  // whose input is not known
  const std::string page = filters_section(RunView(result));
  CHECK_SAYS(page, "id=\"fig-band-0\"");
  CHECK(times_in(page, "class=\"band c0\"") == 2);
  CHECK(times_in(page, "smoothed</text>") == 2);
}

FOLDER_TEST_CASE("A filter below another layer of its level has no band of its state") {
  FilterFile made(folder, 50);
  put_innovations(made, normals(50), 1.0);
  made.file().open_group("levels/0/layers").create_group("1").set_attribute("type", "reactive");
  made.put("levels/0/representation", {1}, normals(50));
  const Result result = made.result();
  const auto filter = survey_filter(result, 0, {0, 50});
  REQUIRE(filter);
  CHECK(filter->type == "kalman");
  CHECK(filter->bands.empty());
}

TEST_CASE("Which channel observes a state is told where a model has blocks of states") {
  for (const bool has_rows : {true, false}) {
    const TempDir folder;
    FilterFile made(folder, 50);
    made.file().open_group("data").set_attribute("channels", std::int64_t{2});
    made.file().open_group("levels/0").set_attribute("input_size", std::int64_t{has_rows ? 2 : 4});
    made.file().open_group("levels/0/layers/0").set_attribute("model", "velocity");
    made.put("levels/0/innovation", {2}, normals(100));
    made.put("levels/0/nis", {}, normals(50));
    made.put("levels/0/representation", {4}, normals(200));
    const Result result = made.result();
    const auto filter = survey_filter(result, 0, {0, 50});
    REQUIRE(filter);
    REQUIRE(filter->bands.size() == 4);
    CHECK(filter->bands[0].channel == (has_rows ? 0 : -1));
    CHECK(filter->bands[1].channel == -1);
    CHECK(filter->bands[2].channel == (has_rows ? 1 : -1));
    CHECK(filter->bands[3].channel == -1);
  }
}

TEST_CASE("Which channel observes a state is told of models that have numbers, and of regimes") {
  struct Case {
    const char* name;
    std::function<void(hdf5::Group)> describe;
    bool has_blocks;
  };
  const std::vector<Case> cases = {
      {"ar", [](hdf5::Group g) { g.set_attribute("model_ar", "[0.5, 0.2]"); }, true},
      {"seasonal", [](hdf5::Group g) { g.set_attribute("model_seasonal", std::int64_t{3}); }, true},
      {"matrices", [](hdf5::Group g) { g.set_attribute("model_A", "[[1]]"); }, false},
      {"regimes, one of matrices",
       [](hdf5::Group g) {
         g.set_attribute("model_A", "[[1]]");
         g.set_attribute("model_ar", "[0.5, 0.2]");
       },
       false}};
  for (const Case& one : cases) {
    INFO(one.name);
    const TempDir folder;
    FilterFile made(folder, 50);
    made.file().open_group("data").set_attribute("channels", std::int64_t{1});
    made.file().open_group("levels/0").set_attribute("input_size", std::int64_t{1});
    one.describe(made.file().open_group("levels/0/layers/0"));
    made.put("levels/0/innovation", {1}, normals(50));
    made.put("levels/0/nis", {}, normals(50));
    made.put("levels/0/representation", {2}, normals(100));
    const Result result = made.result();
    const auto filter = survey_filter(result, 0, {0, 50});
    REQUIRE(filter);
    REQUIRE(filter->bands.size() == 2);
    CHECK(filter->bands[0].channel == (one.has_blocks ? 0 : -1));
    CHECK(filter->bands[1].channel == -1);
  }
}

TEST_CASE("Changes of the regime are named by their steps, and none crosses a trial's border") {
  for (const bool has_trials : {false, true}) {
    const TempDir folder;
    FilterFile made(folder, 40, 10);
    put_innovations(made, normals(40), 1.0);
    std::vector<double> p;
    for (int t = 0; t < 40; ++t) {
      const bool is_first = t < 12 || t >= 30;
      p.insert(p.end(), {is_first ? 0.9 : 0.2, is_first ? 0.1 : 0.8});
    }
    made.put("levels/0/probability", {2}, p);
    if (has_trials) made.put_whole("data/trial_start", {2}, {0.0, 120.0});
    const Result result = made.result();
    const auto filter = survey_filter(result, 0, {0, 400});
    REQUIRE(filter);
    CHECK(filter->models == 2);
    CHECK(filter->shares[0] == Approx((22 * 0.9 + 18 * 0.2) / 40.0));
    REQUIRE(filter->changes.size() == (has_trials ? 1U : 2U));
    CHECK(filter->changes.back().step == 300.0);
    CHECK(filter->changes.back().from == 1);
    CHECK(filter->changes.back().to == 0);
    const std::string page = filters_section(RunView(result));
    CHECK_SAYS(page, "id=\"fig-regimes-0\"", "from model 1 to 0 at step 300");
    CHECK((page.find("from model 0 to 1 at step 120") == std::string::npos) == has_trials);
  }
}

FOLDER_TEST_CASE("Readouts that a consensus left out are named with their step") {
  FilterFile made(folder, 30);
  hdf5::Group readout = made.file().open_group("readouts").create_group("fused");
  readout.set_attribute("readouts", std::vector<std::string>{"fast", "slow<", "other"});
  std::vector<double> steps;
  std::vector<double> outliers;
  for (int t = 0; t < 30; ++t) {
    steps.push_back(t);
    outliers.insert(outliers.end(),
                    {t == 7 || t == 8 || t == 12 ? 1.0 : 0.0, t == 8 ? 1.0 : 0.0, 0.0});
  }
  made.put("readouts/fused/step", {}, steps);
  made.put("readouts/fused/outlier", {3}, outliers);
  const Result result = made.result();
  const auto found = survey_outliers(result);
  REQUIRE(found.size() == 1);
  CHECK(found[0].counts == std::vector<std::int64_t>{3, 1, 0});
  CHECK(found[0].left_out == 3);
  CHECK(found[0].ticks == 30);
  REQUIRE(found[0].kept.size() == 3);
  CHECK(found[0].kept[0].first_step == 7.0);
  CHECK(found[0].kept[0].last_step == 8.0);
  CHECK(found[0].kept[1].first_step == 8.0);
  CHECK(found[0].kept[1].last_step == 8.0);
  CHECK(found[0].kept[1].readout == 1);
  CHECK(found[0].kept[2].first_step == 12.0);
  const std::string page = filters_section(RunView(result));
  CHECK_SAYS(
      page, "id=\"fig-outliers-0\"",
      "In 3 of 30 ticks any was; by readout: fast 3 (10 %), slow&lt; 1 (3.33 %), other 0 (0 %)",
      "First outliers: fast at step 7 to step 8, slow&lt; at step 8, fast at step 12.");
}
