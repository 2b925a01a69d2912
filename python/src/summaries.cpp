// SPDX-License-Identifier: MIT
#include "summaries.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <string>
#include <vector>

#include "../../src/experiment/readouts/readout_verdict.h"
#include "../../src/experiment/setup/one_seed.h"
#include "../../src/report/readouts.h"

namespace gaia::python {
namespace {

/// The keys that every summary has.
nb::dict common(const std::string& status, const std::string& file, double seconds,
                const std::string& text) {
  nb::dict made;
  made["status"] = status;
  made["file"] = file;
  made["steps_done"] = 0;
  made["steps"] = 0;
  made["seconds"] = seconds;
  made["levels"] = nb::list();
  made["readouts"] = nb::list();
  made["verdict"] = "";
  made["text"] = text;
  return made;
}

nb::dict as_dict(const Score& score) {
  nb::dict made;
  made["name"] = score.name;
  made["measure"] = score.measure;
  made["value"] = score.value;
  made["error"] = score.error;
  return made;
}

Verdict verdict_of(const ReadoutSummary& readout) {
  return verdict_of_readout(readout.config, readout.score, readout.controls, readout.in_sample,
                            readout.remarks);
}

nb::dict as_dict(const ReadoutSummary& readout) {
  nb::dict made;
  made["name"] = readout.config.name;
  made["target"] = readout.target;
  nb::dict numbers;
  for (const auto& [name, value] : readout.score.numbers()) numbers[name.c_str()] = value;
  made["numbers"] = numbers;
  made["undefined"] = readout.score.undefined;
  made["score"] = as_dict(readout.score.own());
  nb::list others;
  for (const Score& score : others_of(readout.config, readout.score, readout.controls)) {
    others.append(as_dict(score));
  }
  made["others"] = others;
  made["verdict"] = verdict_of(readout).text;
  made["noticed"] = nb::cast(readout.noticed);
  return made;
}

nb::dict as_dict(const LevelSummary& level) {
  nb::dict made;
  made["temporal_resolution"] = level.temporal_resolution;
  made["ticks"] = level.ticks;
  made["neurons"] = level.neurons;
  made["mean_activity"] = level.mean_activity;
  made["weight_norm"] = level.weight_norm;
  made["weight_change"] = level.weight_change;
  made["silent_neurons"] = nb::cast(level.answers.silent);
  made["always_neurons"] = nb::cast(level.answers.always);
  made["constant_neurons"] = nb::cast(level.answers.constant);
  return made;
}

nb::dict as_dict(const ComparedScores& other) {
  nb::dict made;
  made["name"] = other.name;
  made["title"] = other.title;
  made["scores"] = nb::cast(other.scores);
  made["mean"] = other.spread.mean;
  made["ahead"] = other.ahead;
  made["behind"] = other.behind;
  made["difference"] = other.difference.mean;
  made["sign_test_p"] = other.sign_test_p;
  return made;
}

nb::dict as_dict(const ReadoutOverSeeds& readout) {
  nb::dict made;
  made["name"] = readout.name;
  made["target"] = readout.target;
  made["measure"] = readout.measure;
  made["scores"] = nb::cast(readout.scores);
  made["mean"] = readout.spread.mean;
  made["deviation"] = readout.spread.deviation;
  made["verdict"] = readout.verdict;
  nb::list others;
  for (const ComparedScores& other : readout.others) others.append(as_dict(other));
  made["others"] = others;
  return made;
}

/// As as_dict(ReadoutSummary) has it, of what the file says.
nb::dict as_dict(const report::ReadoutFacts& readout, const report::Result& result) {
  nb::dict made;
  made["name"] = readout.name;
  made["target"] = readout.title.substr(("Readout " + readout.name + " of ").size());
  ReadoutScore names;
  names.task = readout.task;
  nb::dict numbers;
  for (const auto& [name, unset] : names.numbers()) {
    numbers[name.c_str()] =
        result.number(readout.path, name).value_or(std::numeric_limits<double>::quiet_NaN());
  }
  made["numbers"] = numbers;
  made["undefined"] = readout.undefined;
  Score own = readout.score;
  own.name = "";
  made["score"] = as_dict(own);
  nb::list others;
  for (const Score& score : readout.baselines) others.append(as_dict(score));
  made["others"] = others;
  made["verdict"] = readout.verdict().text;
  made["noticed"] = nb::cast(result.texts(readout.path, "noticed"));
  return made;
}

}  // namespace

nb::list readouts_of(const report::Result& result) {
  nb::list made;
  if (result.is_network() || result.is_agent() || result.is_seed_verdict()) return made;
  for (const report::ReadoutFacts& readout : report::read_readouts(result)) {
    made.append(as_dict(readout, result));
  }
  return made;
}

nb::dict as_dict(const RunSummary& summary) {
  nb::dict made =
      common(to_string(summary.status), summary.file, summary.seconds, closing_text(summary));
  made["steps_done"] = summary.steps_done;
  made["steps"] = summary.steps;
  nb::list levels;
  for (const LevelSummary& level : summary.levels) levels.append(as_dict(level));
  made["levels"] = levels;
  nb::list readouts;
  std::vector<Verdict> verdicts;
  for (const ReadoutSummary& readout : summary.readouts) {
    readouts.append(as_dict(readout));
    verdicts.push_back(verdict_of(readout));
  }
  made["readouts"] = readouts;
  made["verdict"] = with_cause(of_one_seed(verdict_of_run(verdicts)), summary.cause);
  return made;
}

nb::dict as_dict(const TrainingSummary& summary) {
  nb::dict made =
      common(to_string(summary.status), summary.file, summary.seconds, closing_text(summary));
  made["steps_done"] = summary.epochs_done;
  made["steps"] = summary.epochs;
  nb::dict test;
  test["loss"] = summary.score.loss;
  if (summary.is_classifier) {
    test["accuracy"] = summary.score.accuracy;
  } else {
    test["nrmse"] = summary.score.nrmse;
    test["r2"] = summary.score.r2;
  }
  made["test"] = test;
  return made;
}

nb::dict as_dict(const AgentSummary& summary) {
  nb::dict made =
      common(to_string(summary.status), summary.file, summary.seconds, closing_text(summary));
  made["steps_done"] = summary.steps_done;
  made["steps"] = summary.steps;
  const auto score = [&](const ReturnScore& of) {
    nb::dict one;
    one["mean_return"] = of.mean;
    one["standard_deviation"] = of.deviation;
    one["judged_episodes"] = of.episodes;
    return one;
  };
  nb::dict agent = score(summary.verdict.agent);
  nb::dict controls;
  for (const ControlReturns& control : summary.verdict.controls) {
    controls[control.name.c_str()] = score(control.score);
  }
  agent["controls"] = controls;
  made["agent"] = agent;
  made["verdict"] = of_one_seed(summary.verdict.text);
  return made;
}

nb::dict as_dict(const NetworkApplication& application) {
  return common("complete", application.file, application.seconds, closing_text(application));
}

nb::dict as_dict(const SeedVerdict& found) {
  nb::dict made;
  made["file"] = found.file;
  made["first_seed"] = found.first_seed;
  made["seeds"] = found.seeds;
  made["diverged"] = nb::cast(found.diverged);
  nb::dict reasons;
  for (std::size_t i = 0; i < found.diverged.size(); ++i) {
    reasons[nb::int_(found.diverged[i])] = found.reasons[i];
  }
  made["reasons"] = reasons;
  made["seconds"] = found.seconds;
  made["text"] = verdict_table(found);
  nb::list readouts;
  for (const ReadoutOverSeeds& readout : found.readouts) readouts.append(as_dict(readout));
  made["readouts"] = readouts;
  return made;
}

}  // namespace gaia::python
