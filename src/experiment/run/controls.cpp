// SPDX-License-Identifier: MIT
#include "controls.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "../../io/checkpoint_file.h"
#include "../../learning/consensus_readout.h"
#include "../../learning/logistic_readout.h"
#include "../readouts/feedback.h"
#include "../readouts/fused_readouts.h"
#include "learning_steps.h"
#include "rate_schedule.h"
#include "training_again.h"

namespace gaia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kSeconds = "controls/seconds";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string prefix_of(const Control& control) { return "controls/" + control.name() + "/"; }

/// Prefix of a state's names where several readouts share one name.
std::string prefix_of(std::size_t variant, bool is_chooser) {
  return "variants/" + std::to_string(variant) + (is_chooser ? "/chooser/" : "/");
}

void add_under(const std::string& prefix, const ArrayMap& own, ArrayMap& arrays) {
  for (const auto& [name, array] : own) arrays.emplace(prefix + name, array);
}

/// What reads a control without neurons in place of a readout `own` that names them: `reader`,
/// which is logistic regression if it is nothing else, on the same labels, those that the run's
/// neurons ask for where they do.
ReadoutConfig without_neurons(ReadoutConfig reader, const ReadoutConfig& own) {
  reader.is_told_asked = own.kind->asks();
  if (reader.kind->names_neurons()) {
    reader.kind = Kind<ReadoutKind>(std::make_unique<ReadoutKind::Of<LogisticOptions>>());
  }
  return reader;
}

/// A consensus of the readouts of a control.  What these say alike is reported, and ends no run.
ReadoutConfig as_control(ReadoutConfig readout) {
  readout.is_watched = false;
  if (auto* const options = readout.kind.get_if<ConsensusOptions>()) {
    options->must_be_regular = false;
  }
  return readout;
}

/// The readout that is trained on the first four fifths of what `readout` is trained on and
/// validated by the rest; of several trials whole trials.  Nothing where that leaves one of the two
/// without a tick.
std::optional<ReadoutConfig> chooser_of(const ReadoutConfig& readout, const ControlSetup& setup) {
  // What is told the labels that are asked for knows them only behind its training part.
  if (readout.reads_again()) return {};
  // In ticks, trials or groups.
  const auto [all, skipped, trained, validated, tested] = setup.ticks(readout).units();
  const std::int64_t held_out = std::max<std::int64_t>(1, (trained - skipped) / 5);
  if (trained - skipped - held_out < 1) return {};
  // Half a tick more, so that no rounding of the product with `all` loses one.
  const auto share = [&](std::int64_t count) {
    return (static_cast<double>(count) + 0.5) / static_cast<double>(all);
  };
  ReadoutConfig chooser = readout;
  chooser.heard = ReadoutConfig::Heard::not_at_all;
  chooser.free_run = {};
  chooser.split = {.share = {},
                   .is_map = true,
                   .train = share(trained - held_out),
                   .validation = share(trained) - share(trained - held_out),
                   .test = 0.0};
  if (!readout.labelled) return chooser;
  // It chooses by labels that the readout is told, and by no others.
  chooser.is_scored_by_told = true;
  const ReadoutTicks ticks = setup.ticks(chooser);
  const std::vector<std::int64_t>& told = readout.labelled->ticks;
  const auto has_some = [&](const Stretches& part) {
    return std::any_of(told.begin(), told.end(),
                       [&](std::int64_t tick) { return contains(part, tick); });
  };
  if (!has_some(ticks.training()) || !has_some(ticks.validation())) return {};
  return chooser;
}

}  // namespace

