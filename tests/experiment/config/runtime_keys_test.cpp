// SPDX-License-Identifier: MIT
/// \file
/// `runtime`: how a run computes, which is part of no comparison between experiments.
#include <nlohmann/json.hpp>

#include "../../../src/experiment/config/config_difference.h"
#include "../../../src/experiment/config/config_writer.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../minimal.h"
#include "../read_text.h"

namespace gaia::test {
namespace {

const std::string kAll = kMinimal +
                         "runtime:\n"
                         "  threads: 3\n"
                         "  memory_limit: 2000000000\n"
                         "  transfer_policy: warn_once\n"
                         "  offload_threshold: 1000000\n"
                         "  retries: 2\n"
                         "  telemetry: {file: told.jsonl, metrics: gaia.prom, seconds: 0.5}\n";

std::string refusal_of(const std::string& section) {
  return complaint_of<ConfigError>([&] { read_text(kMinimal + "runtime: " + section + "\n"); });
}

TEST_CASE("What runtime sets is read, and nothing else is set") {
  const RuntimeConfig all = read_text(kAll).config.runtime;
  CHECK(all == RuntimeConfig{.threads = 3,
                             .memory_limit = 2'000'000'000,
                             .transfer_policy = TransferPolicy::warn_once,
                             .offload_threshold = 1'000'000,
                             .retries = 2,
                             .telemetry = TelemetryConfig{
                                 .file = "told.jsonl", .metrics = "gaia.prom", .seconds = 0.5}});
  CHECK(read_text(kMinimal).config.runtime == RuntimeConfig{});
  const ReadConfig one = read_text(kMinimal + "runtime: {retries: 1}\n");
  CHECK(one.config.runtime == RuntimeConfig{.retries = 1});
  CHECK(read_text(kMinimal + "runtime: {transfer_policy: inherited}\n").config.runtime ==
        RuntimeConfig{});
}

TEST_CASE("An experiment is written as it always was without runtime, and comes back with it") {
  CHECK(to_yaml(read_text(kMinimal).config).find("runtime") == std::string::npos);
  const std::string yaml = to_yaml(read_text(kAll).config);
  CHECK(yaml.find("runtime:\n  threads: 3\n") != std::string::npos);
  CHECK(read_text(yaml).config.runtime == read_text(kAll).config.runtime);
  CHECK(to_yaml(read_text(yaml).config) == yaml);
}

TEST_CASE("Experiments that differ in runtime alone are the same") {
  const std::string a = to_yaml(read_text(kMinimal).config);
  const std::string b = to_yaml(read_text(kAll).config);
  CHECK(config_differences(a, "a", b, "b").empty());
  const std::string c = to_yaml(read_text(kAll + "seed: 3\n").config);
  CHECK(config_differences(a, "a", c, "c").size() == 1);
}

TEST_CASE("What runtime cannot be is told by its key") {
  CHECK_SAYS(refusal_of("{threads: 0}"), "runtime.threads");
  CHECK_SAYS(refusal_of("{threads: 1025}"), "1024");
  CHECK_SAYS(refusal_of("{memory_limit: -1}"), "runtime.memory_limit");
  CHECK_SAYS(refusal_of("{transfer_policy: maybe}"), "forbid");
  CHECK_SAYS(refusal_of("{offload_threshold: -1}"), "runtime.offload_threshold");
  CHECK_SAYS(refusal_of("{retries: 1001}"), "retries");
  CHECK_SAYS(refusal_of("{telemetry: {seconds: 1}}"), "`file`, `metrics` or both");
  CHECK_SAYS(refusal_of("{device: cpu}"), "the key `device` beside `runtime`");
  CHECK_SAYS(refusal_of("{retrys: 1}"), "retries");
  CHECK_SAYS(refusal_of("3"), "runtime");
}

TEST_CASE("The schema knows runtime") {
  const auto schema = nlohmann::json::parse(json_schema());
  const auto& keys = schema["properties"]["runtime"]["properties"];
  CHECK(keys["threads"]["maximum"] == 1024);
  CHECK(keys.contains("telemetry"));
  CHECK(keys.contains("retries"));
  CHECK_FALSE(keys.contains("device"));
}

}  // namespace
}  // namespace gaia::test
