// SPDX-License-Identifier: MIT
/// \file
/// The groups of gpu_benchmark, and sweeps over sizes, which tell from where on a GPU pays.
#include <tuple>
#include <utility>

#include "cases.h"

namespace gaia::bench {
namespace {

struct Group {
  const char* name;
  std::vector<Case> (*cases)(bool quick);
};
constexpr Group kGroups[] = {{"arrays", &device_array_cases},
                             {"fused", &device_fused_cases},
                             {"hierarchy", &device_hierarchy_cases},
                             {"equations", &device_equation_cases},
                             {"scaling", &device_scaling_cases}};

}  // namespace

std::vector<Case> device_scaling_cases(bool quick) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& sweep, std::int64_t size, Case one) {
    one.sweep = sweep;
    one.size = size;
    cases.push_back(std::move(one));
  };
  // The guide's sizes; which operation it had in mind it does not say.
  for (const auto& [inputs, cpu, gpu] : {std::tuple{10, 0.05, 0.002},
                                         {50, 0.2, 0.008},
                                         {100, 0.5, 0.02},
                                         {200, 1.0, 0.04},
                                         {500, 2.5, 0.1},
                                         {1000, 5.0, 0.2}}) {
    if (quick && inputs > 100) continue;
    Case one = device_hierarchy_case("scaling/hierarchy/" + std::to_string(inputs), inputs,
                                     quick ? 100 : 1000);
    if (!quick) one.claim = Claim{cpu, cpu, gpu, gpu};
    add("hierarchy, inputs", inputs, std::move(one));
  }
  for (const std::int64_t n : {16, 32, 64, 128, 256, 512, 1024, 2048}) {
    if (quick && n > 128) continue;
    add("matmul, n", n, device_matmul_case("scaling/matmul/" + std::to_string(n), n));
  }
  for (std::int64_t n = 1000; n <= (quick ? 100'000 : 100'000'000); n *= 10) {
    add("add, elements", n, device_add_case("scaling/add/" + std::to_string(n), n));
  }
  return cases;
}

std::vector<Case> device_cases(bool quick, const std::string& filter, const std::string& group) {
  std::vector<Case> found;
  for (const Group& each : kGroups) {
    if (group.empty() || group == each.name) add_named(found, each.cases(quick), filter);
  }
  return found;
}

std::vector<std::string> device_groups() {
  std::vector<std::string> names;
  for (const Group& group : kGroups) names.emplace_back(group.name);
  return names;
}

}  // namespace gaia::bench
