// SPDX-License-Identifier: MIT
// gaia init: tables that fall into trials, by names and by values, and the classes of trials.
#include <functional>

#include "../../../src/io/hdf5.h"
#include "../../../src/io/survey/column_names.h"
#include "../../support/log_capture.h"
#include "init_files.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::size_t kTrials = 24;
constexpr std::size_t kRows = 40;

/// What a row has beside two columns of numbers, x and z: its trial and its row in it are told.
using CellTexts = std::function<std::string(std::size_t trial, std::size_t row)>;

/// A table of trials; x is larger in every second one, in an order that is not theirs.
std::string table(const std::string& names, const CellTexts& fields, std::size_t trials = kTrials) {
  std::string text = names + ",x,z\n";
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const Column x = remembering(kRows, 0.7, 700 + trial);
    const Column z = remembering(kRows, 0.9, 900 + trial);
    for (std::size_t row = 0; row < kRows; ++row) {
      const double shift = trial * 5 % 7 % 2 == 0 ? 2.0 : 0.0;
      text +=
          fields(trial, row) + "," + number_text(x[row] + shift) + "," + number_text(z[row]) + "\n";
    }
  }
  return text;
}

std::string kind_of(std::size_t trial) { return trial * 5 % 7 % 2 == 0 ? "high" : "low"; }

std::string number(std::size_t n) { return std::to_string(n); }

}  // namespace

TEST_CASE("init: names of columns as people write them") {
  for (const char* const name :
       {"trial", "Trial", "trial_id", "TrialID", "Trial No.", "trials", "trial number"}) {
    CHECK(trial_rank(name) == 0);
  }
  for (const char* const name : {"epoch", "Segment_ID", "sweep"}) CHECK(trial_rank(name) == 1);
  CHECK(trial_rank("run") == 2);
  CHECK(trial_rank("session") == 3);
  CHECK(trial_rank("participant_id") == 4);
  for (const char* const name : {"trial_type", "industrial", "rate", "runtime", "x", ""}) {
    CHECK(trial_rank(name) == -1);
  }
  CHECK(group_rank("Subject ID") == 0);
  CHECK(group_rank("session") == 1);
  CHECK(group_rank("trial") == -1);
  for (const char* const name : {"label", "Class", "condition", "target", "y", "Stimulus",
                                 "trial_type", "class_label_code"}) {
    CHECK(is_called_label(name) == (std::string(name) != "class_label_code"));
  }
  CHECK(is_called_time("Time [s]"));
  CHECK(is_called_calendar("Year"));
  CHECK(is_called_calendar("day_of_year"));
  CHECK_FALSE(is_called_calendar("daylight"));
}

FOLDER_TEST_CASE("init: a table of trials with a label and a time each") {
  const std::string yaml = check_runs(
      folder,
      folder.write("a.csv", table("trial,label,time", [](std::size_t trial, std::size_t row) {
                     return number(trial + 1) + "," + kind_of(trial) + "," +
                            number_text(0.004 * static_cast<double>(row));
                   })));
  CHECK_SAYS(yaml, "# 960 rows in 24 trials, 2 columns", "  trials: {column: \"trial\"}\n",
             "  time: \"time\"\n", "  columns: [\"x\", \"z\"]\n",
             "  labels: \"label\"  # a class for each trial",
             "    target: {label: true, per: trial}\n");
  CHECK_THAT(yaml, ContainsSubstring("    folds: 5 ") && !ContainsSubstring("groups:"));
  CHECK_THAT(yaml, !ContainsSubstring("- name: forecast"));
}

FOLDER_TEST_CASE("init: trials and classes that no name tells are told by values") {
  // Numbers as pandas writes them before, a class as a number, times that begin anew.
  std::string yaml = check_runs(
      folder, folder.write("a.csv", table(",q,k,clock", [](std::size_t trial, std::size_t row) {
                             return number(kRows * trial + row) + "," + number(107 * trial % 61) +
                                    ".0," + (kind_of(trial) == "high" ? "1" : "0") + "," +
                                    number(row);
                           })));
  CHECK_SAYS(yaml, "  trials: {column: \"q\"}\n", "  labels: \"k\"  # a class for each trial",
             "  columns: [\"x\", \"z\"]\n",
             "by the same step in every row: '0' (1) and 'clock' (1)");
  // An array knows no names at all.
  Column all;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const Column x = remembering(kRows, 0.7, 700 + trial);
    for (const double value : x) {
      all.insert(all.end(),
                 {static_cast<double>(trial), value, kind_of(trial) == "high" ? 1.0 : 0.0});
    }
  }
  yaml = check_runs(folder, folder.write("a.npy", npy("(960, 3)", all)));
  CHECK_SAYS(yaml, "  trials: {column: \"0\"}\n", "  labels: \"2\"  # a class for each trial",
             "  columns: [1]\n");
}

