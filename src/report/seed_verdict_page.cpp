// SPDX-License-Identifier: MIT
#include "seed_verdict_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "../core/text.h"
#include "figure.h"
#include "judged.h"
#include "markup.h"
#include "page.h"
#include "published.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr double kRowOfSeeds = 26.0;
constexpr std::int64_t kMostSeeds = 100000;

std::string cell(const std::string& text, const char* look = "") {
  return fmt::format("<td class=\"n{}\">{}</td>", look, escape(text));
}

std::string number_cell(double value, int digits = 4, const char* look = "") {
  return cell(std::isfinite(value) ? number_for_people(value, digits) : "–", look);
}

/// "0.893 ± 0.006"
std::string mean_and_deviation(const Spread& spread) {
  if (spread.count == 0) return "–";
  std::string text = number_for_people(spread.mean, 3);
  if (spread.count > 1) text += " ± " + number_for_people(spread.deviation, 2);
  return text;
}

bool is_agent(const ReadoutOverSeeds& readout) { return readout.measure == "return"; }

/// The table that `gaia verdict` prints.
std::string seeds_table(const ReadoutOverSeeds& readout, std::size_t index) {
  double best = readout.spread.mean;
  for (const ComparedScores& other : readout.others) best = std::fmax(best, other.spread.mean);
  std::string out = fmt::format(
      "<div class=\"scroll\"><table class=\"scores\" id=\"verdict-table-{}\">\n<thead><tr><th></th>"
      "<th class=\"n\">{}, mean</th><th class=\"n\">sd</th><th class=\"n\">run ahead</th>"
      "<th class=\"n\">difference</th><th class=\"n\">sd</th><th class=\"n\">sign test p</th></tr>"
      "</thead>\n<tbody>\n",
      index, escape(measure_of(readout)));
  const auto begin_row = [&](const std::string& title, const Spread& spread) {
    out += fmt::format("<tr><td>{}</td>{}{}", escape(title),
                       number_cell(spread.mean, 4, spread.mean >= best ? " best" : ""),
                       number_cell(spread.deviation, 3));
  };
  begin_row("this run", readout.spread);
  out += cell("") + cell("") + cell("") + cell("") + "</tr>\n";
  for (const ComparedScores& other : readout.others) {
    begin_row(other.title, other.spread);
    const std::int64_t compared = other.difference.count;
    out += cell(compared > 0 ? fmt::format("{} of {}", other.ahead, compared) : "–");
    out += number_cell(other.difference.mean, 3) + number_cell(other.difference.deviation, 3);
    out += number_cell(compared > 0 ? other.sign_test_p : kNoScore, 2) + "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

/// The scores of all seeds as dots, a line for each of what is compared, the run first; nothing
/// where there are none.
std::string seeds_drawing(const std::vector<ComparedScores>& all, const std::string& measure,
                          const std::vector<double>& seeds, const PublishedScores& published) {
  Range range;
  for (const ComparedScores& one : all) {
    for (const double score : one.scores) range.add(score);
  }
  if (range.is_empty()) return {};
  const double figure_of_paper = published.value.value_or(kNoScore);
  range.add(figure_of_paper);
  constexpr double left = 220.0;
  constexpr std::array looks = {"c0", "c1", "c2", "c3", "c4", "c5"};
  const auto rows = static_cast<double>(all.size());
  const Box box{left, 12.0, kWidth - left - 20.0, rows * kRowOfSeeds};
  Figure figure(kWidth, box.y + box.height + 44.0);
  Panel panel(box, {range.padded(0.04), measure, 8}, {{0.0, rows}, "", 1, false, false});
  if (std::isfinite(all.front().spread.mean)) panel.mark_x(all.front().spread.mean, "rule dashed");
  if (published.value && published.spread) {
    const double low = std::max(figure_of_paper - *published.spread, range.low());
    const double high = std::min(figure_of_paper + *published.spread, range.high());
    panel.bar({low, 0.0}, {high, rows}, "soft");
  }
  if (published.value) panel.mark_x(figure_of_paper, "ink bold");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ComparedScores& one = all[i];
    const double y = rows - static_cast<double>(i) - 0.5;
    std::vector<Point> at;
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < one.scores.size(); ++k) {
      if (!std::isfinite(one.scores[k])) continue;
      at.push_back({one.scores[k], y});
      const double seed = k < seeds.size() ? seeds[k] : static_cast<double>(k);
      texts.push_back(
          fmt::format("{}, seed {:.0f}: {}", one.title, seed, number_for_people(one.scores[k])));
    }
    const char* const look = looks[std::min(i, looks.size() - 1)];
    panel.dots(at, 3.5, look, texts);
    if (std::isfinite(one.spread.mean)) {
      const Point ends[] = {{one.spread.mean, y - 0.32}, {one.spread.mean, y + 0.32}};
      panel.line(ends, fmt::format("{} bold", look));
    }
    figure.text(left - 12.0, box.y + box.height * (1.0 - y / rows) + 4.0, shortened(one.title, 30),
                "cell", "end");
  }
  figure.add(panel);
  return figure.svg("scores of all seeds, of the run and of what it is compared with");
}

