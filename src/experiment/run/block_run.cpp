// SPDX-License-Identifier: MIT
#include "block_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "../../core/log.h"
#include "../../core/parallel.h"
#include "../../hierarchy/first_divergence.h"
#include "../../io/output_files.h"
#include "../../layers/hierarchy/plastic_conv.h"
#include "../../learning/weight_domain.h"
#include "../data/block_steps.h"
#include "../data/whitened_series.h"
#include "../readouts/carried_state.h"
#include "../readouts/feedback.h"
#include "../readouts/fused_readouts.h"
#include "../readouts/readout_notices.h"
#include "../readouts/readout_verdict.h"
#include "../results/message_log.h"
#include "../setup/build.h"
#include "../setup/first_samples.h"
#include "../setup/one_seed.h"
#include "auto_rates.h"
#include "failed_run.h"
#include "free_runs.h"
#include "placement.h"
#include "progress.h"
#include "rate_schedule.h"
#include "rates.h"
#include "training_again.h"

namespace gaia {
namespace {

/// The next step after `step` at which something is stored, every `every` steps (0: never).
std::int64_t next_mark(std::int64_t step, std::int64_t every, std::int64_t never) {
  return every == 0 ? never : (step / every + 1) * every;
}

/// Steps between two records of the weights, 0 where none are kept.
std::int64_t history_of(const ExperimentConfig& config) {
  const Recording& weights = config.output.weights;
  return weights.what == Recording::What::every ? weights.every : 0;
}

/// Gives it what an earlier run has learnt, and the rates with which this one begins.
Learnt begin_hierarchy(HierarchyManager& hierarchy, const Experiment& experiment) {
  Learnt learnt;
  if (experiment.from) {
    learnt = load_learnt(experiment.from->path, experiment.config, hierarchy);
  }
  begin_rates(hierarchy, experiment);
  return learnt;
}

}  // namespace

BlockRun::BlockRun(Experiment& experiment, const RunOptions& options, ProcessUse use)
    : experiment_(experiment),
      config_(experiment.config),
      options_(options),
      all_steps_(experiment.all_steps()),
      learning_(experiment),
      cut_(options.cut),
      is_exclusive_(use == ProcessUse::exclusive),
      lock_(cut_ != nullptr ? std::move(cut_->lock)
                            : claim_output(config_.output.path, options.overwrite)),
      scope_(device_of_run(experiment)),
      precision_(config_.precision),
      hierarchy_(build_hierarchy(config_, experiment.features())),
      learnt_(begin_hierarchy(hierarchy_, experiment)),
      signal_columns_(hierarchy_.signal_columns()),
      samples_(*experiment.series, config_.data, experiment.trials, config_.dtype,
               reach_of(config_.readouts), read_latents(config_.readouts)),
      metrics_(begin_with_samples(hierarchy_, experiment, samples_)),
      controls_(experiment, hierarchy_, learnt_),
      block_steps_(choose_block_steps(hierarchy_, experiment.features(),
                                      experiment.trials.longest().steps,
                                      config_.hierarchy().learn)),
      input_watch_(experiment) {
  if (may_overlap()) samples_.read_ahead();
  hierarchy_.allocate_state(1, experiment.features(), config_.dtype);
  const auto learnt_by = [&](std::size_t i) {
    return learnt_.readouts.empty() ? ReadoutSolution{} : learnt_.readouts[i];
  };
  readouts_ = make_readouts(
      config_.readouts,
      [&](std::size_t i) {
        const ReadoutConfig& readout = config_.readouts[i];
        return Readout(readout, readout_sources(readout, hierarchy_),
                       tick_options(readout, config_), experiment.trials,
                       experiment.series->channels(), experiment.series->classes(), learnt_by(i));
      },
      [&](std::size_t i, const std::vector<const Readout*>& fused) {
        return Readout(config_.readouts[i], fused, experiment.trials, learnt_by(i));
      });
  if (const MessagesConfig& messages = config_.hierarchy().messages; messages.keep > 0) {
    messages_.emplace(hierarchy_, MessageOptions{messages.keep, messages.every});
    hierarchy_.measure_time();
  }
  if (cut_ != nullptr) go_on_from(cut_->found.checkpoint);
}

/// Does it, or ends the file and throws on.
template <class Step>
void BlockRun::or_fail(Step&& step) {
  try {
    step();
  } catch (...) {
    end_failed();
  }
}

void BlockRun::begin() {
  const RunFacts facts = run_facts();
  in_sample_ = facts.in_sample;
  for (Readout& readout : readouts_) {
    readout.set_remarks(remarks_about(config_, readout.config(), in_sample_));
  }
  checkpoints_.emplace(config_.output.path, facts.run_id, config_.checkpoint, options_.checkpoint,
                       cut_ == nullptr ? 0 : 1 - cut_->found.number);
  file_.emplace(config_.output.path, config_, facts, data_facts(), hierarchy_, readouts_,
                block_steps_,
                Recorded{.file = cut_ == nullptr ? nullptr : &cut_->partial, .steps = done_});
  writer_.emplace(*file_, *checkpoints_, done_, may_overlap());
  start_ = watch_.seconds();
  or_fail([&] {
    if (history_of(config_) > 0 && done_ == 0) {
      writer_->append_weights(0, hierarchy_);
      writer_->submit();
    }
    if (cut_ == nullptr) {
      // They are of the epoch that is scored.
      samples_.begin_epoch(config_.hierarchy().epochs - 1);
      controls_.prepare(samples_, block_steps_);
    }
  });
}

const BlockToRead* BlockRun::next() {
  if (is_cut_ || done_ == all_steps_) return nullptr;
  or_fail([&] { read_block(); });
  return &block_;
}

void BlockRun::take(const HierarchyBlock& block) {
  or_fail([&] {
    record(block);
    done_ = block_end_;
    read_again();
    run_free();
    if (const std::int64_t history = history_of(config_); history > 0 && done_ % history == 0) {
      writer_->append_weights(done_, hierarchy_);
    }
    const bool is_last = done_ == all_steps_ || must_stop();
    store(is_last);
    writer_->submit();
    if (options_.on_progress) options_.on_progress(progress_in_steps(done_, all_steps_, seconds()));
    is_cut_ = is_last && done_ < all_steps_;
  });
}

void BlockRun::fail(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const DivergedError& diverged) {
    const DivergedError first = first_bad(diverged);
    const std::string what = told(first);
    or_fail([&] { throw DivergedError(what, first.level, first.layer, first.step); });
  } catch (...) {
    end_failed();
  }
  throw InternalError("[BlockRun] a failure that went by");
}

