// SPDX-License-Identifier: MIT
#include "seed_verdict.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include "../../core/message.h"
#include "../../core/parallel.h"
#include "../../core/version.h"
#include "../../io/diverged.h"
#include "../../io/output_files.h"
#include "../config/config_writer.h"
#include "../results/results_parts.h"
#include "../run/run.h"
#include "child_processes.h"

namespace gaia {
namespace {

namespace fs = std::filesystem;

constexpr int kDivergedCode = 8;

/// Reasons that an attribute of the file has; a dataset has all.
constexpr std::size_t kMostInAttribute = 100;

using Clock = std::chrono::steady_clock;

std::string join_lines(const std::string& first, const std::string& rest) {
  return first.empty() || rest.empty() ? first + rest : first + "\n" + rest;
}

/// A folder for the runs, which goes with all that is in it.
class RunsFolder {
 public:
  explicit RunsFolder(const std::string& output) : path_(output + ".runs") {
    remove();
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) fail<OutputError>("{}: cannot be made: {}", path_, error.message());
  }
  ~RunsFolder() { remove(); }
  RunsFolder(const RunsFolder&) = delete;
  RunsFolder& operator=(const RunsFolder&) = delete;

  std::string result(std::int64_t seed) const { return fmt::format("{}/seed-{}.h5", path_, seed); }
  void remove_result(std::int64_t seed) const {
    const std::string result = this->result(seed);
    std::error_code ignored;
    fs::remove(result, ignored);
    fs::remove(partial_path(result), ignored);
    remove_leftovers(result);
  }

 private:
  /// Only what is ours by its name.
  void remove() const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path_, error)) {
      if (!entry.path().filename().string().starts_with("seed-")) continue;
      std::error_code ignored;
      fs::remove(entry.path(), ignored);
    }
    fs::remove(path_, error);
  }

  std::string path_;
};

std::string default_output(const std::string& result) {
  return fs::path(result).replace_extension(".verdict.h5").string();
}

class SeedRuns {
 public:
  SeedRuns(const std::string& path, const Overrides& overrides, const SeedVerdictOptions& options)
      : path_(path), overrides_(overrides), options_(options) {
    const Experiment experiment = load_experiment(path, overrides);
    check(experiment);
    verdict_.file =
        overrides.output ? *overrides.output : default_output(experiment.config.output.path);
    verdict_.experiment = experiment.config.experiment;
    verdict_.first_seed = experiment.config.seed;
    verdict_.seeds = options.seeds;
    hashes_ = hashes_of_inputs(experiment);
    SeedPlan plan = experiment.config.kind->plan_seeds(experiment);
    verdict_.readouts = std::move(plan.readouts);
    verdict_.has_fixed_data = plan.has_fixed_data;
    settings_ = std::move(plan.settings);
    ask_for_published(experiment.config.published);
    config_ = experiment.config;
    inputs_ = experiment.inputs;
    for (const auto& [included, hash] : experiment.included) {
      inputs_.push_back(included);
      hashes_.push_back(hash);
    }
  }

  SeedVerdict run() {
    const auto lock = claim_output(verdict_.file, options_.overwrite);
    {
      const RunsFolder folder(verdict_.file);
      outcomes_.resize(static_cast<std::size_t>(options_.seeds));
      options_.jobs > 1 ? run_side_by_side(folder) : run_in_turn(folder);
      if (verdict_.interrupted) return verdict_;
      collect();
    }
    verdict_.seconds = seconds();
    write();
    return verdict_;
  }

 private:
  /// What one seed came to: the scores of all readouts, in a verdict of this seed alone.
  struct Outcome {
    bool diverged = false;
    std::string reason;  // reason of a run that did
    std::vector<ReadoutOverSeeds> readouts;
  };

  void check(const Experiment& experiment) const {
    const ExperimentConfig& config = experiment.config;
    if (!config.kind->has_verdict()) {
      throw ConfigError(path_ + ": is of " + config.kind->title() +
                        "; a verdict is of the readouts of a hierarchy");
    }
    if (config.seed > std::numeric_limits<std::int64_t>::max() - options_.seeds) {
      throw ConfigError(
          fmt::format("seed: {} and {} more are too many", config.seed, options_.seeds - 1));
    }
  }

