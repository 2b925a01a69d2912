// SPDX-License-Identifier: MIT
#include "agent_run.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "../../array/device.h"
#include "../../core/error.h"
#include "../../core/log.h"
#include "../../core/text.h"
#include "../../io/output_files.h"
#include "../results/agent_file.h"
#include "../results/checkpoints.h"
#include "../setup/one_seed.h"
#include "failed_run.h"
#include "progress.h"

namespace gaia {
namespace {

using Clock = std::chrono::steady_clock;

/// Steps that wait to be written at most, and for how long, in seconds.
constexpr std::int64_t kMostWaiting = 512;
constexpr double kLongestWait = 1.0;

/// The steps of an agent, or of a control, and what came of its episodes.
struct Played {
  std::string control;  ///< Empty: the agent.
  std::unique_ptr<AgentPlayer> player = nullptr;
  std::vector<double> returns = {};
  std::vector<std::int64_t> lengths = {};
};

class AgentRun {
 public:
  AgentRun(Experiment& experiment, const RunOptions& options)
      : config_(experiment.config),
        agent_(*config_.agent()),
        options_(options),
        cut_(options.cut),
        lock_(cut_ != nullptr ? std::move(cut_->lock)
                              : claim_output(config_.output.path, options.overwrite)),
        scope_(agent_device(config_)),
        precision_(config_.precision),
        controls_(agent_controls(agent_)),
        facts_{agent_layout(config_), controls_.run},
        all_steps_(experiment.steps * (1 + std::ssize(controls_.run))),
        run_facts_(facts_of_run(experiment, cut_ == nullptr ? nullptr : &cut_->facts,
                                options.command_line, to_string(scope_.device()), all_steps_)),
        checkpoints_(config_.output.path, run_facts_.run_id, config_.checkpoint, options.checkpoint,
                     cut_ == nullptr ? 0 : 1 - cut_->found.number),
        step_variables_(AgentFile::step_variables(facts_.layout)) {
    played_.push_back({.control = ""});
    for (const std::string& control : controls_.run) played_.push_back({.control = control});
    played_.front().player = make_player(config_);
    clear_rows();
    if (cut_ != nullptr) go_on_from(cut_->found.checkpoint);
  }

  AgentSummary run() {
    AgentFile file(config_, run_facts_, facts_,
                   {.file = cut_ == nullptr ? nullptr : &cut_->partial, .steps = done_});
    file_ = &file;
    std::string written;
    RunStatus status = RunStatus::complete;
    try {
      status = play_all();
      commit();
      if (status == RunStatus::interrupted) store();
      file.write_learnt(played_.front().player->learnt());
      written = file.finish(status, done_, seconds_before_ + seconds(), attributes());
      if (status == RunStatus::complete) remove_leftovers(config_.output.path);
    } catch (const std::exception&) {
      end_failed_run(
          config_.output.path, [&] { file.abandon(); },
          [&] {
            if (file.is_open())
              file.finish(RunStatus::failed, done_, seconds_before_ + seconds(), {});
          });
    }
    AgentSummary summary;
    summary.status = status;
    summary.file = written;
    summary.steps_done = done_;
    summary.steps = all_steps_;
    summary.seconds = seconds_before_ + seconds();
    summary.episodes_done = std::ssize(played_.front().returns);
    summary.episodes = agent_.environment.episodes;
    summary.reward_units = facts_.layout.reward_units;
    summary.verdict = verdict();
    summary.left_out = controls_.left_out;
    summary.impossible = impossible_;
    summary.times = played_.front().player->times();
    return summary;
  }

 private:
  RunStatus play_all() {
    for (; now_ < played_.size(); ++now_) {
      Played& played = played_[now_];
      if (!played.player) played.player = make_player(config_, played.control);
      while (std::ssize(played.returns) < agent_.environment.episodes) {
        play_step(played);
        const bool is_last =
            now_ + 1 == played_.size() && std::ssize(played.returns) == agent_.environment.episodes;
        if (!is_last && options_.must_stop(seconds())) return RunStatus::interrupted;
        const bool is_mark = config_.checkpoint.every > 0 && done_ % config_.checkpoint.every == 0;
        if (!is_last && (is_mark || checkpoints_.is_due())) {
          commit();
          store();
        }
        tell_progress(played);
      }
    }
    return RunStatus::complete;
  }

  /// One step, and what begins and ends with it.
  void play_step(Played& played) {
    AgentPlayer& player = *played.player;
    if (step_ == 0) {
      player.begin_episode();
      return_ = 0.0;
    }
    const AgentStep result = player.step();
    check_finite(played, result.reward);
    return_ += result.reward;
    if (played.control.empty()) {
      note_impossible(player, played);
      record_step(player, played, result.reward);
    }
    ++done_;
    ++step_;
    if (step_ == agent_.environment.steps || result.has_ended) end_episode(played);
    ++waiting_;
    if (waiting_ >= kMostWaiting || waited() >= kLongestWait) commit();
  }