HierarchySummary BlockRun::finish() {
  const RunStatus status = is_cut_ ? RunStatus::interrupted : RunStatus::complete;
  std::string written;
  or_fail([&] {
    tell_rates(hierarchy_);
    const ArrayMap state = copied_state(hierarchy_);
    writer_->write_checkpoint(done_, state, true);
    if (is_cut_) writer_->store(done_, state_of_run(state));
    writer_->submit();
    writer_->drain();
    if (!is_cut_) file_->smooth(hierarchy_);
    written = file_->finish(status, done_, seconds_before_ + watch_.seconds(), hierarchy_,
                            readouts_, controls_.scores(), in_sample_, all_answers(),
                            messages_ ? &*messages_ : nullptr, input_watch_.told());
    if (status == RunStatus::complete) remove_leftovers(config_.output.path);
  });
  return summarize(status, written);
}

bool BlockRun::steps_like(const BlockRun& other) const {
  return done_ == other.done_ && all_steps_ == other.all_steps_ &&
         block_steps_ == other.block_steps_ && experiment_.steps == other.experiment_.steps &&
         experiment_.trials.all() == other.experiment_.trials.all() &&
         history_of(config_) == history_of(other.config_) &&
         config_.checkpoint.every == other.config_.checkpoint.every &&
         config_.hierarchy().learn == other.config_.hierarchy().learn &&
         learning_ == other.learning_ &&
         next_reading_again(done_, all_steps_) == other.next_reading_again(done_, all_steps_) &&
         end_of_feedback(readouts_, done_, all_steps_) ==
             end_of_feedback(other.readouts_, done_, all_steps_) &&
         free_run_starts(config_.readouts) == free_run_starts(other.config_.readouts);
}

