// SPDX-License-Identifier: MIT
/// \file
/// The gradient of every function of tensors, against central differences.
#include "../../src/autograd/function.h"
#include "../support/devices.h"
#include "gradient_check.h"

namespace gaia {
namespace {

std::vector<test::GradientCase> all_cases() {
  std::vector<test::GradientCase> all;
  for (const auto& group :
       {test::pointwise_cases(), test::binary_cases(), test::reduce_cases(), test::view_cases(),
        test::product_cases(), test::indexing_cases(), test::sliding_cases(), test::order_cases(),
        test::fused_cases(), test::shaping_cases()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

TEST_CASE("Gradients agree with central differences in two thousand cases") {
  const std::vector<test::GradientCase> cases = all_cases();
  CHECK(cases.size() >= 2000);
  for (const test::GradientCase& c : cases) {
    const std::string complaint = test::gradient_complaint(c);
    if (complaint.empty()) continue;
    INFO(c.name);
    CHECK(complaint == "");
  }
}

TEST_CASE("A wrong gradient is found by central differences") {
  test::Draw draw(3);
  const test::GradientCase wrong = {"square", {draw({3, 4})}, [](const test::Inputs& in) {
                                      return record(
                                          "square", {in[0]}, square(in[0].value()),
                                          [x = SavedArray(in[0].value())](GradientFlow& flow) {
                                            flow.give(0, 1.99 * flow.saved(x) * flow.gradient());
                                          });
                                    }};
  CHECK(test::gradient_complaint(wrong) != "");
}

TEST_CASE("Gradients are worked out on the device of the values without copies") {
  // Cases are built anew on the fake device; values move to the host only to be compared.
  const test::FakeDevice fake;
  const GPUContext scope(fake.device());
  std::size_t checked = 0;
  for (const test::GradientCase& c : all_cases()) {
    if (++checked % 5 != 0) continue;
    INFO(c.name);
    set_transfer_policy(TransferPolicy::forbid);
    std::string complaint;
    try {
      complaint = test::gradient_complaint(c);
    } catch (const Error& error) {
      complaint = error.what();
    }
    set_transfer_policy(TransferPolicy::allow);
    CHECK(complaint == "");
  }
}

}  // namespace
}  // namespace gaia
