// SPDX-License-Identifier: MIT
#include "telemetry.h"

#include <algorithm>
#include <utility>

#include "placement.h"

namespace gaia {
namespace {

/// Devices on which the run may have arrays.
std::vector<Device> devices_of(const Experiment& experiment) {
  if (is_auto_device(experiment)) return available_devices();
  return {Device::from_name(experiment.config.device)};
}

}  // namespace

ToldRun::ToldRun(const Experiment& experiment, const RunOptions& options) : options_(options) {
  RuntimeConfig settings = merged(options.runtime, experiment.config.runtime);
  settings.device.clear();  // `device` of the experiment says it
  check(settings);
  const std::optional<std::int64_t> limit = std::exchange(settings.memory_limit, {});
  if (settings != RuntimeConfig{}) settings_.emplace(settings);
  TelemetryConfig telemetry = runtime_config().telemetry.value_or(TelemetryConfig{});
  // Metrics of members that run at a time are reported by the program that starts them.
  if (experiment.member) telemetry.metrics.clear();
  const bool is_first = options.communicator == nullptr || options.communicator->rank() == 0;
  if (telemetry.is_on() && is_first) files_.emplace(telemetry);
  if (limit) {
    for (const Device device : devices_of(experiment)) {
      limits_.push_back({device, memory_stats(device).limit});
      set_memory_limit(*limit, device);
    }
  }
  if (!files_) return;
  words_ = {{"experiment", experiment.config.experiment},
            {"kind", experiment.config.kind->name()},
            {"file", experiment.config.output.path}};
  if (experiment.member) words_.emplace_back("member", std::to_string(experiment.member->number));
  files_->write(line("begin"));
  options_.on_progress = [this, others = options.on_progress](const Progress& progress) {
    tell(progress);
    if (others) others(progress);
  };
}

ToldRun::~ToldRun() {
  if (!has_ended_) write_end("failed", "");
  for (const Limit& limit : limits_) {
    try {
      set_memory_limit(limit.bytes, limit.device);
    } catch (const Error&) {  // what it is about is gone
    }
  }
}

TelemetryLine ToldRun::line(const char* event) const {
  const std::chrono::duration<double> past = std::chrono::steady_clock::now() - begun_;
  TelemetryLine told{.event = event, .words = words_};
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  told.numbers = {
      {"", "step", "steps_total", "Steps that the run has done.", number(done_)},
      {"", "steps", "", "", number(progress_.steps)},
      {"", "share", "run_share", "Share of the run that is done.", progress_.share},
      {"", "seconds", "run_seconds_total", "Seconds since the run began.", past.count()},
      {"", "steps_per_second", "steps_per_second", "Speed since the last time.", steps_per_second_},
      {"", "errors", "errors_total", "Failures of the run.", 0.0},
      {"", "", "run_is_alive", "1 while the run goes on, 0 when it has ended.", 1.0},
  };
  return told;
}

void ToldRun::tell(const Progress& progress) {
  // Each part of a run in parts counts its steps from 0.
  done_ += progress.steps_done >= progress_.steps_done ? progress.steps_done - progress_.steps_done
                                                       : progress.steps_done;
  progress_ = progress;
  progress_.text = {};
  device_ = current_device();
  if (!files_->is_due()) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  if (seconds > seconds_before_) {
    steps_per_second_ = static_cast<double>(done_ - done_before_) / (seconds - seconds_before_);
  }
  seconds_before_ = seconds;
  done_before_ = done_;
  TelemetryLine told = line("progress");
  told.words.emplace_back("device", to_string(device_));
  for (TelemetryNumber& one : device_numbers(device_, transfers_)) told.numbers.push_back(one);
  files_->write(told);
}

void ToldRun::write_end(const std::string& status, const std::string& error) {
  has_ended_ = true;
  if (!files_) return;
  TelemetryLine told = line("end");
  told.words.emplace_back("device", to_string(device_));
  told.status = status;
  told.error = error;
  const bool failed = status == "failed";
  for (TelemetryNumber& one : told.numbers) {
    if (one.metric == std::string_view("errors_total")) one.value = failed ? 1.0 : 0.0;
    if (one.metric == std::string_view("run_is_alive")) one.value = 0.0;
    if (one.metric == std::string_view("steps_per_second")) {
      const double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
      one.value = seconds > 0.0 ? static_cast<double>(done_) / seconds : 0.0;
    }
  }
  try {
    for (TelemetryNumber& one : device_numbers(device_, transfers_)) told.numbers.push_back(one);
  } catch (const Error&) {  // a device that has failed tells nothing more
  }
  files_->write(told);
}

void ToldRun::end(const RunSummary& summary) { write_end(to_string(summary.status), ""); }

void ToldRun::fail(const std::string& why) { write_end("failed", why); }

}  // namespace gaia