Controls::Controls(const Experiment& experiment, const HierarchyManager& hierarchy,
                   const Learnt& learnt)
    : plans_(plan_controls(control_setup(experiment, hierarchy))),
      readout_count_(experiment.config.readouts.size()),
      features_(experiment.features()),
      dtype_(experiment.config.dtype) {
  ControlSetup setup = control_setup(experiment, hierarchy);
  setup.rate = [hierarchy = experiment.config.hierarchy(),
                learning = LearningSteps(experiment)](std::int64_t step) {
    return learning.learns(step) ? rate_of_step(hierarchy, step) : 0.0;
  };
  setup.learn_as_at = [hierarchy = experiment.config.hierarchy()](HierarchyManager& manager,
                                                                  std::int64_t step) {
    learn_as_at(manager, hierarchy, step);
  };
  for (const ControlPlan& plan : plans_) {
    if (!plan.is_run()) continue;
    One one{make_control(plan.name, setup), {}};
    one.readers.resize(readout_count_);
    for (std::size_t i = 0; i < readout_count_; ++i) {
      if (!plan.is_read(i)) continue;
      const ReadoutConfig& own = setup.config.readouts[i];
      if (own.kind->fuses()) continue;  // behind those that it fuses
      ReadoutConfig config = one.control->reader_of(own);
      config.is_watched = false;
      if (own.kind->names_neurons() && one.control->neurons(hierarchy) == nullptr) {
        config = without_neurons(std::move(config), own);
      }
      const std::size_t variants = one.control->variants();
      for (std::size_t v = 0; v < variants; ++v) {
        const auto make = [&](const ReadoutConfig& of) {
          TickOptions ticks = tick_options(of, setup.config);
          // What is trained on behind a fold must not read it either.
          const bool is_behind = of.folds > 0 || !experiment.trials.groups().empty();
          if (is_behind && of.learn) {
            ticks.purge =
                std::max(ticks.purge, one.control->rows_read() + of.target.horizon + of.embargo);
          }
          return Readout(of, one.control->sources(of, v), ticks, experiment.trials,
                         experiment.series->channels(), experiment.series->classes(),
                         learnt.readouts.empty() ? ReadoutSolution{} : learnt.readouts[i]);
        };
        Reader reader{make(config), {}};
        if (variants > 1 && !reader.readout.validation()) {
          if (const auto chooser = chooser_of(config, setup))
            reader.chooser.emplace(make(*chooser));
        }
        one.readers[i].push_back(std::move(reader));
      }
    }
    for (std::size_t i = 0; i < readout_count_; ++i) {
      const ReadoutConfig& own = setup.config.readouts[i];
      if (!own.kind->fuses() || !plan.is_read(i)) continue;
      const ReadoutConfig config = as_control(own);
      for (std::size_t v = 0; v < one.control->variants(); ++v) {
        one.readers[i].push_back(
            {Readout(config, one.fused_by(config, v), experiment.trials,
                     learnt.readouts.empty() ? ReadoutSolution{} : learnt.readouts[i]),
             {}});
      }
    }
    runs_.push_back(std::move(one));
  }
}

std::vector<const Readout*> Controls::One::fused_by(const ReadoutConfig& config,
                                                    std::size_t variant) const {
  return gaia::fused_by(config, [&](std::size_t i) { return &readers[i][variant].readout; });
}

HierarchyBlock Controls::One::process(const RunBlock& run, const SampleReader& series) const {
  std::vector<const Readout*> speakers;
  for (const std::vector<Reader>& variants : readers) {
    if (variants.empty() || !variants.front().readout.config().feeds_back) continue;
    speakers.push_back(&variants.front().readout);
  }
  if (speakers.empty()) return control->process(run);
  ProcessOptions options = run.options;
  add_feedback(speakers, series, run.step - series.trial().first_step, run.x.shape(0),
               options.signals);
  return control->process({run.x, options, run.step, run.shown, run.hierarchy, run.rate});
}

double Controls::Reader::error() const {
  const auto validation = chooser ? chooser->validation() : readout.validation();
  return validation ? validation->own().error : std::numeric_limits<double>::quiet_NaN();
}

template <class Body>
void Controls::One::for_each(const Body& body) {
  for (std::vector<Reader>& variants : readers) {
    for (std::size_t v = 0; v < variants.size(); ++v) {
      body(variants[v].readout, prefix_of(v, false));
      if (variants[v].chooser) body(*variants[v].chooser, prefix_of(v, true));
    }
  }
}