/// The run, and what it is compared with.
std::vector<ComparedScores> rows_of(const ReadoutOverSeeds& readout) {
  std::vector<ComparedScores> rows = {{.name = "", .title = "this run", .scores = readout.scores}};
  rows.front().spread = readout.spread;
  rows.insert(rows.end(), readout.others.begin(), readout.others.end());
  return rows;
}

const char* line_of_paper(const PublishedScores& published) {
  return !published.value   ? ""
         : published.spread ? " The thick line is the published figure, the grey band its spread."
                            : " The thick line is the published figure.";
}

/// Another number than that by which readouts are judged, where a paper has published it.
std::string published_drawing(const ReadoutOverSeeds& readout, std::size_t index,
                              const std::vector<double>& seeds) {
  if (!readout.published || readout.published->score.empty()) return {};
  const PublishedScores& published = *readout.published;
  std::vector<ComparedScores> rows = {
      {.name = "", .title = "this run", .scores = published.scores}};
  rows.front().spread = published.reached;
  const std::string drawing = seeds_drawing(rows, published.score, seeds, published);
  if (drawing.empty()) return paragraph("No seed has a defined " + published.score + ".");
  return figure_markup(fmt::format("fig-published-{}", index),
                       published.score + ", which is published", drawing,
                       "A dot is one seed, an upright line the mean, dashed too." +
                           std::string(line_of_paper(published)));
}

std::string readout_section(const ReadoutOverSeeds& readout, std::size_t index,
                            const std::vector<double>& seeds) {
  std::string out = paragraph(fmt::format("{}: {}.", readout.target, readout.verdict), "verdict");
  out += seeds_table(readout, index);
  out += published_drawing(readout, index, seeds);
  const bool is_own = readout.published && readout.published->score.empty();
  const PublishedScores published = is_own ? *readout.published : PublishedScores();
  const std::string drawing =
      seeds_drawing(rows_of(readout), measure_of(readout), seeds, published);
  if (drawing.empty()) return out + paragraph("No seed has a score that is defined.");
  return out +
         figure_markup(
             fmt::format("fig-seeds-{}", index), "The score of every seed", drawing,
             "A dot is one seed, an upright line the mean. The dashed line is the mean of this "
             "run." +
                 std::string(line_of_paper(published)),
             fmt::format("Learning pays where the dots of this run lie to the right of those of "
                         "{} in nearly every seed, and {} where they lie to the right of all "
                         "others. ",
                         is_agent(readout) ? "learning off" : "frozen weights",
                         is_agent(readout) ? "an agent" : "a hierarchy") +
                 "Where the seeds of one row differ more than the rows do, the difference may be "
                 "chance.") +
         windows_section({readout});
}

