// SPDX-License-Identifier: MIT
#include "reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "../../core/message.h"
#include "../../core/names.h"
#include "../../core/text.h"
#include "../../io/csv_records.h"
#include "../../learning/statistic_readout.h"
#include "../config/config_reader.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGallery = "experiments/gallery";
constexpr std::int64_t kShortSeeds = 2;
/// Share that rounding in a table may have taken.
constexpr double kRounding = 1e-5;
/// Share of a figure below which seeds do not differ.
constexpr double kEqual = 1e-12;

/// Folders of rows that can be reached: in the working directory, and around a program.
std::vector<fs::path> galleries(const std::string& near) {
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& folder) {
    std::error_code ignored;
    if (fs::is_directory(folder, ignored)) folders.push_back(folder);
  };
  add(kGallery);
  std::error_code ignored;
  const fs::path from = fs::absolute(near, ignored).lexically_normal();
  for (fs::path at = from.parent_path(); !at.empty(); at = at.parent_path()) {
    add(at / "share/gaia" / kGallery);
    add(at / kGallery);
    if (at == at.parent_path()) break;
  }
  return folders;
}

/// Names of rows in a folder.
std::vector<std::string> rows_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

std::string setting(const std::string& key, const std::string& path) {
  return key + "=" + quoted(path);
}

/// Settings by which a row reads its data from a folder.
std::vector<std::string> settings_of_data(const DataConfig& data, const std::string& folder) {
  std::error_code ignored;
  const fs::path from = fs::absolute(folder, ignored).lexically_normal();
  const auto moved = [&](const std::string& path) {
    return (from / fs::path(path).filename()).string();
  };
  if (const auto* const images = std::get_if<ImagesConfig>(&data.source)) {
    if (images->path.empty()) return {setting("data.folder", from.string())};
    std::vector<std::string> settings = {setting("data.path", moved(images->path))};
    if (!images->labels.empty()) settings.push_back(setting("data.labels", moved(images->labels)));
    return settings;
  }
  if (const auto* const events = std::get_if<EventsConfig>(&data.source)) {
    return {setting("data.path", moved(events->path))};
  }
  const auto* const file = std::get_if<FileConfig>(&data.source);
  if (file == nullptr) fail<ConfigError>("data: the row makes its data itself, got {}", folder);
  if (!file->path.empty()) return {setting("data.path", moved(file->path))};
  std::string files;
  for (const std::string& one : file->files) {
    files += (files.empty() ? "" : ", ") + quoted(moved(one));
  }
  return {"data.files=[" + files + "]"};
}

/// \throws ConfigError where what a row reads is not there.
void check_that_data_are_there(const std::string& row, const DataConfig& data) {
  const auto* const images = std::get_if<ImagesConfig>(&data.source);
  const auto* const events = std::get_if<EventsConfig>(&data.source);
  const auto* const file = std::get_if<FileConfig>(&data.source);
  const std::string path = images != nullptr ? images->path.empty() ? images->folder : images->path
                           : events != nullptr ? events->path
                           : file != nullptr   ? file->path
                                               : "";
  const bool is_pattern = path.find_first_of("*?[") != std::string::npos;
  const fs::path from = fs::path(row).parent_path() / path;
  std::error_code ignored;
  if (path.empty() || is_pattern || fs::exists(from, ignored)) return;
  throw ConfigError(
      message("{}: reads {}, which is not there; --data FOLDER names the folder of its "
              "data, and the first lines of the row say where they come from",
              row, path));
}

std::string figure_words(double value, const std::optional<double>& spread) {
  std::string text = fmt::format("{:.5g}", value);
  // What equal figures are apart by rounding is no spread.
  const double least = kEqual * std::abs(value);
  if (spread) text += fmt::format(" ± {:.2g}", *spread < least ? 0.0 : *spread);
  return text;
}

std::string spread_words(const Spread& spread) {
  return figure_words(spread.mean,
                      spread.count > 1 ? std::optional(spread.deviation) : std::nullopt);
}

/// What learning has to be ahead of.
bool is_asked_of(const ComparedScores& other) {
  return other.is_control && (other.name == "frozen" || other.name == "pca");
}

/// In how many seeds the readout is better than the mean of a rival.
std::int64_t ahead_of_rival(const Reproduction& again) {
  const std::vector<double>& scores = again.readout()->published->scores;
  const double rival = again.published.rival.mean;
  return std::count_if(scores.begin(), scores.end(), [&](double score) {
    return is_error_measure(again.measure()) ? score < rival : score > rival;
  });
}

