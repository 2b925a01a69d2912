// SPDX-License-Identifier: MIT
// gaia init: an experiment to begin with runs at once, whatever a table is like.
#include <functional>
#include <numeric>

#include "../../../src/io/hdf5.h"
#include "../../support/log_capture.h"
#include "../../support/long_tests.h"
#include "../../support/special_numbers.h"
#include "init_files.h"

using namespace gaia;
using namespace gaia::test;

FOLDER_TEST_CASE("init: a table with dates, semicolons, decimal commas, gaps, text and constants") {
  const gaia::test::LogCapture log;
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
  CHECK_SAYS(yaml, "experiment: \"pump_a__1_\"\n", "path: \"Pump A (1).csv\"\n",
             "columns: [\"flow\", \"pressure\"]\n",
             "# Left out since it never changes: 'serial' (4711.0).\n", "  time: \"timestamp\"\n",
             "  labels: \"state\"  # a class for each row", "    type: logistic\n",
             "# Left out since it has no value: 'unused'.\n", "decimal: \",\"\n",
             "missing: hold               # the last value seen, where values are missing: 22 of "
             "'flow'\n");
  CHECK(log.count(LogLevel::warning, "1 gap in column 'timestamp'") > 0);
}

FOLDER_TEST_CASE("init: one column, with or without a name") {
  const Column walk = remembering(600, 1.0, 3);
  CHECK_SAYS(check_runs(folder, folder.write("walk.csv", csv({walk}, "price\n"))),
             "columns: [\"price\"]\n");
  CHECK_SAYS(check_runs(folder, folder.write("bare.csv", csv({walk}))), "columns: [0]\n");
}

FOLDER_TEST_CASE("init: a forecast is hardly worse than persistence, whatever the shape") {
  const gaia::test::LogCapture log;
  struct Shape {
    std::size_t rows;
    std::size_t columns;
    // In the mean over seeds.  Of 100 rows 40 are trained on, and 30 tell the score, which varies
    // much: of 40 random walks the worst is .65 behind, with 200 rows .08.
    double behind;
  };
  for (const Shape& shape : {Shape{100, 1, 0.06}, Shape{200, 20, 0.03}, Shape{400, 500, 0.02},
                             Shape{1000, 60, 0.02}, Shape{5000, 3, 0.02}}) {
    for (const double memory : {0.8, 1.0}) {
      std::vector<double> gains;
      for (std::uint64_t seed = 0; seed < few_or_many<std::uint64_t>(1, 10); ++seed) {
        std::vector<Column> columns;
        for (std::size_t c = 0; c < shape.columns; ++c) {
          columns.push_back(remembering(shape.rows, memory, 7000 + 1000 * seed + c));
        }
        const std::string dimensions =
            "(" + std::to_string(shape.rows) + ", " + std::to_string(shape.columns) + ")";
        INFO(dimensions << " memory " << memory << " seed " << seed);
        const std::string data = npy(dimensions, rows_of(columns));
        check_runs(folder, folder.write("ar.npy", data), kInfinity, &gains);
      }
      CAPTURE(shape.rows, shape.columns, memory, gains);
      CHECK(std::accumulate(gains.begin(), gains.end(), 0.0) >=
            -shape.behind * static_cast<double>(gains.size()));
    }
  }
}

FOLDER_TEST_CASE("init: more columns than are read, of which each goes its own way") {
  std::vector<Column> columns;
  std::string header;
  for (std::size_t c = 0; c < 300; ++c) {
    columns.push_back(remembering(400, 0.8, 100 + c));
    header += (c == 0 ? "c" : ",c") + std::to_string(c);
  }
  const std::string yaml =
      check_runs(folder, folder.write("wide.csv", csv(columns, header + "\n")));
  CHECK_SAYS(yaml, "\"c7\"]\n", "# 292 more columns could be read;");
}

FOLDER_TEST_CASE("init: an index, a time and a counter are no channels") {
  const gaia::test::LogCapture log;
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
  CHECK_SAYS(yaml, "columns: [\"x\"]\n",
             "it rises by the same step in every row: '0' (1) and 'clock' (0.1).\n",
             "time: \"time\"\n");
  CHECK(log.count(LogLevel::warning, "gaps in column 'time'") > 0);
}

FOLDER_TEST_CASE(
    "init: a class that readouts would not be trained on, and texts that are no classes") {
  const Column x = remembering(400, 0.7, 20);
  std::string text = "x,state,note\n";
  for (std::size_t t = 0; t < 400; ++t) {
    text += number_text(x[t]) + (t < 300 ? t % 2 == 0 ? ",on" : ",off" : ",broken") + ",n" +
            std::to_string(t) + "\n";
  }
  const std::string yaml = check_runs(folder, folder.write("late.csv", text));
  CHECK_SAYS(yaml, "labels: \"state\"");
  CHECK_THAT(yaml, !ContainsSubstring("logistic"));
  CHECK_SAYS(yaml, "# No readout of 'state': not every class is both in the rows",
             "it holds text: 'note' ('n0')");
}

