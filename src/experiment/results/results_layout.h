// SPDX-License-Identifier: MIT
/// \file
/// Creates every group, dataset and attribute of a results file before the first number is written.
/// docs/results.md describes them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../hierarchy/manager.h"
#include "../../io/hdf5.h"
#include "../config/config.h"
#include "../readouts/readout.h"
#include "readout_layout.h"
#include "results_parts.h"

namespace gaia {

/// What /data says about the series beside its file.
struct DataFacts {
  Trials trials;  ///< Trials of the series, in one epoch.
  SampleReader::TimeKind time = SampleReader::TimeKind::none;
  std::vector<std::string> channel_names;
  std::int64_t features = 0;              ///< Numbers in a sample.
  Scaling scaling;                        ///< Empty without normalisation.
  std::shared_ptr<const StoredRun> from;  ///< The run that this one begins with, if there is one.
  /// [height, width] or [height, width, colours] of the picture that a row is; empty: it is none.
  std::vector<std::int64_t> shape;
  const Whitening* whitening = nullptr;  ///< Null if the rows are not whitened.
  std::vector<Drift> drifts = {};
  FilledValues filled = {};
};

/// The datasets that are filled while the run goes on.
struct ResultsLayout {
  struct Layer {
    std::vector<hdf5::Dataset> initials;          ///< Weights, and memory, as used at tick 0.
    std::map<std::string, hdf5::Dataset> finals;  ///< Weights and memory at the end, by name.
    std::optional<hdf5::Dataset> history;         ///< [k, out, in]
    std::map<std::string, hdf5::Dataset> memory_histories;  ///< [k, out], by name; of a
                                                            ///< stack [k, out, in] too
    std::optional<hdf5::Dataset> rates;                     ///< [k], where learning_rate is auto
    std::optional<hdf5::Dataset> history_step;
  };
  struct Level {
    std::optional<hdf5::Dataset> step;
    std::optional<hdf5::Dataset> time;
    std::optional<hdf5::Dataset> representation;
    std::vector<hdf5::Dataset> beside;    ///< What layers tell of ticks beside their answers.
    std::vector<hdf5::Dataset> smoothed;  ///< Means, and covariances, where a filter asks for them.
    std::int64_t rows = 0;
    std::vector<Layer> layers;
    std::optional<Layer> top_down;  ///< The connection from above, as if it were a layer.

    /// Calls body(datasets, path) for each layer and the connection from above; below that path the
    /// level has its arrays.
    template <class Body>
    void for_each_part(const Body& body);
    /// Calls body(datasets, arrays) with those of `level`.
    template <class Body>
    void for_each_part(const HierarchicalLevel& level, const Body& body);
  };
  struct Checkpoint {
    hdf5::Dataset step;
    std::map<std::string, hdf5::Dataset> arrays;
  };

  std::vector<Level> levels;
  std::vector<ReadoutDatasets> readouts;
  std::map<std::string, hdf5::Dataset> metrics;
  std::int64_t metric_rows = 0;
  std::optional<hdf5::Dataset> samples;
  std::optional<hdf5::Dataset> sample_step;
  std::optional<hdf5::Dataset> sample_time;
  std::int64_t sample_rows = 0;
  std::vector<Checkpoint> checkpoints;  ///< Used in turn.
  std::optional<hdf5::Dataset> committed_steps;

  /// Limits the caches of all datasets that grow, once readers may look on.
  void limit_caches();
};

template <class Body>
void ResultsLayout::Level::for_each_part(const Body& body) {
  for (std::size_t m = 0; m < layers.size(); ++m) body(layers[m], "layers/" + std::to_string(m));
  if (top_down) body(*top_down, std::string("top_down"));
}

template <class Body>
void ResultsLayout::Level::for_each_part(const HierarchicalLevel& level, const Body& body) {
  for (std::size_t m = 0; m < layers.size(); ++m) body(layers[m], level.layer(m).arrays());
  if (top_down) body(*top_down, level.top_down()->arrays());
}

/// `block_steps` is how many steps are appended at a time.  The hierarchy's state is allocated.
ResultsLayout lay_out_results(hdf5::File& file, const ExperimentConfig& config, const RunFacts& run,
                              const DataFacts& data, const HierarchyManager& hierarchy,
                              const std::vector<Readout>& readouts, std::int64_t block_steps);

}  // namespace gaia
