// SPDX-License-Identifier: MIT
/// \file
/// Controls: what is fed the same samples as the hierarchy of a run, and read by the same readouts,
/// so that the run can tell whether its learning was worth it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../array/array_map.h"
#include "../../hierarchy/manager.h"
#include "../config/config.h"
#include "readout.h"

namespace gaia {

/// One kind of comparison.  It knows the samples alone, never a target.
class Control {
 public:
  virtual ~Control() = default;

  /// As `controls` of an experiment and the results file call it.
  virtual std::string name() const = 0;
  /// What a readout reads in its blocks in place of the run's levels.
  virtual std::vector<ReadoutSource> sources(const ReadoutConfig& readout) const = 0;
  /// Reads x [steps, features], the samples that come next, on the current device.
  virtual HierarchyBlock process(const Array& x) = 0;
  /// A trial begins, or the series anew: nothing is carried on but what was learnt.
  virtual void begin_trial() = 0;

  /// Adds everything from which it goes on bit for bit, but for what a run that begins makes of it
  /// anyway; copied to the host.
  virtual void add_state(ArrayMap& arrays) const = 0;
  /// Stands before step `step` of the series with what add_state has added there.
  /// \throws ArgumentError or ShapeError unless it was that of such a control.
  virtual void set_state(const ArrayMap& arrays, std::int64_t step) = 0;
};

/// What one readout reaches on one control.
struct ControlScore {
  std::string control;
  ReadoutScore score;
};

/// Names of the controls that run beside `hierarchy`: those that the experiment asks for, less
/// `frozen` where nothing learns; none without readouts.
std::vector<std::string> controls_of(const ExperimentConfig& config,
                                     const HierarchyManager& hierarchy);

/// A control of this name for a run that begins with `hierarchy`, which has read nothing yet, and
/// reads samples of `features` numbers.  \throws ArgumentError for an unknown name.
std::unique_ptr<Control> make_control(const std::string& name, const ExperimentConfig& config,
                                      const HierarchyManager& hierarchy, std::int64_t features);

}  // namespace gaia
