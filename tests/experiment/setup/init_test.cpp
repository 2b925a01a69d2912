// SPDX-License-Identifier: MIT
// gaia init: an experiment to begin with runs at once, whatever the data are like.
#include <cmath>
#include <cstring>
#include <functional>

#include "../../../src/core/error.h"
#include "../../../src/core/random.h"
#include "../../../src/core/text.h"
#include "../../../src/experiment/run/run.h"
#include "../../../src/experiment/setup/initial_experiment.h"
#include "../../../src/io/hdf5.h"
#include "../../../src/report/report.h"
#include "../../support/catch.h"
#include "../../support/log_capture.h"
#include "../../support/temp_dir.h"

using namespace gaia;
using Catch::Matchers::ContainsSubstring;
using gaia::test::TempDir;
using Column = std::vector<double>;

namespace {

/// y(t) = share y(t - 1) + noise.
Column remembering(std::size_t rows, double share, std::uint64_t stream) {
  Column x(rows);
  RandomStream{4, stream}.normals(0, x);
  for (std::size_t t = 1; t < rows; ++t) x[t] += share * x[t - 1];
  return x;
}

Column wave(std::size_t rows, double period, std::uint64_t stream) {
  Column x(rows);
  RandomStream{4, stream}.normals(0, x);
  for (std::size_t t = 0; t < rows; ++t) {
    x[t] = 20.0 + 3.0 * std::sin(2.0 * M_PI * static_cast<double>(t) / period) + 0.3 * x[t];
  }
  return x;
}

/// Rows of columns.
std::string csv(const std::vector<Column>& columns, const std::string& header = "",
                char separator = ',') {
  std::string text = header;
  for (std::size_t t = 0; t < columns[0].size(); ++t) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) text += separator;
      text += number_text(columns[c][t]);
    }
    text += "\n";
  }
  return text;
}

std::string npy(const std::string& shape, const Column& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += std::string("\x01\x00", 2);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  const std::size_t begin = file.size();
  file.resize(begin + values.size() * sizeof(double));
  std::memcpy(file.data() + begin, values.data(), values.size() * sizeof(double));
  return file;
}

/// Row after row of columns.
Column rows_of(const std::vector<Column>& columns) {
  Column all;
  for (std::size_t t = 0; t < columns[0].size(); ++t) {
    for (const Column& column : columns) all.push_back(column[t]);
  }
  return all;
}

/// Makes the experiment of a file, runs it to its report and compares its forecast to persistence.
std::string check_runs(const TempDir& folder, const std::string& data, double behind = 0.02) {
  INFO(data);
  const std::string yaml = initial_experiment({data}, folder.path("made.yaml"));
  INFO(yaml);
  Experiment experiment = load_experiment(folder.write("made.yaml", yaml),
                                          {.device = "cpu", .output = folder.path("made.h5")});
  CHECK(experiment.warnings.empty());
  const RunSummary summary = run_experiment(experiment, {.overwrite = true});
  REQUIRE(summary.status == RunStatus::complete);
  REQUIRE_FALSE(summary.readouts.empty());
  for (const ReadoutSummary& readout : summary.readouts) {
    CHECK(readout.score.undefined.empty());
    CHECK(std::isfinite(readout.score.own().value));
  }
  const ReadoutScore& score = summary.readouts[0].score;
  CHECK(score.undefined.empty());
  CHECK(std::isfinite(score.r2));
  CHECK(score.r2 >= score.baseline_r2 - behind);
  for (const LevelSummary& level : summary.levels) CHECK(std::isfinite(level.weight_norm));
  write_report({summary.file}, folder.path("made.html"), true);
  return yaml;
}