RunFacts BlockRun::run_facts() const {
  return facts_of_run(experiment_, cut_ == nullptr ? nullptr : &cut_->facts, options_.command_line,
                      to_string(scope_.device()), all_steps_);
}

DataFacts BlockRun::data_facts() const {
  return {.trials = experiment_.trials,
          .time = samples_.time_kind(),
          .channel_names = experiment_.series->channel_names(),
          .features = samples_.features(),
          .scaling = {samples_.offset(), samples_.scale()},
          .from = experiment_.from,
          .shape = experiment_.picture_shape(),
          .whitening = whitening_of(*experiment_.series),
          .drifts = samples_.drifts(),
          .filled = filled_values(experiment_)};
}

/// Takes over the state of a run that was cut.
void BlockRun::go_on_from(const Checkpoint& checkpoint) {
  try {
    const std::int64_t step = step_in_trial(checkpoint.step);
    hierarchy_.set_state(checkpoint.arrays, step);
    metrics_.set_state(checkpoint.arrays, hierarchy_);
    for (Readout& readout : readouts_) readout.set_state(checkpoint.arrays, step);
    controls_.set_state(checkpoint.arrays, step);
    input_watch_.set_state(checkpoint.arrays);
    if (messages_) set_messages_state(*messages_, checkpoint.arrays);
    seconds_before_ = numbers_of(checkpoint.arrays, "run/seconds", 1).front();
  } catch (const Error& error) {
    throw OutputError(config_.output.path +
                      ": its checkpoint is not of this experiment: " + error.what());
  }
  done_ = checkpoint.step;
}

/// Whether the next block is read, and the last one written, while a block is computed.  One
/// thread does everything in turn, and libhdf5 cannot read, as it does data that are trusted,
/// while it writes.
bool BlockRun::may_overlap() const {
  const auto* const from = std::get_if<FileConfig>(&config_.data.source);
  return is_exclusive_ && num_threads() > 1 && (from == nullptr || !from->trusted);
}

/// Everything from which the run goes on.  `state` is that of the hierarchy.
ArrayMap BlockRun::state_of_run(ArrayMap state) const {
  metrics_.add_state(state);
  for (const Readout& readout : readouts_) readout.add_state(state);
  controls_.add_state(state);
  input_watch_.add_state(state);
  if (messages_) add_messages_state(*messages_, state);
  put_numbers(state, "run/seconds", {seconds_before_ + watch_.seconds()});
  return state;
}

bool BlockRun::learns() const { return learning_.learns(done_); }

/// Trial that has the series' step which is step `step` of all epochs.
const Trial& BlockRun::trial_at(std::int64_t step) const {
  return experiment_.trials.at(step_in_epoch(step));
}

std::int64_t BlockRun::step_in_trial(std::int64_t step) const {
  return step_in_epoch(step) - trial_at(step).first_step;
}

/// Blocks lie on a grid in each trial; what must happen at a step in between cuts them.
std::int64_t BlockRun::end_of_block() const {
  const std::int64_t in_trial = step_in_trial(done_);
  std::int64_t end =
      done_ - in_trial + std::min(trial_at(done_).steps, next_mark(in_trial, block_steps_, 0));
  end = std::min(end, next_mark(done_, history_of(config_), all_steps_));
  end = std::min(end, next_mark(done_, config_.checkpoint.every, all_steps_));
  // Controls read the last epoch alone.
  if (const std::int64_t epoch = all_steps_ - experiment_.steps; done_ >= epoch) {
    end = epoch + controls_.next_border(done_ - epoch, end - epoch);
    end = epoch + next_free_run(config_.readouts, done_ - epoch, end - epoch);
    for (const Readout& readout : readouts_) {
      end = epoch + readout.end_of_part(done_ - epoch, end - epoch);
    }
  }
  end = next_reading_again(done_, end);
  end = end_of_feedback(readouts_, done_, end);
  return learning_.cut(done_, end);
}

/// A trial begins, or the series anew: what was carried from step to step is forgotten, what was
/// learnt is not.
void BlockRun::begin_trial() {
  hierarchy_.reset_state();
  hierarchy_.allocate_state(1, experiment_.features(), config_.dtype);
  for (Readout& readout : readouts_) readout.begin_trial();
  controls_.begin_trial();
}

