// SPDX-License-Identifier: MIT
#include "regimes_in_file.h"

#include <algorithm>
#include <span>
#include <string>

namespace gaia {

std::vector<RegimesOfLevel> regimes_in_file(hdf5::Reader& reader, std::int64_t steps) {
  constexpr std::int64_t most_levels = 1000;
  constexpr std::int64_t most_models = 1 << 20;
  constexpr std::int64_t at_once = 1 << 18;  // numbers
  const hdf5::Contents& contents = reader.contents();
  std::vector<std::int64_t> trials;
  const hdf5::DatasetDescription* const starts = contents.dataset("/data/trial_start");
  if (starts != nullptr && starts->shape.size() == 1) trials = reader.read<std::int64_t>(*starts);
  std::vector<RegimesOfLevel> all;
  for (std::int64_t n = 0; n < most_levels; ++n) {
    const std::string path = "/levels/" + std::to_string(n);
    const hdf5::DatasetDescription* const step = contents.dataset(path + "/step");
    if (step == nullptr) break;
    const hdf5::DatasetDescription* const probability = contents.dataset(path + "/probability");
    const bool is_right = probability != nullptr && probability->shape.size() == 2 &&
                          probability->shape[1] >= 1 && probability->shape[1] <= most_models &&
                          step->shape.size() == 1 && step->shape[0] >= probability->shape[0];
    if (!is_right) continue;
    RegimesOfLevel found{n, probability->shape[1], {}};
    std::vector<std::int64_t> at = reader.read<std::int64_t>(*step);
    at.resize(static_cast<std::size_t>(probability->shape[0]));
    at.resize(static_cast<std::size_t>(std::lower_bound(at.begin(), at.end(), steps) - at.begin()));
    RegimeTracker tracker(found.models);
    auto trial = trials.begin();
    std::vector<double> rows;
    const std::int64_t block = std::max<std::int64_t>(1, at_once / found.models);
    for (std::int64_t first = 0; first < std::ssize(at); first += block) {
      const std::int64_t count = std::min(block, std::ssize(at) - first);
      rows.resize(static_cast<std::size_t>(count * found.models));
      reader.read_rows(*probability, first, count, rows.data());
      for (std::int64_t r = 0; r < count; ++r) {
        const std::int64_t now = at[static_cast<std::size_t>(first + r)];
        bool begins = false;
        for (; trial != trials.end() && *trial <= now; ++trial) begins = true;
        if (begins) tracker.begin_trial();
        const auto change = tracker.take(std::span(rows).subspan(
            static_cast<std::size_t>(r * found.models), static_cast<std::size_t>(found.models)));
        if (!change) continue;
        found.changes.push_back(
            {at[static_cast<std::size_t>(change->tick)], change->from, change->to});
      }
    }
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace gaia
