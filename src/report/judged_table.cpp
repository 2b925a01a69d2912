// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "../core/error.h"
#include "../core/names.h"
#include "../core/text.h"
#include "../experiment/sweep/member_table.h"
#include "../io/csv_field.h"
#include "judged.h"

namespace gaia::report {
namespace {

/// What a title and a row of a table say, as plain text.
using TableCells = std::vector<std::string>;

constexpr std::size_t kColumns = 5;

/// So many decimals that the standard deviation has two digits, but the mean no more than four.
int decimals_of(const Spread& spread) {
  const auto decimals = [](double size, int digits) {
    if (!(size > 0.0)) return 3;
    return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(size))), 0, 6);
  };
  const int most = decimals(std::abs(spread.mean), 4);
  return std::isfinite(spread.deviation) ? std::min(most, decimals(spread.deviation, 2)) : most;
}

std::string mean_text(const Spread& spread) {
  if (spread.count == 0) return "–";
  const int decimals = decimals_of(spread);
  // Rounded first, so that there is no "-0.000".
  const double unit = std::pow(10.0, decimals);
  const double mean = std::round(spread.mean * unit) / unit + 0.0;
  std::string text = fmt::format("{:.{}f}", mean, decimals);
  if (spread.count > 1) text += fmt::format(" ± {:.{}f}", spread.deviation, decimals);
  return text;
}

std::string chance_text_of(const ComparedScores& other) {
  if (other.difference.count < 2) return "–";
  return other.sign_test_p < 0.001 ? "< 0.001" : fmt::format("{:.2g}", other.sign_test_p);
}

TableCells row_of(const ComparedScores& other) {
  if (other.difference.count == 0) return {other.title, mean_text(other.spread), "–", "–", "–"};
  return {other.title, mean_text(other.spread),
          fmt::format("{} of {}", other.ahead, other.difference.count), mean_text(other.difference),
          chance_text_of(other)};
}

/// "readout digit of the classes, accuracy"
std::string readout_title(const ReadoutOverSeeds& readout) {
  const bool is_agent = readout.measure == "return";
  const std::string unit =
      readout.units.empty() || readout.units == "1" ? "" : ", " + readout.units;
  return fmt::format("{} of {}: {}{}", is_agent ? readout.name : "readout " + readout.name,
                     readout.target, measure_of(readout), unit);
}

/// A part of a table: a title and its rows, the run's first.
struct Block {
  std::string title;
  std::vector<TableCells> rows;
};

std::vector<Block> blocks_of(const JudgedRuns& runs) {
  std::vector<Block> blocks;
  for (const Judged& one : runs.all) {
    const std::string settings = one.settings_text();
    for (const ReadoutOverSeeds& readout : one.readouts) {
      Block& block = blocks.emplace_back();
      block.title = (settings.empty() ? "" : settings + "; ") + readout_title(readout);
      if (runs.all.size() > 1) block.title += " (" + one.seeds + ")";
      block.rows.push_back({"this run", mean_text(readout.spread), "", "", ""});
      for (const ComparedScores& other : readout.others) block.rows.push_back(row_of(other));
    }
  }
  return blocks;
}

std::string caption_of(const JudgedRuns& runs) {
  std::string text = runs.experiment;
  if (runs.all.size() == 1) text += ", " + runs.all.front().seeds;
  text +=
      ": mean ± standard deviation over seeds, in how many this run is ahead, its difference from "
      "each, and p of a two-sided paired sign test";
  if (!runs.remark.empty()) text += "; " + runs.remark;
  return text + ".";
}

const TableCells& head_cells() {
  static const TableCells head = {"", "score", "run ahead", "difference", "p"};
  return head;
}

/// Text that LaTeX sets as it stands, also as the first of a row, where "\\" would take a bracket
/// or a star for its own.
std::string latex_text(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kinds = {
      {{"\\", "\\textbackslash{}"},
       {"{", "\\{"},
       {"}", "\\}"},
       {"$", "\\$"},
       {"&", "\\&"},
       {"%", "\\%"},
       {"#", "\\#"},
       {"_", "\\_"},
       {"^", "\\textasciicircum{}"},
       {"~", "\\textasciitilde{}"},
       {"<", "$<$"},
       {">", "$>$"},
       {"|", "$|$"},
       {"[", "{[}"},
       {"]", "{]}"},
       {"*", "{*}"},
       {"±", "$\\pm$"},
       {"²", "$^2$"},
       {"–", "--"},
       {"\n", " "}}};
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
      return std::string_view(text).substr(i).starts_with(kind.first);
    });
    out += found == kinds.end() ? std::string_view(text).substr(i, 1) : found->second;
    i += found == kinds.end() ? 1 : found->first.size();
  }
  return out;
}

