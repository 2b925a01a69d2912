// SPDX-License-Identifier: MIT
// gaia init: arrays, several files, HDF5 and pictures, as experiments that run at once.
#include <filesystem>

#include "../../../src/io/hdf5.h"
#include "../../support/log_capture.h"
#include "../../support/png_file.h"
#include "init_files.h"

using namespace gaia;
using namespace gaia::test;

FOLDER_TEST_CASE("init: arrays of NumPy, of one and of several columns") {
  const gaia::test::LogCapture log;
  const std::vector<Column> columns = {wave(700, 30.0, 5), remembering(700, 0.5, 6),
                                       Column(700, 2.5)};
  const std::string yaml =
      check_runs(folder, folder.write("a.npy", npy("(700, 3)", rows_of(columns))));
  CHECK_SAYS(yaml, "columns: [0, 1]\n", "'2' (2.5)");
  const std::string one = check_runs(folder, folder.write("b.npy", npy("(700,)", columns[0])));
  CHECK_THAT(one, !ContainsSubstring("columns:"));
  // Rows that are channels.
  Column across = columns[0];
  across.insert(across.end(), columns[1].begin(), columns[1].end());
  const std::string two = check_runs(folder, folder.write("c.npy", npy("(2, 700)", across)));
  CHECK_SAYS(two, "  transpose: true ");
  CHECK(log.count(LogLevel::warning, "its 700 columns far outnumber its 2 rows") > 0);
}

FOLDER_TEST_CASE("init: arrays of three axes are trials") {
  constexpr std::size_t trials = 12;
  constexpr std::size_t times = 80;
  constexpr std::size_t channels = 5;
  // By trial, time and channel; and by trial, channel and time.
  Column rows;
  Column across;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    std::vector<Column> columns;
    for (std::size_t c = 0; c < channels; ++c) {
      columns.push_back(c == 3 ? Column(times, 1.5)
                               : remembering(times, 0.9, 300 + channels * trial + c));
      across.insert(across.end(), columns.back().begin(), columns.back().end());
    }
    const Column all = rows_of(columns);
    rows.insert(rows.end(), all.begin(), all.end());
  }
  const std::string one = check_runs(folder, folder.write("trials.npy", npy("(12, 80, 5)", rows)));
  CHECK_SAYS(one, "# 960 rows in 12 trials, 4 columns of numbers",
             "  trials: {axes: [trial, time, channel]}\n", "  columns: [0, 1, 2, 4]\n",
             "# labels: labels.npy ");
  // The levels learn from whole trials, three of which are before the first that is trained on.
  const auto learnt = std::stoll(one.substr(one.find("cosine_to: ") + 11));
  const auto window = std::stoll(one.substr(one.find("window: ") + 8));
  CHECK(learnt == 3 * (80 - window + 1));
  const std::string other =
      check_runs(folder, folder.write("across.npy", npy("(12, 5, 80)", across)));
  CHECK_SAYS(other, "  trials: {axes: [trial, channel, time]}\n");
  {
    hdf5::File file = hdf5::File::create(folder.path("trials.h5"));
    hdf5::Dataset dataset = file.create_dataset("eeg", {.shape = {12, 5, 80}});
    dataset.write(std::span<const double>(across));
    file.close();
  }
  const std::string third = check_runs(folder, folder.path("trials.h5"));
  CHECK_SAYS(third, "dataset: \"/eeg\"\n", "  trials: {axes: [trial, channel, time]}\n");
}

FOLDER_TEST_CASE(
    "init: nothing of the trials that a readout is judged on has a say in its choice") {
  // Ten trials, of which the last three, more than half of the rows, are of another kind.
  const auto make = [&](double share) {
    for (std::size_t k = 0; k < 10; ++k) {
      const std::size_t length = k < 7 ? 60 : 200;
      const Column x = remembering(length, k < 7 ? 0.9 : share, 40 + k);
      folder.write("r" + std::to_string(k) + ".csv", csv({x}, "x\n"));
    }
    return initial_experiment({folder.path("r*.csv")}, folder.path("made.yaml"));
  };
  CHECK(make(0.1) == make(0.97));
}