template <class Body>
void Controls::One::for_each(const Body& body) const {
  const_cast<One*>(this)->for_each(
      [&](const Readout& readout, const std::string& prefix) { body(readout, prefix); });
}

void Controls::One::before_block(const RunBlock& run) {
  // One without neurons rebuilds nothing, and its readouts look at the samples alone.
  const HierarchyManager* const own = control->neurons(run.hierarchy);
  for_each([&](Readout& readout, const std::string&) {
    readout.before_block(own == nullptr ? run.hierarchy : *own, run.x);
  });
}

void Controls::prepare(SampleReader& series, std::int64_t block_steps) {
  if (empty()) return;
  const auto start = Clock::now();
  for (One& one : runs_) {
    const Stretches steps = one.control->steps_before();
    if (steps.empty()) continue;
    for (const Stretch& stretch : steps) {
      for (std::int64_t step = stretch.begin; step < stretch.end;) {
        const Trial& trial = series.trials().at(step);
        const std::int64_t end = std::min(stretch.end, trial.end());
        const bool follows = step > stretch.begin && step > trial.first_step;
        if (!follows && step > 0) one.control->begin_trial();
        const std::int64_t count = std::min(block_steps, end - step);
        one.control->see(series.read(step, count));
        step += count;
      }
    }
    one.control->end_seeing();
  }
  seconds_ += seconds_since(start);
}

void Controls::begin_trial() {
  for (One& one : runs_) {
    one.control->begin_trial();
    one.for_each([](Readout& readout, const std::string&) { readout.begin_trial(); });
  }
}

std::int64_t Controls::next_border(std::int64_t step, std::int64_t end) const {
  for (const One& one : runs_) {
    const std::optional<std::int64_t> border = one.control->border();
    if (border && *border > step) end = std::min(end, *border);
  }
  return end;
}

void Controls::process(const RunBlock& run, const SampleReader& series) {
  if (empty()) return;
  const auto start = Clock::now();
  for (One& one : runs_) {
    one.before_block(run);
    const HierarchyBlock block = one.process(run, series);
    for (const bool fuses : {false, true}) {
      for (std::vector<Reader>& variants : one.readers) {
        for (std::size_t v = 0; v < variants.size(); ++v) {
          Readout& readout = variants[v].readout;
          if (readout.config().kind->fuses() != fuses) continue;
          readout.process(block, series, one.fused_by(readout.config(), v));
          if (variants[v].chooser) variants[v].chooser->process(block, series);
        }
      }
    }
  }
  seconds_ += seconds_since(start);
}

void Controls::follow(const RunBlock& run) {
  const auto start = Clock::now();
  for (One& one : runs_) {
    if (one.control->reads_every_epoch()) one.control->process(run);
  }
  seconds_ += seconds_since(start);
}

void Controls::prepare_by(const Array& x) {
  for (One& one : runs_) {
    if (one.control->steps_before().empty()) continue;
    one.control->see(x);
    one.control->end_seeing();
  }
}

void Controls::rehearse(
    const RunBlock& run, const SampleReader& series,
    const std::function<void(Readout&, const HierarchyBlock&, const MakeFreeReader&)>& show) {
  for (One& one : runs_) {
    one.before_block(run);
    const HierarchyBlock block = one.process(run, series);
    for (std::vector<Reader>& variants : one.readers) {
      for (std::size_t v = 0; v < variants.size(); ++v) {
        if (variants[v].readout.config().kind->fuses()) continue;
        show(variants[v].readout, block,
             [&] { return one.control->free_reader(v, run.hierarchy); });
        if (variants[v].chooser) show(*variants[v].chooser, block, [] { return nullptr; });
      }
    }
  }
}

