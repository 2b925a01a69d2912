// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "figure.h"
#include "markup.h"
#include "published.h"
#include "sections.h"

namespace gaia::report {
namespace {

using Facts = std::vector<ReadoutFacts>;

/// What tells one sort of readouts from the others on the page.
struct Sort {
  ReadoutTask task;
  const char* id;     ///< End of the ids of its table and figure: "verdict" + id.
  const char* title;  ///< Title of the figure.
  const char* axis;
  double nothing;  ///< What knows nothing reaches; below 0: of each readout another.
  const char* shows;
  const char* look_for;
};

constexpr std::array<Sort, 5> kSorts = {
    {{ReadoutTask::regression, "", "Error of every readout beside its baselines and controls",
      "NRMSE (1: as good as the mean of the target)", 1.0,
      "NRMSE is the root mean square error over the standard deviation of the target; R² (in "
      "brackets above) is 1 − NRMSE². Of several targets the mean of the squares counts. Both are "
      "taken on ticks that no regression has seen. Persistence says that the target stays as it "
      "is, mean that it is what it was on average in training. Frozen weights are the same "
      "hierarchy with the weights that the run began with; the other controls give the same "
      "readout "
      "something else to read.",
      "A hierarchy earns its keep where its dot lies to the left of the dashed line and of all "
      "others; its learning does where the dot lies to the left of that of frozen weights."},
     {ReadoutTask::classes, "-classes", "Accuracy of every readout of classes",
      "accuracy (share that is told right)", -1.0,
      "Shares of the test predictions that name the right class. Always saying what training had "
      "most often is what one gets without looking; frozen weights are the same hierarchy with the "
      "weights that the run began with; the other controls give the same readout something else to "
      "read.",
      "A hierarchy earns its keep where its dot lies to the right of all others. Where classes "
      "are of very different size, look at the balanced accuracy too, the mean over classes."},
     {ReadoutTask::anomaly, "-anomalies", "How well every readout ranks anomalies",
      "AUC (0.5: chance)", 0.5,
      "AUC is the probability that an anomaly has a higher score than a usual sample; ties count "
      "half. |x - running mean| looks at nothing but how far a sample is from those before it. "
      "AUC-PR, in the table, is the mean precision over what is found, whose chance level is the "
      "share of anomalies.",
      "A score is of use where its dot lies to the right of the dashed line and of all others."},
     {ReadoutTask::matching, "-matchings",
      "How well numbers that are read go with targets, one to one", "mean |r| over targets", -1.0,
      "Each target is matched with a number of its own, so that the sum of |r|, of their "
      "correlations over the test part, is the largest; what is left over counts as 0. Nothing is "
      "trained. Numbers of chance correlate too: frozen weights and the other controls are "
      "matched in the same way.",
      "Neurons have found what is behind the data where the dot lies to the right of all "
      "others."},
     {ReadoutTask::statistic, "-statistics", "What neurons and their weights are like", "statistic",
      -1.0,
      "Nothing is trained: a statistic is measured over the test part, or of the weights as they "
      "are at its end, and in the same way of frozen weights and of other controls.",
      "Of an error the dot of this run should lie to the left of all others, of any other "
      "statistic "
      "to the right."}}};

/// Those of a task that stand in one table: all, or statistics of one measure each.
std::vector<std::vector<const ReadoutFacts*>> tables_of(const Facts& readouts, ReadoutTask task) {
  std::vector<std::vector<const ReadoutFacts*>> found;
  for (const ReadoutFacts& readout : readouts) {
    if (readout.task != task) continue;
    const auto table = std::find_if(found.begin(), found.end(), [&](const auto& one) {
      return task != ReadoutTask::statistic || one.front()->target == readout.target;
    });
    if (table == found.end()) {
      found.push_back({&readout});
    } else {
      table->push_back(&readout);
    }
  }
  return found;
}

/// Names of all baselines, in the order in which they are met.
std::vector<std::string> baseline_names(const std::vector<const ReadoutFacts*>& readouts) {
  std::vector<std::string> names;
  for (const ReadoutFacts* readout : readouts) {
    for (const Score& score : readout->baselines) {
      if (std::find(names.begin(), names.end(), score.name) == names.end()) {
        names.push_back(score.name);
      }
    }
  }
  return names;
}

std::vector<std::string> more_names(const std::vector<const ReadoutFacts*>& readouts) {
  std::vector<std::string> names;
  for (const ReadoutFacts* readout : readouts) {
    for (const auto& [name, value] : readout->more) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

const Score* baseline_of(const ReadoutFacts& readout, const std::string& name) {
  for (const Score& score : readout.baselines) {
    if (score.name == name) return &score;
  }
  return nullptr;
}

/// NRMSE with R² in brackets, or a share.
std::string score_cell(const Score* score, double best, const std::string& look = "") {
  if (score == nullptr || !score->is_defined()) return "<td class=\"n\">–</td>";
  const std::string classes =
      "n" + std::string(score->error <= best ? " best" : "") + (look.empty() ? "" : " " + look);
  if (measure_text(*score) != "R²") {
    return fmt::format("<td class=\"{}\">{}</td>", classes, escape(value_text(score->value)));
  }
  return fmt::format("<td class=\"{}\">{} <span class=\"note\">({})</span></td>", classes,
                     escape(number_for_people(score->error)), escape(value_text(score->value)));
}

std::string score_table(const std::string& id, const std::vector<const ReadoutFacts*>& readouts,
                        const std::vector<std::string>& names) {
  const bool has_validation = std::any_of(readouts.begin(), readouts.end(), [](const auto* one) {
    return one->validation.has_value();
  });
  const std::vector<std::string> more = more_names(readouts);
  std::string out = fmt::format(
      "<div class=\"scroll\"><table class=\"scores\" "
      "id=\"verdict-table{}\">\n<thead><tr><th>readout</th>"
      "<th>predicts</th><th>from levels</th><th class=\"n\">this run</th>",
      id);
  for (const std::string& name : names) out += "<th class=\"n\">" + escape(name) + "</th>";
  if (has_validation) out += "<th class=\"n\">this run, validation</th>";
  for (const std::string& name : more) out += "<th class=\"n\">" + escape(name) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const ReadoutFacts* readout : readouts) {
    const Score* const rival = best_of(readout->baselines);
    const double best =
        rival == nullptr ? readout->score.error : std::min(rival->error, readout->score.error);
    out += fmt::format(
        "<tr><td>{}{}</td><td>{}</td><td>{}</td>{}", escape(readout->name),
        readout->is_unfinished ? " (so far)" : "", escape(readout->target), escape(readout->levels),
        score_cell(&readout->score, best, look_of_standing(readout->verdict().standing)));
    for (const std::string& name : names) out += score_cell(baseline_of(*readout, name), best);
    if (has_validation) {
      out += score_cell(readout->validation ? &*readout->validation : nullptr, -1.0);
    }
    for (const std::string& name : more) {
      const auto found = std::find_if(readout->more.begin(), readout->more.end(),
                                      [&](const auto& one) { return one.first == name; });
      out += fmt::format("<td class=\"n\">{}</td>",
                         found == readout->more.end() ? "–" : escape(value_text(found->second)));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

/// What every readout is worth, in words.
std::string verdict_list(const Facts& readouts) {
  std::vector<Worth> all;
  for (const ReadoutFacts& readout : readouts) {
    all.push_back({readout.name, verdict_text(readout),
                   look_of_standing(readout.verdict().standing), readout.purge});
  }
  return worth_list(all);
}

/// One sentence of the whole run, where it has several readouts.
std::string verdict_sentence(const Facts& readouts) {
  if (readouts.size() < 2) return {};
  std::vector<Verdict> verdicts;
  for (const ReadoutFacts& readout : readouts) verdicts.push_back(readout.verdict());
  std::string text = verdict_of_run(verdicts);
  if (text.empty()) return {};
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return paragraph(text + ".", "verdict");
}

constexpr double kRow = 34.0;

std::string dot_look(std::size_t baseline) {
  constexpr std::array looks = {"c1", "c2", "c3", "c4", "c5", "ink", "soft"};
  return looks[baseline % looks.size()];
}

std::string score_drawing(const Sort& sort, const std::vector<const ReadoutFacts*>& readouts,
                          const std::vector<std::string>& names) {
  const bool is_error = sort.task == ReadoutTask::regression;
  const auto number = [&](const Score& score) { return is_error ? score.error : score.value; };
  Range range;
  if (sort.nothing >= 0.0) range.add(sort.nothing);
  const bool is_statistic = sort.task == ReadoutTask::statistic;
  if (!is_error && !is_statistic) range.add(1.0);
  for (const ReadoutFacts* readout : readouts) {
    range.add(number(readout->score));
    for (const Score& score : readout->baselines) range.add(number(score));
  }
  const double rows = static_cast<double>(readouts.size());
  constexpr double left = 220.0;
  // Published figures are in the measure of the readout, of which the axis may have the error.
  const auto published = [&](const ReadoutFacts& readout) {
    const double value = readout.published.value_or(kNoScore);
    return is_error ? std::sqrt(1.0 - value) : value;
  };
  bool is_published = false;
  for (const ReadoutFacts* readout : readouts) {
    if (!std::isfinite(published(*readout))) continue;
    range.add(published(*readout));
    is_published = true;
  }
  std::vector<std::pair<std::string, std::string>> keys = {{"this run", "c0 bold"}};
  if (is_published) keys.emplace_back("published", "ink bold");
  for (std::size_t k = 0; k < names.size(); ++k) {
    keys.emplace_back(names[k], "bold " + dot_look(k));
  }
  const double top = Figure(kWidth, 0.0).add_keys(left, 16.0, keys, false) + 14.0;
  const Box box{left, top, kWidth - left - 20.0, rows * kRow};
  Figure figure(kWidth, box.y + box.height + 44.0);
  figure.add_keys(left, 16.0, keys);
  Panel panel(box,
              {is_error ? range.with_zero(0.06) : range.padded(0.04),
               is_statistic ? readouts.front()->target : sort.axis, 8},
              {{0.0, rows}, "", 1, false, false});
  if (sort.nothing >= 0.0) panel.mark_x(sort.nothing, "rule dashed");
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    const ReadoutFacts& readout = *readouts[i];
    const double y = rows - static_cast<double>(i) - 0.5;
    Range ends;
    ends.add(number(readout.score));
    for (const Score& score : readout.baselines) ends.add(number(score));
    if (ends.is_empty()) continue;
    const Point span[] = {{ends.low(), y}, {ends.high(), y}};
    panel.line(span, "soft thin");
    if (const double value = published(readout); std::isfinite(value)) {
      const Point line[] = {{value, y - 0.45}, {value, y + 0.45}};
      panel.line(line, "ink bold");
    }
    const Point at_run[] = {{number(readout.score), y}};
    const std::string run_text[] = {"this run: " + number_for_people(number(readout.score))};
    panel.dots(at_run, 7.0, "c0", run_text);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Score* score = baseline_of(readout, names[k]);
      if (score == nullptr) continue;
      const Point at[] = {{number(*score), y}};
      const std::string text[] = {names[k] + ": " + number_for_people(number(*score))};
      panel.dots(at, 4.5, dot_look(k), text);
    }
    figure.text(left - 12.0, box.y + box.height * (1.0 - y / rows) + 4.0,
                shortened(readout.name, 30), "cell", "end");
  }
  figure.add(panel);
  return figure.svg("scores of the readouts beside those of baselines and controls");
}

/// Why readouts do without some controls.
std::string left_out_list(const Facts& readouts) {
  std::string items;
  for (const ReadoutFacts& readout : readouts) {
    for (const std::string& one : readout.controls_left_out) {
      items += "<li>" + escape(readout.name + ", " + one) + "</li>\n";
    }
  }
  if (items.empty()) return {};
  return "<details><summary>Controls that are left out</summary>\n<ul>\n" + items +
         "</ul></details>\n";
}

}  // namespace

const char* look_of_standing(Verdict::Standing standing) {
  switch (standing) {
    case Verdict::Standing::good:
      return "good";
    case Verdict::Standing::bad:
      return "bad";
    case Verdict::Standing::open:
      break;
  }
  return "open";
}

std::string worth_list(const std::vector<Worth>& all) {
  std::string out = "<ul class=\"verdicts\">\n";
  for (const Worth& one : all) {
    if (one.text.empty()) continue;
    out +=
        fmt::format("<li class=\"{}\"><b>{}</b>: {}", one.look, escape(one.name), escape(one.text));
    if (!one.remark.empty()) {
      out += fmt::format(" <span class=\"note\">({})</span>", escape(one.remark));
    }
    out += "</li>\n";
  }
  return out + "</ul>\n";
}

std::string verdict_text(const ReadoutFacts& readout) {
  if (!readout.score.is_defined()) {
    return readout.undefined.empty() ? "" : "not defined: " + readout.undefined;
  }
  const Verdict verdict = readout.verdict();
  if (!verdict.text.empty()) return verdict.text;
  const Score* const best = best_of(readout.baselines);
  if (best == nullptr) return "there is nothing to compare it with";
  return is_clearly_better(readout.score, *best) ? "does better than all of these"
                                                 : "does about as well as " + best->name;
}

std::string verdict_section(const RunView& view) {
  if (view.readouts.empty()) {
    return paragraph("This experiment has no readouts, so there is nothing to score.");
  }
  std::string out = verdict_sentence(view.readouts) + verdict_list(view.readouts);
  if (const auto published = read_published(view.result)) out += published_paragraph(*published);
  bool is_scored = false;
  for (const Sort& sort : kSorts) {
    std::string id = sort.id;
    for (const auto& readouts : tables_of(view.readouts, sort.task)) {
      const std::vector<std::string> names = baseline_names(readouts);
      out += score_table(id, readouts, names);
      if (std::any_of(readouts.begin(), readouts.end(),
                      [](const auto* readout) { return readout->score.is_defined(); })) {
        is_scored = true;
        out += figure_markup("fig-verdict" + id, sort.title, score_drawing(sort, readouts, names),
                             sort.shows, sort.look_for);
      }
      id += "-more";
    }
  }
  if (!is_scored) {
    out += paragraph(
        "No readout has a score: that takes ticks after the split, and targets that "
        "are known and vary there.");
  }
  if (is_scored) out += paragraph(one_seed_sentence(view.result));
  return out + left_out_list(view.readouts);
}

}  // namespace gaia::report