void BlockRun::read_block() {
  if (step_in_trial(done_) == 0 && done_ > 0) begin_trial();
  block_watch_ = {};
  block_end_ = end_of_block();
  block_first_ = step_in_epoch(done_);
  const std::int64_t count = block_end_ - done_;
  samples_.begin_epoch(done_ / experiment_.steps);
  block_.x = samples_.read(block_first_, count).expand_dims(0);
  for (Readout& readout : readouts_) readout.before_block(hierarchy_, block_.x[0]);
  block_.options = {.learn = learns(),
                    .check_finite = true,
                    .undo_failures = false,  // the file tells what a run diverged to
                    .signals = samples_.signals(signal_columns_, block_first_, count)};
  std::vector<const Readout*> speakers;
  for (const Readout& readout : readouts_) speakers.push_back(&readout);
  add_feedback(speakers, samples_, step_in_trial(done_), count, block_.options.signals);
  learn_as_at(hierarchy_, config_.hierarchy(), done_);
  keep_state();
}

/// Keeps what the hierarchy carries on, from which a block that diverges is read again.  On a GPU
/// nothing is, as nothing else is put back there.
void BlockRun::keep_state() {
  if (!scope_.device().is_cpu()) return;
  const std::vector<NamedArray> state = hierarchy_.state();
  before_.resize(state.size());
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Array& now = state[i].value;
    if (before_[i].size() > 0 && before_[i].shape() == now.shape()) {
      before_[i].assign(now);
    } else {
      before_[i] = now.copy();
    }
  }
  before_step_ = hierarchy_.step();
}

/// The error at the first step of the block that is not finite, as far as it can be found.
DivergedError BlockRun::first_bad(const DivergedError& error) const {
  if (before_.empty()) return error;
  try {
    HierarchyManager twin = hierarchy_.clone();
    ArrayMap state;
    const std::vector<NamedArray> names = twin.state();
    for (std::size_t i = 0; i < names.size(); ++i) state.emplace(names[i].name, before_[i]);
    twin.set_state(state, before_step_);
    return first_divergence(std::move(twin), block_.x, block_.options, error);
  } catch (const std::exception& failure) {
    log_debug(std::string("the first bad step was not found: ") + failure.what());
    return error;
  }
}

void BlockRun::record(const HierarchyBlock& block) {
  const std::int64_t count = block_end_ - done_;
  const Array x = block_.x[0];
  metrics_.update(block, hierarchy_);
  for (RateRows& rows : rate_rows(hierarchy_, block, done_)) writer_->append(std::move(rows));
  const RunBlock shown{x,     block_.options, block_first_,
                       block, hierarchy_,     rate_of_step(config_.hierarchy(), done_)};
  // Readouts and records see the last epoch of the series, metrics of learning all epochs.
  if (done_ >= all_steps_ - experiment_.steps) {
    metrics_.count_answers(block);
    input_watch_.read(samples_, block_first_, count, step_in_trial(done_) == 0);
    if (messages_) messages_->read(block, block_first_ - block.first_step);
    writer_->append(
        rows_of(block, x, block_first_, samples_.times(block_first_, count), config_.output));
    std::vector<Readout::Added> added = process_readouts(readouts_, block, samples_);
    for (std::size_t i = 0; i < added.size(); ++i) writer_->append(i, std::move(added[i]));
    writer_->write_solutions(readouts_);
    controls_.process(shown, samples_);
  } else {
    controls_.follow(shown);
  }
  writer_->append({.step = block_end_,
                   .steps_per_second = static_cast<double>(count) / block_watch_.seconds(),
                   .mean_activity = metrics_.mean_activity(),
                   .weight_norm = metrics_.weight_norm(),
                   .weight_change = metrics_.weight_change(),
                   .seconds = seconds_of_levels()});
}

/// Time that each level took in the block; NaN where runs compute together, so that nobody knows.
std::vector<double> BlockRun::seconds_of_levels() {
  std::vector<double> seconds;
  if (!messages_) return seconds;
  const LevelSeconds& now = hierarchy_.level_seconds();
  for (const HierarchicalLevel& level : hierarchy_.levels()) {
    const auto found = now.find(level.id());
    seconds.push_back(found == now.end() ? std::numeric_limits<double>::quiet_NaN()
                                         : found->second - level_seconds_[level.id()]);
  }
  level_seconds_ = now;
  return seconds;
}

