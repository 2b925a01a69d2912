// SPDX-License-Identifier: MIT
#include "initial_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/columns.h"
#include "../../io/find_files.h"
#include "../config/yaml.h"
#include "../setup/load.h"
#include "initial_pictures.h"
#include "initial_trials.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

using Use = SurveyedColumn::Use;

constexpr std::size_t kLineLength = 100;

/// `words` with commas between them, from column `begin` on, in lines that are not too long.
std::string wrapped(const std::vector<std::string>& words, std::size_t begin,
                    const std::string& margin) {
  std::string text;
  std::size_t at = begin;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : "");
    if (i > 0 && at + 1 + word.size() > kLineLength) {
      text += "\n" + margin;
      at = margin.size();
    } else if (i > 0) {
      text += " ";
      ++at;
    }
    text += word;
    at += word.size();
  }
  return text;
}

/// A column as `columns` has it: an index as a number, a name as a text.
std::string column_text(const std::string& column) {
  const auto index = parse_integer(column);
  return index && *index >= 0 && std::to_string(*index) == column ? column : quoted(column);
}

std::string join_with_and(std::vector<std::string> parts) {
  constexpr std::size_t most = 8;
  if (parts.size() > most) {
    const std::size_t more = parts.size() - most;
    parts.resize(most);
    parts.push_back(fmt::format("{} more", more));
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return text;
}

/// "  # Left out: ..." for the columns of one use; nothing where there are none.
std::string left_out(const DataSurvey& survey, Use use, const char* why) {
  std::vector<std::string> names;
  for (const SurveyedColumn& column : survey.columns) {
    const bool is_read = column.name == survey.source.time || column.name == survey.source.labels;
    if (column.use != use || is_read) continue;
    names.push_back(in_quotes(column.name) + (column.note.empty() ? "" : " (" + column.note + ")"));
  }
  if (names.empty()) return "";
  return fmt::format("  # Left out since {}: {}.\n", why, join_with_and(names));
}

std::string all_left_out(const DataSurvey& survey) {
  std::string text = left_out(survey, Use::time, "it is a time") +
                     left_out(survey, Use::number_date, "it holds dates written as one number") +
                     left_out(survey, Use::twice, "a column before it has the same name") +
                     left_out(survey, Use::label, "it holds text of few kinds") +
                     left_out(survey, Use::name, "it is called as what names trials or subjects") +
                     left_out(survey, Use::of_trial, "it stays the same in each trial") +
                     left_out(survey, Use::gap, "it has no value in one of the trials") +
                     left_out(survey, Use::counter, "it rises by the same step in every row") +
                     left_out(survey, Use::constant, "it never changes") +
                     left_out(survey, Use::text, "it holds text") +
                     left_out(survey, Use::empty, "it has no value") +
                     left_out(survey, Use::sparse, "it is mostly missing") +
                     left_out(survey, Use::mixed, "not all that it holds are numbers") +
                     left_out(survey, Use::other_rate, "it has another rate");
  if (survey.left_over > 0) {
    text += fmt::format(
        "  # {} more columns could be read; more than one for 50 rows make readouts fit noise.\n",
        survey.left_over);
  }
  return text;
}

std::string missing_text(const DataSurvey& survey) {
  if (survey.source.missing == MissingPolicy::error) return "";
  constexpr std::size_t most = 2;  // counts that a line holds
  std::vector<std::string> counts;
  std::size_t more = 0;
  for (const SurveyedColumn& column : survey.columns) {
    if (column.use != Use::channel || column.missing == 0) continue;
    if (counts.size() == most) {
      ++more;
    } else {
      counts.push_back(fmt::format("{} of {}", grouped(column.missing), in_quotes(column.name)));
    }
  }
  if (more > 0) counts.push_back(fmt::format("of {} more", more));
  return fmt::format(
      "  missing: hold               # the last value seen, where values are missing{}\n",
      counts.empty() ? "" : ": " + join_with_and(counts));
}

/// A column or dataset beside the channels.
std::string side_text(const std::string& name) { return quoted(name); }

/// A message as a comment has it.
std::string one_line(const std::string& text) {
  std::string line = printable(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

/// The file, the files, or the pattern that they fit.
std::string paths_text(const DataSurvey& survey, const std::string& file) {
  if (survey.rows)
    return "  # path: data.csv            # they are handed over in place of a file\n";
  if (survey.paths.size() == 1 || !survey.pattern.empty()) {
    const std::string& path = survey.pattern.empty() ? survey.path : survey.pattern;
    return fmt::format("  path: {}\n", quoted(path_from(path, file)));
  }
  std::vector<std::string> paths;
  for (const std::string& path : survey.paths) paths.push_back(quoted(path_from(path, file)));
  return fmt::format("  files: [{}]  # each is a trial\n",
                     wrapped(paths, 10, std::string(10, ' ')));
}

/// What the axes of an array are.
std::string axes_text(const DataSurvey& survey) {
  if (survey.found.shape.empty()) return "";
  std::string text = fmt::format(
      "  # What the axes of [{}] are is a guess: the longer of the last two is time.  No trial\n"
      "  # carries anything over to the next.\n"
      "  trials: {{axes: [{}]}}\n",
      fmt::join(survey.found.shape, ", "), fmt::join(survey.source.trials.axes, ", "));
  if (survey.found.takes_label_file && survey.source.labels.empty()) {
    text +=
        "  # labels: labels.npy         # a second array, with the class of each trial or row\n";
  }
  return text;
}

std::string data_text(const DataSurvey& survey, const ForecastChoice& forecast,
                      const std::string& file) {
  std::string text = "data:\n  source: file\n";
  text += paths_text(survey, file);
  if (!survey.source.dataset.empty()) {
    text += fmt::format("  dataset: {}\n", quoted(survey.source.dataset));
    if (!survey.found.other_datasets.empty()) {
      std::vector<std::string> others;
      for (const std::string& path : survey.found.other_datasets) others.push_back(in_quotes(path));
      text += fmt::format("  # Others in the file that could be read: {}.\n",
                          join_with_and(std::move(others)));
    }
  }
  if (survey.source.transpose) {
    text +=
        "  transpose: true             # columns far outnumber rows, so that rows are channels\n";
  }
  text += axes_text(survey) + trials_text(survey);
  if (!survey.source.time.empty())
    text += fmt::format("  time: {}\n", side_text(survey.source.time));
  if (!survey.source.columns.empty()) {
    std::vector<std::string> columns;
    for (const std::string& column : survey.source.columns) columns.push_back(column_text(column));
    text += fmt::format("  columns: [{}]\n", wrapped(columns, 12, std::string(12, ' ')));
  }
  if (!survey.source.labels.empty()) {
    const std::string& labels = survey.source.labels;
    text += fmt::format("  labels: {}  # a class for each {}, which no level reads\n",
                        side_text(labels.ends_with(".npy") ? path_from(labels, file) : labels),
                        survey.is_label_of_trial ? "trial" : "row");
  }
  for (const std::string& why : survey.dropped)
    text += "  # Not read are the " + one_line(why) + "\n";
  text += all_left_out(survey);
  if (survey.source.decimal != '.') text += "  decimal: \",\"\n";
  text += missing_text(survey);
  text += fmt::format("  window: {:<19} # rows in one sample, the newest last\n", forecast.window);
  text += "  normalize: zscore           # every column to mean 0 and standard deviation 1\n";
  if (const auto rate = survey.series->sample_rate()) {
    text += fmt::format("  # The file tells its rate, {:g} Hz: results have a time in seconds.\n",
                        *rate);
  } else if (survey.source.time.empty()) {
    text +=
        "  # sample_rate: 100          # rows per second, if you know it: results have a time "
        "then\n"
        "  # filter: {band: [1, 40]}   # Hz that are read, by earlier rows alone: low, high, band "
        "or stop\n";
  }
  return text;
}

/// What the levels are like, for so many numbers in a sample and so many steps.
struct Sizes {
  std::int64_t fast = 1;
  std::int64_t rectified = 0;  ///< Neurons of a level between the two that learn; 0: none.
  std::int64_t slow = 1;
  std::int64_t resolution = 1;
  bool is_whole = true;  ///< Whether the fast level loses nothing.
};

/// `of_trials`: classes of trials are told from means over them.
Sizes sizes_for(std::int64_t features, std::int64_t steps, bool of_trials) {
  constexpr std::int64_t few = 8;  // so few that none is dispensed with
  Sizes sizes;
  sizes.is_whole = !of_trials || features < few;
  sizes.fast = sizes.is_whole ? features : features / 2;
  if (of_trials) sizes.rectified = std::clamp<std::int64_t>(4 * features, 8, 64);
  sizes.slow = std::clamp<std::int64_t>(steps / 100, 1, std::min<std::int64_t>(8, features));
  sizes.resolution = steps >= 1000 ? 4 : 2;
  return sizes;
}

/// How many samples the levels learn from: those before the first that a readout is trained on or,
/// where no whole trial lies before it, as large a share of all.
std::int64_t steps_of_learning(const Series& series, std::int64_t window, std::int64_t steps) {
  const std::vector<std::int64_t>& starts = series.trial_starts();
  const std::int64_t row = row_of_share(series, kLearningShare);
  const auto trials = std::lower_bound(starts.begin(), starts.end(), row) - starts.begin();
  const std::int64_t whole = starts.size() > 1 ? row - trials * (window - 1) : 0;
  if (whole > 0) return whole;
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(kLearningShare * static_cast<double>(steps)));
}

std::string hierarchy_text(const Sizes& sizes, std::int64_t anneal) {
  const char* const components =
      sizes.is_whole ? "as many as a sample has numbers,\n"
                       "    # so that nothing is lost.  Fewer neurons make a shorter code.\n"
                     : "half as many as a sample has\n"
                       "    # numbers, for what the columns have in common.\n";
  const std::string between =
      sizes.rectified == 0
          ? ""
          : fmt::format(
                "    # Their random mixtures, as far as they are positive: means over a trial are "
                "then\n"
                "    # of its power too, which those of the components say nothing of.\n"
                "    - temporal_resolution: 1\n"
                "      layers:\n"
                "        - {{type: reactive, size: {}, activation: relu}}\n",
                sizes.rectified);
  return fmt::format(
      "hierarchy:\n"
      "  # Levels learn from the first part of the data, slower and slower, and then stand still,\n"
      "  # so that the readout is trained on weights that do not change any more.\n"
      "  schedule: {{cosine_to: {}}}\n"
      "  levels:\n"
      "    # The principal components of the samples (Sanger's rule): {}"
      "    - temporal_resolution: 1\n"
      "      layers:\n"
      "        - type: hebbian\n"
      "          size: {}\n"
      "          rule: sanger\n"
      "          init: orthogonal\n"
      "          learning_rate: auto     # a tenth of what is stable on these data\n"
      "          normalization: max_norm # holds the weights where single samples are far larger\n"
      "          bound: 2.0\n"
      "{}"
      "    # The directions in which the means over {} steps vary most (Oja's subspace rule).\n"
      "    - temporal_resolution: {}\n"
      "      pooling: mean\n"
      "      layers:\n"
      "        - type: hebbian\n"
      "          size: {}\n"
      "          rule: oja_subspace\n"
      "          learning_rate: auto\n"
      "          normalization: max_norm\n"
      "          bound: 2.0\n",
      anneal, components, sizes.fast, between, sizes.resolution, sizes.resolution, sizes.slow);
}

std::string forecast_text(const ForecastChoice& forecast, const std::string& channel) {
  return fmt::format(
      "  # {}, 1 step ahead: its change until then, by ridge regression on what the levels show.\n"
      "  # The run tells its R2 beside that of persistence (no change) and of the same levels "
      "unlearnt.\n"
      "  - name: forecast\n"
      "    target: {{channel: {}, horizon: 1, change: true}}\n"
      "    levels: [0, 1]\n"
      "    skip: {}                   # the part that the levels learn from\n"
      "    split: {}                  # it is trained up to here, and judged on the rest\n"
      "    ridge: 10.0                 # so strong that little data make it persistence\n",
      in_quotes(channel), forecast.channel, number_text(kLearningShare),
      number_text(kTrainingShare));
}

}  // namespace

std::string path_from(const std::string& data, const std::string& file) {
  std::error_code error;
  const fs::path folder = fs::absolute(file, error).parent_path();
  const fs::path absolute = fs::absolute(data, error).lexically_normal();
  const fs::path relative = absolute.lexically_relative(folder.lexically_normal());
  // Up and up again is harder to read than the whole of it.
  const std::string text = relative.string();
  const bool is_far = text.empty() || text.starts_with("../../..");
  return is_far ? absolute.string() : text;
}

std::string experiment_name(const std::string& data) {
  std::string name;
  // A pattern gives what all files share, or else their folder.
  const fs::path path(data);
  std::string stem = path.stem().string();
  if (is_pattern(stem)) {
    stem.erase(stem.find_first_of("*?["));
    if (stem.empty()) stem = path.parent_path().filename().string();
  }
  for (const char c : stem) {
    const bool is_capital = c >= 'A' && c <= 'Z';
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    name += is_capital ? static_cast<char>(c - 'A' + 'a') : is_kept ? c : '_';
  }
  constexpr std::size_t most = 64;
  if (name.size() > most) name.resize(most);
  return name.find_first_not_of('_') == std::string::npos ? "experiment" : name;
}

std::string initial_experiment(const DataSurvey& survey, const ForecastChoice& forecast,
                               const std::string& file) {
  const std::int64_t channels = survey.series->channels();
  const auto trials = std::ssize(survey.series->trial_starts());
  const std::int64_t steps = survey.series->rows() - trials * (forecast.window - 1);
  const std::string& given = survey.pattern.empty() ? survey.path : survey.pattern;
  const std::string name = experiment_name(given);
  const std::string others = survey.pattern.empty() && survey.paths.size() > 1
                                 ? fmt::format(" and {} more", survey.paths.size() - 1)
                                 : "";
  const std::string in_trials = trials > 1 ? fmt::format(" in {} trials", grouped(trials)) : "";
  const std::string& channel =
      survey.series->channel_names()[static_cast<std::size_t>(forecast.channel)];
  std::string text = fmt::format(
      "# An experiment to begin with, made by `gaia init` for {}{}:\n"
      "# {} rows{}, {} column{} of numbers that change.  {} runs it,\n"
      "# `gaia report results/{}.h5` makes a page of the result.\n"
      "# All keys: docs/experiments.md, or `gaia schema`.\n"
      "experiment: {}\n"
      "seed: 1\n",
      in_quotes(fs::path(given).filename().string()), others, grouped(survey.series->rows()),
      in_trials, grouped(channels), channels == 1 ? "" : "s",
      survey.rows ? "`gaia.run` with the data" : "`gaia run`", name, quoted(name));
  text += data_text(survey, forecast, file);
  const bool of_trials = survey.tells_trials();
  text += hierarchy_text(sizes_for(forecast.window * channels, steps, of_trials),
                         steps_of_learning(*survey.series, forecast.window, steps));
  // Half of the components forecast little, and groups may be mixed in time, so that what comes
  // later is no test.
  const bool has_forecast = !of_trials && survey.groups.empty();
  text +=
      "readouts:\n" + (has_forecast ? forecast_text(forecast, channel) : "") + class_text(survey);
  try {
    load_experiment_text(text, file, {.rows = survey.rows});
  } catch (const ConfigError& error) {
    throw DataError(
        fmt::format("{}: no experiment could be made for it: {}", survey.path, error.what()));
  }
  return text;
}

std::string initial_experiment(std::shared_ptr<const MemoryRows> rows, const std::string& file) {
  const DataSurvey survey = survey_data(std::move(rows));
  return initial_experiment(survey, choose_forecast(survey), file);
}

std::string initial_experiment(const std::vector<std::string>& data, const std::string& file) {
  if (data.size() == 1 && holds_pictures(data.front())) {
    return initial_pictures(data.front(), file);
  }
  const DataSurvey survey = survey_data(data);
  return initial_experiment(survey, choose_forecast(survey), file);
}

}  // namespace gaia
