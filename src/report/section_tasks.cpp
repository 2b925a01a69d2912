// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>

#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

/// Tasks beyond which only the first and the last are reported.
constexpr std::int64_t kMostTasksTold = 20;

std::string share_of_task(double accuracy) {
  return std::isfinite(accuracy) ? fmt::format("{:.1f} %", 100.0 * accuracy) : std::string("–");
}

}  // namespace

std::string tasks_section(const Result& result) {
  const std::vector<std::int64_t> shape = result.shape("tasks/accuracy");
  if (shape.size() != 2 || shape[0] != shape[1] || shape[0] < 1 || shape[0] > 10000) return {};
  const std::vector<double> accuracy = result.read("tasks/accuracy");
  const std::int64_t tasks = shape[0];
  if (std::ssize(accuracy) != tasks * tasks) return {};
  const auto is_told = [&](std::int64_t task) {
    return tasks <= kMostTasksTold || task < kMostTasksTold / 2 ||
           task >= tasks - kMostTasksTold / 2;
  };
  std::string out =
      "<div class=\"scroll\"><table id=\"tasks-table\">\n<thead><tr><th>trained up to</th>";
  for (std::int64_t tested = 0; tested < tasks; ++tested) {
    if (is_told(tested)) out += fmt::format("<th class=\"n\">task {}</th>", tested);
  }
  out += "<th class=\"n\">mean so far</th></tr></thead>\n<tbody>\n";
  for (std::int64_t trained = 0; trained < tasks; ++trained) {
    if (!is_told(trained)) continue;
    out += fmt::format("<tr><td>task {}</td>", trained);
    double mean = 0.0;
    for (std::int64_t tested = 0; tested < tasks; ++tested) {
      const double one = accuracy[static_cast<std::size_t>(trained * tasks + tested)];
      if (tested <= trained) mean += one / static_cast<double>(trained + 1);
      if (is_told(tested)) out += fmt::format("<td class=\"n\">{}</td>", share_of_task(one));
    }
    out += fmt::format("<td class=\"n\">{}</td></tr>\n", share_of_task(mean));
  }
  out += "</tbody></table></div>\n";
  std::string text =
      "Test samples told right in every task so far, after each task that was trained. What falls "
      "from one row to the next in a column was forgotten.";
  const auto forgotten = result.number("tasks", "forgetting");
  if (forgotten && std::isfinite(*forgotten)) {
    text += fmt::format(
        " At the end {:.1f} points are lost of the best of each earlier task, in "
        "the mean.",
        100.0 * *forgotten);
  }
  return paragraph(text) + out;
}

}  // namespace gaia::report
