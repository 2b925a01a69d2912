// SPDX-License-Identifier: MIT
#include "../reference/ops.h"
#include "gradient_check.h"

namespace gaia::test {
namespace {

std::vector<Axes> axes_of(const Shape& shape) {
  if (shape.rank() == 0) return {{}};
  if (shape.rank() == 1) return {{}, {0}};
  if (shape.rank() == 2) return {{}, {0}, {-1}};
  return {{}, {0}, {1}, {-1}, {0, 2}, {-2, -1}};
}

}  // namespace

std::vector<GradientCase> reduce_cases() {
  Draw draw(3);
  std::vector<GradientCase> cases;
  for (const ReductionOp& op : reduction_ops()) {
    if (!op.named.of_tensor) continue;
    for (const Form& form : forms()) {
      if (count_elements(form.shape) == 0 && !op.of_nothing) continue;
      if (!op.of_equals && form.layout == Layout::broadcast) continue;
      for (const Axes& axes : axes_of(form.shape)) {
        // One element has no spread, and std no slope there.
        if (op.name == "std" && count_elements(form.shape) == 1) continue;
        for (const bool keep : {false, true}) {
          cases.push_back({op.name + " over " + to_string(axes) + (keep ? " kept " : " ") +
                               to_string(form.shape) + " " + to_string(form.layout),
                           {draw(form.shape, form.layout)},
                           [f = op.named.of_tensor, axes, keep](const Inputs& in) {
                             return f(in[0], axes, keep);
                           }});
        }
      }
    }
  }
  for (const std::int64_t ddof : {1, 2}) {
    cases.push_back(
        {"var ddof", {draw({3, 4})}, [ddof](const Inputs& in) { return var(in[0], {1}, ddof); }});
    cases.push_back({"std ddof", {draw({3, 4})}, [ddof](const Inputs& in) {
                       return gaia::std(in[0], {0}, ddof);
                     }});
  }
  for (const Form& form : forms()) {
    cases.push_back({"cumsum of all " + to_string(form.shape) + " " + to_string(form.layout),
                     {draw(form.shape, form.layout)},
                     [](const Inputs& in) { return cumsum(in[0]); }});
    cases.push_back({"cumprod of all " + to_string(form.shape) + " " + to_string(form.layout),
                     {draw(form.shape, form.layout)},
                     [](const Inputs& in) { return cumprod(in[0]); }});
    if (form.shape.rank() == 0) continue;
    for (std::int64_t axis = -1; axis < form.shape.rank(); ++axis) {
      const std::string where = " along " + std::to_string(axis) + " " + to_string(form.shape) +
                                " " + to_string(form.layout);
      cases.push_back({"cumsum" + where, {draw(form.shape, form.layout)}, [axis](const Inputs& in) {
                         return cumsum(in[0], axis);
                       }});
      cases.push_back({"cumprod" + where,
                       {draw(form.shape, form.layout)},
                       [axis](const Inputs& in) { return cumprod(in[0], axis); }});
      if (count_elements(form.shape) == 0) continue;
      cases.push_back({"softmax" + where,
                       {draw(form.shape, form.layout)},
                       [axis](const Inputs& in) { return softmax(in[0], axis); }});
      cases.push_back({"log_softmax" + where,
                       {draw(form.shape, form.layout)},
                       [axis](const Inputs& in) { return log_softmax(in[0], axis); }});
    }
  }
  // Products of numbers of which one, two or three are 0.
  for (const int zeros_per_row : {1, 2, 3}) {
    Operand x = draw({3, 4});
    for (std::int64_t row = 0; row < 3; ++row) {
      for (int k = 0; k < zeros_per_row; ++k) x.values[{row, (row + k) % 4}] = 0.0;
    }
    x.array = laid_out(x.values, DType::float64, Layout::contiguous);
    for (const Axes& axes : {Axes{}, Axes{0}, Axes{1}}) {
      cases.push_back(
          {"prod of zeros", {x}, [axes](const Inputs& in) { return prod(in[0], axes); }});
    }
    cases.push_back({"cumprod of zeros", {x}, [](const Inputs& in) { return cumprod(in[0]); }});
    for (const std::int64_t axis : {0, 1}) {
      cases.push_back(
          {"cumprod of zeros", {x}, [axis](const Inputs& in) { return cumprod(in[0], axis); }});
    }
  }
  return cases;
}

}  // namespace gaia::test
