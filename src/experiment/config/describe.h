// SPDX-License-Identifier: MIT
/// \file
/// The keys of an experiment, listed once.
#pragma once

#include "../../core/keys.h"
#include "config.h"

namespace gaia {

/// Without which keys about series have no effect.
constexpr const char* kSeries = "a series (data.source: file or generator)";

/// Shows every key of an experiment to `visitor`, with the place in `config` where its value lives.
void describe(ConfigVisitor& visitor, ExperimentConfig& config);

/// The keys of the data of a hierarchy or of a network, and whether they are a series.
void describe(ConfigVisitor& visitor, DataConfig& data, bool of_hierarchy);
bool is_series(const DataConfig& data);
/// `is_there`: whether the experiment has the section.
void describe_runtime(ConfigVisitor& visitor, bool& is_there, RuntimeConfig& runtime);
void describe_order(ConfigVisitor& visitor, OrderConfig& order);
void describe_faults(ConfigVisitor& visitor, std::vector<FaultConfig>& faults);
void describe_drift(ConfigVisitor& visitor, std::vector<DriftConfig>& drift);
void describe_published(ConfigVisitor& visitor, PublishedConfig& published,
                        const std::vector<ReadoutConfig>& readouts);
void describe_published_keys(ConfigVisitor& visitor, PublishedConfig& published);
void describe_filter(ConfigVisitor& visitor, SignalFilterConfig& filter);
void describe_resample(ConfigVisitor& visitor, ResampleConfig& resample);

/// The same with their section, and without that of agents.
void describe_source(ConfigVisitor& visitor, DataConfig& data, bool of_hierarchy);

/// The keys of a hierarchy.
void describe(ConfigVisitor& visitor, HierarchyConfig& hierarchy);

/// The keys of one level of a hierarchy, and of one of its layers.
void describe(ConfigVisitor& visitor, LevelConfig& level);
void describe(ConfigVisitor& visitor, LayerConfig& layer);
/// The keys of layers that every level has one of, and all of the same keys.
void describe_layer_of_all(ConfigVisitor& visitor, LayerConfig& layer);
/// All levels, as a list of them or by a few numbers.
void describe_levels(ConfigVisitor& visitor, std::vector<LevelConfig>& levels);

/// The keys of a network on a series or on images, and of one of its layers.
void describe(ConfigVisitor& visitor, NetworkConfig& network, bool on_series);
void describe(ConfigVisitor& visitor, Kind<ModuleKind>& layer);

/// The keys of an agent, and of the environment that it acts in.
void describe(ConfigVisitor& visitor, AgentConfig& agent);
void describe(ConfigVisitor& visitor, EnvironmentConfig& environment);

/// The keys of one readout.
void describe(ConfigVisitor& visitor, ReadoutConfig& readout);
void describe_free_run(ConfigVisitor& visitor, FreeRunConfig& run);

/// The list of readouts, and the controls beside them.
void describe_readouts(ConfigVisitor& visitor, ExperimentConfig& config, bool has_controls);

}  // namespace gaia