std::string seeds_heading(const Result& result, const std::vector<ReadoutOverSeeds>& readouts) {
  const std::int64_t first = result.integer("", "first_seed").value_or(0);
  const std::int64_t count = std::max<std::int64_t>(1, result.integer("", "seeds").value_or(1));
  std::string lead = fmt::format(
      "The experiment and its controls for {} seeds from {} on: does "
      "learning pay, or was it chance?",
      grouped(count), first);
  if (result.text("", "fixed_data") == "true") {
    lead +=
        " The data are the same for every seed: only initial weights and what else the run draws "
        "at random differ.";
  }
  const std::int64_t diverged = result.integer("", "diverged").value_or(0);
  if (diverged > 0) {
    lead += fmt::format(" {} of the runs diverged and count{} nowhere.", grouped(diverged),
                        diverged == 1 ? "s" : "");
  }
  std::string out = fmt::format(
      "<header>\n<h1>{} <span class=\"badge\">verdict</span></h1>\n<p class=\"lead\">{}</p>\n"
      "<div class=\"tiles\">\n",
      escape(result.text("", "experiment")), escape(lead));
  constexpr std::size_t most = 6;
  for (std::size_t i = 0; i < std::min(most, readouts.size()); ++i) {
    const ReadoutOverSeeds& readout = readouts[i];
    Tile tile{mean_and_deviation(readout.spread),
              fmt::format("{} of {}, mean ± standard deviation over seeds", measure_of(readout),
                          readout.name)};
    for (const ComparedScores& other : readout.others) {
      if (i == 0) tile.beside.emplace_back(other.title, mean_and_deviation(other.spread));
    }
    out += tile_markup(tile);
    if (readout.published && readout.published->value) {
      const PublishedScores& published = *readout.published;
      const std::string score = published.score.empty() ? measure_of(readout) : published.score;
      Tile paper{published_text(published),
                 fmt::format("{} of {}, as published", score, readout.name)};
      paper.beside.emplace_back("this run", mean_and_deviation(published.reached));
      out += tile_markup(paper);
    }
  }
  out += "</div>\n";
  if (const auto published = read_published(result)) out += published_paragraph(*published);
  return out + "</header>\n";
}

/// Why runs diverged, seed by seed; empty where none did.
std::string diverged_section(const Result& result) {
  std::string items;
  for (const std::string& reason : result.texts("", "diverged_reasons")) {
    items += fmt::format("<li class=\"failure\">{}.</li>\n", escape(reason));
  }
  return items.empty() ? items : "<ul class=\"findings\">\n" + items + "</ul>\n";
}

std::string seeds_repeat(const Result& result) {
  std::string out;
  const std::string command = result.text("", "command_line");
  if (!command.empty()) out += fmt::format("<pre class=\"wrap\">{}</pre>\n", escape(command));
  out += "<dl>\n";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escape(value));
  };
  add("gaia", result.text("", "gaia_version") + " (" + result.text("", "git_commit") + ")");
  add("configuration", result.text("", "config_file"));
  add("started", result.text("", "created_utc"));
  const double seconds = result.number("", "wall_seconds").value_or(0.0);
  if (seconds > 0.0) add("took", duration_text(seconds));
  add("verdict", result.path());
  return out + "</dl>\n<details><summary>The configuration, as it ran</summary>\n<pre>" +
         escape(result.text("", "config")) + "</pre></details>\n";
}

}  // namespace

std::string seed_verdict_page(const Result& result) {
  const std::vector<double> seeds = result.read("seed", kMostSeeds);
  std::vector<Section> sections;
  const std::vector<ReadoutOverSeeds> readouts = judged_verdict(result);
  if (std::string diverged = diverged_section(result); !diverged.empty()) {
    sections.push_back({"diverged", "Runs that diverged", std::move(diverged)});
  }
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    sections.push_back({fmt::format("readout-{}", i),
                        is_agent(readouts[i]) ? "Agent" : "Readout " + readouts[i].name,
                        readout_section(readouts[i], i, seeds)});
  }
  sections.push_back({"repeat", "What ran, and how to repeat it", seeds_repeat(result)});
  return page_markup(result.text("", "experiment") + " – gaia verdict",
                     seeds_heading(result, readouts), sections);
}

}  // namespace gaia::report
