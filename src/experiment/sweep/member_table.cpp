// SPDX-License-Identifier: MIT
#include "member_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../../core/text.h"
#include "../../io/csv_field.h"
#include "../../io/diverged.h"
#include "../../io/hdf5.h"
#include "../../io/output_files.h"
#include "../../learning/statistic_readout.h"
#include "member_state.h"

namespace gaia {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Status of a member, and why it has that.
struct Standing {
  std::string status;
  std::string reason = {};
};

/// Standing of a member with a partial file.
Standing unfinished_standing(const std::string& partial) {
  Standing standing{"unfinished", "its run goes on, or was killed"};
  try {
    const hdf5::File file = hdf5::File::open(partial);
    const std::string status = file.text_attribute("status").value_or("");
    if (status != "interrupted" && status != "failed") return standing;
    standing = {status, why_failed(partial)};
    if (standing.reason.empty()) {
      standing.reason =
          fmt::format("after {} of {} steps", file.integer_attribute("steps_done").value_or(0),
                      file.integer_attribute("steps").value_or(0));
    }
  } catch (const DataError&) {
    // Being laid out, or killed then.
  }
  return standing;
}

Standing standing_of(const Experiment& experiment, MemberStates& states) {
  switch (states.of(experiment)) {
    case MemberState::missing:
      return {"missing"};
    case MemberState::complete:
      return {"complete"};
    case MemberState::damaged:
      return {"damaged"};
    case MemberState::other:
      return {"other"};
    case MemberState::changed:
      return {"changed"};
    case MemberState::torn:
    case MemberState::unfinished:
    case MemberState::replacing:
      break;
  }
  return unfinished_standing(partial_path(experiment.config.output.path));
}

/// The column of a score, which is new where no member had it so far.
ScoreColumn& column_of(const MemberScore& score, std::int64_t members,
                       std::vector<ScoreColumn>& columns) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const ScoreColumn& column) {
    return column.name == score.name;
  });
  if (found != columns.end()) return *found;
  columns.push_back({score.name, score.description, score.higher_is_better, score.is_main,
                     std::vector<double>(static_cast<std::size_t>(members), kNone)});
  return columns.back();
}

/// A column of the CSV that follows from a score.
struct DerivedColumn {
  std::string name;
  std::vector<std::string> fields;
};

/// Which member is best, and the spread over the seeds.
std::vector<DerivedColumn> derived_columns(const MemberTable& table) {
  std::vector<DerivedColumn> columns;
  for (const ScoreColumn& score : table.scores) {
    if (score.is_main) {
      DerivedColumn best{score.name + "_best", std::vector<std::string>(table.status.size(), "0")};
      if (const auto member = best_member(score)) best.fields[*member] = "1";
      columns.push_back(std::move(best));
    }
    if (!varies_seeds(table)) continue;
    DerivedColumn mean{score.name + "_mean", std::vector<std::string>(table.status.size())};
    DerivedColumn deviation{score.name + "_std", mean.fields};
    for (const SeedGroup& group : seed_groups(table, score)) {
      for (const std::size_t member : group.members) {
        mean.fields[member] = csv_number(group.mean());
        if (group.deviation()) deviation.fields[member] = csv_number(*group.deviation());
      }
    }
    columns.push_back(std::move(mean));
    columns.push_back(std::move(deviation));
  }
  return columns;
}

/// What the file of a member has of a readout.
struct ReadoutScoreName {
  const char* attribute;
  const char* meaning;
  bool higher_is_better;
  bool is_main;  ///< Members are compared by it.
};
const std::vector<ReadoutScoreName>& readout_score_names() {
  static const std::vector<ReadoutScoreName> all = [] {
    std::vector<ReadoutScoreName> names = {
        {"nrmse", "NRMSE", false, true},
        {"r2", "R2", true, false},
        {"accuracy", "accuracy", true, true},
        {"balanced_accuracy", "balanced accuracy", true, false},
        {"log_loss", "log loss", false, false},
        {"auc_roc", "area under the ROC curve", true, true},
        {"auc_pr", "average precision", true, false},
        {"mean_correlation", "mean |r|", true, true},
        {"nrmse_at", "NRMSE of the free run", false, false},
        {"valid_steps", "valid steps of the free run", true, false}};
    for (const StatisticMeasure& one : statistic_measures()) {
      names.push_back({one.attribute, one.name, !one.is_error, true});
    }
    return names;
  }();
  return all;
}
constexpr const char* kValidation = "validation_";

std::string validation_of(const ReadoutScoreName& score) {
  return std::string(kValidation) + score.attribute;
}

}  // namespace

std::string csv_number(double value) { return std::isnan(value) ? "" : number_text(value); }

std::string setting_text(const AttributeValue& value) {
  struct Text {
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return number_text(v); }
  };
  return std::visit(Text{}, value);
}

std::int64_t MemberTable::complete() const {
  return std::count(status.begin(), status.end(), "complete");
}

