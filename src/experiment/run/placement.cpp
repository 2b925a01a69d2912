// SPDX-License-Identifier: MIT
#include "placement.h"

#include <algorithm>
#include <cctype>

#include "../../core/log.h"
#include "../setup/hierarchy_checks.h"
#include "device_trial.h"

namespace gaia {

bool is_auto_device(const Experiment& experiment) {
  std::string name = experiment.config.device;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "auto";
}

namespace {

/// Settings of `runtime` in the experiment, else of this process.
DeviceTrial with_threshold(DeviceTrial trial, const Experiment& experiment) {
  trial.least_bytes = experiment.config.runtime.offload_threshold.value_or(offload_threshold());
  return trial;
}

}  // namespace

DeviceChoice choose_device(const Experiment& experiment, const MakeTrial& trial) {
  if (!is_auto_device(experiment)) {
    const Device device = Device::from_name(experiment.config.device);
    return {device, to_string(device)};
  }
  // For a rule that runs on the CPU alone no GPU is asked, since asking makes a context there.
  const std::string rule = cuda_device_count() > 0 ? rule_of_cpu(experiment.config) : "";
  if (!rule.empty()) return {Device::cpu(), "cpu (rule " + rule + " runs there alone)"};
  if (available_devices().size() == 1) return {Device::cpu(), "cpu (" + why_no_cuda() + ")"};
  const Placement placement =
      place(with_threshold(trial ? trial() : trial_of(experiment), experiment));
  return {placement.device, placement.summary(), placement.seconds()};
}

Device device_of_run(const Experiment& experiment, const MakeTrial& trial) {
  const DeviceChoice choice = choose_device(experiment, trial);
  if (!is_auto_device(experiment)) return choice.device;
  if (cuda_device_count() == 0) return Device::automatic();  // which tells why, once
  log_info("device auto: " + choice.text);
  return choice.device;
}

std::string explain_device(const Experiment& experiment) {
  const std::string rule = rule_of_cpu(experiment.config);
  if (!rule.empty()) return "device: cpu, since rule " + rule + " runs there alone\n";
  std::string text = place(with_threshold(trial_of(experiment), experiment), true).explain();
  if (!is_auto_device(experiment)) {
    text += "        (what auto would take; the experiment asks for " + experiment.config.device +
            ")\n";
  }
  return text;
}

}  // namespace gaia
