// SPDX-License-Identifier: MIT
// Messages of levels in runs: which are kept in the results, what is counted, and runs that are
// cut.
#include <map>
#include <string>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/datasets.h"
#include "../../support/devices.h"
#include "../cuts.h"
#include "../minimal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

std::string with_messages(std::string text, const std::string& messages) {
  const std::string section = "hierarchy:\n";
  return text.replace(text.find(section), section.size(),
                      section + "  messages: " + messages + "\n");
}

/// The numbers that stand as attributes of the messages of a level.
std::map<std::string, std::int64_t> counts_of(const std::string& result, int level) {
  const hdf5::File file = hdf5::File::open(result);
  const hdf5::Group group =
      file.open_group("levels").open_group(std::to_string(level)).open_group("messages");
  std::map<std::string, std::int64_t> counts;
  for (const std::string& name : group.attribute_names()) {
    if (const auto number = group.integer_attribute(name)) counts[name] = *number;
  }
  return counts;
}

/// Checks that a result has of each level the last messages that its recorded ticks make, and the
/// counts.
void check_messages(const std::string& result, const std::vector<std::int64_t>& every,
                    std::size_t keep, const std::vector<std::int64_t>& trial_starts,
                    std::size_t bytes_of_number) {
  const Datasets all = datasets_of(result);
  const std::size_t levels = every.size();
  for (std::size_t n = 0; n < levels; ++n) {
    INFO("level " << n);
    const std::string level = "/levels/" + std::to_string(n);
    const std::vector<double>& steps = all.at(level + "/step");
    const std::vector<double>& shown = all.at(level + "/representation");
    const std::size_t neurons = shown.size() / steps.size();
    std::vector<std::size_t> sent;  // rows
    std::int64_t number = 0;        // of the tick, in its trial
    std::size_t trial = 0;
    for (std::size_t row = 0; row < steps.size(); ++row) {
      while (trial < trial_starts.size() &&
             steps[row] >= static_cast<double>(trial_starts[trial])) {
        number = 0;
        ++trial;
      }
      if (number++ % every[n] == 0) sent.push_back(row);
    }
    const std::size_t kept = std::min(keep, sent.size());
    const std::vector<double>& step = all.at(level + "/messages/step");
    const std::vector<double>& energy = all.at(level + "/messages/energy");
    const std::vector<double>& representation = all.at(level + "/messages/representation");
    REQUIRE(step.size() == kept);
    REQUIRE(representation.size() == kept * neurons);
    for (std::size_t m = 0; m < kept; ++m) {
      const std::size_t row = sent[sent.size() - kept + m];
      CHECK(step[m] == steps[row]);
      double squares = 0.0;
      for (std::size_t i = 0; i < neurons; ++i) {
        CHECK(representation[m * neurons + i] == shown[row * neurons + i]);
        squares += shown[row * neurons + i] * shown[row * neurons + i];
      }
      CHECK(energy[m] == Approx(squares / static_cast<double>(neurons)).epsilon(1e-12));
    }
    auto counts = counts_of(result, static_cast<int>(n));
    const std::int64_t neighbours = (n > 0 ? 1 : 0) + (n + 1 < levels ? 1 : 0);
    CHECK(counts.at("every") == every[n]);
    CHECK(counts.at("ticks") == std::ssize(steps));
    CHECK(counts.at("sent") == std::ssize(sent));
    CHECK(counts.at("delivered") == neighbours * std::ssize(sent));
    CHECK(counts.at("message_bytes") ==
          neighbours * std::ssize(sent) * static_cast<std::int64_t>(neurons * bytes_of_number));
    CHECK(counts.at("memory_bytes") > 0);
    CHECK(counts.contains("parent") == (n + 1 < levels));
    CHECK(counts.contains("child") == (n > 0));
  }
}

}  // namespace

