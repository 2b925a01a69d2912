// SPDX-License-Identifier: MIT
/// \file
/// All controls of a run, each with readouts of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "../data/experiment.h"
#include "../readouts/control.h"
#include "../setup/learnt.h"

namespace gaia {

class Controls {
 public:
  /// `hierarchy` and `learnt` as the run begins with them.
  Controls(const Experiment& experiment, const HierarchyManager& hierarchy, const Learnt& learnt);

  bool empty() const { return runs_.empty(); }
  const std::vector<ControlPlan>& plans() const { return plans_; }

  /// Lets those that have to see a part of the series first see it, in blocks of so many steps;
  /// before the first step of a run that begins.
  void prepare(SampleReader& series, std::int64_t block_steps);
  /// A trial begins, or the series anew.
  void begin_trial();
  /// The first step of the series behind `step` at which a block has to end, `end` at most.
  std::int64_t next_border(std::int64_t step, std::int64_t end) const;
  /// Reads the samples of the run's block, those of `series` that come next, and lets the readouts
  /// read what the controls make of them.
  void process(const RunBlock& run, const SampleReader& series);

  /// Lets those that read every epoch read the run's block of one before the last.
  void follow(const RunBlock& run);

  /// Reads the training part of `readouts`, those of the run, once more where it ends with step
  /// `step`, with the weights that neurons have now; `run` is the run's hierarchy.
  void read_again(const std::vector<Readout>& readouts, std::int64_t step,
                  const HierarchyManager& run, SampleReader& series, std::int64_t block_steps);

  /// Lets readouts that go on by themselves from step `step` do so, once the block that ends there
  /// was read; `newest` is the run's last sample, `run` its hierarchy.
  void run_free(std::int64_t step, const Array& newest, const HierarchyManager& run,
                const SampleReader& series);

  // For an estimate of what all of this takes:
  /// Lets those that have to see a part of the series first see these samples alone.
  void prepare_by(const Array& x);
  /// Makes what goes on by itself from where a control stands; null where nothing does.
  using MakeFreeReader = std::function<std::unique_ptr<FreeReader>()>;
  /// Reads the samples of a block of the run, and shows what comes of it, with each readout that
  /// would read it: but for those that fuse others.
  void rehearse(
      const RunBlock& run, const SampleReader& series,
      const std::function<void(Readout&, const HierarchyBlock&, const MakeFreeReader&)>& show);

  /// Scores of every readout, in their order, on every control that it reads.
  std::vector<std::vector<ControlScore>> scores() const;
  /// What all of this has taken.
  double seconds() const { return seconds_; }

  /// Adds everything from which they go on bit for bit, under names that begin with "controls/".
  void add_state(ArrayMap& arrays) const;
  /// Takes over what add_state has added before step `step` of the trial.
  /// \throws ArgumentError or ShapeError unless it was that of such controls.
  void set_state(const ArrayMap& arrays, std::int64_t step);

 private:
  /// A readout of one variant of a control.
  struct Reader {
    Readout readout;
    /// Chooser among several variants where the readout has no validation: the same readout,
    /// trained on the first four fifths of the training part and validated by the last.
    std::optional<Readout> chooser;

    /// What is smaller for a better variant; NaN if that is not known.
    double error() const;
  };
  struct One {
    std::unique_ptr<Control> control;
    std::vector<std::vector<Reader>> readers;  // readers of each readout and variant; or empty

    template <class Body>
    void for_each(const Body& body);
    template <class Body>
    void for_each(const Body& body) const;
    /// What it does before each block.
    void before_block(const RunBlock& run);
    /// What the control makes of the run's block; where levels read what readouts say, they read
    /// those of the control.
    HierarchyBlock process(const RunBlock& run, const SampleReader& series) const;
    /// Those, of a variant, that a readout fuses.
    std::vector<const Readout*> fused_by(const ReadoutConfig& config, std::size_t variant) const;
  };

  std::vector<ControlPlan> plans_;
  std::vector<One> runs_;
  std::size_t readout_count_;
  std::int64_t features_;
  DType dtype_;
  double seconds_ = 0.0;
};

}  // namespace gaia
