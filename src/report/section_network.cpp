// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/text.h"
#include "confusion.h"
#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr double kGapOfNetwork = 66.0;
constexpr double kNotThere = std::numeric_limits<double>::quiet_NaN();

bool is_classifier(const Result& result) { return result.has("test/confusion"); }

double test_number(const Result& result, const char* name) {
  return result.number("test", name).value_or(kNotThere);
}

/// Share of the most frequent class: what a network reaches that has learnt nothing else.
double majority_share(const Matrix& confusion) {
  double all = 0.0;
  double most = 0.0;
  for (const ClassFigures& figures : count_classes(confusion)) {
    all += figures.shown;
    most = std::max(most, figures.shown);
  }
  return most / all;
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100.0 * share) : "–";
}

struct Curve {
  std::string name;
  std::vector<Point> points;
};

/// Lines over the epochs; nothing if there are none.
bool add_epochs(Figure& figure, const Box& box, const Result& result, const std::string& title,
                const std::vector<Curve>& curves, bool logarithmic) {
  Range range;
  for (const Curve& curve : curves) {
    for (const Point& point : curve.points) range.add(point.y);
  }
  if (range.is_empty()) return false;
  const double epochs = static_cast<double>(std::max<std::int64_t>(2, result.done()));
  Panel panel(box, {{1.0, epochs}, "epoch", 5, true},
              {logarithmic ? range.logarithmic() : range.padded(), "", 5});
  panel.set_title(title);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves[i].points.empty()) continue;
    panel.line(curves[i].points, line_class(i));
    if (curves.size() > 1) panel.add_legend(curves[i].name, line_class(i));
    if (curves[i].points.size() < 30) panel.dots(curves[i].points, 2.6, line_class(i));
  }
  figure.add(panel);
  return true;
}

/// The test part of a series: its beginning in full, and all pairs.
std::string series_answers(const Result& result) {
  const std::vector<std::int64_t> shape = result.shape("test/prediction");
  if (shape.size() != 1 || shape != result.shape("test/target") || shape[0] < 2) return {};
  const std::int64_t rows = shape[0];
  const std::int64_t shown = std::min<std::int64_t>(rows, 1200);
  std::vector<double> predictions(static_cast<std::size_t>(shown));
  std::vector<double> targets(predictions.size());
  result.read_rows("test/prediction", 0, shown, predictions.data());
  result.read_rows("test/target", 0, shown, targets.data());
  if (std::none_of(predictions.begin(), predictions.end(),
                   [](double value) { return std::isfinite(value); })) {
    return {};
  }
  double first_step = 0.0;
  if (result.has("test/step")) result.read_rows("test/step", 0, 1, &first_step);
  std::vector<Point> target;
  std::vector<Point> prediction;
  std::vector<Point> error;
  Range range;
  Range errors;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const double step = first_step + static_cast<double>(i);
    target.push_back({step, targets[i]});
    prediction.push_back({step, predictions[i]});
    error.push_back({step, predictions[i] - targets[i]});
    range.add(targets[i]);
    range.add(predictions[i]);
    errors.add(error.back().y);
  }
  const Scale steps{first_step, first_step + static_cast<double>(shown - 1), false};
  constexpr double width = kWidth - kLeft - 10.0;
  Figure figure(kWidth, 334.0);
  Panel above({kLeft, 26.0, width, 150.0}, {steps, "step", 8, true, false},
              {range.padded(), "target", 4});
  above.line(target, "soft bold faded");
  above.line(prediction, "c0");
  above.add_legend("target", "soft bold");
  above.add_legend("prediction", "c0");
  Panel below({kLeft, 206.0, width, 80.0}, {steps, "step", 8, true},
              {errors.symmetric(), "error", 3});
  below.set_title("prediction − target");
  below.mark_y(0.0, "rule");
  below.line(error, "c1 thin");
  figure.add(above);
  figure.add(below);
  figure.make_zoomable(below);
  std::string out = figure_markup(
      "fig-answers", "Answers to the test part",
      figure.svg("predictions, targets and errors over the test part"),
      fmt::format("The first {} of {} test samples, at the step of the newest row that the network "
                  "has read.",
                  grouped(shown), grouped(rows)),
      "Drag across a stretch to enlarge it; a double click shows all again.");
  return out + figure_markup("fig-predictions", "Prediction against target",
                             pairs_figure(result, {{.title = "test part",
                                                    .target = "test/target",
                                                    .prediction = "test/prediction",
                                                    .rows = rows}}),
                             fmt::format("All {} test samples; yellow cells hold most, on a "
                                         "logarithmic scale. On the dashed line a prediction is "
                                         "right.",
                                         grouped(rows)));
}

}  // namespace

