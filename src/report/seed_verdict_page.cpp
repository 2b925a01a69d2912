// SPDX-License-Identifier: MIT
#include "seed_verdict_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "../core/text.h"
#include "figure.h"
#include "markup.h"
#include "page.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kRowOfSeeds = 26.0;
constexpr std::int64_t kMostSeeds = 100000;

/// A readout, or what it is compared with.
struct OverSeeds {
  std::string path;
  std::string title;
  double mean = kNoNumber;
  double deviation = kNoNumber;
  std::vector<double> scores = {};  // of each seed, NaN: not defined
};

struct JudgedReadout {
  std::string name;
  std::string measure;
  OverSeeds own;
  std::vector<OverSeeds> others = {};

  bool is_agent() const { return measure == "return"; }
};

OverSeeds read_scores(const Result& result, const std::string& path, const std::string& title) {
  const auto number = [&](const char* name) {
    return result.number(path, name).value_or(kNoNumber);
  };
  return {path, title, number("mean"), number("standard_deviation"),
          result.read(path + "/score", kMostSeeds)};
}

std::vector<JudgedReadout> read_judged(const Result& result) {
  std::vector<JudgedReadout> readouts;
  for (const std::string& name : result.groups("readouts")) {
    const std::string path = "readouts/" + name;
    const std::string measure = result.text(path, "measure");
    JudgedReadout readout{name, measure == "R2" ? "R²" : measure,
                          read_scores(result, path, "this run")};
    for (const std::string kind : {"controls", "baselines"}) {
      const std::string folder = fmt::format("{}/{}", path, kind);
      for (const std::string& other : result.groups(folder)) {
        const std::string whole = fmt::format("{}/{}", folder, other);
        const std::string title = result.text(whole, "title");
        readout.others.push_back(read_scores(result, whole, title.empty() ? other : title));
      }
    }
    readouts.push_back(std::move(readout));
  }
  return readouts;
}

std::string cell(const std::string& text, const char* look = "") {
  return fmt::format("<td class=\"n{}\">{}</td>", look, escape(text));
}

std::string number_cell(double value, int digits = 4, const char* look = "") {
  return cell(std::isfinite(value) ? number_for_people(value, digits) : "–", look);
}