std::int64_t BlockRun::next_reading_again(std::int64_t step, std::int64_t most) const {
  const std::int64_t last_epoch = all_steps_ - experiment_.steps;
  for (const Readout& readout : readouts_) {
    const std::int64_t at = last_epoch + readout.read_again_at();
    if (at > std::max(step, last_epoch)) most = std::min(most, at);
  }
  return most;
}

/// Lets readouts whose training part is over, and those of controls, read it once more with the
/// weights that there are now.
void BlockRun::read_again() {
  const std::int64_t step = done_ - (all_steps_ - experiment_.steps);
  const auto is_due = [&](const Readout& readout) {
    return step > 0 && readout.read_again_at() == step;
  };
  if (std::none_of(readouts_.begin(), readouts_.end(), is_due)) return;
  StillHierarchy still(hierarchy_, experiment_.features(), config_.dtype);
  const auto each = [&](const auto& act) {
    for (std::size_t i = 0; i < readouts_.size(); ++i) {
      if (is_due(readouts_[i])) act(i);
    }
  };
  each([&](std::size_t i) { readouts_[i].begin_reading_again(); });
  read_training_again(
      samples_, signal_columns_, step, block_steps_,
      [&] {
        still.begin_trial();
        each([&](std::size_t i) { readouts_[i].begin_trial_again(); });
      },
      [&](const BlockAgain& again) {
        const HierarchyBlock block = still.read(again);
        each([&](std::size_t i) { readouts_[i].read_again(block, samples_); });
      });
  each([&](std::size_t i) { writer_->append(i, readouts_[i].end_reading_again()); });
  writer_->write_solutions(readouts_);
  controls_.read_again(readouts_, step, hierarchy_, samples_, block_steps_);
}

/// Lets readouts that go on by themselves from here do so, and those of controls.
void BlockRun::run_free() {
  const std::int64_t step = done_ - (all_steps_ - experiment_.steps);
  const auto starts = [&](const Readout& readout) { return readout.starts_at(step); };
  if (std::none_of(readouts_.begin(), readouts_.end(), starts)) return;
  const Array newest = block_.x[0][block_.x.shape(1) - 1];
  for (Readout& readout : readouts_) {
    if (!starts(readout)) continue;
    FreeHierarchy reader(hierarchy_);
    readout.run_free(step, reader, newest, samples_);
  }
  controls_.run_free(step, newest, hierarchy_, samples_);
}

/// Commits what was appended, and stores the state where it is due.
void BlockRun::store(bool is_last) {
  const std::int64_t every = config_.checkpoint.every;
  const bool is_mark = every > 0 && done_ % every == 0;
  const bool stores = is_mark || checkpoints_->is_due();
  writer_->commit(done_, is_last || stores);
  if (!stores) return;
  const ArrayMap state = copied_state(hierarchy_);
  if (is_mark) writer_->write_checkpoint(done_, state, false);
  if (!is_last) writer_->store(done_, state_of_run(state));
}

/// The error with its place in the run and a way out that fits the rule.
std::string BlockRun::told(const DivergedError& error) {
  std::string what = error.what();
  const std::string need = need_of(error);
  const std::size_t general = what.find("; try a smaller");
  if (!need.empty() && general != std::string::npos) what.resize(general);
  const std::int64_t step = done_ + error.step - before_step_;
  if (!before_.empty() && step != error.step) {
    what += fmt::format("; counted through all trials and epochs that is step {}", step);
  }
  if (general == std::string::npos && need.empty()) return what;  // no rate is why
  return what + (need.empty() ? advice(error) : need);
}

