// SPDX-License-Identifier: MIT
#include "gradient_check.h"

namespace gaia::test {

std::vector<GradientCase> product_cases() {
  const std::vector<std::pair<Shape, Shape>> matmuls = {
      {{3}, {3}},
      {{3}, {3, 2}},
      {{2, 3}, {3}},
      {{2, 3}, {3, 4}},
      {{2, 0}, {0, 4}},
      {{0, 3}, {3, 4}},
      {{1, 1}, {1, 1}},
      {{5, 2, 3}, {3, 4}},
      {{2, 3}, {5, 3, 4}},
      {{5, 2, 3}, {5, 3, 4}},
      {{5, 1, 2, 3}, {4, 3, 2}},
      {{1, 2, 3}, {5, 3, 4}},
      {{2, 5, 2, 3}, {3, 4}},
      {{2, 1, 2, 3}, {1, 5, 3, 2}},
      {{3}, {5, 3, 2}},
      {{5, 2, 3}, {3}},
      {{2, 5, 2, 3}, {3}},
      {{0, 2, 3}, {3, 4}},
      {{5, 2, 3}, {3, 0}},
  };
  const std::vector<std::pair<Shape, Shape>> dots = {
      {{}, {3}},        {{3}, {3}},          {{2, 3}, {3, 4}}, {{2, 3}, {3}},
      {{2, 4, 3}, {3}}, {{2, 3}, {4, 3, 2}}, {{3}, {4, 3, 2}}};
  Draw draw(5);
  std::vector<GradientCase> cases;
  for (const auto& [a, b] : matmuls) {
    for (const Layout layout : {Layout::contiguous, Layout::transposed, Layout::sliced}) {
      for (const Layout other : {Layout::contiguous, Layout::reversed, Layout::broadcast}) {
        cases.push_back({"matmul " + to_string(a) + " " + to_string(layout) + ", " + to_string(b) +
                             " " + to_string(other),
                         {draw(a, layout), draw(b, other)},
                         [](const Inputs& in) { return matmul(in[0], in[1]); }});
      }
    }
  }
  for (const auto& [a, b] : dots) {
    cases.push_back({"dot " + to_string(a) + ", " + to_string(b),
                     {draw(a), draw(b)},
                     [](const Inputs& in) { return dot(in[0], in[1]); }});
  }
  for (const Form& form : forms()) {
    cases.push_back({"outer " + to_string(form.shape) + " " + to_string(form.layout),
                     {draw(form.shape, form.layout), draw({3})},
                     [](const Inputs& in) { return outer(in[0], in[1]); }});
  }
  cases.push_back({"matmul with itself", {draw({3, 3})}, [](const Inputs& in) {
                     return matmul(in[0], in[0].transpose());
                   }});
  return cases;
}

}  // namespace gaia::test
