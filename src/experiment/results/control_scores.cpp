// SPDX-License-Identifier: MIT
#include "control_scores.h"

namespace gaia {
namespace {

constexpr const char* kGroup = "controls";

void write(hdf5::Group& group, const RegressionScore& score, const std::string& undefined) {
  group.set_attribute("nrmse", score.nrmse);
  group.set_attribute("r2", score.r2);
  group.set_attribute("score_undefined", undefined);
}

}  // namespace

void lay_out_controls(hdf5::Group& readout, const std::vector<std::string>& controls) {
  if (controls.empty()) return;
  hdf5::Group all = readout.create_group(kGroup);
  for (const std::string& name : controls) {
    hdf5::Group group = all.create_group(name);
    write(group, {}, "the run has not ended");
  }
}

void write_control_scores(hdf5::Group& readout, const std::vector<ControlScore>& scores) {
  if (scores.empty()) return;
  const hdf5::Group all = readout.open_group(kGroup);
  for (const ControlScore& one : scores) {
    hdf5::Group group = all.open_group(one.control);
    write(group, one.score.own(), one.score.undefined);
  }
}

}  // namespace gaia
