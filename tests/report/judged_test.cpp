// SPDX-License-Identifier: MIT
#include "../../src/report/judged.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "../../src/core/error.h"
#include "../../src/experiment/run/hierarchy_run.h"
#include "../../src/experiment/sweep/seed_verdict.h"
#include "../../src/io/hdf5.h"
#include "../../src/report/paper.h"
#include "../../src/report/report.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"

using namespace gaia;
using namespace gaia::report;

using Catch::Matchers::StartsWith;

namespace {

const std::string kText =
    "experiment: stream\n"
    "device: cpu\n"
    "data: {source: generator, kind: ornstein_uhlenbeck, tau: [5, 40], channels: 3, noise: 0.1, "
    "steps: 400}\n"
    "hierarchy:\n"
    "  levels: [{layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.002}]}]\n"
    "readouts: [{name: one, target: {channel: 1, horizon: 2}, levels: [0]}]\n";

std::string printed(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%9.4f", value);
  return text;
}

/// The numbers of a path, "M1 2L3 4Z".
std::vector<double> numbers_of(const std::string& path) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < path.size();) {
    char* end = nullptr;
    const double number = std::strtod(path.c_str() + i, &end);
    if (end == path.c_str() + i) {
      ++i;
      continue;
    }
    numbers.push_back(number);
    i = static_cast<std::size_t>(end - path.c_str());
  }
  return numbers;
}

/// The path of the first element of these classes behind a place.
std::vector<double> path_behind(const std::string& page, std::size_t from,
                                const std::string& classes) {
  const std::size_t begin = page.find("class=\"" + classes + "\"", from);
  REQUIRE(begin != std::string::npos);
  const std::size_t d = page.find(" d=\"", begin) + 4;
  return numbers_of(page.substr(d, page.find('"', d) - d));
}

JudgedRuns two_seeds() {
  ReadoutOverSeeds readout{
      .name = "digit", .target = "the classes", .measure = "accuracy", .scores = {0.9, 0.8}};
  readout.others.push_back(
      {.name = "frozen", .title = "frozen weights", .is_control = true, .scores = {0.5, 0.85}});
  readout.others.push_back({.name = "majority", .title = "[most] & *all*", .scores = {0.1, 0.1}});
  readout.compare();
  JudgedRuns runs{.experiment = "a_b\n50%", .all = {}};
  runs.all.push_back({.settings = {}, .seeds = "seeds 1 to 2", .readouts = {readout}});
  return runs;
}

}  // namespace

TEST_CASE("tables have the run and all that it is compared with, in what each format can hold") {
  const JudgedRuns runs = two_seeds();
  const std::string csv = judged_table(runs, "csv");
  const std::string begin = "\"a_b\n50%\",digit,the classes,accuracy,test,1,";
  CHECK_THAT(csv, StartsWith("experiment,readout,target,measure,part,units,name,title,kind,seeds,"
                             "mean,standard_deviation,ahead,behind,compared,difference_mean,"
                             "difference_standard_deviation,sign_test_p\n" +
                             begin + "run,this run,run,2,"));
  // The numbers of a row behind "control,": seeds, mean, ...
  const auto numbers = [&](const std::string& of) {
    const std::size_t at = csv.find(begin + of) + begin.size() + of.size();
    return numbers_of(csv.substr(at, csv.find('\n', at) - at));
  };
  const auto near = [](const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]));
  };
  near(numbers("run,this run,run,"), {2, 0.85, std::sqrt(0.005)});
  near(numbers("frozen,frozen weights,control,"),
       {2, 0.675, std::sqrt(0.06125), 1, 1, 2, 0.175, std::sqrt(0.10125), 1});
  near(numbers("majority,[most] & *all*,baseline,"),
       {2, 0.1, 0, 2, 0, 2, 0.75, std::sqrt(0.005), 0.5});
  const std::string latex = judged_table(runs, "latex");
  CHECK_SAYS(
      latex, "\\caption{a\\_b 50\\%, seeds 1 to 2: mean $\\pm$ ",
      "  this run & 0.850 $\\pm$ 0.071 &  &  &  \\\\\n",
      "  frozen weights & 0.68 $\\pm$ 0.25 & 1 of 2 & 0.18 $\\pm$ 0.32 & 1 \\\\\n",
      "  {[}most{]} \\& {*}all{*} & 0.100 $\\pm$ 0.000 & 2 of 2 & 0.750 $\\pm$ 0.071 & 0.5 \\\\\n");
  CHECK_SAYS(judged_table(runs, "markdown"),
             "| frozen weights | 0.68 ± 0.25 | 1 of 2 | 0.18 ± 0.32 | 1 |\n",
             "| \\[most\\] \\& \\*all\\* | ");
  CHECK_THROWS_WITH(judged_table(runs, "latx"), ContainsSubstring("did you mean 'latex'?"));
}