  void record_step(const AgentPlayer& player, const Played& played, double reward) {
    const auto is_recorded = [&](const Recording& recording) {
      return recording.what == Recording::What::all ||
             (recording.what == Recording::What::every && done_ % recording.every == 0);
    };
    if (is_recorded(config_.output.steps)) {
      steps_.index.push_back(static_cast<double>(done_));
      AgentColumns own(facts_.layout.steps.size());
      player.add_step(own);
      std::size_t at = 0;
      steps_.columns[at++].push_back(static_cast<double>(played.returns.size()));
      steps_.columns[at++].push_back(static_cast<double>(step_));
      for (std::size_t i = 0; i < own.size(); ++i, ++at) {
        check_column(facts_.layout.steps[i], own[i]);
        steps_.columns[at].insert(steps_.columns[at].end(), own[i].begin(), own[i].end());
      }
      steps_.columns[at].push_back(reward);
    }
    if (is_recorded(config_.output.plans)) {
      plans_.index.push_back(static_cast<double>(done_));
      player.add_plan(plans_.columns);
    }
  }

  /// Counts observations that the agent's model holds to be impossible, and warns of the first.
  void note_impossible(const AgentPlayer& player, const Played& played) {
    const std::string why = player.impossible();
    if (why.empty()) return;
    if (impossible_++ > 0) return;
    log_warning(fmt::format("agent: step {} of episode {}: {}; the end of the run counts these",
                            step_, played.returns.size(), why));
  }

  void end_episode(Played& played) {
    played.player->end_episode();
    episodes_.index.push_back(static_cast<double>(played.returns.size()));
    played.returns.push_back(return_);
    played.lengths.push_back(step_);
    episodes_.columns[0].push_back(return_);
    episodes_.columns[1].push_back(static_cast<double>(step_));
    episodes_.columns[2].push_back(static_cast<double>(done_));
    if (played.control.empty()) {
      AgentColumns own(facts_.layout.episodes.size());
      played.player->add_episode(own);
      for (std::size_t i = 0; i < own.size(); ++i) {
        std::vector<double>& column = episodes_.columns[3 + i];
        column.insert(column.end(), own[i].begin(), own[i].end());
      }
    }
    step_ = 0;
    // One table is written at a time: a control's episodes go elsewhere.
    if (std::ssize(played.returns) == agent_.environment.episodes) commit();
  }

  /// Writes what waits; whatever runs now, its rows belong to it.
  void commit() {
    const std::size_t last = std::min(now_, played_.size() - 1);
    const std::string& control = played_[last].control;
    file_->append("agent", steps_);
    file_->append("agent/plans", plans_);
    file_->append(control.empty() ? "agent/episodes" : "agent/controls/" + control, episodes_);
    file_->commit(done_);
    clear_rows();
    waiting_ = 0;
    last_commit_ = Clock::now();
  }

  void clear_rows() {
    steps_ = {{}, AgentColumns(step_variables_.size())};
    plans_ = {{}, AgentColumns(facts_.layout.plans.size())};
    episodes_ = {{}, AgentColumns(3 + facts_.layout.episodes.size())};
  }

  void check_finite(const Played& played, double reward) const {
    if (std::isfinite(reward)) return;
    diverged(played, "the reward");
  }
  void check_column(const AgentVariable& variable, const std::vector<double>& values) const {
    for (const double value : values) {
      if (!std::isfinite(value)) diverged(played_[now_], variable.name.c_str());
    }
  }
  [[noreturn]] void diverged(const Played& played, const char* what) const {
    throw DivergedError(
        fmt::format("[run_agent] {} of {} is NaN or infinite at step {} of episode {}", what,
                    played.control.empty() ? "the agent" : "control " + played.control, step_,
                    played.returns.size()),
        -1, -1, done_);
  }

  // Going on

  void store() {
    ArrayMap arrays;
    const auto put = [&](const std::string& prefix, const AgentPlayer& player) {
      for (auto& [name, array] : player.save()) arrays[prefix + name] = array;
    };
    put("agent/", *played_.front().player);
    const std::size_t last = std::min(now_, played_.size() - 1);
    if (last > 0) put("control/", *played_[last].player);
    for (std::size_t p = 0; p <= last; ++p) {
      std::vector<double> returns = played_[p].returns;
      returns.push_back(0.0);  // an array has one number at least
      put_numbers(arrays, fmt::format("returns/{}", p), returns);
    }
    put_numbers(arrays, "run/place",
                {static_cast<double>(last), static_cast<double>(step_), return_});
    put_numbers(arrays, "run/seconds", {seconds_before_ + seconds()});
    put_numbers(arrays, "run/impossible", {static_cast<double>(impossible_)});
    file_->sync();
    checkpoints_.write(done_, std::move(arrays));
  }