FOLDER_TEST_CASE("init: few rows, noise, names that YAML would take for something else, tabs") {
  const gaia::test::LogCapture log;
  check_runs(folder, folder.write("few.csv", csv({remembering(60, 0.8, 11)}, "x\n")),
             0.2);  // 17 forecasts
  check_runs(folder, folder.write("noise.csv", csv({remembering(500, 0.0, 12)}, "x\n")));
  const std::string yaml = check_runs(
      folder,
      folder.write("no.csv", csv({wave(200, 9.0, 13), wave(200, 5.0, 14), wave(200, 7.0, 15)},
                                 "no\tmm: #1\t2024\n", '\t')));
  CHECK_SAYS(yaml, "experiment: \"no\"\n", "columns: [\"no\", \"mm: #1\", 2024]\n");
  // Names that two columns have.
  CHECK_SAYS(
      check_runs(folder,
                 folder.write("two.csv", csv({wave(200, 9.0, 13), wave(200, 5.0, 14)}, "x,x\n"))),
      "columns: [0]\n", "a column before it has the same name: 'x'.");
  CHECK(log.count(LogLevel::warning, "line 1 is taken for names") > 0);
}

FOLDER_TEST_CASE("init: single samples that are a thousand times larger than others") {
  Column spikes = remembering(2000, 0.5, 16);
  for (std::size_t t = 1200; t < 2000; t += 90) spikes[t] *= 1000.0;
  Column early = remembering(2000, 0.5, 17);
  for (std::size_t t = 100; t < 2000; t += 130) early[t] *= 300.0;
  check_runs(folder, folder.write("spikes.csv", csv({spikes, early}, "a,b\n")));
}

FOLDER_TEST_CASE("init: the data of the examples") {
  for (const char* const name : {"co2_mauna_loa_weekly.csv", "sunspots_yearly.csv"}) {
    check_runs(folder, std::string(GAIA_SOURCE_DIR "/experiments/data/") + name);
  }
}

FOLDER_TEST_CASE("init: recordings and files of MATLAB and NWB") {
  const std::string files = GAIA_SOURCE_DIR "/tests/data/recordings/";
  for (const char* const name : {"plain.edf", "pcm24.wav", "packed.mat", "plain.nwb"}) {
    // They are noise of few rows: that they run is all that counts.
    check_runs(folder, files + name, 2.0);
  }
  const std::string text = initial_experiment({files + "plus.edf"}, folder.path("a.yaml"));
  CHECK_SAYS(text, "  columns: [\"C3\"]\n",
             "# Left out since it has another rate: 'Temp' (2 Hz).\n",
             "# The file tells its rate, 16 Hz: results have a time in seconds.\n");
}

FOLDER_TEST_CASE("init: what is no data is refused, and says why") {
  CHECK_SAYS(refusal_of(folder.path("none.csv")), "none.csv: no such file");
  CHECK_SAYS(refusal_of(folder.path("")), "is a folder");
  CHECK_SAYS(refusal_of(folder.write("e.yaml", "experiment: e\n")), "is an experiment by its name");
  CHECK_SAYS(refusal_of(folder.write("empty.csv", "")), "the file is empty");
  CHECK_SAYS(refusal_of(folder.write("notes.txt", "hello\nworld\n")),
             "is of no known kind; known: .csv, .npy");
  CHECK_SAYS(refusal_of(folder.write("text.csv", "a,b\nx,y\nz,w\n")),
             "text.csv: has no column of numbers that change");
  CHECK_SAYS(refusal_of(folder.write("still.csv", csv({Column(100, 1.0)}, "a\n"))),
             "has no column of numbers that change");
  CHECK_SAYS(refusal_of(folder.write("short.csv", csv({remembering(49, 0.5, 18)}, "a\n"))),
             "has 49 rows; at least 50 are needed");
  CHECK_SAYS(refusal_of(folder.write("ragged.csv", "a,b\n1,2\n3\n")),
             "ragged.csv:3: expected 2 fields");
  CHECK_SAYS(refusal_of(folder.write("x.npz", std::string("PK\x03\x04", 4) + "rest")),
             "is a ZIP archive");
  {
    hdf5::File file = hdf5::File::create(folder.path("r.h5"));
    file.set_attribute("gaia_version", "1.0");
    file.set_attribute("config", "experiment: e");
    file.close();
  }
  CHECK_SAYS(refusal_of(folder.path("r.h5")), "is a result of gaia");
  {
    hdf5::File file = hdf5::File::create(folder.path("s.h5"));
    file.create_dataset("scalar", {.shape = {}});
    file.close();
  }
  CHECK_SAYS(refusal_of(folder.path("s.h5")), "has no dataset of numbers");
}
