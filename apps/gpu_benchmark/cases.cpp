// SPDX-License-Identifier: MIT
#include "cases.h"

#include <cmath>
#include <iterator>
#include <utility>

#include "../../src/array/create.h"

namespace gaia::bench {
namespace {

constexpr std::uint64_t kSeed = 20261;

struct Group {
  const char* name;
  std::vector<Case> (*cases)(bool quick);
};
constexpr Group kGroups[] = {{"arrays", &array_cases},
                             {"fused", &fused_cases},
                             {"hierarchy", &hierarchy_cases},
                             {"equations", &equation_cases},
                             {"scaling", &scaling_cases}};

}  // namespace

Array normal_input(const Shape& shape, std::uint64_t which) {
  return random_normal(shape, 0.0, 1.0, DType::float32, {kSeed, which});
}

Array uniform_input(const Shape& shape, std::uint64_t which) {
  return random_uniform(shape, 0.0, 1.0, DType::float32, {kSeed, which});
}

std::vector<Case> scaling_cases(bool quick) {
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
    Case one = hierarchy_case("scaling/hierarchy/" + std::to_string(inputs),
                              {.inputs = inputs, .levels = 2, .steps = quick ? 100 : 1000});
    if (!quick) one.claim = Claim{cpu, cpu, gpu, gpu};
    add("hierarchy, inputs", inputs, std::move(one));
  }
  for (const std::int64_t n : {16, 32, 64, 128, 256, 512, 1024, 2048}) {
    if (quick && n > 128) continue;
    add("matmul, n", n, matmul_case("scaling/matmul/" + std::to_string(n), n));
  }
  for (std::int64_t n = 1000; n <= (quick ? 100'000 : 100'000'000); n *= 10) {
    add("add, elements", n, add_case("scaling/add/" + std::to_string(n), n));
  }
  return cases;
}

std::vector<std::string> case_groups() {
  std::vector<std::string> names;
  for (const Group& group : kGroups) names.emplace_back(group.name);
  return names;
}

std::vector<Case> all_cases(bool quick, const std::string& filter, const std::string& group) {
  std::vector<Case> result;
  for (const Group& each : kGroups) {
    if (!group.empty() && group != each.name) continue;
    for (Case& one : each.cases(quick)) {
      if (one.name.find(filter) != std::string::npos) result.push_back(std::move(one));
    }
  }
  return result;
}

}  // namespace gaia::bench
