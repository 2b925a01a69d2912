// SPDX-License-Identifier: MIT
#include "surroundings.h"

#include <utility>

#include "../../io/checkpoint_file.h"

namespace gaia {

using agents::SavedState;

ArrayMap as_arrays(const SavedState& saved) {
  ArrayMap arrays;
  for (const auto& [name, values] : saved) {
    std::vector<double> numbers = values;
    numbers.push_back(0.0);
    put_numbers(arrays, name, numbers);
  }
  return arrays;
}

SavedState from_arrays(const ArrayMap& arrays) {
  SavedState saved;
  for (const auto& [name, array] : arrays) {
    std::vector<double> numbers = numbers_of(arrays, name);
    if (!numbers.empty()) numbers.pop_back();
    saved[name] = std::move(numbers);
  }
  return saved;
}

void put_below(SavedState& to, const std::string& prefix, SavedState from) {
  for (auto& [name, values] : from) to[prefix + name] = std::move(values);
}

SavedState taken_from_below(const SavedState& from, const std::string& prefix) {
  SavedState below;
  for (const auto& [name, values] : from) {
    if (name.starts_with(prefix)) below[name.substr(prefix.size())] = values;
  }
  return below;
}

double Surroundings::step(const agents::Action& action) {
  observation_ = world_.step(action);
  return log_preference(world_.model(), observation_);
}

void Surroundings::save(SavedState& saved) const {
  put_below(saved, "world/", world_.save());
  saved["observation"] = {observation_.begin(), observation_.end()};
}

void Surroundings::restore(const SavedState& saved) {
  world_.restore(taken_from_below(saved, "world/"));
  const std::vector<double>& observation = agents::saved_numbers(saved, "observation");
  observation_.assign(observation.begin(), observation.end());
  if (!observation_.empty()) world_.model().check_observation(observation_);
}

}  // namespace gaia
