// SPDX-License-Identifier: MIT
#include "agent_file.h"

#include <algorithm>
#include <utility>

#include "../../core/error.h"
#include "../../io/output_files.h"
#include "../setup/one_seed.h"
#include "growing_datasets.h"

namespace gaia {
namespace {

/// Steps, or episodes, that are written at a time, about.
constexpr std::int64_t kRowsAtOnce = 256;

hdf5::Type type_of(const AgentVariable& variable) {
  return variable.is_integer ? hdf5::Type::int64 : hdf5::Type::float64;
}

/// Writes numbers to rows of a dataset of its type.
void write_numbers(hdf5::Dataset& dataset, const AgentVariable& variable, std::int64_t first,
                   std::int64_t rows, const std::vector<double>& values) {
  if (!variable.is_integer) return dataset.write_rows<double>(first, rows, values.data());
  std::vector<std::int64_t> integers;
  for (const double value : values) integers.push_back(static_cast<std::int64_t>(value));
  dataset.write_rows<std::int64_t>(first, rows, integers.data());
}

std::int64_t recorded_of(const Recording& recording, std::int64_t steps) {
  if (recording.what == Recording::What::none) return 0;
  return recording.what == Recording::What::every ? (steps - 1) / recording.every + 1 : steps;
}

}  // namespace

std::vector<AgentVariable> AgentFile::step_variables(const AgentLayout& layout) {
  std::vector<AgentVariable> variables = {
      {.name = "episode", .long_name = "episode that the step is of", .is_integer = true},
      {.name = "step_in_episode", .long_name = "step within the episode", .is_integer = true}};
  variables.insert(variables.end(), layout.steps.begin(), layout.steps.end());
  variables.push_back({.name = "reward", .long_name = layout.reward, .units = layout.reward_units});
  return variables;
}

std::vector<AgentVariable> AgentFile::episode_variables(const AgentLayout& layout,
                                                        bool of_control) {
  std::vector<AgentVariable> variables = {
      {.name = "return",
       .long_name = "sum of the rewards of the episode",
       .units = layout.reward_units},
      {.name = "steps", .long_name = "steps of the episode", .is_integer = true},
      {.name = "steps_done",
       .long_name = "steps of the run, of agent and controls, when the episode had ended",
       .is_integer = true}};
  if (!of_control) {
    variables.insert(variables.end(), layout.episodes.begin(), layout.episodes.end());
  }
  return variables;
}

AgentFile::AgentFile(const ExperimentConfig& config, const RunFacts& run, const AgentFacts& facts,
                     const Recorded& recorded)
    : result_(config.output.path),
      config_(config),
      facts_(facts),
      file_(create_partial(result_, recorded)) {
  write_root(file_, config, run, "agent");
  const AgentConfig& agent = *config.agent();
  const AgentLayout& layout = facts_.layout;
  const std::int64_t steps = agent.environment.episodes * agent.environment.steps;
  hdf5::Group group = file_.create_group("agent");
  group.set_attribute("type", agent.type());
  group.set_attribute("environment", agent.environment.kind->name());
  group.set_attribute("episodes", agent.environment.episodes);
  group.set_attribute("steps", agent.environment.steps);
  group.set_attribute("learns", agent.learns() ? "true" : "false");
  group.set_attribute("reward", layout.reward);
  for (const auto& [name, value] : layout.about) {
    std::visit([&, &key = name](const auto& v) { group.set_attribute(key, v); }, value);
  }
  // Those of steps have a place even where none is recorded: it says what they are called.
  lay_out_table(group, "agent", "step", "step of the agent, through all episodes",
                step_variables(layout), recorded_of(config.output.steps, steps));
  mark_plot(group, "reward", {"step"});
  if (config.output.plans.what != Recording::What::none) {
    hdf5::Group plans = group.create_group("plans");
    lay_out_table(plans, "agent/plans", "step", "step of the agent, through all episodes",
                  layout.plans, recorded_of(config.output.plans, steps));
    lay_out_fixed(plans, "agent/plans", layout.fixed);
    for (std::size_t i = 0; i < layout.fixed.size(); ++i) {
      const AgentVariable& variable = layout.fixed[i];
      hdf5::Dataset dataset = plans.open_dataset(variable.name);
      write_numbers(dataset, variable, 0, row_shape(variable).front(), layout.fixed_values[i]);
    }
    std::vector<std::string> axes = {"step"};
    for (const std::string& name : layout.plans.front().axes) axes.push_back(name);
    mark_plot(plans, layout.plans.front().name.c_str(), axes);
  }
  hdf5::Group episodes = group.create_group("episodes");
  lay_out_table(episodes, "agent/episodes", "episode", "episode", episode_variables(layout, false),
                agent.environment.episodes);
  mark_plot(episodes, "return", {"episode"});
  if (!layout.learnt.empty()) {
    hdf5::Group learnt = group.create_group("learnt");
    lay_out_fixed(learnt, "agent/learnt", layout.learnt);
    for (const AgentVariable& variable : layout.learnt) {
      learnt_.emplace(variable.name, learnt.open_dataset(variable.name));
    }
  }
  if (!facts_.controls.empty()) {
    hdf5::Group controls = group.create_group("controls");
    for (const std::string& name : facts_.controls) {
      hdf5::Group one = controls.create_group(name);
      one.set_attribute("title", agent_control_title(name));
      lay_out_table(one, "agent/controls/" + name, "episode", "episode",
                    episode_variables(layout, true), agent.environment.episodes);
    }
  }
  hdf5::Group status = file_.create_group("status");
  committed_.push_back(
      status.create_dataset("committed_steps", {.type = hdf5::Type::int64, .shape = {}}));
  describe(committed_.front(), "steps of agent and controls whose results are safe in the file");
  open_to_readers(file_, result_, recorded, [&] { take_over(recorded); });
  for (auto& [path, table] : tables_) {
    for (hdf5::Dataset& dataset : table.datasets) dataset.limit_cache();
  }
}

const AgentAxis& AgentFile::axis_of(const std::string& name) const {
  const auto found = std::find_if(facts_.layout.axes.begin(), facts_.layout.axes.end(),
                                  [&](const AgentAxis& axis) { return axis.name == name; });
  if (found == facts_.layout.axes.end()) throw InternalError("[AgentFile] no axis " + name);
  return *found;
}

std::vector<std::int64_t> AgentFile::row_shape(const AgentVariable& variable) const {
  std::vector<std::int64_t> shape;
  for (const std::string& name : variable.axes) shape.push_back(axis_of(name).length);
  return shape;
}

const hdf5::Dataset& AgentFile::axis(hdf5::Group& group, const std::string& path,
                                     const std::string& name) {
  const std::string full = path + "/" + name;
  const auto found = axes_.find(full);
  if (found != axes_.end()) return found->second;
  const AgentAxis& about = axis_of(name);
  hdf5::Dataset made = make_index(group, name, about.length, about.long_name);
  if (!about.labels.empty()) made.set_attribute("labels", about.labels);
  return axes_.emplace(full, std::move(made)).first->second;
}

void AgentFile::lay_out_table(hdf5::Group& group, const std::string& path,
                              const std::string& coordinate, const char* long_name,
                              std::vector<AgentVariable> variables, std::int64_t all_rows) {
  const GrowingDatasets growing(config_, SampleReader::TimeKind::none);
  Table table;
  hdf5::Dataset index =
      growing.dataset(group, coordinate, hdf5::Type::int64, {}, all_rows, kRowsAtOnce);
  describe(index, long_name);
  index.make_scale(coordinate);
  table.datasets.push_back(std::move(index));
  for (const AgentVariable& variable : variables) {
    hdf5::Dataset dataset = growing.dataset(group, variable.name, type_of(variable),
                                            row_shape(variable), all_rows, kRowsAtOnce);
    describe(dataset, variable.long_name, variable.units);
    dataset.attach_scale(0, table.datasets.front());
    for (std::size_t i = 0; i < variable.axes.size(); ++i) {
      dataset.attach_scale(static_cast<int>(i) + 1, axis(group, path, variable.axes[i]));
    }
    table.datasets.push_back(std::move(dataset));
  }
  table.variables = std::move(variables);
  tables_.emplace(path, std::move(table));
}

void AgentFile::lay_out_fixed(hdf5::Group& group, const std::string& path,
                              const std::vector<AgentVariable>& variables) {
  for (const AgentVariable& variable : variables) {
    hdf5::Dataset dataset = group.create_dataset(
        variable.name, {.type = type_of(variable), .shape = row_shape(variable)});
    describe(dataset, variable.long_name, variable.units);
    for (std::size_t i = 0; i < variable.axes.size(); ++i) {
      dataset.attach_scale(static_cast<int>(i), axis(group, path, variable.axes[i]));
    }
  }
}

void AgentFile::take_over(const Recorded& recorded) {
  const StepsDone done = steps_done(*recorded.file, recorded.steps);
  for (auto& [path, table] : tables_) {
    hdf5::Group before = recorded.file->open_group("agent");
    if (path != "agent") before = before.open_group(path.substr(std::string("agent/").size()));
    table.rows = rows_within(before, done);
    for (hdf5::Dataset& dataset : table.datasets) {
      take_rows(dataset, recorded.file->open_dataset(dataset.place().path), table.rows);
    }
  }
  committed_.front().write<std::int64_t>({&recorded.steps, 1});
}

void AgentFile::append(const std::string& group, const AgentRows& rows) {
  const auto found = tables_.find(group);
  if (found == tables_.end() || rows.rows() == 0) return;
  Table& table = found->second;
  const std::int64_t count = rows.rows();
  for (hdf5::Dataset& dataset : table.datasets) dataset.resize(table.rows + count);
  write_numbers(table.datasets.front(), {.name = "", .long_name = "", .is_integer = true},
                table.rows, count, rows.index);
  for (std::size_t i = 0; i < table.variables.size(); ++i) {
    write_numbers(table.datasets[i + 1], table.variables[i], table.rows, count, rows.columns[i]);
  }
  table.rows += count;
}

void AgentFile::commit(std::int64_t steps) {
  for (auto& [path, table] : tables_) {
    for (hdf5::Dataset& dataset : table.datasets) dataset.flush();
  }
  committed_.front().write<std::int64_t>({&steps, 1});
  committed_.front().flush();
}

void AgentFile::sync() { sync_file(partial_path(result_)); }

void AgentFile::write_learnt(const AgentColumns& learnt) {
  for (std::size_t i = 0; i < facts_.layout.learnt.size(); ++i) {
    const AgentVariable& variable = facts_.layout.learnt[i];
    hdf5::Dataset& dataset = learnt_.at(variable.name);
    write_numbers(dataset, variable, 0, row_shape(variable).front(), learnt[i]);
    dataset.flush();
  }
}

std::string AgentFile::finish(RunStatus status, std::int64_t steps_done, double wall_seconds,
                              const std::map<std::string, Attributes>& attributes) {
  is_open_ = false;
  tables_.clear();
  axes_.clear();
  learnt_.clear();
  committed_.clear();
  file_.close();
  return finish_results(result_, status, steps_done, wall_seconds, [&](hdf5::File& file) {
    for (const auto& [path, all] : attributes) {
      hdf5::Group group = file.nested(path);
      for (const auto& [name, value] : all) {
        std::visit([&, &key = name](const auto& v) { group.set_attribute(key, v); }, value);
        // The agent's verdict is the run's.
        const auto* const text = std::get_if<std::string>(&value);
        if (name == "verdict" && text != nullptr) file.set_attribute(name, of_one_seed(*text));
      }
    }
  });
}

void AgentFile::abandon() {
  is_open_ = false;
  file_.abandon();
}

}  // namespace gaia
