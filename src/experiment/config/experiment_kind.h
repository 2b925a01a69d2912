// SPDX-License-Identifier: MIT
/// \file
/// Kinds of experiments: what runs, a hierarchy, a network or an agent, with all that gaia does
/// with one, from its keys to its report.
///
/// Whoever reads, runs, compares or shows experiments asks their kinds, and names none.  The kinds
/// stand in src/experiment/kinds, above everything that they call, and so does their list.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../core/kinds.h"

namespace gaia {

struct ApplyOptions;
struct CheckedExperiment;
struct DeviceTrial;
struct Experiment;
struct ExperimentConfig;
class Loader;
struct MemberScore;
struct Needs;
struct ReadoutOverSeeds;
struct RunOptions;
struct RunSummary;
struct SeedPlan;
class TrainingPart;
struct YamlNode;

namespace hdf5 {
class File;
}
namespace report {
struct ComparedRun;
class Result;
}  // namespace report

/// An experiment as its kind sees it.  What is not said here of a kind is left out: it is in no
/// verdict over seeds, for example.
class ExperimentKind {
 public:
  virtual ~ExperimentKind() = default;
  virtual std::unique_ptr<ExperimentKind> copy() const = 0;

  // What it is called.

  /// Key of its section of the file, by which it is told from the others: "hierarchy".
  virtual const char* name() const = 0;
  /// Meaning of that key.
  virtual const char* meaning() const = 0;
  /// "a hierarchy"
  virtual std::string title() const = 0;
  /// Group that no other kind's results have.
  virtual std::string group() const { return name(); }
  /// What `steps` and `steps_done` of its results count.
  virtual const char* unit() const { return "steps"; }
  /// What checkpoints count.
  virtual const char* checkpoint_unit() const { return "step"; }

  // Its keys.

  /// The section that it reads or acts in.
  virtual const char* source() const { return "data"; }
  /// Takes out of its section of a file what other keys depend on.
  virtual void prepare(const YamlNode& /*section*/) {}
  /// Shows the keys of its source, by default the data of a series; of its section; and those that
  /// stand beside it.
  virtual void source_keys(ConfigVisitor& visitor, ExperimentConfig& config);
  virtual void keys(ConfigVisitor& visitor, const ExperimentConfig& config) = 0;
  virtual void further_keys(ConfigVisitor& /*visitor*/, ExperimentConfig& /*config*/) {}
  /// Keys of `output`, beside its path, that have an effect.
  virtual std::vector<std::string> output_keys() const { return {}; }
  /// Whether the experiment's dtype and precision have one.
  virtual bool has_dtype() const { return true; }
  /// Sets what has no influence on sizes to its default, for estimates.
  virtual void simplify() {}

  // Before it runs.

  /// Opens what it reads, and checks what lies between keys.
  virtual void load(Loader& loader) const = 0;
  /// Whether it holds pictures with their classes all at once, and does not read them as a series.
  virtual bool holds_images() const { return false; }
  /// Whether it is trained on a part of the data itself, not by readouts.
  virtual bool has_parts() const { return false; }
  /// The part of the series that may be learnt from before anything is scored.
  virtual TrainingPart training_part(const Experiment& experiment) const;
  /// A short trial of its run.
  virtual DeviceTrial trial(const Experiment& experiment) const;
  /// What its run will need; `trial`: with its time, where that can be tried.
  virtual Needs needs(const Experiment& experiment, bool trial) const;
  /// What `gaia check` tells; `trial`: with that time.
  virtual CheckedExperiment check(Experiment& experiment, bool trial) const;
  /// What was tried on which device, and the choice.
  virtual std::string explain_device(const Experiment& experiment) const;
  /// Lines that tell what is about to run, on what.
  virtual std::string opening_lines(const Experiment& experiment) const = 0;

  // Its run.

  virtual std::unique_ptr<RunSummary> run(Experiment& experiment,
                                          const RunOptions& options) const = 0;
  /// How far what is committed reaches at most, in the unit of checkpoints.
  virtual std::int64_t reached(const Experiment& /*experiment*/, std::int64_t committed) const {
    return committed;
  }
  /// Whether several such runs can compute together in one process.
  virtual bool runs_with_others() const { return false; }
  /// Applies a result of this kind to new data.  `begin` sees the experiment before it runs, if it
  /// is one that runs.
  virtual std::unique_ptr<RunSummary> apply(
      const std::string& result, const ApplyOptions& options, const RunOptions& how,
      const std::function<void(const Experiment&)>& begin) const;

  // Its results beside others.

  /// Scores of a complete result, by which members of a sweep are compared.
  virtual std::vector<MemberScore> scores(const hdf5::File& result) const;
  /// Why a search finds nothing to judge candidates by.
  virtual const char* why_no_judge() const {
    return "the experiment has no readouts, so there is nothing to judge candidates by";
  }
  /// Whether a verdict over several seeds can be computed from it.
  virtual bool has_verdict() const { return false; }
  /// What such a verdict is of, and how its runs are set.  \throws ConfigError where there is
  /// nothing to judge it by.
  virtual SeedPlan plan_seeds(const Experiment& experiment) const;
  /// Adds the scores of a complete result as those of one more seed.
  virtual void add_seed(ReadoutOverSeeds& readout, const std::string& result) const;
  /// Page of a report of one result.
  virtual std::string report_page(const report::Result& result,
                                  const std::vector<std::string>& left_out) const = 0;
  /// Scores and curve of a result in a report of several; `is_found`: it was not named itself, but
  /// lay in a folder.
  virtual void compare(const report::Result& result, bool is_found, report::ComparedRun& run) const;

  template <class Section>
  class Of;
  static KindList<ExperimentKind>& list();
};

/// A kind with the values of its section, which tells its name.
template <class Section>
class ExperimentKind::Of : public ExperimentKind {
 public:
  const char* name() const override { return Section::name; }

  Section options;
};

/// The kind whose group a results file has, of which `has_group` is asked; the first of the list
/// where it has none.
const ExperimentKind& kind_of_results(const std::function<bool(const std::string&)>& has_group);

}  // namespace gaia
