// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>
#include <vector>

#include "../../src/experiment/run/train.h"
#include "../../src/io/hdf5.h"
#include "../../src/report/report.h"
#include "../experiment/networks.h"
#include "../support/catch.h"
#include "../support/experiment_text.h"

using namespace gaia;
using gaia::test::ImageFolder;

namespace {

std::string run(const ImageFolder& folder, int tasks) {
  const std::string text =
      "experiment: tasks\n"
      "data: {source: images, folder: ., tasks: {permute: " +
      std::to_string(tasks) +
      "}}\n"
      "network:\n"
      "  layers: [{type: flatten}, {type: dense, size: 4}]\n"
      "  optimizer: {type: adam, learning_rate: 0.05}\n"
      "  consolidate: {method: ewc, strength: 1, samples: 10}\n"
      "  epochs: 1\n";
  test::train_text(folder, text);
  return folder.path("r.h5");
}

/// The table of tasks, or nothing.
std::string table_of(const std::string& page) {
  const std::size_t begin = page.find("<table id=\"tasks-table\">");
  if (begin == std::string::npos) return {};
  return page.substr(begin, page.find("</table>", begin) - begin);
}

/// A share in per cent, with one digit behind the point.
std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", 100.0 * share);
  return text;
}

std::string cell(double accuracy) { return "<td class=\"n\">" + percent(accuracy) + " %</td>"; }

}  // namespace

TEST_CASE("a page tells how much of each task is known after each") {
  const ImageFolder folder;
  const std::string result = run(folder, 3);
  const std::string page = report_page({result});
  const hdf5::File file = hdf5::File::open(result);
  const std::vector<double> a = file.open_dataset("/tasks/accuracy").read<double>();
  REQUIRE(a.size() == 9);
  const std::string none = "<td class=\"n\">–</td>";
  const std::string table = table_of(page);
  CHECK_SAYS(
      table, "<tr><td>task 0</td>" + cell(a[0]) + none + none + cell(a[0]) + "</tr>",
      "<tr><td>task 1</td>" + cell(a[3]) + cell(a[4]) + none + cell((a[3] + a[4]) / 2) + "</tr>",
      "<tr><td>task 2</td>" + cell(a[6]) + cell(a[7]) + cell(a[8]) +
          cell((a[6] + a[7] + a[8]) / 3) + "</tr>");
  const double forgotten = file.open_group("tasks").number_attribute("forgetting").value();
  CHECK_SAYS(page, "At the end " + percent(forgotten) + " points are lost");
}

TEST_CASE("of many tasks the first and the last ten are told, and of a single network none") {
  const ImageFolder folder;
  const std::string table = table_of(report_page({run(folder, 23)}));
  for (const int task : {0, 9, 13, 22}) {
    CHECK_SAYS(table, "<tr><td>task " + std::to_string(task) + "</td>",
               "<th class=\"n\">task " + std::to_string(task) + "</th>");
  }
  for (const int task : {10, 12}) {
    CHECK_THAT(table, !ContainsSubstring("task " + std::to_string(task) + "<"));
  }
  Experiment alone = load_experiment(folder.write("one.yaml", gaia::test::kImages),
                                     {.output = folder.path("one.h5")});
  train_network(alone);
  CHECK(table_of(report_page({folder.path("one.h5")})).empty());
}