  /// Reports the number that a paper has published for the readout that it is of.
  void ask_for_published(const PublishedConfig& published) {
    if (!published.is_there) return;
    for (ReadoutOverSeeds& readout : verdict_.readouts) {
      if (!published.readout.empty() && readout.name != published.readout) continue;
      readout.published = PublishedScores{
          .score = published.score, .value = published.value, .spread = published.spread};
      return;
    }
  }

  std::int64_t seed_at(std::int64_t index) const { return verdict_.first_seed + index; }

  bool is_stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  void run_in_turn(const RunsFolder& folder) {
    for (std::int64_t i = 0; i < options_.seeds; ++i) {
      Overrides overrides = overrides_;
      overrides.set.insert(overrides.set.end(), settings_.begin(), settings_.end());
      overrides.seed = std::to_string(seed_at(i));
      overrides.output = folder.result(seed_at(i));
      Experiment experiment = load_experiment(path_, overrides);
      bool diverged = false;
      try {
        verdict_.interrupted = run_once(experiment) != RunStatus::complete;
      } catch (const DivergedError&) {
        diverged = true;
      }
      if (verdict_.interrupted) return;
      end(folder, i, diverged);
    }
  }

  RunStatus run_once(Experiment& experiment) const {
    return run_experiment(experiment, {.overwrite = true, .stop = options_.stop})->status;
  }

  void run_side_by_side(const RunsFolder& folder) {
    ChildProcesses children;
    const std::string threads = std::to_string(
        std::max(1, num_threads() / static_cast<int>(std::min(options_.jobs, options_.seeds))));
    std::int64_t next = 0;
    while (next < options_.seeds || children.running() > 0) {
      if (is_stopped()) {
        children.signal_all(SIGTERM);
        while (children.running() > 0) children.wait(std::chrono::milliseconds(100));
        verdict_.interrupted = true;
        return;
      }
      while (next < options_.seeds &&
             static_cast<std::int64_t>(children.running()) < options_.jobs) {
        children.start(next, command_for(folder, next, threads));
        ++next;
      }
      for (const EndedChild& ended : children.wait(std::chrono::milliseconds(100))) {
        const bool diverged = ended.signal == 0 && ended.code == kDivergedCode;
        if (ended.code != 0 && !diverged) {
          throw Error(fmt::format("the run with seed {} has failed (code {}):\n{}",
                                  seed_at(ended.id), ended.code,
                                  join_lines(signal_text(ended.code), ended.errors)));
        }
        end(folder, ended.id, diverged);
      }
    }
  }

  std::vector<std::string> command_for(const RunsFolder& folder, std::int64_t index,
                                       const std::string& threads) const {
    std::vector<std::string> words = options_.command;
    words.insert(words.end(), {"run", path_, "--quiet", "--overwrite", "--threads", threads});
    const auto add = [&](const char* option, const std::string& value) {
      words.insert(words.end(), {option, value});
    };
    for (const std::string& setting : overrides_.set) add("--set", setting);
    for (const std::string& setting : settings_) add("--set", setting);
    if (overrides_.device) add("--device", *overrides_.device);
    add("--seed", std::to_string(seed_at(index)));
    add("--output", folder.result(seed_at(index)));
    return words;
  }

  /// Takes the scores of a run that has ended, and removes it.
  void end(const RunsFolder& folder, std::int64_t index, bool diverged) {
    Outcome& outcome = outcomes_[static_cast<std::size_t>(index)];
    outcome.diverged = diverged;
    if (diverged) outcome.reason = why_failed(partial_path(folder.result(seed_at(index))));
    outcome.readouts = verdict_.readouts;
    for (ReadoutOverSeeds& readout : outcome.readouts) {
      if (diverged) continue;
      config_.kind->add_seed(readout, folder.result(seed_at(index)));
    }
    folder.remove_result(seed_at(index));
    ++ended_;
    if (options_.on_progress) {
      options_.on_progress({ended_, options_.seeds, seed_at(index), diverged, seconds()});
    }
  }

