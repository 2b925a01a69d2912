// SPDX-License-Identifier: MIT
/// \file
/// An experiment to begin with, for a file of data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data_survey.h"
#include "forecast_choice.h"

namespace gaia {

/// A YAML file that reads what was surveyed, with comments, as it would stand in `file`: two levels
/// with rates that are found from the data, and a forecast beside persistence and frozen weights.
/// It runs at once.  \throws DataError where the data cannot be read by an experiment.
std::string initial_experiment(const DataSurvey& survey, const ForecastChoice& forecast,
                               const std::string& file);

/// The same from the data alone: paths of files, or one pattern that files fit.
std::string initial_experiment(const std::vector<std::string>& data, const std::string& file);

/// The same from rows in memory, which are passed once more when it runs.
std::string initial_experiment(std::shared_ptr<const MemoryRows> rows, const std::string& file);

/// What an experiment with this file of data, or pattern of files, is called: its name in small
/// letters, digits, _ and -.
std::string experiment_name(const std::string& data);

/// The path of a file as an experiment in the folder of `file` writes it.
std::string path_from(const std::string& data, const std::string& file);

}  // namespace gaia
