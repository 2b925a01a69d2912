// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judged.h"
#include "markup.h"

namespace gaia::report {
namespace {

std::string cell_of_spread(const Spread& spread, bool is_best) {
  if (spread.count == 0) return "<td class=\"n\">–</td>";
  std::string text = number_for_people(spread.mean);
  if (spread.count > 1) text += " ± " + number_for_people(spread.deviation, 2);
  return fmt::format("<td class=\"n{}\" data-value=\"{}\">{}</td>", is_best ? " best" : "",
                     spread.mean, escape(text));
}

/// One readout under all settings that have it.
using SettingRows = std::vector<std::pair<const Judged*, const ReadoutOverSeeds*>>;

std::string rows_table(const SettingRows& rows, std::size_t index) {
  std::vector<std::string> titles;
  for (const auto& [run, readout] : rows) {
    for (const ComparedScores& other : readout->others) {
      if (std::find(titles.begin(), titles.end(), other.title) == titles.end()) {
        titles.push_back(other.title);
      }
    }
  }
  if (titles.empty()) return {};
  std::string out = fmt::format(
      "<h3>{} of {}</h3>\n<div class=\"scroll\"><table id=\"controls-table-{}\" "
      "class=\"sortable\">\n<thead><tr>",
      escape(measure_of(*rows.front().second)), escape(rows.front().second->name), index);
  for (const auto& setting : rows.front().first->settings) {
    out += "<th>" + escape(setting.first) + "</th>";
  }
  out += "<th>seeds</th><th class=\"n\">this run</th>";
  for (const std::string& title : titles) out += "<th class=\"n\">" + escape(title) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& [run, readout] : rows) {
    double best = readout->spread.mean;
    for (const ComparedScores& other : readout->others) best = std::fmax(best, other.spread.mean);
    out += "<tr>";
    for (const auto& setting : run->settings) out += "<td>" + escape(setting.second) + "</td>";
    out += "<td>" + escape(run->seeds) + "</td>" +
           cell_of_spread(readout->spread, readout->spread.mean >= best);
    for (const std::string& title : titles) {
      const auto other =
          std::find_if(readout->others.begin(), readout->others.end(),
                       [&](const ComparedScores& one) { return one.title == title; });
      out += other == readout->others.end()
                 ? cell_of_spread({}, false)
                 : cell_of_spread(other->spread, other->spread.mean >= best);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string settings_table(const std::vector<Judged>& runs) {
  std::vector<std::string> names;
  std::vector<SettingRows> readouts;
  for (const Judged& run : runs) {
    for (const ReadoutOverSeeds& readout : run.readouts) {
      const auto place = static_cast<std::size_t>(
          std::find(names.begin(), names.end(), readout.name) - names.begin());
      if (place == names.size()) {
        names.push_back(readout.name);
        readouts.emplace_back();
      }
      readouts[place].emplace_back(&run, &readout);
    }
  }
  std::string out;
  for (std::size_t i = 0; i < readouts.size(); ++i) out += rows_table(readouts[i], i);
  if (out.empty()) return out;
  return out + paragraph(
                   "Mean ± standard deviation over seeds; the best of a row stands out. "
                   "`gaia verdict` with the folder prints the same with sign tests, and makes "
                   "tables and figures of it.");
}

}  // namespace gaia::report
