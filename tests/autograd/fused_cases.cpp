// SPDX-License-Identifier: MIT
#include "gradient_check.h"

namespace gaia::test {

std::vector<GradientCase> fused_cases() {
  Draw draw(8);
  std::vector<GradientCase> cases;
  for (const Layout layout : all_layouts()) {
    const std::string name = " " + to_string(layout);
    for (const GeluForm form : {GeluForm::tanh, GeluForm::exact}) {
      for (const Shape& shape : {Shape{3}, Shape{4, 3}, Shape{2, 4, 3}}) {
        cases.push_back(
            {"linear_gelu" + name,
             {draw(shape, layout), draw({5, 3}), draw({5})},
             [form](const Inputs& in) { return linear_gelu(in[0], in[1], in[2], form); }});
        cases.push_back({"linear_gelu without bias" + name,
                         {draw(shape), draw({5, 3}, layout)},
                         [form](const Inputs& in) { return linear_gelu(in[0], in[1], {}, form); }});
      }
    }
    for (const Shape& shape : {Shape{4}, Shape{3, 4}, Shape{2, 3, 4}}) {
      cases.push_back({"layer_norm" + name,
                       {draw(shape, layout), draw({4}), draw({4})},
                       [](const Inputs& in) { return layer_norm(in[0], in[1], in[2]); }});
      cases.push_back({"layer_norm, weight" + name,
                       {draw(shape, layout), draw({4})},
                       [](const Inputs& in) { return layer_norm(in[0], in[1]); }});
      cases.push_back({"layer_norm, bias" + name,
                       {draw(shape, layout), draw({4})},
                       [](const Inputs& in) { return layer_norm(in[0], {}, in[1]); }});
      cases.push_back({"layer_norm, plain" + name, {draw(shape, layout)}, [](const Inputs& in) {
                         return layer_norm(in[0]);
                       }});
    }
    cases.push_back({"layer_norm over two axes" + name,
                     {draw({2, 3, 4}, layout), draw({3, 4}), draw({3, 4})},
                     [](const Inputs& in) {
                       return layer_norm(in[0], in[1], in[2], {.axes = 2, .epsilon = 1e-3});
                     }});
    for (const bool causal : {false, true}) {
      cases.push_back({"attention" + name,
                       {draw({5, 3}, layout), draw({6, 3}), draw({6, 2}, layout)},
                       [causal](const Inputs& in) {
                         return attention(in[0], in[1], in[2], {.causal = causal});
                       }});
      cases.push_back({"attention of heads" + name,
                       {draw({2, 2, 4, 3}, layout), draw({2, 1, 4, 3}), draw({2, 4, 3}, layout)},
                       [causal](const Inputs& in) {
                         return attention(in[0], in[1], in[2], {.scale = 0.7, .causal = causal});
                       }});
    }
    cases.push_back({"attention of key lengths" + name,
                     {draw({2, 3, 3}, layout), draw({2, 4, 3}), draw({2, 4, 2})},
                     [lengths = draw.indices({2}, 1, 4)](const Inputs& in) {
                       return attention(in[0], in[1], in[2], {.key_lengths = lengths});
                     }});
  }
  return cases;
}

}  // namespace gaia::test