/// Need of a rule that is no number for negative weights, to follow the error; else empty.
std::string BlockRun::need_of(const DivergedError& error) const {
  if (error.level < 0 || error.layer < 0) return {};
  const auto level = static_cast<std::size_t>(error.level);
  const auto layer = static_cast<std::size_t>(error.layer);
  const std::vector<LevelConfig>& levels = config_.hierarchy().levels;
  if (level >= levels.size() || layer >= levels[level].layers.size()) return {};
  const HebbianLayer* const made = hebbian_of(hierarchy_.levels()[level].layer(layer));
  const auto* const rule =
      made == nullptr ? nullptr : std::get_if<EquationRule>(&made->plasticity().rule);
  if (rule == nullptr) return {};
  const std::string need = needs_positive_weights(*rule, made->input_size(), made->output_size());
  if (need.empty()) return {};
  return fmt::format(
      "; hierarchy.levels[{}].layers[{}].rule.equations: the rule {}, which negative weights do "
      "not allow; {}",
      level, layer, need, kPositiveWeightsWayOut);
}

/// What is known of the rate of the layer that diverged; empty where that cannot be found out.
std::string BlockRun::advice(const DivergedError& error) {
  try {
    return rate_advice(measure_rates(experiment_, samples_), experiment_, samples_,
                       static_cast<std::size_t>(error.level),
                       static_cast<std::size_t>(error.layer));
  } catch (const std::exception&) {
    return {};
  }
}

bool BlockRun::must_stop() const { return options_.must_stop(watch_.seconds()); }

/// In a handler: ends the file as the error asks for, and throws it on.
void BlockRun::end_failed() {
  try {
    writer_->drain_after_failure();  // then nothing is being written any more
    throw;
  } catch (const std::exception&) {
    end_failed_run(
        config_.output.path, [&] { file_->abandon(); },
        [&] {
          file_->finish(RunStatus::failed, writer_->steps_in_file(),
                        seconds_before_ + watch_.seconds(), hierarchy_, readouts_,
                        controls_.scores(), in_sample_);
        });
  }
}

/// Answers of a level, whose weights nobody asked to move where the run does not learn.
NeuronAnswers BlockRun::answers_of(std::size_t level) const {
  NeuronAnswers answers = metrics_.answers(level);
  answers.has_stood_still = answers.has_stood_still && config_.hierarchy().learn;
  return answers;
}

std::vector<NeuronAnswers> BlockRun::all_answers() const {
  std::vector<NeuronAnswers> all;
  for (std::size_t n = 0; n < hierarchy_.levels().size(); ++n) all.push_back(answers_of(n));
  return all;
}

HierarchySummary BlockRun::summarize(RunStatus status, const std::string& file) const {
  HierarchySummary summary;
  summary.status = status;
  summary.file = file;
  summary.steps_done = done_;
  summary.steps = all_steps_;
  summary.seconds = seconds();
  summary.control_seconds = controls_.seconds();
  summary.one_seed = one_seed_text(experiment_);
  summary.inputs_noticed = input_watch_.told();
  for (std::size_t n = 0; n < hierarchy_.levels().size(); ++n) {
    const HierarchicalLevel& level = hierarchy_.levels()[n];
    summary.levels.push_back({.temporal_resolution = level.temporal_resolution(),
                              .ticks = metrics_.ticks(n),
                              .neurons = level.output_size(),
                              .mean_activity = metrics_.overall_activity(n),
                              .weight_norm = metrics_.weight_norm()[n],
                              .weight_change = metrics_.overall_change(n),
                              .answers = answers_of(n)});
  }
  const std::vector<std::vector<ControlScore>> controls = controls_.scores();
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < readouts_.size(); ++i) {
    const ReadoutConfig& config = readouts_[i].config();
    summary.readouts.push_back({config,
                                target_text(config, experiment_.series->channel_names()),
                                readouts_[i].score(),
                                readouts_[i].validation(),
                                controls[i],
                                {},
                                in_sample_,
                                readouts_[i].remarks(),
                                readouts_[i].purge(),
                                readouts_[i].ticks().purged(),
                                notices_of(readouts_[i], readouts_[i].score(), controls[i])});
    if (config.predicts()) {
      verdicts.push_back(verdict_of_readout(config, readouts_[i].score(), controls[i], in_sample_,
                                            readouts_[i].remarks()));
    }
    for (const ControlPlan& plan : controls_.plans()) {
      if (plan.is_read(i)) continue;
      summary.readouts.back().left_out.push_back(plan.name + ": " + plan.left_out[i]);
    }
  }
  summary.cause = likely_cause(verdicts, hierarchy_);
  return summary;
}

}  // namespace gaia