std::string refusal_of(const std::string& data) {
  try {
    initial_experiment({data}, "made.yaml");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("init: a table with dates, semicolons, decimal commas, gaps, text and constants") {
  const gaia::test::LogCapture log;
  const TempDir folder;
  const Column flow = wave(800, 24.0, 1);
  const Column pressure = remembering(800, 0.9, 2);
  std::string text = "timestamp;flow;pressure;state;serial;unused\n";
  for (int t = 0; t < 800; ++t) {
    const auto number = [&](double value) {
      std::string written = number_text(value);
      std::replace(written.begin(), written.end(), '.', ',');
      return written;
    };
    const auto row = static_cast<std::size_t>(t);
    // Every half an hour, but for a night.
    const int slot = t < 400 ? t : t + 16;
    const auto two = [](int n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    text += "2024-01-" + two(1 + slot / 48) + "T" + two(slot / 2 % 24) +
            (slot % 2 ? ":30;" : ":00;") + (t % 37 == 5 ? "" : number(flow[row])) + ";" +
            number(pressure[row]) + ";" + (t % 100 < 30 ? "idle" : "running") + ";4711;\n";
  }
  const std::string yaml = check_runs(folder, folder.write("Pump A (1).csv", text));
  CHECK_THAT(yaml, ContainsSubstring("experiment: \"pump_a__1_\"\n"));
  CHECK_THAT(yaml, ContainsSubstring("path: \"Pump A (1).csv\"\n"));
  CHECK_THAT(yaml, ContainsSubstring("columns: [\"flow\", \"pressure\"]\n"));
  CHECK_THAT(yaml, ContainsSubstring("# Left out since it never changes: 'serial' (4711.0).\n"));
  CHECK_THAT(yaml, ContainsSubstring("  time: \"timestamp\"\n"));
  CHECK_THAT(yaml, ContainsSubstring("  labels: \"state\"  # a class for each row"));
  CHECK_THAT(yaml, ContainsSubstring("    type: logistic\n"));
  CHECK_THAT(yaml, ContainsSubstring("# Left out since it has no value: 'unused'.\n"));
  CHECK_THAT(yaml, ContainsSubstring("decimal: \",\"\n"));
  CHECK_THAT(yaml, ContainsSubstring("missing: interpolate        # linearly, where values are "
                                     "missing: 22 of 'flow'\n"));
  CHECK(log.count(LogLevel::warning, "1 gap in column 'timestamp'") > 0);
}

TEST_CASE("init: one column, with or without a name") {
  const TempDir folder;
  const Column walk = remembering(600, 1.0, 3);
  CHECK_THAT(check_runs(folder, folder.write("walk.csv", csv({walk}, "price\n"))),
             ContainsSubstring("columns: [\"price\"]\n"));
  CHECK_THAT(check_runs(folder, folder.write("bare.csv", csv({walk}))),
             ContainsSubstring("columns: [0]\n"));
}

TEST_CASE("init: a forecast is hardly worse than persistence, whatever the shape") {
  const gaia::test::LogCapture log;
  const TempDir folder;
  struct Shape {
    std::size_t rows;
    std::size_t columns;
    double behind;  // of 100 rows 40 are trained on, and 30 tell the score
  };
  for (const Shape& shape : {Shape{100, 1, 0.06}, Shape{200, 20, 0.03}, Shape{400, 500, 0.02},
                             Shape{1000, 60, 0.02}, Shape{5000, 3, 0.02}}) {
    for (const double memory : {0.8, 1.0}) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        std::vector<Column> columns;
        for (std::size_t c = 0; c < shape.columns; ++c) {
          columns.push_back(remembering(shape.rows, memory, 7000 + 1000 * seed + c));
        }
        const std::string dimensions =
            "(" + std::to_string(shape.rows) + ", " + std::to_string(shape.columns) + ")";
        INFO(dimensions << " memory " << memory << " seed " << seed);
        const std::string data = npy(dimensions, rows_of(columns));
        check_runs(folder, folder.write("ar.npy", data), shape.behind);
      }
    }
  }
}

TEST_CASE("init: more columns than are read, of which each goes its own way") {
  const TempDir folder;
  std::vector<Column> columns;
  std::string header;
  for (std::size_t c = 0; c < 300; ++c) {
    columns.push_back(remembering(400, 0.8, 100 + c));
    header += (c == 0 ? "c" : ",c") + std::to_string(c);
  }
  const std::string yaml =
      check_runs(folder, folder.write("wide.csv", csv(columns, header + "\n")));
  CHECK_THAT(yaml, ContainsSubstring("\"c7\"]\n"));
  CHECK_THAT(yaml, ContainsSubstring("# 292 more columns could be read;"));
}

TEST_CASE("init: arrays of NumPy, of one and of several columns") {
  const gaia::test::LogCapture log;
  const TempDir folder;
  const std::vector<Column> columns = {wave(700, 30.0, 5), remembering(700, 0.5, 6),
                                       Column(700, 2.5)};
  const std::string yaml =
      check_runs(folder, folder.write("a.npy", npy("(700, 3)", rows_of(columns))));
  CHECK_THAT(yaml, ContainsSubstring("columns: [0, 1]\n"));
  CHECK_THAT(yaml, ContainsSubstring("'2' (2.5)"));
  const std::string one = check_runs(folder, folder.write("b.npy", npy("(700,)", columns[0])));
  CHECK_THAT(one, !ContainsSubstring("columns:"));
  // Rows that are channels.
  Column across = columns[0];
  across.insert(across.end(), columns[1].begin(), columns[1].end());
  const std::string two = check_runs(folder, folder.write("c.npy", npy("(2, 700)", across)));
  CHECK_THAT(two, ContainsSubstring("  transpose: true "));
  CHECK(log.count(LogLevel::warning, "its 700 columns far outnumber its 2 rows") > 0);
}

TEST_CASE("init: arrays of three axes are trials") {
  const TempDir folder;
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
  CHECK_THAT(one, ContainsSubstring("# 960 rows in 12 trials, 4 columns of numbers"));
  CHECK_THAT(one, ContainsSubstring("  trials: {axes: [trial, time, channel]}\n"));
  CHECK_THAT(one, ContainsSubstring("  columns: [0, 1, 2, 4]\n"));
  CHECK_THAT(one, ContainsSubstring("# labels: labels.npy "));
  // The levels learn from whole trials, three of which are before the first that is trained on.
  const auto learnt = std::stoll(one.substr(one.find("cosine_to: ") + 11));
  const auto window = std::stoll(one.substr(one.find("window: ") + 8));
  CHECK(learnt == 3 * (80 - window + 1));
  const std::string other =
      check_runs(folder, folder.write("across.npy", npy("(12, 5, 80)", across)));
  CHECK_THAT(other, ContainsSubstring("  trials: {axes: [trial, channel, time]}\n"));
  {
    hdf5::File file = hdf5::File::create(folder.path("trials.h5"));
    hdf5::Dataset dataset = file.create_dataset("eeg", {.shape = {12, 5, 80}});
    dataset.write(std::span<const double>(across));
    file.close();
  }
  const std::string third = check_runs(folder, folder.path("trials.h5"));
  CHECK_THAT(third, ContainsSubstring("dataset: \"/eeg\"\n"));
  CHECK_THAT(third, ContainsSubstring("  trials: {axes: [trial, channel, time]}\n"));
}

TEST_CASE("init: nothing of the trials that a readout is judged on has a say in its choice") {
  const TempDir folder;
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

TEST_CASE("init: several files, by their names or a pattern") {
  const TempDir folder;
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
    CHECK_THAT(yaml, ContainsSubstring("  time: \"time\"\n"));
    CHECK_THAT(yaml, ContainsSubstring("  columns: [\"flow\", \"pressure\"]\n"));
    CHECK_THAT(yaml, ContainsSubstring("  labels: \"state\""));
    CHECK_THAT(yaml, ContainsSubstring("    type: logistic\n"));
  };
  const std::string all = check_runs(folder, folder.path("run*.csv"));
  lists(all);
  CHECK_THAT(all, ContainsSubstring("experiment: \"run\"\n"));
  CHECK_THAT(all, ContainsSubstring("path: \"run*.csv\"\n"));
  CHECK_THAT(all, ContainsSubstring("# 850 rows in 5 trials, 2 columns"));
  CHECK_THAT(all, ContainsSubstring("1 of 'pressure'\n"));
  // From the first file, 150 rows, of which each sample has eight.
  CHECK_THAT(all, ContainsSubstring("  window: 8 "));
  CHECK_THAT(all, ContainsSubstring("  schedule: {cosine_to: 143}\n"));
  const std::string two = initial_experiment({folder.path("run 3.csv"), folder.path("run 1.csv")},
                                             folder.path("t.yaml"));
  CHECK_THAT(two, ContainsSubstring("for 'run 3.csv' and 1 more:\n"));
  CHECK_THAT(two, ContainsSubstring("files: [\"run 3.csv\", \"run 1.csv\"]  # each is a trial\n"));
  Experiment experiment = load_experiment(folder.write("t.yaml", two),
                                          {.device = "cpu", .output = folder.path("t.h5")});
  CHECK(run_experiment(experiment, {}).status == RunStatus::complete);
  CHECK(experiment_name("there/sub-*.csv") == "sub-");
  CHECK(experiment_name("there/*.csv") == "there");
  CHECK(experiment_name("*.csv") == "experiment");
  CHECK_THAT(refusal_of(folder.path("walk*.csv")), ContainsSubstring("no file fits"));
  folder.write("run 5.csv", npy("(60,)", wave(60, 20.0, 1)));
  CHECK_THAT(refusal_of(folder.path("run*.csv")), ContainsSubstring("is of another kind than"));
}

TEST_CASE("init: HDF5 with names, and netCDF with a coordinate and several variables") {
  const TempDir folder;
  const std::vector<Column> columns = {wave(500, 12.0, 7), remembering(500, 0.9, 8)};
  {
    hdf5::File file = hdf5::File::create(folder.path("named.h5"));
    hdf5::Dataset dataset = file.create_group("trial").create_dataset("x", {.shape = {500, 2}});
    dataset.write(std::span<const double>(rows_of(columns)));
    dataset.set_attribute("columns", "left,right");
    file.close();
  }
  const std::string named = check_runs(folder, folder.path("named.h5"));
  CHECK_THAT(named, ContainsSubstring("dataset: \"/trial/x\"\n"));
  CHECK_THAT(named, ContainsSubstring("'left', "));
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
  CHECK_THAT(grid, ContainsSubstring("dataset: \"/salinity\"\n"));
  CHECK_THAT(grid, ContainsSubstring("time: \"/time\"\n"));
  CHECK_THAT(grid, ContainsSubstring("# Others in the file that could be read: '/temperature'.\n"));
}

TEST_CASE("init: an index, a time and a counter are no channels") {
  const gaia::test::LogCapture log;
  const TempDir folder;
  Column time(300);
  Column count(300);
  Column seconds = remembering(300, 0.5, 9);
  for (std::size_t t = 0; t < 300; ++t) {
    time[t] = 0.1 * static_cast<double>(t);
    count[t] = static_cast<double>(t);
    seconds[t] = static_cast<double>(t * t) + 0.5;
  }
  const std::string yaml = check_runs(
      folder, folder.write("t.csv", csv({count, time, seconds, remembering(300, 0.7, 10)},
                                        ",clock,time,x\n")));
  CHECK_THAT(yaml, ContainsSubstring("columns: [\"x\"]\n"));
  CHECK_THAT(yaml, ContainsSubstring("it rises by the same step in every row: '0' (1) and 'clock' "
                                     "(0.1).\n"));
  CHECK_THAT(yaml, ContainsSubstring("time: \"time\"\n"));
  CHECK(log.count(LogLevel::warning, "gaps in column 'time'") > 0);
}

TEST_CASE("init: a class that readouts would not be trained on, and texts that are no classes") {
  const TempDir folder;
  const Column x = remembering(400, 0.7, 20);
  std::string text = "x,state,note\n";
  for (std::size_t t = 0; t < 400; ++t) {
    text += number_text(x[t]) + (t < 300 ? t % 2 == 0 ? ",on" : ",off" : ",broken") + ",n" +
            std::to_string(t) + "\n";
  }
  const std::string yaml = check_runs(folder, folder.write("late.csv", text));
  CHECK_THAT(yaml, ContainsSubstring("labels: \"state\""));
  CHECK_THAT(yaml, !ContainsSubstring("logistic"));
  CHECK_THAT(yaml,
             ContainsSubstring("# No readout of 'state': not every class is both in the rows"));
  CHECK_THAT(yaml, ContainsSubstring("it holds text: 'note' ('n0')"));
}

TEST_CASE("init: pictures, with the file of their classes beside them or without") {
  const TempDir folder;
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
    const RunSummary summary = run_experiment(experiment, {.overwrite = true});
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
  CHECK_THAT(both, ContainsSubstring("labels: \"bars-labels-idx1-ubyte\"\n") &&
                       ContainsSubstring("target: {label: true}\n"));
}

TEST_CASE("init: few rows, noise, names that YAML would take for something else, tabs") {
  const gaia::test::LogCapture log;
  const TempDir folder;
  check_runs(folder, folder.write("few.csv", csv({remembering(60, 0.8, 11)}, "x\n")),
             0.2);  // 17 forecasts
  check_runs(folder, folder.write("noise.csv", csv({remembering(500, 0.0, 12)}, "x\n")));
  const std::string yaml = check_runs(
      folder,
      folder.write("no.csv", csv({wave(200, 9.0, 13), wave(200, 5.0, 14), wave(200, 7.0, 15)},
                                 "no\tmm: #1\t2024\n", '\t')));
  CHECK_THAT(yaml, ContainsSubstring("experiment: \"no\"\n"));
  CHECK_THAT(yaml, ContainsSubstring("columns: [\"no\", \"mm: #1\", 2024]\n"));
  // Names that two columns have.
  CHECK_THAT(
      check_runs(folder,
                 folder.write("two.csv", csv({wave(200, 9.0, 13), wave(200, 5.0, 14)}, "x,x\n"))),
      ContainsSubstring("columns: [0]\n") &&
          ContainsSubstring("a column before it has the same name: 'x'."));
  CHECK(log.count(LogLevel::warning, "line 1 is taken for names") > 0);
}

TEST_CASE("init: single samples that are a thousand times larger than others") {
  const TempDir folder;
  Column spikes = remembering(2000, 0.5, 16);
  for (std::size_t t = 1200; t < 2000; t += 90) spikes[t] *= 1000.0;
  Column early = remembering(2000, 0.5, 17);
  for (std::size_t t = 100; t < 2000; t += 130) early[t] *= 300.0;
  check_runs(folder, folder.write("spikes.csv", csv({spikes, early}, "a,b\n")));
}

TEST_CASE("init: the data of the examples") {
  const TempDir folder;
  for (const char* const name : {"co2_mauna_loa_weekly.csv", "sunspots_yearly.csv"}) {
    check_runs(folder, std::string(GAIA_SOURCE_DIR "/experiments/data/") + name);
  }
}

TEST_CASE("init: what is no data is refused, and says why") {
  const TempDir folder;
  CHECK_THAT(refusal_of(folder.path("none.csv")), ContainsSubstring("none.csv: no such file"));
  CHECK_THAT(refusal_of(folder.path("")), ContainsSubstring("is a folder"));
  CHECK_THAT(refusal_of(folder.write("e.yaml", "experiment: e\n")),
             ContainsSubstring("is an experiment by its name"));
  CHECK_THAT(refusal_of(folder.write("empty.csv", "")), ContainsSubstring("the file is empty"));
  CHECK_THAT(refusal_of(folder.write("notes.txt", "hello\nworld\n")),
             ContainsSubstring("is of no known kind; known: .csv, .npy"));
  CHECK_THAT(refusal_of(folder.write("text.csv", "a,b\nx,y\nz,w\n")),
             ContainsSubstring("text.csv: has no column of numbers that change"));
  CHECK_THAT(refusal_of(folder.write("still.csv", csv({Column(100, 1.0)}, "a\n"))),
             ContainsSubstring("has no column of numbers that change"));
  CHECK_THAT(refusal_of(folder.write("short.csv", csv({remembering(49, 0.5, 18)}, "a\n"))),
             ContainsSubstring("has 49 rows; at least 50 are needed"));
  CHECK_THAT(refusal_of(folder.write("ragged.csv", "a,b\n1,2\n3\n")),
             ContainsSubstring("ragged.csv:3: expected 2 fields"));
  CHECK_THAT(refusal_of(folder.write("x.npz", std::string("PK\x03\x04", 4) + "rest")),
             ContainsSubstring("is a ZIP archive"));
  {
    hdf5::File file = hdf5::File::create(folder.path("r.h5"));
    file.set_attribute("gaia_version", "1.0");
    file.set_attribute("config", "experiment: e");
    file.close();
  }
  CHECK_THAT(refusal_of(folder.path("r.h5")), ContainsSubstring("is a result of gaia"));
  {
    hdf5::File file = hdf5::File::create(folder.path("s.h5"));
    file.create_dataset("scalar", {.shape = {}});
    file.close();
  }
  CHECK_THAT(refusal_of(folder.path("s.h5")), ContainsSubstring("has no dataset of numbers"));
}