void Controls::read_again(const std::vector<Readout>& readouts, std::int64_t step,
                          const HierarchyManager& run, SampleReader& series,
                          std::int64_t block_steps) {
  const auto start = Clock::now();
  for (One& one : runs_) {
    std::vector<Readout*> reading;
    for (std::size_t i = 0; i < readout_count_; ++i) {
      if (readouts[i].read_again_at() != step) continue;
      for (Reader& reader : one.readers[i]) {
        if (!reader.readout.config().reads_again()) continue;
        std::vector<std::int64_t> asked = readouts[i].asked_steps();
        std::erase(asked, -1);
        reader.readout.begin_reading_again(asked);
        reading.push_back(&reader.readout);
      }
    }
    if (reading.empty()) continue;
    const auto read = [&](const HierarchyBlock& block) {
      for (Readout* const readout : reading) readout->read_again(block, series);
    };
    const auto begin_trial = [&](auto& what) {
      what.begin_trial();
      for (Readout* const readout : reading) readout->begin_trial_again();
    };
    if (const HierarchyManager* const neurons = one.control->neurons(run)) {
      StillHierarchy still(*neurons, features_, dtype_);
      read_training_again(
          series, run.signal_columns(), step, block_steps, [&] { begin_trial(still); },
          [&](const BlockAgain& block) { read(still.read(block)); });
    } else {
      ArrayMap state;
      one.control->add_state(state);
      read_training_again(
          series, run.signal_columns(), step, block_steps, [&] { begin_trial(*one.control); },
          [&](const BlockAgain& again) {
            const ProcessOptions options{.learn = false, .signals = again.signals};
            const HierarchyBlock nothing;
            read(one.control->process({again.x, options, again.step, nothing, run}));
          });
      one.control->set_state(state, step - series.trials().at(step - 1).first_step);
    }
    for (Readout* const readout : reading) readout->end_reading_again();
  }
  seconds_ += seconds_since(start);
}

void Controls::run_free(std::int64_t step, const Array& newest, const HierarchyManager& run,
                        const SampleReader& series) {
  const auto start = Clock::now();
  for (One& one : runs_) {
    for (std::vector<Reader>& variants : one.readers) {
      for (std::size_t v = 0; v < variants.size(); ++v) {
        Readout& readout = variants[v].readout;
        if (!readout.starts_at(step)) continue;
        if (const auto reader = one.control->free_reader(v, run)) {
          readout.run_free(step, *reader, newest, series);
        }
      }
    }
  }
  seconds_ += seconds_since(start);
}

std::vector<std::vector<ControlScore>> Controls::scores() const {
  std::vector<std::vector<ControlScore>> scores(readout_count_);
  for (const One& one : runs_) {
    for (std::size_t i = 0; i < readout_count_; ++i) {
      const std::vector<Reader>& variants = one.readers[i];
      if (variants.empty()) continue;
      std::size_t best = 0;
      for (std::size_t v = 1; v < variants.size(); ++v) {
        // Also better than one whose error is not known.
        const double error = variants[v].error();
        if (std::isfinite(error) && !(error >= variants[best].error())) best = v;
      }
      const Readout& readout = variants[best].readout;
      scores[i].push_back({.control = one.control->name(),
                           .title = one.control->title(),
                           .score = readout.score(),
                           .validation = readout.validation(),
                           .variant = one.control->variant(best),
                           .windows = readout.windows(),
                           .free_run = readout.free_run(),
                           .folds = readout.fold_scores()});
    }
  }
  return scores;
}

void Controls::add_state(ArrayMap& arrays) const {
  if (empty()) return;
  for (const One& one : runs_) {
    ArrayMap own;
    one.control->add_state(own);
    one.for_each([&](const Readout& readout, const std::string& prefix) {
      ArrayMap state;
      readout.add_state(state);
      add_under(prefix, state, own);
    });
    add_under(prefix_of(*one.control), own, arrays);
  }
  put_numbers(arrays, kSeconds, {seconds_});
}

void Controls::set_state(const ArrayMap& arrays, std::int64_t step) {
  if (empty()) return;
  for (One& one : runs_) {
    const ArrayMap own = arrays_below(arrays, prefix_of(*one.control));
    one.control->set_state(own, step);
    one.for_each([&](Readout& readout, const std::string& prefix) {
      readout.set_state(arrays_below(own, prefix), step);
    });
  }
  seconds_ = numbers_of(arrays, kSeconds, 1).front();
}

}  // namespace gaia
