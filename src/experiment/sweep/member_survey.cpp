// SPDX-License-Identifier: MIT
#include "member_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "../../array/device.h"
#include "../../core/text.h"
#include "../../io/output_files.h"
#include "../config/config_writer.h"
#include "../run/needs.h"

namespace gaia {
namespace {

/// What has no influence on sizes is set to its default, so that many members are of one structure.
ExperimentConfig structure_of(const ExperimentConfig& config) {
  ExperimentConfig structure = config;
  structure.seed = 0;
  structure.device = "cpu";
  structure.has_runtime = false;
  structure.kind->simplify();
  return structure;
}

/// What the members of one structure need.
Needs needs_of(Experiment& experiment) {
  const GPUContext scope(Device::cpu());
  ExperimentConfig own = std::move(experiment.config);
  experiment.config = structure_of(own);
  Needs needs = experiment.config.kind->needs(experiment);
  experiment.config = std::move(own);
  return needs;
}

class Survey {
 public:
  Survey(const Members& members, bool trial, std::int64_t first)
      : members_(members), trial_(trial), states_(members.rows()) {
    survey_.first = first;
    survey_.largest = first;
  }

  MemberSurvey run() {
    members_.check([&](std::int64_t member, Experiment& experiment) { see(member, experiment); },
                   survey_.first);
    const std::int64_t all = members_.size() - survey_.first;
    for (const auto& [warning, members] : warnings_) {
      survey_.warnings.push_back(
          members == all ? warning
                         : fmt::format("{} (in {} of {} members)", warning, members, all));
    }
    survey_.first_change = states_.first_change();
    return std::move(survey_);
  }

 private:
  void see(std::int64_t member, Experiment& experiment) {
    if (member == survey_.first) survey_.runtime = experiment.config.runtime;
    survey_.states.push_back(states_.of(experiment));
    for (const std::string& warning : experiment.warnings) ++warnings_[warning];
    const std::string& device = experiment.config.device;
    survey_.names_gpu = survey_.names_gpu || device.find(':') != std::string::npos;
    survey_.may_use_gpu =
        survey_.may_use_gpu || device == "auto" || !Device::from_name(device).is_cpu();

    const Needs& needs = needs_once(experiment);
    survey_.needs.push_back(needs);
    if (needs.memory_bytes > survey_.memory_bytes) {
      survey_.memory_bytes = needs.memory_bytes;
      survey_.largest = member;
    }
    survey_.disk_bytes += needs.disk_bytes;
    if (!trial_ || needs.operations == 0.0) return;
    if (member == survey_.first) {
      const double seconds = experiment.config.kind->seconds(experiment);
      seconds_per_operation_ = seconds / needs.operations;
    }
    survey_.seconds += seconds_per_operation_ * needs.operations;
  }

  const Needs& needs_once(Experiment& experiment) {
    ExperimentConfig structure = structure_of(experiment.config);
    structure.output.path.clear();
    const std::string key = fmt::format("{} steps\n", experiment.steps) + to_yaml(structure);
    const auto known = needs_.find(key);
    return known != needs_.end() ? known->second
                                 : needs_.emplace(key, needs_of(experiment)).first->second;
  }

  const Members& members_;
  bool trial_;
  MemberSurvey survey_;
  MemberStates states_;
  std::map<std::string, Needs> needs_;
  std::map<std::string, std::int64_t> warnings_;
  double seconds_per_operation_ = 0.0;
};

}  // namespace

std::int64_t MemberSurvey::count(MemberState state) const {
  return std::count(states.begin(), states.end(), state);
}

MemberSurvey survey_members(const Members& members, bool trial, std::int64_t first) {
  return Survey(members, trial, first).run();
}

std::string survey_text(const Sweep& sweep, const MemberSurvey& survey) {
  std::string text = fmt::format("members  {}, {} complete; results in {}\n", grouped(sweep.size()),
                                 grouped(survey.count(MemberState::complete)), sweep.folder());
  for (const SweepAxis& axis : sweep.axes()) {
    std::string keys;
    for (const SweepAxis::Key& key : axis.keys) keys += (keys.empty() ? "" : " with ") + key.name;
    text +=
        fmt::format("varied   {}: {} value{}\n", keys, axis.size(), axis.size() == 1 ? "" : "s");
  }
  text += fmt::format("memory   about {} for the largest member, {} ({} free)\n",
                      bytes_text(survey.memory_bytes), survey.largest,
                      bytes_text(static_cast<double>(device_info(Device::cpu()).free_memory)));
  if (survey.disk_bytes > 0.0) {
    text +=
        fmt::format("disk     at most about {} for all ({} free)\n", bytes_text(survey.disk_bytes),
                    bytes_text(free_space(sweep.folder() + "/")));
  }
  if (survey.seconds > 0.0) {
    text += fmt::format("time     about {}, one after the other\n", duration_text(survey.seconds));
  }
  return text;
}

}  // namespace gaia
