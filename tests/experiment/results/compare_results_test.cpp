// SPDX-License-Identifier: MIT
#include "../../../src/experiment/results/compare_results.h"

#include <cmath>
#include <functional>

#include "../../support/catch.h"
#include "../../support/special_numbers.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using namespace gaia::test;
using gaia::test::TempDir;

namespace {

/// A file with a number of each kind, after `change` was made to them.
struct Content {
  std::vector<double> numbers = {1.0, -2.0, kNaN, 4.0, 0.0, 8.0};
  std::vector<float> narrow = {0.5F, 0.25F};
  std::vector<std::int64_t> whole = {std::int64_t{1} << 60, 2, 3};
  std::vector<std::string> texts = {"a", "b"};
  double score = 0.75;
  std::string verdict = "pays";
  std::string host = "here";
  double speed = 10.0;
  bool has_more = false;
};

hdf5::File file_of(const TempDir& folder, const std::string& name,
                   const std::function<void(Content&)>& change) {
  Content content;
  change(content);
  const std::string path = folder.path(name);
  {
    hdf5::File file = hdf5::File::create(path);
    file.set_attribute("hostname", content.host);
    file.set_attribute("verdict", content.verdict);
    hdf5::Group group = file.create_group("readouts");
    group.set_attribute("score", content.score);
    group.create_dataset("numbers", {.type = hdf5::Type::float64, .shape = {3, 2}})
        .write<double>(content.numbers);
    group.create_dataset("narrow", {.type = hdf5::Type::float32, .shape = {2}})
        .write<float>(content.narrow);
    group.create_dataset("whole", {.type = hdf5::Type::int64, .shape = {3}})
        .write<std::int64_t>(content.whole);
    group.create_texts("texts", content.texts);
    if (content.has_more) group.create_group("more");
    hdf5::Group metrics = file.create_group("metrics");
    metrics.create_dataset("steps_per_second", {.type = hdf5::Type::float64, .shape = {1}})
        .write<double>(std::vector<double>{content.speed});
    metrics.create_dataset("step", {.type = hdf5::Type::float64, .shape = {1}})
        .write<double>(std::vector<double>{content.speed});
    file.close();
  }
  return hdf5::File::open(path);
}

std::vector<ResultDifference> differences(const std::function<void(Content&)>& change,
                                          double tolerance = 0.0) {
  const TempDir folder;
  const hdf5::File one = file_of(folder, "one.h5", [](Content&) {});
  const hdf5::File other = file_of(folder, "other.h5", change);
  return compare_results(one, other, tolerance).differences;
}

}  // namespace

FOLDER_TEST_CASE("two files of the same numbers are equal, whatever host and clock say") {
  const hdf5::File one = file_of(folder, "one.h5", [](Content&) {});
  const hdf5::File same = file_of(folder, "same.h5", [](Content& c) { c.host = "there"; });
  const ResultComparison found = compare_results(one, same);
  CHECK(found.differences.empty());
  CHECK(found.datasets == 5);  // numbers, narrow, whole, texts, /metrics/step
  CHECK(found.attributes == 2);
  CHECK(found.largest == 0.0);
  CHECK(differences([](Content& c) { c.speed = 11.0; }).size() == 1);  // the step alone
}

TEST_CASE("a number that differs is told with its place and how far it is off") {
  const auto found = differences([](Content& c) {
    c.numbers[3] = 4.5;
    c.numbers[5] = 7.0;
  });
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == "/readouts/numbers");
  CHECK(found[0].attribute.empty());
  CHECK(found[0].first == std::vector<std::int64_t>{1, 1});
  CHECK(found[0].expected == 4.0);
  CHECK(found[0].got == 4.5);
  CHECK(found[0].count == 2);
  CHECK(found[0].size == 6);
  CHECK(found[0].largest == 1.0);
  CHECK(found[0].relative == 1.0 / 8.0);
  CHECK(found[0].text ==
        "[1, 1]: 4 here, 4.5 in the other; 2 of 6 differ, by at most 1, 0.125 of the largest");
}

TEST_CASE("one bit of any kind of number, text or attribute is a difference") {
  const auto path = [](const std::function<void(Content&)>& change) {
    const auto found = differences(change);
    REQUIRE(found.size() == 1);
    return found[0].path + (found[0].attribute.empty() ? "" : "@" + found[0].attribute);
  };
  CHECK(path([](Content& c) { c.narrow[1] = std::nextafter(0.25F, 1.0F); }) == "/readouts/narrow");
  CHECK(path([](Content& c) { c.numbers[4] = -0.0; }) == "/readouts/numbers");
  CHECK(path([](Content& c) { c.numbers[2] = 0.0; }) == "/readouts/numbers");
  // These are one as floating-point numbers.
  CHECK(path([](Content& c) { ++c.whole[0]; }) == "/readouts/whole");
  CHECK(path([](Content& c) { c.texts[1] = "c"; }) == "/readouts/texts");
  CHECK(path([](Content& c) { c.score = std::nextafter(0.75, 1.0); }) == "/readouts@score");
  CHECK(path([](Content& c) { c.verdict = "does not"; }) == "/@verdict");
  CHECK(path([](Content& c) { c.has_more = true; }) == "/readouts/more");
  CHECK(path([](Content& c) { c.texts.push_back("c"); }) == "/readouts/texts");
}

TEST_CASE("a tolerance is a share of the largest number of a dataset, of floating numbers alone") {
  const auto by_tenth = [](Content& c) {
    c.numbers[0] = 1.1;
    c.whole[1] = 7;
    c.verdict = "turned";
    c.speed = 20.0;
  };
  CHECK(differences(by_tenth, 0.02).empty());
  REQUIRE(differences(by_tenth, 0.01).size() == 1);
  CHECK(differences(by_tenth, 0.01)[0].path == "/readouts/numbers");
  // What is not finite is never near.
  CHECK(differences([](Content& c) { c.numbers[0] = kNaN; }, 1.0).size() == 1);
}
