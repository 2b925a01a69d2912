// SPDX-License-Identifier: MIT
/// \file
/// Levels in time: whole runs through HierarchyManager, and their layers alone.
#include <map>
#include <memory>
#include <variant>

#include "../src/array/ops.h"
#include "cases.h"
#include "levels.h"
#include "reference.h"

namespace gaia::bench {
namespace {

constexpr std::int64_t kCheckedSteps = 200;

/// What the levels answer at their ticks: level n reads what the one below shows at its ticks,
/// which is every second one of those of the level below.
std::vector<Doubles> reference_answers(const Levels& levels, const HierarchyManager& hierarchy,
                                       Doubles x, std::int64_t steps) {
  std::vector<Doubles> answers;
  for (std::size_t n = 0; n + 1 < levels.sizes.size(); ++n) {
    const std::int64_t inputs = levels.sizes[n];
    const std::int64_t outputs = levels.sizes[n + 1];
    if (n > 0) x = every(2, x, inputs);
    const std::int64_t ticks = (steps - 1) / (std::int64_t{1} << n) + 1;
    const Layer& layer = hierarchy.level(static_cast<int>(n)).layer(0);
    const Doubles weights = layer.arrays().front().value.to_vector<double>();
    if (is_reactive(levels, n)) {
      x = rectified(x, weights, ticks, inputs, outputs);
    } else {
      Rule rule = levels.rule.value_or(OjaRule{});
      if (!levels.learn) rule = HebbRule{.learning_rate = 0.0};
      ReferenceLayer reference{
          inputs, outputs, weights, rule, levels.learn ? Normalization::l2 : Normalization::none,
          1.0};
      x = reference.learn(x, ticks);
    }
    answers.push_back(x);
  }
  return answers;
}

Task prepare_run(const Levels& levels) {
  const Array data = normal_input({levels.steps, levels.sizes[0]}, 1, levels.dtype, 0.3);
  const auto hierarchy = std::make_shared<HierarchyManager>();
  return {.run =
              [=] {
                const auto made = hierarchy->process_hierarchy(data, -1, {.learn = levels.learn});
                return made.rbegin()->second.ticks;
              },
          .error =
              [=] {
                const std::int64_t steps = std::min(kCheckedSteps, levels.steps);
                HierarchyManager fresh = make_hierarchy(levels);
                const std::vector<Doubles> wanted = reference_answers(
                    levels, fresh, data.slice(0, 0, steps).to_vector<double>(), steps);
                const auto answers = fresh.process_hierarchy(data, steps, {.learn = levels.learn});
                double worst = 0.0;
                for (const auto& [id, level] : answers) {
                  worst = std::max(worst, relative_error(level.ticks.to_vector<double>(),
                                                         wanted[static_cast<std::size_t>(id)]));
                }
                return worst;
              },
          .reset = [=] { *hierarchy = make_hierarchy(levels); }};
}

/// The same run, a call for each step.
Task prepare_steps(const Levels& levels) {
  const Array data = normal_input({levels.steps, levels.sizes[0]}, 1, levels.dtype, 0.3);
  std::vector<Array> rows;
  for (std::int64_t step = 0; step < levels.steps; ++step) rows.push_back(data[step]);
  const auto hierarchy = std::make_shared<HierarchyManager>();
  Task task = prepare_run(levels);
  task.run = [=] {
    std::map<int, Array> shown;
    for (const Array& row : rows) shown = hierarchy->process_time_step(row, levels.learn);
    return shown.rbegin()->second;
  };
  task.error = [=] {
    HierarchyManager whole = make_hierarchy(levels);
    HierarchyManager by_steps = make_hierarchy(levels);
    const auto wanted = whole.process_hierarchy(data, -1, {.learn = levels.learn});
    std::map<int, Array> shown;
    for (const Array& row : rows) shown = by_steps.process_time_step(row, levels.learn);
    double worst = 0.0;
    for (const auto& [id, level] : wanted) {
      worst = std::max(worst, relative_error(shown.at(id), level.ticks[level.ticks.shape(0) - 1]));
    }
    return worst;
  };
  task.reset = [=] { *hierarchy = make_hierarchy(levels); };
  return task;
}

/// The same layers one after the other, each on the whole of its inputs.
Task prepare_layers(const Levels& levels) {
  const Array data = normal_input({levels.steps, levels.sizes[0]}, 1, levels.dtype, 0.3);
  const auto hierarchy = std::make_shared<HierarchyManager>(make_hierarchy(levels));
  const auto whole = hierarchy->process_hierarchy(data, -1, {.learn = levels.learn});
  std::vector<Array> inputs = {data.expand_dims(0)};
  for (int n = 0; n + 2 < static_cast<int>(levels.sizes.size()); ++n) {
    inputs.push_back(whole.at(n).ticks.slice(0, 0, {}, 2).copy().expand_dims(0));
  }
  const auto answer = [=](std::size_t n) {
    return hierarchy->level(static_cast<int>(n)).layer(0).process(inputs[n], levels.learn);
  };
  return {.run =
              [=] {
                for (std::size_t n = 0; n + 1 < inputs.size(); ++n) answer(n);
                return answer(inputs.size() - 1);
              },
          .error =
              [=] {
                *hierarchy = make_hierarchy(levels);
                double worst = 0.0;
                for (std::size_t n = 0; n < inputs.size(); ++n) {
                  worst = std::max(
                      worst, relative_error(answer(n)[0], whole.at(static_cast<int>(n)).ticks));
                }
                return worst;
              },
          .reset = [=] { *hierarchy = make_hierarchy(levels); }};
}

std::string name_of(const Levels& levels, const std::string& kind, const std::string& what) {
  return kind + "/" + what + "/" + joined_sizes(levels.sizes) + "/" + std::to_string(levels.steps) +
         "/" + to_string(levels.dtype);
}

Case make_case(const Levels& levels, const std::string& name, Task (*prepare)(const Levels&)) {
  // Alone, layers divide their ticks into other blocks, over thousands of ticks that learn.
  const bool is_alone = prepare == prepare_layers;
  Levels counted = levels;
  counted.homeostasis.reset();  // no product, and warned of where it is built
  return {.name = name,
          .prepare = [=](const Arrays&) { return prepare(levels); },
          .flops = make_hierarchy(counted).operations_per_step(levels.learn) *
                   static_cast<double>(levels.steps),
          .items = static_cast<double>(levels.steps),
          .dtype = levels.dtype,
          .tolerance = levels.dtype == DType::float32 ? (is_alone ? 1e-2 : 1e-3)
                                                      : (is_alone ? 1e-8 : 1e-10)};
}

}  // namespace

std::vector<Case> hierarchy_cases(bool quick) {
  const std::vector<std::int64_t> sizes = quick ? std::vector<std::int64_t>{10, 20, 40, 80}
                                                : std::vector<std::int64_t>{100, 200, 400, 800};
  const std::int64_t steps = quick ? 300 : 10000;
  const std::vector<std::pair<std::string, Rule>> rules = {
      {"hebbian", HebbRule{.learning_rate = 1e-3}},
      {"oja", OjaRule{.learning_rate = 1e-3}},
      {"bcm", BcmRule{.learning_rate = 1e-3}}};
  std::vector<Case> cases;
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Levels forward{sizes, steps, false, false, {}, dtype};
    for (const char* what : {"forward", "forward_products"}) {
      cases.push_back(make_case(forward, name_of(forward, "hierarchy", what), prepare_run));
    }
    for (const auto& [rule_name, rule] : rules) {
      const Levels levels{sizes, steps, false, true, rule, dtype};
      cases.push_back(make_case(levels, name_of(levels, "hierarchy", rule_name), prepare_run));
      cases.push_back(
          make_case(levels, name_of(levels, "hierarchy_layers", rule_name), prepare_layers));
    }
  }
  for (const auto& [rule_name, rule] : rules) {
    Levels levels{sizes, steps, false, true, rule, DType::float32, Homeostasis{}};
    PlasticityRule with_decay = rule;
    decay_of(with_decay) = 1e-3;
    levels.rule = std::get<Rule>(with_decay);
    cases.push_back(make_case(levels, name_of(levels, "hierarchy_plain", rule_name), prepare_run));
  }
  const Levels small{{10, 20, 40},  steps, true, true, OjaRule{.learning_rate = 1e-3},
                     DType::float32};
  cases.push_back(make_case(small, name_of(small, "plastic_levels", "oja"), prepare_run));
  const Levels two{{3, 2, 2}, steps, true, true, OjaRule{.learning_rate = 1e-3}, DType::float32};
  cases.push_back(make_case(two, name_of(two, "steps", "oja"), prepare_steps));
  return cases;
}

}  // namespace gaia::bench