TEST_CASE("the last messages of each level are in the results, under a schedule") {
  const Cuts cuts(
      with_messages(everything("oja", "mean", "float64"), "{keep: 4, every: [5, 2, 1]}"));
  cuts.run("one");
  check_messages(cuts.result("one"), {5, 2, 1}, 4, {}, 8);
  const Datasets all = datasets_of(cuts.result("one"));
  const std::vector<double>& seconds = all.at("/metrics/seconds");
  CHECK(seconds.size() == 3 * all.at("/metrics/step").size());
  for (const double one : seconds) CHECK(one >= 0.0);
}

TEST_CASE("messages change no other number of a run, and are its own with any number of threads") {
  const Cuts plain(everything("sanger", "last"));
  const Cuts told(with_messages(everything("sanger", "last"), "{keep: 1000}"));
  plain.run("one");
  told.run("one");
  {
    const gaia::test::Threads four(4);
    told.run("four");
  }
  const Datasets with = datasets_of(told.result("one"));
  gaia::test::check_same_datasets(with, datasets_of(told.result("four")));
  for (const auto& [path, values] : datasets_of(plain.result("one"))) {
    INFO(path);
    if (!gaia::test::is_speed(path)) CHECK(gaia::test::same_bits(values, with.at(path)));
  }
  // Fewer were sent than are kept.
  check_messages(told.result("one"), {1, 1, 1}, 1000, {}, 4);
}

TEST_CASE("a run with messages that was killed goes on to the same messages and counts") {
  const Cuts cuts(with_messages(everything("oja", "mean"), "{keep: 5, every: [4, 3, 1]}"));
  cuts.check_goes_on_after({37, 259, 500});
  for (int level = 0; level < 3; ++level) {
    for (const char* const step : {"37", "259", "500"}) {
      CHECK(counts_of(cuts.result(step), level) == counts_of(cuts.result("uncut"), level));
    }
  }
  // One that was stopped has those up to there, and goes on too.
  cuts.run_until("stopped", 300);
  CHECK(cuts.resume("stopped").status == RunStatus::complete);
  cuts.check_same("stopped", datasets_of(cuts.result("uncut")));
}

TEST_CASE("messages are of the last epoch, and begin anew with each trial") {
  const Cuts epochs(with_messages(kMinimal, "{keep: 7, every: 4}\n  epochs: 3"));
  epochs.run("one");
  check_messages(epochs.result("one"), {4, 4}, 7, {}, 4);

  std::string rows = "a,b,run\n";
  std::vector<std::int64_t> starts;
  for (int trial = 0; trial < 4; ++trial) {
    starts.push_back(trial * 50);
    for (int row = 0; row < 50; ++row) {
      rows += std::to_string(row % 7) + "," + std::to_string((row * trial) % 5) + "," +
              std::to_string(trial) + "\n";
    }
  }
  std::string text = with_messages(kMinimal, "{keep: 30, every: [8, 3]}");
  const std::string generator =
      "{source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300}";
  text.replace(text.find(generator), generator.size(),
               "{source: file, path: rows.csv, columns: [a, b], trials: {column: run}}");
  const Cuts trials(text);
  trials.folder().write("rows.csv", rows);
  trials.run("one");
  check_messages(trials.result("one"), {8, 3}, 30, starts, 4);
}

TEST_CASE("without hierarchy.messages there are none, and a schedule of other levels is refused") {
  const Cuts none(kMinimal);
  none.run("one");
  for (const auto& [path, values] : datasets_of(none.result("one"))) {
    CHECK(path.find("messages") == std::string::npos);
    CHECK(path != "/metrics/seconds");
  }
  const Cuts wrong(with_messages(kMinimal, "{keep: 7, every: [1, 2, 3]}"));
  CHECK_THROWS_WITH_TEXT(wrong.load("one"), ConfigError, "one for each of the 2 levels, got 3");
  const Cuts zero(with_messages(kMinimal, "{keep: 0}"));
  CHECK_THROWS_WITH_TEXT(zero.load("one"), ConfigError, "keep");
}
