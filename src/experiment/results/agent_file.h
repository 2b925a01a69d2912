// SPDX-License-Identifier: MIT
/// \file
/// Writes what an agent did, believed and learnt: docs/results.md describes every dataset and
/// attribute.  As in a hierarchy's file, everything is laid out first and /status/committed_steps
/// is written last: steps of the agent, and behind them those of its controls.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../../io/hdf5.h"
#include "../players/agent_player.h"
#include "results_parts.h"
#include "results_rows.h"

namespace gaia {

/// Rows of steps, plans or episodes that wait to be written.
struct AgentRows {
  std::vector<double> index;  ///< Step of each row of steps and plans; number of each episode.
  AgentColumns columns;
  std::int64_t rows() const { return static_cast<std::int64_t>(index.size()); }
};

/// What an agent's file is laid out for.
struct AgentFacts {
  AgentLayout layout;
  std::vector<std::string> controls;
};

class AgentFile {
 public:
  /// Creates and lays out NAME.h5.partial; with `recorded` as ResultsFile does.
  /// \throws OutputError, DataError.
  AgentFile(const ExperimentConfig& config, const RunFacts& run, const AgentFacts& facts,
            const Recorded& recorded = {});

  /// Appends rows of a group: "agent", "agent/plans", "agent/episodes",
  /// "agent/controls/NAME".
  void append(const std::string& group, const AgentRows& rows);
  /// Everything appended until now belongs to so many steps, and readers may rely on it.
  void commit(std::int64_t steps);
  /// Brings what was committed to the disk.
  void sync();
  /// Stores what was learnt, one row for each variable of the layout.
  void write_learnt(const AgentColumns& learnt);

  /// Ends the file, with attributes of /agent and of its controls; returns its path.
  std::string finish(RunStatus status, std::int64_t steps_done, double wall_seconds,
                     const std::map<std::string, Attributes>& attributes);

  /// After a write that failed: leaves the file as a killed program would.
  void abandon();

  bool is_open() const { return is_open_; }

  /// The datasets of rows of a group, in their order, behind the one that numbers them.
  static std::vector<AgentVariable> episode_variables(const AgentLayout& layout, bool of_control);
  static std::vector<AgentVariable> step_variables(const AgentLayout& layout);

 private:
  /// Datasets that grow together.
  struct Table {
    std::vector<hdf5::Dataset> datasets;  // the coordinate first
    std::vector<AgentVariable> variables;
    std::int64_t rows = 0;
  };

  void lay_out_table(hdf5::Group& group, const std::string& path, const std::string& coordinate,
                     const char* long_name, std::vector<AgentVariable> variables,
                     std::int64_t all_rows);
  /// Datasets of fixed size; `path` names them.
  void lay_out_fixed(hdf5::Group& group, const std::string& path,
                     const std::vector<AgentVariable>& variables);
  const hdf5::Dataset& axis(hdf5::Group& group, const std::string& path, const std::string& name);
  const AgentAxis& axis_of(const std::string& name) const;
  std::vector<std::int64_t> row_shape(const AgentVariable& variable) const;
  void take_over(const Recorded& recorded);

  std::string result_;
  const ExperimentConfig& config_;
  AgentFacts facts_;
  hdf5::File file_;
  std::map<std::string, Table> tables_;          // by group
  std::map<std::string, hdf5::Dataset> axes_;    // by path
  std::map<std::string, hdf5::Dataset> learnt_;  // by name
  std::vector<hdf5::Dataset> committed_;         // one
  bool is_open_ = true;
};

}  // namespace gaia