std::string line_of(const char* name, const std::string& text) {
  return text.empty() ? text : fmt::format("{:<10} {}\n", name, text);
}

}  // namespace

std::string find_row(const std::string& row, const std::string& near) {
  std::error_code ignored;
  if (fs::is_regular_file(row, ignored)) return row;
  std::vector<std::string> known;
  for (const fs::path& folder : galleries(near)) {
    const fs::path file = folder / (row + ".yaml");
    if (fs::is_regular_file(file, ignored)) return file.string();
    if (known.empty()) known = rows_in(folder);
  }
  if (known.empty()) {
    fail<ConfigError>("{}: no such file, and no {} was found around {}", row, kGallery, near);
  }
  throw ConfigError(row + ": no such file, and no row of the gallery" + did_you_mean(row, known) +
                    "; known: " + join(known));
}

std::string head_of_row(const std::string& file) {
  const InputFile opened(file);
  std::string text(static_cast<std::size_t>(opened.size()), '\0');
  text.resize(opened.read(0, text));
  std::istringstream lines(text);
  std::string head;
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    const std::size_t begin = line.find_first_not_of("# ");
    head += (begin == std::string::npos ? "" : line.substr(begin)) + "\n";
  }
  return head;
}

std::optional<TableLine> table_line(const std::string& table, const std::string& row,
                                    const std::string& readout) {
  std::error_code ignored;
  if (!fs::is_regular_file(table, ignored)) return std::nullopt;
  const InputFile file(table);
  CsvRecords records(file);
  std::map<std::string, std::size_t> places;
  while (records.next()) {
    const auto fields = records.fields();
    if (places.empty()) {
      for (std::size_t i = 0; i < fields.size(); ++i) places[std::string(fields[i])] = i;
      for (const char* const name : {"row", "readout", "measure", "ours", "ours_sd"}) {
        if (!places.contains(name)) records.fail(message("expected a column {}", name));
      }
      continue;
    }
    const auto field = [&](const char* name) {
      const std::size_t i = places.at(name);
      return i < fields.size() ? std::string(fields[i]) : std::string();
    };
    if (field("row") != row || field("readout") != readout) continue;
    const auto mean = parse_number(field("ours"));
    const auto deviation = parse_number(field("ours_sd"));
    if (!mean || !deviation) records.fail("expected numbers for ours and ours_sd");
    return TableLine{field("measure"), *mean, *deviation};
  }
  return std::nullopt;
}

const ReadoutOverSeeds* Reproduction::readout() const {
  for (const ReadoutOverSeeds& readout : verdict.readouts) {
    if (readout.published) return &readout;
  }
  return nullptr;
}

std::string Reproduction::measure() const {
  return published.score.empty() ? readout()->measure : published.score;
}

Reproduction::Standing Reproduction::standing() const {
  if (readout() == nullptr || !published.value || readout()->published->reached.count == 0) {
    return Standing::not_told;
  }
  const double size = std::abs(*published.value);
  const double point = 0.01 * (is_error_measure(measure()) ? size : std::max(1.0, size));
  const double gap = readout()->published->reached.mean - *published.value;
  if (std::abs(gap) <= std::max(point, published.spread.value_or(0.0))) return Standing::within;
  return (gap > 0.0) == is_error_measure(measure()) ? Standing::worse : Standing::better;
}

bool Reproduction::is_ahead() const {
  if (readout() == nullptr) return false;
  bool is_compared = false;
  for (const ComparedScores& other : readout()->others) {
    if (!is_asked_of(other) || other.difference.count == 0) continue;
    is_compared = true;
    if (other.ahead < verdict.seeds) return false;
  }
  if (!published.rival.is_there) return is_compared;
  return ahead_of_rival(*this) == verdict.seeds;
}

bool Reproduction::is_as_expected() const {
  switch (published.expect) {
    case PublishedConfig::Expect::within:
      return standing() == Standing::within || standing() == Standing::better;
    case PublishedConfig::Expect::ahead:
      return is_ahead();
    case PublishedConfig::Expect::misses:
      break;
  }
  return standing() == Standing::worse || (standing() == Standing::not_told && !is_ahead());
}

