// SPDX-License-Identifier: MIT
#include "control_scores.h"

#include <cmath>

namespace gaia {
namespace {

constexpr const char* kGroup = "controls";

}  // namespace

void write_scores(hdf5::Group& group, const ReadoutScore& score) {
  for (const auto& [name, value] : score.numbers()) group.set_attribute(name, value);
  group.set_attribute("score_undefined", score.undefined);
  if (score.confusion.empty()) return;
  const auto classes =
      static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(score.confusion.size()))));
  hdf5::Dataset confusion = group.create_dataset(
      "confusion", {.type = hdf5::Type::int64, .shape = {classes, classes}});
  confusion.write<std::int64_t>(score.confusion);
  confusion.set_attribute("long_name", "test predictions by true class (rows) and predicted class");
  confusion.set_attribute("units", "1");
}

void lay_out_controls(hdf5::Group& readout, const std::vector<std::string>& controls,
                      const ReadoutScore& kind) {
  if (controls.empty()) return;
  hdf5::Group all = readout.create_group(kGroup);
  for (const std::string& name : controls) {
    hdf5::Group group = all.create_group(name);
    for (const auto& [score, value] : kind.numbers()) group.set_attribute(score, std::nan(""));
    group.set_attribute("score_undefined", "the run has not ended");
  }
}

void write_control_scores(hdf5::Group& readout, const std::vector<ControlScore>& scores) {
  if (scores.empty()) return;
  const hdf5::Group all = readout.open_group(kGroup);
  for (const ControlScore& one : scores) {
    hdf5::Group group = all.open_group(one.control);
    write_scores(group, one.score);
  }
}

}  // namespace gaia