TEST_CASE("a drawing for papers needs no style sheet, and a PDF of it is whole") {
  const std::string drawing = judged_figure(two_seeds());
  const std::string svg = paper_svg(drawing);
  CHECK_THAT(svg, !ContainsSubstring("class=") && ContainsSubstring("width=\"252pt\"") &&
                      ContainsSubstring(">accuracy (share told right)</text>"));
  const std::string pdf = paper_pdf(drawing);
  CHECK_SAYS(pdf, "(accuracy \\(share told right\\)) Tj");
  const std::size_t table = pdf.find("\nxref\n") + 1;
  CHECK_SAYS(pdf, "startxref\n" + std::to_string(table) + "\n");
  // Letters that a reader's Helvetica has not are shown as such; powers of ten can be read.
  const std::string odd = paper_pdf(
      "<svg viewBox=\"0 0 10 10\">\n<text x=\"1\" y=\"2\" class=\"tick\" text-anchor=\"end\">"
      "10⁻¹² ± é Ω (x)</text>\n</svg>\n");
  CHECK_SAYS(odd, "(10^-12 \xB1 \xE9 ? \\(x\\)) Tj");
  JudgedRuns none = two_seeds();
  none.all.front().readouts.front().spread.count = 0;
  CHECK(judged_figure(none).empty());
}

FOLDER_TEST_CASE(
    "scores along the stream are read, joined over seeds and drawn as curves with a band") {
  const std::string file = folder.write("e.yaml", kText);
  const std::string path = folder.path("v.h5");
  const SeedVerdict verdict = verdict_over_seeds(file, {.output = path}, {.seeds = 3});
  REQUIRE(verdict.readouts.size() == 1);
  // The windows of single runs with these seeds, one by one.
  std::vector<std::vector<double>> own;
  std::vector<double> steps;
  for (std::int64_t seed = 0; seed < 3; ++seed) {
    Experiment experiment =
        load_experiment(file, {.seed = std::to_string(seed), .output = folder.path("r.h5")});
    run_hierarchy(experiment, {.overwrite = true});
    const hdf5::File result = hdf5::File::open(folder.path("r.h5"));
    own.push_back(result.open_dataset("readouts/one/windows/r2").read<double>());
    steps = result.open_dataset("readouts/one/windows/step").read<double>();
  }
  REQUIRE(steps.size() > 2);
  const hdf5::File stored = hdf5::File::open(path);
  const hdf5::Dataset table = stored.open_dataset("readouts/one/windows/r2");
  CHECK(table.shape() == std::vector<std::int64_t>{3, std::ssize(steps)});
  CHECK(table.scales() == std::vector<std::string>{"seed", "step"});
  CHECK(stored.open_group("readouts/one/controls/frozen/windows").has_dataset("r2"));
  const std::vector<double> values = table.read<double>();
  for (std::size_t seed = 0; seed < 3; ++seed) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CHECK(values[seed * steps.size() + i] == own[seed][i]);
    }
  }
  // The first and the last window, as the command prints them.
  const auto mean_at = [&](std::size_t i) { return (own[0][i] + own[1][i] + own[2][i]) / 3.0; };
  const std::string text = verdict_table(verdict);
  const std::size_t at = text.find("along the stream, r2: ");
  REQUIRE(at != std::string::npos);
  CHECK_SAYS(text.substr(at), printed(mean_at(0)), printed(mean_at(steps.size() - 1)));
  // The page: line and band lie where the numbers are.
  const std::string page = report_page({path});
  const std::string figure = "id=\"fig-windows-one\"";
  CHECK_SAYS(page, figure, "Means over 3 seeds");
  const std::size_t view = page.find("<svg class=\"view\"", page.find(figure));
  const auto attribute = [&](const std::string& name) {
    const std::size_t begin = page.find(" " + name + "=\"", view) + name.size() + 3;
    return std::strtod(page.c_str() + begin, nullptr);
  };
  const double low = attribute("data-y0");
  const double high = attribute("data-y1");
  const std::vector<double> line = path_behind(page, view, "line c0 bold");
  const std::vector<double> band = path_behind(page, view, "band c0");
  REQUIRE(line.size() == 2 * steps.size());
  REQUIRE(band.size() == 4 * steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto value = [&](double y) {
      return low + (1.0 - y / attribute("height")) * (high - low);
    };
    double squares = 0.0;
    for (const std::vector<double>& one : own) squares += std::pow(one[i] - mean_at(i), 2);
    const double deviation = std::sqrt(squares / 2.0);
    const double unit = 0.01 * (high - low);
    CHECK(value(line[2 * i + 1]) == Approx(std::max(-1.0, mean_at(i))).margin(unit));
    CHECK(value(band[2 * i + 1]) == Approx(std::max(-1.0, mean_at(i) + deviation)).margin(unit));
    const std::size_t back = 4 * steps.size() - 1 - 2 * i;
    CHECK(value(band[back]) == Approx(std::max(-1.0, mean_at(i) - deviation)).margin(unit));
  }
  // One run has no band.
  const std::string single = report_page({folder.path("r.h5")});
  CHECK_THAT(single, ContainsSubstring(figure) && !ContainsSubstring("class=\"band"));
}

TEST_CASE("windows at other steps are none, and a seed without any leaves a gap") {
  WindowsOverSeeds all;
  WindowsOverSeeds one{.steps = {10, 20}, .curves = {{"r2", {{0.1, 0.2}}}}};
  all.add_none();
  all.put_last(one, 2);  // the first of two seeds had none
  REQUIRE(all.curves.size() == 1);
  CHECK(std::isnan(all.curves[0].seeds[0][1]));
  CHECK(all.curves[0].seeds[1] == std::vector<double>{0.1, 0.2});
  all.add_none();
  all.put_last({.steps = {10, 30}, .curves = {{"r2", {{0.5, 0.6}}}}}, 3);
  CHECK(std::isnan(all.curves[0].seeds[2][0]));
  CHECK(WindowsOverSeeds::spread_at(all.curves[0], 1).mean == 0.2);
}
