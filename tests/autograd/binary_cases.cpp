// SPDX-License-Identifier: MIT
#include "../reference/ops.h"
#include "gradient_check.h"

namespace gaia::test {
namespace {

const std::vector<std::pair<Shape, Shape>>& pairs() {
  static const std::vector<std::pair<Shape, Shape>> all = {{{}, {}},
                                                           {{0}, {0}},
                                                           {{0}, {1}},
                                                           {{1}, {1}},
                                                           {{3, 4}, {4}},
                                                           {{3, 4}, {}},
                                                           {{3, 1}, {1, 4}},
                                                           {{2, 3, 4}, {3, 1}},
                                                           {{1}, {3, 4}},
                                                           {{2, 1, 4}, {3, 1}},
                                                           {{4}, {2, 3, 4}},
                                                           {{2, 0, 4}, {1, 4}},
                                                           {{}, {2, 3, 4}},
                                                           {{1, 1, 1}, {3, 4}},
                                                           {{2, 3, 4}, {2, 3, 4}}};
  return all;
}

}  // namespace

std::vector<GradientCase> binary_cases() {
  Draw draw(2);
  std::vector<GradientCase> cases;
  for (const BinaryOp& op : binary_ops()) {
    const auto add_case = [&](const Shape& a, Layout a_layout, const Shape& b, Layout b_layout) {
      cases.push_back({op.name + " " + to_string(a) + " " + to_string(a_layout) + ", " +
                           to_string(b) + " " + to_string(b_layout),
                       {draw(a, a_layout, op.low, op.high), draw(b, b_layout, op.low, op.high)},
                       [f = op.named.of_tensor](const Inputs& in) { return f(in[0], in[1]); }});
    };
    for (const auto& [a, b] : pairs()) add_case(a, Layout::contiguous, b, Layout::contiguous);
    for (const Layout a : all_layouts()) {
      for (const Layout b : all_layouts()) add_case({3, 4}, a, {3, 4}, b);
    }
  }
  for (const Form& form : forms()) {
    const std::string where = " " + to_string(form.shape) + " " + to_string(form.layout);
    const auto of_one = [&](const char* name, std::function<Tensor(const Tensor&)> f) {
      cases.push_back({name + where,
                       {draw(form.shape, form.layout)},
                       [f = std::move(f)](const Inputs& in) { return f(in[0]); }});
    };
    using T = const Tensor&;
    of_one("rests of a number", [](T x) { return x % -0.75 + fmod(x, 0.75); });
    of_one("rests of numbers", [](T x) { return 3.3 % x + fmod(3.3, x); });
    of_one("quotients", [](T x) { return floor_divide(x, 0.75) * x + floor_divide(3.3, x); });
  }
  for (const auto& [a, b] : pairs()) {
    cases.push_back(
        {"where " + to_string(a) + ", " + to_string(b), {draw(a), draw(b)}, [](const Inputs& in) {
           const Array yes = ones({}, DType::boolean);
           const Array no = zeros({}, DType::boolean);
           return where(yes, in[0], in[1]) + 2.0 * where(no, in[0], in[1]);
         }});
  }
  for (const Form& form : forms()) {
    if (form.shape.rank() < 2) continue;
    cases.push_back({"where of elements " + to_string(form.shape) + " " + to_string(form.layout),
                     {draw(form.shape, form.layout), draw(form.shape)},
                     [](const Inputs& in) {
                       return where(less(in[0].value(), zeros({}, DType::float64)), in[0], in[1]);
                     }});
  }
  return cases;
}

}  // namespace gaia::test
