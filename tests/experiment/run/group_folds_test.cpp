// SPDX-License-Identifier: MIT
// Readouts with `folds: groups`: each group is told by what the others teach.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "../../../src/core/error.h"
#include "../../../src/core/random.h"
#include "../../support/catch.h"
#include "../../support/experiment_text.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr int kStretch = 40;  // of a stretch of one subject
const std::vector<std::string> kSubjects = {"zoe", "adam", "kim", "lee", "bo"};

/// Stretches of rows of these subjects: two channels, a column to be predicted, and labels, which
/// are of the other class in all rows of `inverted`.
std::string rows_of(const std::vector<std::string>& stretches, const std::string& inverted = "") {
  std::string text = "subject,a,b,y,state\n";
  const RandomStream random{17, 1};
  std::vector<double> noise(3 * kStretch * stretches.size());
  random.normals(0, noise);
  std::size_t i = 0;
  for (const std::string& subject : stretches) {
    for (int t = 0; t < kStretch; ++t, i += 3) {
      const bool is_up = t / 5 % 2 == 1;
      const double a = (is_up ? 1.0 : -1.0) + 0.8 * noise[i];
      const double b = 0.5 * std::sin(0.3 * t) + noise[i + 1];
      const bool is_told_up = is_up != (subject == inverted);
      text += subject + "," + std::to_string(a) + "," + std::to_string(b) + "," +
              std::to_string((subject == inverted ? -1.0 : 1.0) * a + 0.1 * noise[i + 2]) + "," +
              (is_told_up ? "up" : "down") + "\n";
    }
  }
  return text;
}

std::string text_of(const std::string& folds, const std::string& data = "",
                    const std::string& readout = "") {
  return "experiment: folded\n"
         "seed: 2\n"
         "data: {source: file, path: s.csv, columns: [a, b], targets: [y], labels: state,\n"
         "       groups: subject" +
         data +
         "}\n"
         "hierarchy:\n"
         "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.001}]}]\n"
         "readouts:\n"
         "  - {name: state, type: logistic, class_weight: balanced, target: {label: true},\n"
         "     levels: [0], folds: " +
         folds + readout +
         "}\n"
         "  - {name: y, target: {column: y}, levels: [0], folds: " +
         folds + readout +
         "}\n"
         "controls: [same_past]\n"
         "checkpoint: {every: 23}\n";
}

struct Folded {
  TempDir folder;
  std::string path(const std::string& name) const { return folder.path(name + ".h5"); }

  Datasets run(const std::string& text, const std::string& name = "r") const {
    return datasets_of(result_of_text(folder, text, {"device=cpu"}, name + ".h5"));
  }
  std::string refused(const std::string& text) const {
    return complaint_about_text(folder, text, {"device=cpu"});
  }
};

/// What is in the file of each subject, in order of first appearance.
std::vector<std::string> names_in(const std::string& path, const std::string& readout) {
  return *hdf5::File::open(path)
              .open_group("readouts")
              .open_group(readout)
              .open_group("groups")
              .texts_attribute("names");
}

}  // namespace

TEST_CASE("with folds: groups each subject is once the test part, as with as many folds") {
  const Folded folded;
  folded.folder.write("s.csv", rows_of(kSubjects));
  const Datasets groups = folded.run(text_of("groups"));
  Datasets five = folded.run(text_of("5"), "five");
  for (const auto& [path, values] : five) {
    if (path == "/metrics/steps_per_second") continue;
    INFO(path);
    REQUIRE(groups.contains(path));
    CHECK(same_bits(groups.at(path), values));
  }
  const std::string state = "/readouts/state/groups/";
  CHECK_FALSE(five.contains(state + "accuracy"));
  CHECK(names_in(folded.path("r"), "state") == kSubjects);

  // Scores of each subject follow from its predictions.
  const std::vector<double>& step = groups.at("/readouts/state/step");
  REQUIRE(step.size() == kStretch * kSubjects.size());
  for (std::size_t k = 0; k < kSubjects.size(); ++k) {
    INFO(kSubjects[k]);
    double hits = 0.0;
    double error = 0.0;
    double mean = 0.0;
    double squares = 0.0;
    for (std::size_t i = k * kStretch; i < (k + 1) * kStretch; ++i) {
      CHECK(step[i] == static_cast<double>(i));
      hits += groups.at("/readouts/state/prediction")[i] == groups.at("/readouts/state/target")[i];
      const double y = groups.at("/readouts/y/target")[i];
      error += std::pow(groups.at("/readouts/y/prediction")[i] - y, 2);
      mean += y / kStretch;
      squares += y * y;
    }
    CHECK(groups.at(state + "accuracy")[k] == Approx(hits / kStretch).epsilon(1e-12));
    CHECK(groups.at("/readouts/y/groups/r2")[k] ==
          Approx(1.0 - error / (squares - kStretch * mean * mean)).epsilon(1e-9));
  }
  // Controls are cross-validated in the same way.
  CHECK(groups.at("/readouts/state/controls/same_past/groups/accuracy").size() == 5);

  const hdf5::File file = hdf5::File::open(folded.path("r"));
  CHECK(file.open_group("readouts").open_group("state").integer_attribute("folds") == 5);
  CHECK_SAYS(*file.text_attribute("config"), "folds: groups");
}