std::string latex_row(const TableCells& cells) {
  std::string text = "  ";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    // A number with a sign in front is one of mathematics.
    const bool is_negative = i > 0 && cells[i].starts_with('-');
    const std::string cell = latex_text(is_negative ? cells[i].substr(1) : cells[i]);
    text += (i == 0 ? "" : " & ") + std::string(is_negative ? "$-$" : "") + cell;
  }
  return text + " \\\\\n";
}

std::string latex_table(const JudgedRuns& runs) {
  std::string text =
      "% made by gaia verdict; the document needs \\usepackage{booktabs}\n\\begin{table}\n"
      "  \\centering\n  \\caption{" +
      latex_text(printable(caption_of(runs))) + "}\n  \\begin{tabular}{lcccc}\n  \\toprule\n" +
      latex_row(head_cells());
  for (const Block& block : blocks_of(runs)) {
    text += fmt::format("  \\midrule\n  \\multicolumn{{{}}}{{l}}{{{}}} \\\\\n", kColumns,
                        latex_text(printable(block.title)));
    for (TableCells row : block.rows) {
      row.front() = printable(row.front());
      text += latex_row(row);
    }
  }
  return text + "  \\bottomrule\n  \\end{tabular}\n\\end{table}\n";
}

std::string markdown_text(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '\n') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>|~#$&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_row(const TableCells& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + markdown_text(cell) + " |";
  return text + "\n";
}

std::string markdown_table(const JudgedRuns& runs) {
  std::string text;
  for (const Block& block : blocks_of(runs)) {
    text += "**" + markdown_text(block.title) + "**\n\n" + markdown_row(head_cells()) +
            "|---|---:|---:|---:|---:|\n";
    for (const TableCells& row : block.rows) text += markdown_row(row);
    text += "\n";
  }
  return text + markdown_text(caption_of(runs)) + "\n";
}

std::string csv_row(const TableCells& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + csv_field(cells[i]);
  return text + "\n";
}

std::string csv_table(const JudgedRuns& runs) {
  TableCells head = {"experiment"};
  for (const auto& [key, value] : runs.all.front().settings) head.push_back(key);
  for (const char* name : {"readout", "target", "measure", "part", "units", "name", "title", "kind",
                           "seeds", "mean", "standard_deviation", "ahead", "behind", "compared",
                           "difference_mean", "difference_standard_deviation", "sign_test_p"}) {
    head.emplace_back(name);
  }
  std::string text = csv_row(head);
  for (const Judged& one : runs.all) {
    for (const ReadoutOverSeeds& readout : one.readouts) {
      TableCells begin = {runs.experiment};
      for (const auto& [key, value] : one.settings) begin.push_back(value);
      const std::string part = readout.part.empty() ? "test" : readout.part;
      begin.insert(begin.end(),
                   {readout.name, readout.target, readout.measure, part, readout.units});
      const auto add = [&](const TableCells& what, const Spread& spread, const TableCells& rest) {
        TableCells cells = begin;
        cells.insert(cells.end(), what.begin(), what.end());
        cells.insert(cells.end(), {std::to_string(spread.count), csv_number(spread.mean),
                                   csv_number(spread.deviation)});
        cells.insert(cells.end(), rest.begin(), rest.end());
        text += csv_row(cells);
      };
      add({"run", "this run", "run"}, readout.spread, TableCells(6));
      for (const ComparedScores& other : readout.others) {
        add({other.name, other.title, other.is_control ? "control" : "baseline"}, other.spread,
            {std::to_string(other.ahead), std::to_string(other.behind),
             std::to_string(other.difference.count), csv_number(other.difference.mean),
             csv_number(other.difference.deviation), csv_number(other.sign_test_p)});
      }
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> table_formats() { return {"latex", "csv", "markdown"}; }

std::string judged_table(const JudgedRuns& runs, const std::string& format) {
  if (format == "latex") return latex_table(runs);
  if (format == "csv") return csv_table(runs);
  if (format == "markdown") return markdown_table(runs);
  throw ArgumentError("--table: expected one of " + join(table_formats()) + ", got '" + format +
                      "'" + did_you_mean(format, table_formats()));
}

}  // namespace gaia::report
