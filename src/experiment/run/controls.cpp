// SPDX-License-Identifier: MIT
#include "controls.h"

#include <chrono>

#include "../../io/checkpoint_file.h"

namespace gaia {
namespace {

constexpr const char* kSeconds = "controls/seconds";

std::string prefix_of(const Control& control) { return "controls/" + control.name() + "/"; }

}  // namespace

Controls::Controls(const Experiment& experiment, const HierarchyManager& hierarchy,
                   const Learnt& learnt)
    : readout_count_(experiment.config.readouts.size()) {
  const ExperimentConfig& config = experiment.config;
  for (const std::string& name : controls_of(config, hierarchy)) {
    One one{make_control(name, config, hierarchy, experiment.features()), {}};
    for (std::size_t i = 0; i < readout_count_; ++i) {
      const ReadoutConfig& readout = config.readouts[i];
      one.readouts.emplace_back(readout, one.control->sources(readout),
                                readout_spacing(readout, config.hierarchy.levels,
                                                config.output.representations),
                                experiment.trials, experiment.series->channels(),
                                std::ssize(experiment.series->classes()),
                                learnt.readouts.empty() ? ReadoutSolution{} : learnt.readouts[i]);
    }
    runs_.push_back(std::move(one));
  }
}

void Controls::begin_trial() {
  for (One& one : runs_) {
    one.control->begin_trial();
    for (Readout& readout : one.readouts) readout.begin_trial();
  }
}

void Controls::process(const Array& samples, const SampleReader& series) {
  if (empty()) return;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (One& one : runs_) {
    const HierarchyBlock block = one.control->process(samples);
    for (Readout& readout : one.readouts) readout.process(block, series);
  }
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::vector<ControlScore>> Controls::scores() const {
  std::vector<std::vector<ControlScore>> scores(readout_count_);
  for (const One& one : runs_) {
    for (std::size_t i = 0; i < readout_count_; ++i) {
      scores[i].push_back({one.control->name(), one.readouts[i].score()});
    }
  }
  return scores;
}

void Controls::add_state(ArrayMap& arrays) const {
  if (empty()) return;
  for (const One& one : runs_) {
    ArrayMap own;
    one.control->add_state(own);
    for (const Readout& readout : one.readouts) readout.add_state(own);
    for (auto& [name, array] : own) arrays.emplace(prefix_of(*one.control) + name, array);
  }
  put_numbers(arrays, kSeconds, {seconds_});
}

void Controls::set_state(const ArrayMap& arrays, std::int64_t step) {
  if (empty()) return;
  for (One& one : runs_) {
    const std::string prefix = prefix_of(*one.control);
    ArrayMap own;
    for (auto found = arrays.lower_bound(prefix);
         found != arrays.end() && found->first.starts_with(prefix); ++found) {
      own.emplace(found->first.substr(prefix.size()), found->second);
    }
    one.control->set_state(own, step);
    for (Readout& readout : one.readouts) readout.set_state(own);
  }
  seconds_ = numbers_of(arrays, kSeconds, 1).front();
}

}  // namespace gaia
