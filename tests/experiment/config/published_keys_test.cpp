// SPDX-License-Identifier: MIT
/// \file
/// `published`: what a paper says that an experiment repeats, on which no number of a run depends.
#include <nlohmann/json.hpp>

#include "../../../src/experiment/config/config_difference.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../minimal.h"
#include "../read_text.h"

namespace gaia::test {
namespace {

const std::string kRow =
    kMinimal +
    "readouts: [{name: digit, target: {channel: 0}, levels: [0]}]\n"
    "published:\n"
    "  paper: 'Author & Author 2019, Proc. 116, 7723'\n"
    "  where: Fig. 3\n"
    "  says: \"98.54 % of the digits\"\n"
    "  readout: digit\n"
    "  score: nrmse\n"
    "  value: 0.9854\n"
    "  spread: 0.001\n"
    "  seeds: {first: 201, count: 5}\n"
    "  expect: misses\n"
    "  differs: fewer steps\n"
    "  rival: {name: FastICA, mean: 27.0, spread: 1.6, by: peers.py}\n"
    "  hours: true\n"
    "  short: {data.steps: 50, 'hierarchy.levels[0].layers[0].size': 1, "
    "controls: [frozen, pca], experiment: \"a b\", data.window: \"[1, {a: 2}]\"}\n";

std::string refusal_of_published(const std::string& section) {
  return complaint_of<ConfigError>([&] {
    read_text(kMinimal + "readouts: [{name: digit, target: {channel: 0}, levels: [0]}]\n" +
              "published: " + section + "\n");
  });
}

TEST_CASE("What is published is read, and settings of the short form as --set takes them") {
  const PublishedConfig row = read_text(kRow).config.published;
  CHECK(row.is_there);
  CHECK(row.paper == "Author & Author 2019, Proc. 116, 7723");
  CHECK(row.where == "Fig. 3");
  CHECK(row.says == "98.54 % of the digits");
  CHECK(row.readout == "digit");
  CHECK(row.score == "nrmse");
  CHECK(row.value == 0.9854);
  CHECK(row.spread == 0.001);
  CHECK(row.first_seed == 201);
  CHECK(row.seeds == 5);
  CHECK(row.expect == PublishedConfig::Expect::misses);
  CHECK(row.differs == "fewer steps");
  CHECK(row.rival.name == "FastICA");
  CHECK(row.rival.mean == 27.0);
  CHECK(row.rival.spread == 1.6);
  CHECK(row.rival.by == "peers.py");
  CHECK(row.hours);
  REQUIRE(row.short_form.size() == 5);
  const auto setting = [&](std::size_t i) {
    return std::get<std::string>(row.short_form[i].value);
  };
  CHECK(row.short_form[1].name == "hierarchy.levels[0].layers[0].size");
  CHECK(setting(0) == "50");
  CHECK(setting(1) == "1");
  CHECK(setting(2) == "[frozen, pca]");
  CHECK(setting(3) == "a b");
  CHECK(setting(4) == "[1, {a: 2}]");
  const PublishedConfig none = read_text(kMinimal).config.published;
  CHECK_FALSE(none.is_there);
  CHECK(none.first_seed == 101);
  CHECK(none.seeds == 10);
}

TEST_CASE("An experiment is written as it always was without what is published") {
  CHECK(to_yaml(read_text(kMinimal).config).find("published") == std::string::npos);
  const std::string yaml = to_yaml(read_text(kRow).config);
  CHECK(yaml.find("  short:\n    data.steps: 50\n") != std::string::npos);
  CHECK(to_yaml(read_text(yaml).config) == yaml);
  const PublishedConfig again = read_text(yaml).config.published;
  const PublishedConfig row = read_text(kRow).config.published;
  for (std::size_t i = 0; i < row.short_form.size(); ++i) {
    CHECK(again.short_form[i].value == row.short_form[i].value);
  }
}

TEST_CASE("Experiments that differ in what is published alone are the same") {
  const std::string row = to_yaml(read_text(kRow).config);
  ExperimentConfig other = read_text(kRow).config;
  other.published = {};
  CHECK(config_differences(row, "a", to_yaml(other), "b").empty());
}

TEST_CASE("What published cannot be is told by its key") {
  CHECK(refusal_of_published("{paper: a, where: b, says: c, value: 1}").empty());
  CHECK_SAYS(refusal_of_published("{paper: a, where: b, value: 1}"), "published.says: missing");
  CHECK_SAYS(refusal_of_published("{paper: a, where: b, says: c, value: 1, readout: letter}"),
             "published.readout: expected the name of a readout of this experiment, got 'letter'");
  CHECK_SAYS(refusal_of_published("{paper: a, where: b, says: c}"),
             "published.expect: expected ahead or misses, or a published `value`");
  CHECK_SAYS(
      refusal_of_published("{paper: a, where: b, says: c, expect: ahead, seeds: {count: 1}}"),
      "published.seeds.count: expected an integer from 2 to 100000");
  CHECK_SAYS(refusal_of_published("{paper: a, where: b, says: c, expect: wins}"),
             "unknown expect 'wins'");
  CHECK_SAYS(refusal_of_published("{paper: a, where: b, says: c, value: 1, rival: {name: x}}"),
             "published.rival.mean: missing");
  CHECK_SAYS(refusal_of_published("{paper: a, where: b, says: c, value: 1, short: [1]}"),
             "published.short: expected a map of names, got a list");
}

TEST_CASE("The schema knows what is published, and any setting of the short form") {
  const auto schema = nlohmann::json::parse(json_schema());
  const auto& keys = schema["properties"]["published"]["properties"];
  CHECK(keys["expect"]["enum"] == nlohmann::json({"within", "ahead", "misses"}));
  CHECK(keys["short"]["additionalProperties"] == true);
}

}  // namespace
}  // namespace gaia::test