FOLDER_TEST_CASE("init: several files, by their names or a pattern") {
  for (std::size_t k = 0; k < 5; ++k) {
    const std::size_t rows = 150 + 10 * k;
    std::string text = k == 2 ? "pressure,flow,note,time,state\n" : "time,flow,pressure,state\n";
    const Column flow = wave(rows, 20.0, 60 + k);
    const Column pressure = remembering(rows, 0.9, 80 + k);
    for (std::size_t t = 0; t < rows; ++t) {
      // Every file begins at 0 again; one has its columns in another order, and one more.
      const std::string time = number_text(0.5 * static_cast<double>(t));
      const std::string state = t % 40 < 20 ? "on" : "off";
      const std::string p = k == 4 && t == 9 ? "" : number_text(pressure[t]);
      text += k == 2 ? p + "," + number_text(flow[t]) + ",x," + time + "," + state + "\n"
                     : time + "," + number_text(flow[t]) + "," + p + "," + state + "\n";
    }
    folder.write("run " + std::to_string(k) + ".csv", text);
  }
  const auto lists = [](const std::string& yaml) {
    CHECK_SAYS(yaml, "  time: \"time\"\n", "  columns: [\"flow\", \"pressure\"]\n",
               "  labels: \"state\"", "    type: logistic\n");
  };
  const std::string all = check_runs(folder, folder.path("run*.csv"));
  lists(all);
  CHECK_SAYS(all, "experiment: \"run\"\n", "path: \"run*.csv\"\n",
             "# 850 rows in 5 trials, 2 columns", "1 of 'pressure'\n");
  // From the first file, 150 rows, of which each sample has eight.
  CHECK_SAYS(all, "  window: 8 ", "  schedule: {cosine_to: 143}\n");
  const std::string two = initial_experiment({folder.path("run 3.csv"), folder.path("run 1.csv")},
                                             folder.path("t.yaml"));
  CHECK_SAYS(two, "for 'run 3.csv' and 1 more:\n",
             "files: [\"run 3.csv\", \"run 1.csv\"]  # each is a trial\n");
  Experiment experiment = load_experiment(folder.write("t.yaml", two),
                                          {.device = "cpu", .output = folder.path("t.h5")});
  CHECK(run_hierarchy(experiment, {}).status == RunStatus::complete);
  CHECK(experiment_name("there/sub-*.csv") == "sub-");
  CHECK(experiment_name("there/*.csv") == "there");
  CHECK(experiment_name("*.csv") == "experiment");
  CHECK_SAYS(refusal_of(folder.path("walk*.csv")), "no file fits");
  folder.write("run 5.csv", npy("(60,)", wave(60, 20.0, 1)));
  CHECK_SAYS(refusal_of(folder.path("run*.csv")), "is of another kind than");
}

FOLDER_TEST_CASE("init: HDF5 with names, and netCDF with a coordinate and several variables") {
  const std::vector<Column> columns = {wave(500, 12.0, 7), remembering(500, 0.9, 8)};
  {
    hdf5::File file = hdf5::File::create(folder.path("named.h5"));
    hdf5::Dataset dataset = file.create_group("trial").create_dataset("x", {.shape = {500, 2}});
    dataset.write(std::span<const double>(rows_of(columns)));
    dataset.set_attribute("columns", "left,right");
    file.close();
  }
  const std::string named = check_runs(folder, folder.path("named.h5"));
  CHECK_SAYS(named, "dataset: \"/trial/x\"\n", "'left', ");
  {
    hdf5::File file = hdf5::File::create(folder.path("grid.nc"));
    hdf5::Dataset time = file.create_dataset("time", {.shape = {500}});
    Column hours(500);
    for (std::size_t t = 0; t < 500; ++t) hours[t] = static_cast<double>(t);
    time.write(std::span<const double>(hours));
    time.make_scale("time");
    for (const char* const name : {"salinity", "temperature"}) {
      hdf5::Dataset dataset = file.create_dataset(name, {.shape = {500}});
      dataset.write(std::span<const double>(columns[name[0] == 's' ? 0 : 1]));
      dataset.attach_scale(0, time);
    }
    file.close();
  }
  const std::string grid = check_runs(folder, folder.path("grid.nc"));
  CHECK_SAYS(grid, "dataset: \"/salinity\"\n", "time: \"/time\"\n",
             "# Others in the file that could be read: '/temperature'.\n");
}