  void go_on_from(const Checkpoint& checkpoint) {
    const auto without_last = [&](const std::string& name) {
      std::vector<double> numbers = numbers_of(checkpoint.arrays, name);
      if (!numbers.empty()) numbers.pop_back();
      return numbers;
    };
    const auto restore = [&](const std::string& prefix, AgentPlayer& player) {
      player.restore(arrays_below(checkpoint.arrays, prefix));
    };
    try {
      const std::vector<double> place = numbers_of(checkpoint.arrays, "run/place", 3);
      now_ = static_cast<std::size_t>(place[0]);
      step_ = static_cast<std::int64_t>(place[1]);
      return_ = place[2];
      if (now_ >= played_.size()) throw ArgumentError("it has other controls");
      restore("agent/", *played_.front().player);
      for (std::size_t p = 0; p <= now_; ++p) {
        played_[p].returns = without_last(fmt::format("returns/{}", p));
      }
      if (now_ > 0) {
        played_[now_].player = make_player(config_, played_[now_].control);
        restore("control/", *played_[now_].player);
      }
      seconds_before_ = numbers_of(checkpoint.arrays, "run/seconds", 1).front();
      if (checkpoint.arrays.count("run/impossible") > 0) {  // not of earlier builds
        impossible_ =
            static_cast<std::int64_t>(numbers_of(checkpoint.arrays, "run/impossible", 1).front());
      }
    } catch (const Error& error) {
      throw OutputError(config_.output.path +
                        ": its checkpoint is not of this experiment: " + error.what());
    }
    done_ = checkpoint.step;
  }

  // What is reported

  AgentVerdict verdict() const {
    std::vector<std::pair<std::string, std::vector<double>>> controls;
    for (std::size_t p = 1; p < played_.size(); ++p) {
      controls.emplace_back(played_[p].control, played_[p].returns);
    }
    return agent_verdict(agent_.learns(), agent_.environment.episodes, played_.front().returns,
                         controls, facts_.layout.reward_units);
  }

  std::map<std::string, Attributes> attributes() const {
    const AgentVerdict found = verdict();
    std::map<std::string, Attributes> all;
    all["agent"] = score_attributes(found.agent);
    all["agent"].emplace_back("first_judged_episode", found.first_episode);
    for (const auto& time : played_.front().player->times()) all["agent"].push_back(time);
    all["agent"].emplace_back("impossible_observations", impossible_);
    all["agent"].emplace_back("verdict", found.text);
    all["agent"].emplace_back("is_bettered", found.is_bad ? "true" : "false");
    for (const ControlReturns& control : found.controls) {
      all["agent/controls/" + control.name] = score_attributes(control.score);
    }
    return all;
  }

  void tell_progress(const Played& played) const {
    if (!options_.on_progress) return;
    const AgentProgress how_far{.steps_done = done_,
                                .steps = all_steps_,
                                .episode = std::ssize(played.returns),
                                .episodes = agent_.environment.episodes,
                                .control = played.control,
                                .last_return = played.returns.empty()
                                                   ? std::numeric_limits<double>::quiet_NaN()
                                                   : played.returns.back(),
                                .seconds = seconds()};
    options_.on_progress(how_far.progress());
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double waited() const {
    return std::chrono::duration<double>(Clock::now() - last_commit_).count();
  }

  const ExperimentConfig& config_;
  const AgentConfig& agent_;
  const RunOptions& options_;
  Clock::time_point start_ = Clock::now();
  CutRun* cut_;  // null: this one does not go on with another
  std::unique_ptr<OutputLock> lock_;
  GPUContext scope_;
  MatmulPrecisionScope precision_;
  AgentControls controls_;
  AgentFacts facts_;
  std::int64_t all_steps_;
  RunFacts run_facts_;
  Checkpoints checkpoints_;
  std::vector<AgentVariable> step_variables_;
  AgentFile* file_ = nullptr;
  std::vector<Played> played_;   // the agent first
  std::size_t now_ = 0;          // which of them plays
  std::int64_t step_ = 0;        // within its episode
  double return_ = 0.0;          // return of its episode until now
  std::int64_t done_ = 0;        // steps of all
  std::int64_t impossible_ = 0;  // observations of the agent
  double seconds_before_ = 0.0;
  AgentRows steps_, plans_, episodes_;  // rows that wait to be written
  std::int64_t waiting_ = 0;
  Clock::time_point last_commit_ = Clock::now();
};

}  // namespace

Progress AgentProgress::progress() const {
  const double share = static_cast<double>(steps_done) / static_cast<double>(steps);
  return {.steps_done = steps_done, .steps = steps, .share = share, .text = [this, share] {
            std::string text =
                fmt::format("{:3.0f} %  episode {}/{} of {}", 100.0 * share, grouped(episode),
                            grouped(episodes),
                            control.empty() ? "the agent" : fmt::format("control {}", control));
            if (!std::isnan(last_return)) text += fmt::format("  return {:.4g}", last_return);
            return text + "  " + speed_text(steps_done, steps, seconds);
          }};
}

AgentSummary run_agent(Experiment& experiment, const RunOptions& options) {
  AgentSummary summary = AgentRun(experiment, options).run();
  summary.one_seed = one_seed_text(experiment);
  return summary;
}

}  // namespace gaia