std::vector<Point> over_epochs(const Result& result, const std::string& dataset) {
  std::vector<Point> points = curve(result, "history/epoch", dataset);
  std::erase_if(points,
                [&](const Point& point) { return point.x >= static_cast<double>(result.done()); });
  for (Point& point : points) point.x += 1.0;
  return points;
}

namespace {

/// ", validated by 60 that it is not trained on, by which epoch 7 is the best", or nothing.
std::string validation_text(const Result& result) {
  const auto samples = result.integer("data", "validation_samples");
  if (!samples) return {};
  std::string text = fmt::format(", validated by {} that it is not trained on", grouped(*samples));
  const auto best = result.integer("network", "best_epoch");
  if (best) {
    text += fmt::format(
        ", by which epoch {} is the best{}", *best + 1,
        result.text("network", "stopped_early") == "true" ? ", so that training ended early" : "");
  }
  return text;
}

}  // namespace

std::string network_lead(const Result& result) {
  const std::string path = result.text("data", "path");
  const std::int64_t layers = std::ssize(result.groups("network/layers"));
  const std::int64_t trained = result.integer("data", "train_samples").value_or(0);
  const std::int64_t tested = result.integer("data", "test_samples").value_or(0);
  const std::string applied = result.text("", "applied_from");
  if (!applied.empty()) {
    return fmt::format(
        "{} layers with {} parameters, as {} had learnt them, applied to {} samples of {}. {} on "
        "{}.",
        layers, grouped(result.integer("network", "parameters").value_or(0)), applied,
        grouped(tested), path, result.text("", "dtype"), result.text("", "device"));
  }
  return fmt::format(
      "{} layers with {} parameters, trained by {} on {} samples of {}{}, tested with {}. Seed {}, "
      "{} on {}.",
      layers, grouped(result.integer("network", "parameters").value_or(0)),
      result.text("network", "optimizer_type"), grouped(trained),
      path.empty() ? result.text("data", "source") : path, validation_text(result), grouped(tested),
      result.integer("", "seed").value_or(0), result.text("", "dtype"), result.text("", "device"));
}

std::vector<Tile> network_tiles(const Result& result, const ReadoutFacts& score,
                                const std::vector<Finding>& findings) {
  std::vector<Tile> tiles;
  if (is_classifier(result)) {
    Tile tile{percent(test_number(result, "accuracy")), "of the test samples are told right"};
    const Matrix confusion = read_confusion(result, "test/confusion");
    if (confusion.rows > 0) {
      tile.beside = {{"always the most frequent class", percent(majority_share(confusion))}};
    }
    tiles.push_back(std::move(tile));
  } else {
    Tile tile{score.score.is_defined() ? number_for_people(score.score.error, 3) : "–",
              "NRMSE of the test part",
              score.verdict().standing == Verdict::Standing::bad ? "warn" : ""};
    for (const Score& other : score.baselines) {
      tile.beside.emplace_back(other.name, number_for_people(other.error, 3));
    }
    tiles.push_back(std::move(tile));
  }
  if (!result.text("", "applied_from").empty()) {
    const std::int64_t samples = result.integer("data", "test_samples").value_or(0);
    tiles.push_back({grouped(samples), "samples that it was applied to"});
    tiles.push_back(findings_tile(findings));
    return tiles;
  }
  tiles.push_back({grouped(result.done()), result.done() == result.steps()
                                               ? "epochs"
                                               : "epochs of " + grouped(result.steps())});
  const double seconds = result.number("", "wall_seconds").value_or(0.0);
  if (seconds > 0.0) tiles.push_back({duration_text(seconds), "from start to end"});
  tiles.push_back(findings_tile(findings));
  return tiles;
}