  /// Joins the scores of all seeds, in their order.
  void collect() {
    for (std::int64_t i = 0; i < options_.seeds; ++i) {
      const Outcome& outcome = outcomes_[static_cast<std::size_t>(i)];
      if (outcome.diverged) {
        verdict_.diverged.push_back(seed_at(i));
        verdict_.reasons.push_back(outcome.reason);
      }
      for (std::size_t r = 0; r < verdict_.readouts.size(); ++r) {
        verdict_.readouts[r].add(outcome.readouts[r]);
      }
    }
    for (ReadoutOverSeeds& readout : verdict_.readouts) {
      readout.compare();
      add_divergence(readout);
    }
  }

  /// What diverged has no score, so what the others show is not all there is to know.
  void add_divergence(ReadoutOverSeeds& readout) const {
    if (verdict_.diverged.empty()) return;
    if (std::ssize(verdict_.diverged) == verdict_.seeds) {
      readout.verdict =
          fmt::format("has no score: all {} runs diverged, that of seed {} by {}", verdict_.seeds,
                      verdict_.diverged.front(), verdict_reason(verdict_.reasons.front()));
      return;
    }
    readout.verdict += fmt::format("; {} of {} runs diverged and count nowhere",
                                   verdict_.diverged.size(), verdict_.seeds);
  }

  void write() const {
    const std::string partial = partial_path(verdict_.file);
    try {
      {
        hdf5::File file = hdf5::File::create(partial);
        write_root(file);
        hdf5::Dataset seed =
            file.create_dataset("seed", {.type = hdf5::Type::int64, .shape = {verdict_.seeds}});
        std::vector<std::int64_t> seeds;
        for (std::int64_t i = 0; i < verdict_.seeds; ++i) seeds.push_back(seed_at(i));
        seed.write<std::int64_t>(seeds);
        describe(seed, "seed of all random numbers of a run");
        seed.make_scale("seed");
        std::vector<std::string> reasons;
        for (const Outcome& outcome : outcomes_) reasons.push_back(outcome.reason);
        hdf5::Dataset reason = file.create_texts("diverged_reason", reasons);
        describe(reason, "why the run of a seed diverged; empty: it did not");
        reason.attach_scale(0, seed);
        write_published(file, config_);
        hdf5::Group readouts = file.create_group("readouts");
        for (const ReadoutOverSeeds& readout : verdict_.readouts) {
          write(readouts.create_group(readout.name), readout, seed);
        }
        file.close();
      }
      publish(partial, verdict_.file);
    } catch (...) {
      discard(partial);
      throw;
    }
  }

  void write_root(hdf5::File& file) const {
    file.set_attribute("gaia_version", version());
    file.set_attribute("git_commit", git_commit());
    file.set_attribute("verdict_version", kVerdictVersion);
    file.set_attribute("experiment", verdict_.experiment);
    file.set_attribute("config", to_yaml(config_));
    file.set_attribute("config_file", path_);
    file.set_attribute("command_line", options_.command_line);
    file.set_attribute("created_utc", utc_now());
    file.set_attribute("inputs", inputs_);
    file.set_attribute("input_sha256", hashes_);
    file.set_attribute("first_seed", verdict_.first_seed);
    file.set_attribute("seeds", verdict_.seeds);
    file.set_attribute("diverged", static_cast<std::int64_t>(verdict_.diverged.size()));
    std::vector<std::string> reasons;
    for (std::size_t i = 0; i < std::min(kMostInAttribute, verdict_.reasons.size()); ++i) {
      reasons.push_back(
          fmt::format("seed {}: {}", verdict_.diverged[i], verdict_reason(verdict_.reasons[i])));
    }
    file.set_attribute("diverged_reasons", reasons);
    file.set_attribute("fixed_data", verdict_.has_fixed_data ? "true" : "false");
    file.set_attribute("wall_seconds", verdict_.seconds);
    file.set_attribute("Conventions", "CF-1.8");
  }

  static void write_scores(hdf5::Group& group, const std::vector<double>& scores,
                           const Spread& spread, const std::string& measure,
                           const std::string& whose, const hdf5::Dataset& seed) {
    hdf5::Dataset dataset =
        group.create_dataset("score", {.type = hdf5::Type::float64, .shape = {std::ssize(scores)}});
    dataset.write<double>(scores);
    describe(dataset, message("{} of {}, by seed", measure, whose));
    dataset.attach_scale(0, seed);
    group.set_attribute("mean", spread.mean);
    group.set_attribute("standard_deviation", spread.deviation);
    group.set_attribute("defined", spread.count);
  }

