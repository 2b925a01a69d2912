// SPDX-License-Identifier: MIT
#include "one_seed.h"

#include <fmt/format.h>

#include "../../core/command_line.h"

namespace gaia {

std::string one_seed_text(std::int64_t seed, const std::string& file,
                          const std::vector<std::string>& settings) {
  if (file.empty()) {
    return fmt::format(
        "one seed, {}: a verdict over ten (gaia.verdict in Python) tells whether others agree",
        seed);
  }
  std::string command = "gaia verdict " + as_typed(file);
  for (const std::string& setting : settings) command += " --set " + as_typed(setting);
  return fmt::format("one seed, {}: `{} --seeds 10` tells whether others agree", seed, command);
}

std::string one_seed_text(const Experiment& experiment) {
  const ExperimentConfig& config = experiment.config;
  if (!config.kind->has_verdict()) {
    return fmt::format("one seed, {}: a sweep over `seed` tells whether others agree", config.seed);
  }
  return one_seed_text(config.seed, experiment.stands_in_file ? experiment.file : "",
                       experiment.settings);
}

std::string of_one_seed(const std::string& verdict) {
  return verdict.empty() ? verdict : verdict + "; of one seed";
}

}  // namespace gaia
