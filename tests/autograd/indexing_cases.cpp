// SPDX-License-Identifier: MIT
#include "gradient_check.h"

namespace gaia::test {

std::vector<GradientCase> indexing_cases() {
  Draw draw(6);
  std::vector<GradientCase> cases;
  for (const Form& form : forms()) {
    if (form.shape.rank() < 2) continue;
    const std::string where = " " + to_string(form.shape) + " " + to_string(form.layout);
    const int rank = form.shape.rank();
    cases.push_back(
        {"take" + where,
         {draw(form.shape, form.layout)},
         [at = draw.indices({2, 5}, -12, 12)](const Inputs& in) { return take(in[0], at); }});
    for (int axis = 0; axis < rank; ++axis) {
      const std::int64_t length = form.shape[axis];
      const std::string along = " along " + std::to_string(axis) + where;
      cases.push_back({"take" + along,
                       {draw(form.shape, form.layout)},
                       [axis, at = draw.indices({2, 3}, -length, length)](const Inputs& in) {
                         return take(in[0], at, axis);
                       }});
      Shape shape = form.shape;
      shape[axis] = 5;
      cases.push_back({"gather" + along,
                       {draw(form.shape, form.layout)},
                       [axis, at = draw.indices(shape, -length, length)](const Inputs& in) {
                         return gather(in[0], at, axis);
                       }});
      Shape narrow = Shape::filled(rank, 1);
      narrow[axis] = 3;
      cases.push_back({"take_along_axis" + along,
                       {draw(form.shape, form.layout)},
                       [axis, at = draw.indices(narrow, 0, length)](const Inputs& in) {
                         return take_along_axis(in[0], at, axis);
                       }});
      Shape values = form.shape;
      values[axis] = 4;
      cases.push_back({"index_add" + along,
                       {draw(form.shape, form.layout), draw(values)},
                       [axis, at = draw.indices({4}, 0, length)](const Inputs& in) {
                         return index_add(in[0], at, square(in[1]), axis);
                       }});
      cases.push_back({"scatter_add" + along,
                       {draw(form.shape, form.layout), draw(shape)},
                       [axis, at = draw.indices(shape, 0, length)](const Inputs& in) {
                         return scatter_add(in[0], at, in[1], axis);
                       }});
    }
    const Array mask = draw.indices(form.shape, 0, 2).astype(DType::boolean);
    cases.push_back({"masked_select" + where,
                     {draw(form.shape, form.layout)},
                     [mask](const Inputs& in) { return masked_select(in[0], mask); }});
    cases.push_back({"masked_fill" + where,
                     {draw(form.shape, form.layout)},
                     [mask](const Inputs& in) { return masked_fill(in[0], mask, 3.0); }});
    const Array leading = draw.indices({form.shape[0]}, 0, 2).astype(DType::boolean);
    cases.push_back({"masked_select of rows" + where,
                     {draw(form.shape, form.layout)},
                     [leading](const Inputs& in) { return masked_select(in[0], leading); }});
  }
  cases.push_back(
      {"index_add of one value",
       {draw({3, 4}), draw({})},
       [at = draw.indices({4}, 0, 3)](const Inputs& in) { return index_add(in[0], at, in[1]); }});
  cases.push_back(
      {"take of nothing", {draw({3, 4})}, [at = draw.indices({0}, 0, 3)](const Inputs& in) {
         return take(in[0], at, 0);
       }});
  cases.push_back({"take_along_axis of a row",
                   {draw({1, 4})},
                   [at = draw.indices({3, 2}, 0, 4)](const Inputs& in) {
                     return take_along_axis(in[0], at, 1);
                   }});
  cases.push_back(
      {"gather of a corner", {draw({3, 4})}, [at = draw.indices({2, 3}, 0, 4)](const Inputs& in) {
         return gather(in[0], at, 1);
       }});
  return cases;
}

}  // namespace gaia::test