std::string test_text(const std::string& result_path, const std::string& score) {
  const std::size_t at = score.rfind(kValidation);
  if (at == std::string::npos) return {};
  const std::string attribute = score.substr(at + std::string_view(kValidation).size());
  const hdf5::File file = hdf5::File::open(result_path);
  // Names of a network's scores begin so.
  const hdf5::Group group = at == 0
                                ? file.open_group("test")
                                : file.open_group("readouts").open_group(score.substr(0, at - 1));
  const auto value = group.number_attribute(attribute);
  return value ? fmt::format(", test {} {:.4f}", attribute, *value) : std::string();
}

std::vector<MemberScore> scores_of(const std::string& result_path) {
  const hdf5::File file = hdf5::File::open(result_path);
  return kind_of_results([&](const std::string& group) { return file.has_group(group); })
      .scores(file);
}

void add_score(std::vector<MemberScore>& scores, const hdf5::Group& group, const char* attribute,
               const std::string& name, const std::string& description, bool higher_is_better,
               bool is_main) {
  const auto value = group.number_attribute(attribute);
  if (value) scores.push_back({name, description, higher_is_better, is_main, *value});
}

std::vector<MemberScore> readout_scores(const hdf5::File& file) {
  std::vector<MemberScore> scores;
  if (!file.has_group("readouts")) return scores;
  const hdf5::Group readouts = file.open_group("readouts");
  for (const std::string& name : readouts.groups()) {
    const hdf5::Group group = readouts.open_group(name);
    // Members are chosen by the validation part if there is one; the test part is then reported for
    // the chosen one alone (best_text).
    const std::vector<ReadoutScoreName>& known = readout_score_names();
    const bool is_validated =
        std::any_of(known.begin(), known.end(), [&](const ReadoutScoreName& score) {
          return group.number_attribute(validation_of(score));
        });
    for (const ReadoutScoreName& score : known) {
      const std::string attribute = is_validated ? validation_of(score) : score.attribute;
      add_score(scores, group, attribute.c_str(), name + "_" + attribute,
                score.meaning + (" of readout " + name) + (is_validated ? ", validation part" : ""),
                score.higher_is_better, score.is_main);
    }
  }
  return scores;
}

MemberTable read_member_table(const Members& members) {
  MemberTable table;
  MemberStates states(members.rows());
  const std::vector<std::string> keys = members.keys();
  const std::vector<std::string> names = members.short_keys();
  for (std::size_t k = 0; k < keys.size(); ++k) table.settings.push_back({names[k], keys[k], {}});
  members.check([&](std::int64_t member, const Experiment& experiment) {
    Standing standing = standing_of(experiment, states);
    table.status.push_back(std::move(standing.status));
    table.reasons.push_back(std::move(standing.reason));
    for (std::size_t k = 0; k < keys.size(); ++k) {
      table.settings[k].values.push_back(experiment.member->settings[k].second);
    }
    table.wall_seconds.push_back(kNone);
    if (table.status.back() != "complete") return;
    const std::string& path = experiment.config.output.path;
    table.wall_seconds.back() =
        hdf5::File::open(path).number_attribute("wall_seconds").value_or(kNone);
    for (const MemberScore& score : scores_of(path)) {
      column_of(score, members.size(), table.scores).values[static_cast<std::size_t>(member)] =
          score.value;
    }
  });
  return table;
}

namespace {

/// Whether the file in a member's place is what the status tells of: what failed or was cut has
/// none, though a result of an earlier configuration may lie there.
bool has_file(const std::string& status) {
  return status == "complete" || status == "other" || status == "changed" || status == "damaged";
}

}  // namespace

std::string csv_of(const MemberTable& table, const Members& members) {
  std::string text = "member,status";
  for (const SettingColumn& column : table.settings) text += "," + csv_field(column.name);
  for (const ScoreColumn& column : table.scores) text += "," + csv_field(column.name);
  text += ",wall_seconds,file";
  const std::vector<DerivedColumn> derived = derived_columns(table);
  for (const DerivedColumn& column : derived) text += "," + csv_field(column.name);
  text += ",reason\n";
  for (std::size_t i = 0; i < table.status.size(); ++i) {
    text += fmt::format("{},{}", i, table.status[i]);
    for (const SettingColumn& column : table.settings) {
      text += "," + csv_field(setting_text(column.values[i]));
    }
    for (const ScoreColumn& column : table.scores) text += "," + csv_number(column.values[i]);
    text +=
        "," + csv_number(table.wall_seconds[i]) + "," +
        (has_file(table.status[i]) ? csv_field(members.result_path(static_cast<std::int64_t>(i)))
                                   : "");
    for (const DerivedColumn& column : derived) text += "," + column.fields[i];
    text += "," + csv_field(table.reasons[i]) + "\n";
  }
  return text;
}

}  // namespace gaia