FOLDER_TEST_CASE("init: what only looks like trials stays what it is") {
  const gaia::test::LogCapture log;
  const auto made = [&](const std::string& names, const CellTexts& fields) {
    return check_runs(folder, folder.write("a.csv", table(names, fields)));
  };
  // A load that rises step by step, or a year, while time goes on.
  const auto day = [](std::size_t n) { return number_text(0.1 * static_cast<double>(n)); };
  std::string yaml = made("time,load", [&](std::size_t trial, std::size_t row) {
    return day(kRows * trial + row) + "," + number(trial);
  });
  CHECK_THAT(yaml, ContainsSubstring("  columns: [\"load\", \"x\", \"z\"]\n") &&
                       !ContainsSubstring("trials:"));
  yaml = made("Year", [](std::size_t trial, std::size_t) { return number(1990 + trial); });
  CHECK_THAT(yaml, !ContainsSubstring("trials:"));
  // A switch that is called a run.
  yaml = made("run",
              [](std::size_t trial, std::size_t row) { return number((trial + row / 20) % 2); });
  CHECK_THAT(yaml, ContainsSubstring("  columns: [\"run\", \"x\", \"z\"]\n") &&
                       !ContainsSubstring("trials:"));
  // Subjects that take turns in every row.
  yaml = made("subject", [](std::size_t, std::size_t row) { return number(row % 3); });
  CHECK_THAT(yaml, ContainsSubstring("called as what names trials or subjects: 'subject'.") &&
                       ContainsSubstring("  columns: [\"x\", \"z\"]\n") &&
                       !ContainsSubstring("trials:"));
  // Text of few kinds, each for a while.
  yaml =
      made("phase", [](std::size_t trial, std::size_t) { return trial < 15 ? "before" : "after"; });
  CHECK_THAT(yaml, ContainsSubstring("  labels: \"phase\"  # a class for each row") &&
                       !ContainsSubstring("trials:"));
}

FOLDER_TEST_CASE(
    "init: trials of a subject are kept together, and so are those whose name comes back") {
  // Six subjects, whose trials are counted anew.
  std::string yaml = check_runs(
      folder, folder.write("a.csv",
                           table("subject,trial,age,condition", [](std::size_t trial, std::size_t) {
                             return "s" + number(trial / 4) + "," + number(trial % 4) + "," +
                                    number(20 + trial / 4) + "," + kind_of(trial);
                           })));
  CHECK_SAYS(yaml, "  trials: {column: \"trial\"}\n  groups: \"subject\"  # what trials of one",
             "# Left out since it stays the same in each trial: 'age'.\n", "    folds: 5 ",
             "# parts of whole groups,");
  // And who take turns.
  yaml = check_runs(
      folder,
      folder.write("d.csv", table("trial,subject,condition", [](std::size_t trial, std::size_t) {
                     return number(trial) + ",s" + number(trial % 5) + "," + kind_of(trial);
                   })));
  CHECK_SAYS(yaml, "  groups: \"subject\"", "    folds: 4 ");
  // A subject for each trial is no group.
  yaml = check_runs(
      folder, folder.write("b.csv", table("subject,condition", [](std::size_t trial, std::size_t) {
                             return "s" + number(trial) + "," + kind_of(trial);
                           })));
  CHECK_THAT(yaml, ContainsSubstring("  trials: {column: \"subject\"}\n") &&
                       !ContainsSubstring("groups:"));
  // 0, 1, ... 11, 0, 1, ... 11.
  yaml = check_runs(
      folder, folder.write("c.csv", table("trial,condition", [](std::size_t trial, std::size_t) {
                             return number(trial % 12) + "," + kind_of(trial % 12);
                           })));
  CHECK_SAYS(yaml, "  groups: \"trial\"  # a name that comes back means the same trial");
}