std::string network_verdict_section(const Result& result, const ReadoutFacts& score,
                                    const std::string& without_ridge) {
  std::string out =
      worth_list({{score.name, verdict_text(score), look_of_standing(score.verdict().standing)}});
  out += "<div class=\"scroll\"><table id=\"verdict-table\">\n";
  const auto row = [&](const std::string& name, const std::string& a, const std::string& b,
                       bool is_best) {
    const char* const look = is_best ? " best" : "";
    out += fmt::format("<tr><td>{}</td><td class=\"n{}\">{}</td><td class=\"n\">{}</td></tr>\n",
                       escape(name), look, escape(a), escape(b));
  };
  if (is_classifier(result)) {
    const Matrix confusion = read_confusion(result, "test/confusion");
    const double accuracy = test_number(result, "accuracy");
    const double majority = confusion.rows > 0 ? majority_share(confusion) : kNotThere;
    out +=
        "<thead><tr><th></th><th class=\"n\">test accuracy</th><th class=\"n\">test loss</th></tr>"
        "</thead>\n<tbody>\n";
    row("this network", percent(accuracy), number_for_people(test_number(result, "loss")),
        !(accuracy <= majority));
    row("always the most frequent class", percent(majority), "–", accuracy <= majority);
  } else {
    const Score* const rival = best_of(score.baselines);
    const bool is_best = rival == nullptr || score.score.error <= rival->error;
    const auto score_row = [&](const Score& of, bool is_best_of_all) {
      row(of.name, number_for_people(of.error), number_for_people(of.value), is_best_of_all);
    };
    out +=
        "<thead><tr><th></th><th class=\"n\">NRMSE</th><th class=\"n\">R²</th></tr></thead>\n"
        "<tbody>\n";
    if (score.score.is_defined()) {
      score_row(score.score, is_best);
    } else {
      row(score.name, "–", "–", false);
    }
    for (const Score& baseline : score.baselines) {
      score_row(baseline, !is_best && &baseline == rival);
    }
  }
  out += "</tbody></table></div>\n";
  if (is_classifier(result)) {
    for (const std::string& doubt : score.doubts) out += paragraph("Beware: " + doubt + ".");
  }
  if (!without_ridge.empty()) {
    out += paragraph("Ridge regression on the same windows is left out: " + without_ridge + ".");
  }
  if (!result.is_complete()) {
    out += paragraph("Scores of the test part are written when training ends.");
  } else if (result.text("", "applied_from").empty()) {
    out += paragraph(one_seed_sentence(result));
  }
  return out;
}

std::string network_learning_section(const Result& result) {
  const double width = (kWidth - kLeft - 10.0 - kGapOfNetwork) / 2.0;
  Figure figure(kWidth, 482.0);
  const Box left{kLeft, 26.0, width, 180.0};
  const Box right{kLeft + width + kGapOfNetwork, 26.0, width, 180.0};
  const auto below = [](Box box) {
    box.y += 240.0;
    return box;
  };
  const auto points = [&](const std::string& dataset) { return over_epochs(result, dataset); };
  const auto parts = [&](const std::string& what) {
    std::vector<Curve> curves = {{"training", points("history/" + what)},
                                 {"test", points("history/test_" + what)}};
    if (result.has("history/validation_" + what)) {
      curves.push_back({"validation", points("history/validation_" + what)});
    }
    return curves;
  };
  bool any = add_epochs(figure, left, result, "loss", parts("loss"), true);
  Box free = right;
  if (add_epochs(figure, free, result, "accuracy", parts("accuracy"), false)) {
    free = below(left);
  }
  if (add_epochs(figure, free, result, "learning rate", {{"", points("history/learning_rate")}},
                 false)) {
    free = free.x == left.x ? below(right) : below(left);
  }
  any = add_epochs(figure, free, result, "samples per second",
                   {{"", points("history/samples_per_second")}}, false) ||
        any;
  if (!any) return {};
  return figure_markup("fig-learning", "Learning curves",
                       figure.svg("loss and accuracy of every epoch"),
                       "Means over each epoch. The training loss is taken before the step that a "
                       "batch causes, while the network still learns; the test loss after the "
                       "epoch.",
                       "Where the training loss goes on falling while the test loss turns up, "
                       "the network learns its samples by heart.");
}

std::string network_answers_section(const Result& result) {
  if (!is_classifier(result)) return series_answers(result);
  const Matrix confusion = read_confusion(result, "test/confusion");
  return confusion.rows > 0
             ? confusion_figure("fig-confusion", "Which classes are mistaken for which", confusion,
                                [](std::int64_t index) { return std::to_string(index); })
             : std::string();
}

}  // namespace gaia::report