FOLDER_TEST_CASE("init: pictures, with the file of their classes beside them or without") {
  // Bars that lie or stand, with noise.
  const auto big_endian = [](std::uint32_t n) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(n >> shift & 0xff);
    return bytes;
  };
  constexpr std::uint32_t count = 300;
  std::string pictures =
      std::string("\0\0\x08\x03", 4) + big_endian(count) + big_endian(9) + big_endian(8);
  std::string classes = std::string("\0\0\x08\x01", 4) + big_endian(count);
  const RandomStream random{4, 30};
  for (std::uint32_t n = 0; n < count; ++n) {
    const bool stands = random.integer(n, 2) == 1;
    const std::int64_t place = random.integer(1000 + n, 8);
    classes += static_cast<char>(stands);
    for (std::int64_t i = 0; i < 72; ++i) {
      const bool is_bar = (stands ? i % 8 : i / 8) == place;
      pictures += static_cast<char>(
          is_bar ? 200 : random.integer(5000 + 72 * n + static_cast<std::uint64_t>(i), 60));
    }
  }
  const auto run = [&](const std::string& data) {
    const std::string yaml = initial_experiment({data}, folder.path("made.yaml"));
    INFO(yaml);
    Experiment experiment = load_experiment(
        folder.write("made.yaml", yaml),
        {.set = {"hierarchy.epochs=1"}, .device = "cpu", .output = folder.path("made.h5")});
    CHECK(experiment.warnings.empty());
    const HierarchySummary summary = run_hierarchy(experiment, {.overwrite = true});
    CHECK(summary.status == RunStatus::complete);
    for (const ReadoutSummary& readout : summary.readouts) {
      CHECK(std::isfinite(readout.score.accuracy));
    }
    write_report({summary.file}, folder.path("made.html"), true);
    return yaml;
  };
  const std::string alone = run(folder.write("alone.idx", pictures));
  CHECK_THAT(alone, ContainsSubstring("patch: 8 ") && !ContainsSubstring("readouts"));
  folder.write("bars-labels-idx1-ubyte", classes);
  const std::string both = run(folder.write("bars-images-idx3-ubyte", pictures));
  CHECK_SAYS(both, "labels: \"bars-labels-idx1-ubyte\"\n", "target: {label: true}\n");
#ifdef GAIA_HAS_PNG
  // The same as PNG files, of each class in a folder.
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::string to = std::string("bars/") + (classes[8 + n] == 1 ? "stands" : "lies");
    std::filesystem::create_directories(folder.path(to));
    folder.write(
        to + "/" + std::to_string(n) + ".png",
        gaia::test::PngFile{.height = 9, .width = 8, .rows = pictures.substr(16 + 72 * n, 72)}
            .bytes());
  }
  const std::string classed = run(folder.path("bars/"));
  CHECK_THAT(classed, ContainsSubstring("folder: \"bars\"\n") &&
                          ContainsSubstring("target: {label: true}\n") &&
                          ContainsSubstring("split: 0.7") && !ContainsSubstring("labels:"));
  // Pictures to test with judge, if there are any.
  for (const char* const part : {"parts/train", "parts/test"}) {
    std::filesystem::create_directories(folder.path(part));
    std::filesystem::copy(folder.path("bars"), folder.path(part),
                          std::filesystem::copy_options::recursive);
  }
  CHECK_THAT(run(folder.path("parts")), ContainsSubstring("folder: \"parts\"\n") &&
                                            ContainsSubstring("# 300 pictures of 9 x 8 pixels") &&
                                            !ContainsSubstring("split:"));
  const std::string one = run(folder.path("bars/lies"));
  CHECK_THAT(one, ContainsSubstring("patch: 8 ") && !ContainsSubstring("readouts"));
#endif
}