FOLDER_TEST_CASE("init: classes of trials that come one after the other, a few, and in each row") {
  const auto made = [&](const CellTexts& label, std::size_t trials = kTrials) {
    return check_runs(folder, folder.write("a.csv", table(
                                                        "trial,label",
                                                        [&](std::size_t trial, std::size_t row) {
                                                          return number(trial) + "," +
                                                                 label(trial, row);
                                                        },
                                                        trials)));
  };
  CHECK_SAYS(made([](std::size_t trial, std::size_t) { return trial < 12 ? "a" : "b"; }),
             "per: trial}");
  CHECK_THAT(made([](std::size_t trial, std::size_t) { return trial == 20 ? "b" : "a"; }),
             ContainsSubstring("# No readout of 'label': not every class is both in the trials") &&
                 !ContainsSubstring("logistic"));
  CHECK_SAYS(made([](std::size_t, std::size_t row) { return row < 20 ? "early" : "late"; }),
             "labels: \"label\"  # a class for each row", "    target: {label: true}\n",
             "    folds: 5 ");
  CHECK_THAT(made([](std::size_t trial, std::size_t) { return kind_of(trial); }, 5),
             ContainsSubstring("960") || ContainsSubstring("in 5 trials"));
}

FOLDER_TEST_CASE(
    "init: a column without a value in one trial is left out, and other gaps are held") {
  std::string text = "trial,x,z,w\n";
  const Column w = remembering(kTrials * kRows, 0.5, 31);
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const Column x = remembering(kRows, 0.7, 700 + trial);
    for (std::size_t row = 0; row < kRows; ++row) {
      text += number(trial) + "," + (row % 11 == 3 ? "" : number_text(x[row])) + "," +
              (trial == 5 ? "NA" : number_text(x[row] * x[row])) + "," +
              number_text(w[kRows * trial + row]) + "\n";
    }
  }
  const std::string yaml = check_runs(folder, folder.write("a.csv", text));
  CHECK_SAYS(yaml, "# Left out since it has no value in one of the trials: 'z'.\n",
             "  columns: [\"x\", \"w\"]\n", "  missing: hold ", "96 of 'x'");
}

FOLDER_TEST_CASE(
    "init: names of trials that doubles cannot tell apart, and files of several trials") {
  std::string yaml = check_runs(
      folder, folder.write("a.csv", table("trial,label", [](std::size_t trial, std::size_t) {
                             return std::to_string((std::int64_t{1} << 53) +
                                                   static_cast<std::int64_t>(trial)) +
                                    "," + kind_of(trial);
                           })));
  CHECK_SAYS(yaml, "in 24 trials");
  for (std::size_t k = 0; k < 4; ++k) {
    folder.write("sub-" + number(k) + ".csv", table(
                                                  "trial,label",
                                                  [](std::size_t trial, std::size_t) {
                                                    return number(trial) + "," + kind_of(trial);
                                                  },
                                                  6));
  }
  yaml = check_runs(folder, folder.path("sub-*.csv"));
  CHECK_SAYS(yaml, "# 960 rows in 24 trials", "  trials: {column: \"trial\"}\n", "per: trial}");
}

FOLDER_TEST_CASE("init: arrays of trials find the labels beside them") {
  constexpr std::size_t channels = 3;
  Column values;
  Column labels;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    std::vector<Column> columns;
    for (std::size_t c = 0; c < channels; ++c)
      columns.push_back(remembering(kRows, 0.8, 300 + channels * trial + c));
    const Column all = rows_of(columns);
    values.insert(values.end(), all.begin(), all.end());
    labels.push_back(kind_of(trial) == "high" ? 1.0 : 0.0);
  }
  const std::string data = folder.write("X_eeg.npy", npy("(24, 40, 3)", values));
  CHECK_THAT(check_runs(folder, data), !ContainsSubstring("\n  labels:"));
  folder.write("y.npy", npy("(23,)", Column(23, 1.0)));  // of other trials
  CHECK_THAT(check_runs(folder, data), !ContainsSubstring("\n  labels:"));
  folder.write(
      "y_eeg.npy",
      npy<std::int64_t>("<i8", "(24,)", std::vector<std::int64_t>(labels.begin(), labels.end())));
  const std::string yaml = check_runs(folder, data);
  CHECK_SAYS(yaml, "  labels: \"y_eeg.npy\"  # a class for each trial", "per: trial}");
  {
    hdf5::File file = hdf5::File::create(folder.path("trials.h5"));
    file.create_dataset("eeg", {.shape = {24, 40, 3}}).write(std::span<const double>(values));
    const std::vector<std::int64_t> classes(labels.begin(), labels.end());
    file.create_dataset("y", {.type = hdf5::Type::int64, .shape = {24}})
        .write(std::span<const std::int64_t>(classes));
    file.close();
  }
  CHECK_SAYS(check_runs(folder, folder.path("trials.h5")),
             "  labels: \"/y\"  # a class for each trial", "per: trial}");
}