TEST_CASE("what is said of a subject does not depend on its own labels, in one piece or not") {
  for (const bool comes_back : {false, true}) {
    INFO("comes back: " << comes_back);
    std::vector<std::string> stretches = kSubjects;
    if (comes_back) stretches.insert(stretches.end(), {"adam", "zoe", "kim"});
    const Folded folded;
    folded.folder.write("s.csv", rows_of(stretches));
    const Datasets plain = folded.run(text_of("groups"));
    folded.folder.write("s.csv", rows_of(stretches, "adam"));
    const Datasets inverted = folded.run(text_of("groups"));
    for (const char* const readout : {"/readouts/state/", "/readouts/y/"}) {
      INFO(readout);
      const std::string path = readout;
      std::set<double> seen;
      bool are_others_the_same = true;
      for (std::size_t i = 0; i < plain.at(path + "step").size(); ++i) {
        const double step = plain.at(path + "step")[i];
        CHECK(seen.insert(step).second);
        const bool is_same =
            plain.at(path + "prediction")[i] == inverted.at(path + "prediction")[i];
        if (stretches[static_cast<std::size_t>(step) / kStretch] == "adam") {
          CHECK(is_same);
        } else {
          are_others_the_same &= is_same;
        }
      }
      CHECK_FALSE(are_others_the_same);
    }
    CHECK(names_in(folded.path("r"), "y") == kSubjects);
    CHECK(plain.at("/readouts/y/groups/r2").size() == 5);
  }
}

TEST_CASE("groups that are skipped are no folds, nor are those behind the last step") {
  const Folded folded;
  folded.folder.write("s.csv", rows_of(kSubjects));
  folded.run(text_of("groups", "", ", skip: 0.4"));
  CHECK(names_in(folded.path("r"), "state") == std::vector<std::string>{"kim", "lee", "bo"});
  folded.run(text_of("groups", ", steps: 100"));
  CHECK(names_in(folded.path("r"), "state") == std::vector<std::string>{"zoe", "adam", "kim"});
}

TEST_CASE("trials of subjects are told by those of others") {
  const Folded folded;
  std::string rows = rows_of({"zoe", "adam", "zoe", "kim", "adam", "kim"});
  std::size_t line = 0;
  std::string with_trials;
  for (std::size_t at = 0; at < rows.size();) {
    const std::size_t end = rows.find('\n', at);
    with_trials += line == 0 ? "trial," : "t" + std::to_string((line - 1) / kStretch) + ",";
    with_trials += rows.substr(at, end + 1 - at);
    ++line;
    at = end + 1;
  }
  folded.folder.write("s.csv", with_trials);
  const Datasets made = folded.run(text_of("groups", ", trials: {column: trial}"));
  CHECK(names_in(folded.path("r"), "state") == std::vector<std::string>{"zoe", "adam", "kim"});
  CHECK(made.at("/readouts/state/step").size() == 6 * kStretch);
}

TEST_CASE("a run with folds: groups that is killed goes on to the same bits and scores") {
  const Cuts cuts(text_of("groups"));
  cuts.folder().write("s.csv", rows_of(kSubjects));
  cuts.check_goes_on_after({46, 115, 184});
  cuts.check_same_on_any_threads();
}

TEST_CASE("what folds: groups does not take") {
  const Folded folded;
  folded.folder.write("s.csv", rows_of(kSubjects));
  std::string text = text_of("groups");
  text.erase(text.find(",\n       groups: subject"), 24);
  CHECK_SAYS(folded.refused(text),
             "readouts[0].folds: groups: nothing says which rows belong together; name them by "
             "data.groups, or write a number of folds");
  CHECK_SAYS(folded.refused(text_of("groups", ", steps: 30")),
             "groups: expected 2 to 1000 groups that are not skipped, got 1");
  CHECK_SAYS(folded.refused(text_of("people")),
             "expected an integer from 0 to 1000, or groups, got 'people'");
  CHECK_SAYS(folded.refused(text_of("groups", "", ", split: 0.5")),
             "readouts[0].folds: stands in place of split");
}