/// The table that `gaia verdict` prints.
std::string seeds_table(const Result& result, const JudgedReadout& readout, std::size_t index) {
  double best = readout.own.mean;
  for (const OverSeeds& other : readout.others) best = std::fmax(best, other.mean);
  std::string out = fmt::format(
      "<div class=\"scroll\"><table class=\"scores\" id=\"verdict-table-{}\">\n<thead><tr><th></th>"
      "<th class=\"n\">{}, mean</th><th class=\"n\">sd</th><th class=\"n\">run ahead</th>"
      "<th class=\"n\">difference</th><th class=\"n\">sd</th><th class=\"n\">sign test p</th></tr>"
      "</thead>\n<tbody>\n",
      index, escape(readout.measure));
  const auto begin_row = [&](const OverSeeds& of) {
    out += fmt::format("<tr><td>{}</td>{}{}", escape(of.title),
                       number_cell(of.mean, 4, of.mean >= best ? " best" : ""),
                       number_cell(of.deviation, 3));
  };
  begin_row(readout.own);
  out += cell("") + cell("") + cell("") + cell("") + "</tr>\n";
  for (const OverSeeds& other : readout.others) {
    begin_row(other);
    const auto count = [&](const char* name) {
      return result.integer(other.path, name).value_or(0);
    };
    const auto number = [&](const char* name) {
      return result.number(other.path, name).value_or(kNoNumber);
    };
    const bool is_compared = count("compared") > 0;
    out += cell(is_compared ? fmt::format("{} of {}", count("ahead"), count("compared")) : "–");
    out += number_cell(number("difference_mean"), 3);
    out += number_cell(number("difference_standard_deviation"), 3);
    out += number_cell(is_compared ? number("sign_test_p") : kNoNumber, 2) + "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

/// The scores of all seeds as dots, a line for each of what is compared; nothing where there are
/// none.
std::string seeds_drawing(const JudgedReadout& readout, const std::vector<double>& seeds) {
  std::vector<const OverSeeds*> all = {&readout.own};
  for (const OverSeeds& other : readout.others) all.push_back(&other);
  Range range;
  for (const OverSeeds* one : all) {
    for (const double score : one->scores) range.add(score);
  }
  if (range.is_empty()) return {};
  constexpr double left = 220.0;
  constexpr std::array looks = {"c0", "c1", "c2", "c3", "c4", "c5"};
  const auto rows = static_cast<double>(all.size());
  const Box box{left, 12.0, kWidth - left - 20.0, rows * kRowOfSeeds};
  Figure figure(kWidth, box.y + box.height + 44.0);
  Panel panel(box, {range.padded(0.04), readout.measure, 8}, {{0.0, rows}, "", 1, false, false});
  if (std::isfinite(readout.own.mean)) panel.mark_x(readout.own.mean, "rule dashed");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const OverSeeds& one = *all[i];
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
    if (std::isfinite(one.mean)) {
      const Point ends[] = {{one.mean, y - 0.32}, {one.mean, y + 0.32}};
      panel.line(ends, fmt::format("{} bold", look));
    }
    figure.text(left - 12.0, box.y + box.height * (1.0 - y / rows) + 4.0, shortened(one.title, 30),
                "cell", "end");
  }
  figure.add(panel);
  return figure.svg("scores of all seeds, of the run and of what it is compared with");
}

std::string readout_section(const Result& result, const JudgedReadout& readout, std::size_t index,
                            const std::vector<double>& seeds) {
  std::string out = paragraph(fmt::format("{}: {}.", result.text(readout.own.path, "target"),
                                          result.text(readout.own.path, "verdict")),
                              "verdict");
  out += seeds_table(result, readout, index);
  const std::string drawing = seeds_drawing(readout, seeds);
  if (drawing.empty()) return out + paragraph("No seed has a score that is defined.");
  return out +
         figure_markup(
             fmt::format("fig-seeds-{}", index), "The score of every seed", drawing,
             "A dot is one seed, an upright line the mean. The dashed line is the mean of this "
             "run.",
             fmt::format("Learning pays where the dots of this run lie to the right of those of "
                         "{} in nearly every seed, and {} where they lie to the right of all "
                         "others. ",
                         readout.is_agent() ? "learning off" : "frozen weights",
                         readout.is_agent() ? "an agent" : "a hierarchy") +
             "Where the seeds of one row differ more than the rows do, the difference may be "
             "chance.");
}

std::string seeds_heading(const Result& result, const std::vector<JudgedReadout>& readouts) {
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
    const JudgedReadout& readout = readouts[i];
    const bool is_defined = std::isfinite(readout.own.mean);
    out += fmt::format(
        "<div class=\"tile\"><b>{}</b><span>{}</span></div>\n",
        escape(is_defined ? number_for_people(readout.own.mean, 3) : "–"),
        escape(fmt::format("{} of {}, mean over seeds", readout.measure, readout.name)));
  }
  return out + "</div>\n</header>\n";
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
  const std::vector<JudgedReadout> readouts = read_judged(result);
  if (std::string diverged = diverged_section(result); !diverged.empty()) {
    sections.push_back({"diverged", "Runs that diverged", std::move(diverged)});
  }
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    sections.push_back({fmt::format("readout-{}", i),
                        readouts[i].is_agent() ? "Agent" : "Readout " + readouts[i].name,
                        readout_section(result, readouts[i], i, seeds)});
  }
  sections.push_back({"repeat", "What ran, and how to repeat it", seeds_repeat(result)});
  return page_markup(result.text("", "experiment") + " – gaia verdict",
                     seeds_heading(result, readouts), sections);
}

}  // namespace gaia::report
