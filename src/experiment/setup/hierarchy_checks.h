// SPDX-License-Identifier: MIT
/// \file
/// What is checked of an experiment with a hierarchy before it runs.
#pragma once

#include "loader.h"

namespace gaia {

/// Opens the data of a hierarchy, and checks all that is below.
void load_hierarchy(Loader& loader);

/// Checks that `learning_rate: auto` stands where it can be found, and that rules have a rate where
/// it falls by hierarchy.schedule.
void check_rates(const ExperimentConfig& config, const AddProblem& add);

/// Whether the rule of a layer is bound to labels.
bool reads_labels(const LayerConfig& layer);

/// Gives every class of the labels its neuron, for rules that read them: those of the run that this
/// one begins from have the neurons that they had there.
void number_classes(Experiment& experiment);

/// Checks that the data have what rules read next to samples, and layers a neuron for each.
void check_signals(const Experiment& experiment, const AddProblem& add);

/// Checks that no layer learns by the targets of folds in several epochs; warns where nothing
/// learns before the last one.
void check_epochs(Experiment& experiment, const AddProblem& add);

/// The name of a rule that runs on the CPU alone; empty where there is none.
std::string rule_of_cpu(const ExperimentConfig& config);

/// Checks that levels do not grow beyond what memory can hold, and returns false if they do; warns
/// of layers that cannot do what they were built for, and of epochs in which nothing learns.
bool check_sizes(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