bool Reproduction::agrees() const {
  if (readout() == nullptr || readout()->published->reached.count == 0) return false;
  if (is_short || !line) return true;
  const double spread = std::max(line->deviation, kRounding * std::abs(line->mean));
  return std::abs(readout()->published->reached.mean - line->mean) <= spread;
}

std::string Reproduction::text() const {
  std::string out;
  if (is_short) {
    out += line_of("short form", "its figures say nothing");
  } else if (readout() != nullptr) {
    out += line_of("comes out",
                   outcome() + (is_as_expected() ? ""
                                                 : fmt::format("; the row expects `{}`",
                                                               to_string(published.expect))));
  }
  out += line_of("row", row) + line_of("paper", published.paper + ", " + published.where) +
         line_of("claim", published.says);
  if (readout() == nullptr) return out + line_of("here", "nothing that the paper has is scored");
  const Spread& reached = readout()->published->reached;
  if (published.value) {
    out += line_of("published", figure_words(*published.value, published.spread));
  }
  out += line_of("here", fmt::format("{}, {} of readout {} over {}",
                                     reached.count > 0 ? spread_words(reached) : "no score",
                                     measure(), readout()->name, seeds_text(verdict)));
  for (const ComparedScores& other : readout()->others) {
    if (!is_asked_of(other) || other.difference.count == 0) continue;
    out += line_of("control",
                   fmt::format("{} {}, ahead of it in {} of {}", other.title,
                               spread_words(other.spread), other.ahead, other.difference.count));
  }
  if (published.rival.is_there) {
    out += line_of("rival", fmt::format("{} {}, ahead of it in {} of {}", published.rival.name,
                                        figure_words(published.rival.mean, published.rival.spread),
                                        ahead_of_rival(*this), verdict.seeds));
  }
  out += line_of("differs", published.differs);
  if (is_short) return out;
  if (!line) return out + line_of("before", "not compared: no line of this row in " + table);
  return out + line_of("before", fmt::format("{} in {}; this mean {} within that spread",
                                             figure_words(line->mean, line->deviation), table,
                                             agrees() ? "lies" : "does NOT lie"));
}

std::string Reproduction::outcome() const {
  if (standing() == Standing::not_told) {
    return is_ahead() ? "yes: ahead in every seed" : "no: not ahead in every seed";
  }
  const double gap = readout()->published->reached.mean - *published.value;
  const std::string side = fmt::format("{:.2g} {}", std::abs(gap), gap < 0.0 ? "below" : "above");
  switch (standing()) {
    case Standing::better:
      return "yes: better than published, " + side;
    case Standing::worse:
      return "no: " + side + " the published figure";
    default:
      return fmt::format(
          "yes: {} the published figure, within {}", side,
          std::abs(gap) <= published.spread.value_or(0.0) ? "its spread" : "one point");
  }
}

Reproduction reproduce(const std::string& file, const ReproduceOptions& options) {
  ExperimentFile read = read_experiment_file(file, {});
  const ExperimentConfig config = read_config(read.root, read.problems).config;
  read.problems.throw_if_any();
  if (!config.published.is_there) {
    throw ConfigError(file + ": has no section `published`, so there is nothing that it repeats");
  }
  Reproduction again{.row = fs::path(file).stem().string(),
                     .table = (fs::path(file).parent_path() / "table.csv").string(),
                     .is_short = options.is_short,
                     .published = config.published,
                     .verdict = {}};
  Overrides overrides{.device = options.device};
  if (options.is_short) {
    for (const NamedEntry& entry : config.published.short_form) {
      overrides.set.push_back(entry.name + "=" + std::get<std::string>(entry.value));
    }
  }
  if (options.data.empty()) {
    check_that_data_are_there(file, config.data);
  } else {
    for (std::string& one : settings_of_data(config.data, options.data)) {
      overrides.set.push_back(std::move(one));
    }
  }
  overrides.seed = std::to_string(config.published.first_seed);
  overrides.output = options.output.empty() ? fmt::format("results/{}{}.verdict.h5", again.row,
                                                          options.is_short ? ".short" : "")
                                            : options.output;
  SeedVerdictOptions how = options.how;
  how.seeds = options.seeds > 0  ? options.seeds
              : options.is_short ? kShortSeeds
                                 : config.published.seeds;
  again.verdict = verdict_over_seeds(file, overrides, how);
  if (again.readout() != nullptr && !again.is_short) {
    again.line = table_line(again.table, again.row, again.readout()->name);
  }
  return again;
}

}  // namespace gaia