  /// Scores along the stream; nothing where there are none.
  static void write_windows(hdf5::Group& group, const WindowsOverSeeds& windows,
                            const hdf5::Dataset& seed) {
    if (windows.steps.empty()) return;
    hdf5::Group own = group.create_group("windows");
    hdf5::Dataset step = own.create_dataset(
        "step", {.type = hdf5::Type::int64, .shape = {std::ssize(windows.steps)}});
    step.write<std::int64_t>(windows.steps);
    describe(step, "step of the last tick of the window");
    step.make_scale("step");
    for (const WindowsOverSeeds::Curve& curve : windows.curves) {
      std::vector<double> values;
      for (const std::vector<double>& one : curve.seeds) {
        values.insert(values.end(), one.begin(), one.end());
      }
      hdf5::Dataset dataset = own.create_dataset(
          curve.score, {.type = hdf5::Type::float64,
                        .shape = {std::ssize(curve.seeds), std::ssize(windows.steps)}});
      dataset.write<double>(values);
      describe(dataset, curve.score + " of each window, by seed");
      dataset.attach_scale(0, seed);
      dataset.attach_scale(1, step);
    }
  }

  static void write(hdf5::Group group, const ReadoutOverSeeds& readout, const hdf5::Dataset& seed) {
    group.set_attribute("measure", readout.measure);
    group.set_attribute("units", readout.units);
    group.set_attribute("target", readout.target);
    group.set_attribute("verdict", readout.verdict);
    write_scores(group, readout.scores, readout.spread, readout.measure,
                 readout.measure == "return" ? "the agent" : "the readout", seed);
    write_windows(group, readout.windows, seed);
    if (readout.published && !readout.published->score.empty()) {
      hdf5::Dataset compared = group.create_dataset(
          "published_score",
          {.type = hdf5::Type::float64, .shape = {std::ssize(readout.published->scores)}});
      compared.write<double>(readout.published->scores);
      describe(compared, readout.published->score + " of each seed, which is published");
      compared.attach_scale(0, seed);
      compared.set_attribute("mean", readout.published->reached.mean);
      compared.set_attribute("standard_deviation", readout.published->reached.deviation);
    }
    for (const ComparedScores& other : readout.others) {
      hdf5::Group own = group.nested((other.is_control ? "controls/" : "baselines/") + other.name);
      write_scores(own, other.scores, other.spread, readout.measure, other.title, seed);
      write_windows(own, other.windows, seed);
      own.set_attribute("title", other.title);
      own.set_attribute("ahead", other.ahead);
      own.set_attribute("behind", other.behind);
      own.set_attribute("compared", other.difference.count);
      own.set_attribute("difference_mean", other.difference.mean);
      own.set_attribute("difference_standard_deviation", other.difference.deviation);
      own.set_attribute("sign_test_p", other.sign_test_p);
    }
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  std::string path_;
  Overrides overrides_;
  const SeedVerdictOptions& options_;
  Clock::time_point start_ = Clock::now();
  SeedVerdict verdict_;
  ExperimentConfig config_;
  std::vector<std::string> inputs_;
  std::vector<std::string> hashes_;
  std::vector<std::string> settings_;  // settings of runs that are there for their scores alone
  std::vector<Outcome> outcomes_;      // outcome of each seed
  std::int64_t ended_ = 0;
};

}  // namespace

SeedVerdict verdict_over_seeds(const std::string& path, const Overrides& overrides,
                               const SeedVerdictOptions& options) {
  if (options.seeds < 2) fail<ConfigError>("seeds: expected at least 2, got {}", options.seeds);
  if (options.jobs < 1 || (options.jobs > 1 && options.command.empty())) {
    fail<ConfigError>("jobs: expected at least 1, and for more a command that runs one, got {}",
                      options.jobs);
  }
  return SeedRuns(path, overrides, options).run();
}

}  // namespace gaia
