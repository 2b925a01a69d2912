// SPDX-License-Identifier: MIT
#include "gradient_check.h"

namespace gaia::test {
namespace {

struct Function {
  std::string name;
  int least_rank;
  std::function<Tensor(const Tensor&)> f;
};

/// For any shape of at least `least_rank` axes whose last is of length 4, and the ones before of
/// length 3.
std::vector<Function> functions() {
  using T = const Tensor&;
  return {
      {"reshape to a row", 0, [](T x) { return reshape(x, {x.size()}); }},
      {"reshape and back", 0, [](T x) { return x.reshape({x.size(), 1}).reshape(x.shape()); }},
      {"transpose", 0, [](T x) { return x.transpose(); }},
      {"transpose last to front", 2,
       [](T x) {
         Axes order = {-1};
         for (int axis = 0; axis + 1 < x.rank(); ++axis) order.push_back(axis);
         return transpose(x, order);
       }},
      {"swapaxes", 1, [](T x) { return x.swapaxes(0, -1); }},
      {"expand_dims and squeeze", 0, [](T x) { return squeeze(x.expand_dims(0) * 2.0, {0}); }},
      {"expand_dims at the end", 0, [](T x) { return x.expand_dims(-1); }},
      {"broadcast_to", 0,
       [](T x) {
         Shape shape = x.shape();
         shape.insert(0, 3);
         return x.broadcast_to(shape) * 2.0;
       }},
      {"flip", 0, [](T x) { return flip(x); }},
      {"flip the last", 1, [](T x) { return flip(x, {-1}); }},
      {"slice", 1, [](T x) { return x.slice(-1, 0, 3); }},
      {"slice by 2", 1, [](T x) { return slice(x, 0, {}, {}, 2); }},
      {"slice backwards", 1, [](T x) { return x.slice(-1, -1, {}, -1); }},
      {"slice of nothing", 1, [](T x) { return x.slice(0, 2, 2); }},
      {"select", 2, [](T x) { return x.select(-1, 1) + x.select(-1, -2); }},
      {"brackets", 2, [](T x) { return x[0] * x[1]; }},
      {"concatenate", 1, [](T x) { return concatenate({x, 2.0 * x, x}); }},
      {"concatenate the last", 1, [](T x) { return concatenate({x, square(x)}, -1); }},
      {"stack", 0, [](T x) { return stack({x, 3.0 * x}); }},
      {"stack behind", 1, [](T x) { return stack({x, exp(x)}, -1); }},
      {"split", 2,
       [](T x) {
         const std::vector<Tensor> parts = split(x, 2, -1);
         return parts[0] * square(parts[1]);
       }},
      {"split, one part used", 2, [](T x) { return split(x, 4, -1)[2]; }},
      {"split_at", 2,
       [](T x) {
         const std::vector<Tensor> parts = split_at(x, {1, 3}, -1);
         return concatenate({parts[2], parts[1], parts[0] * 2.0}, -1);
       }},
      {"diagonal", 2, [](T x) { return diagonal(x); }},
      {"diagonal above", 2, [](T x) { return x.diagonal(1, -2, -1); }},
      {"diagonal below", 2, [](T x) { return x.diagonal(-2, 0, -1); }},
      {"diagonal of nothing", 2, [](T x) { return x.diagonal(9); }},
      {"tril", 2, [](T x) { return tril(x); }},
      {"tril above", 2, [](T x) { return tril(x, 1); }},
      {"triu", 2, [](T x) { return triu(x); }},
      {"triu below", 2, [](T x) { return triu(x, -1); }},
      {"roll", 0, [](T x) { return roll(x, 3); }},
      {"roll along the first", 1, [](T x) { return roll(x, -1, 0); }},
      {"roll along the last", 1, [](T x) { return roll(x, 6, -1); }},
      {"repeat", 0, [](T x) { return repeat(x, 3); }},
      {"repeat along the first", 1, [](T x) { return repeat(x, 2, 0); }},
      {"repeat along the last", 1, [](T x) { return repeat(x, 3, -1); }},
      {"repeat no times", 1, [](T x) { return repeat(x, 0, 0); }},
      {"tile", 0, [](T x) { return tile(x, {2, 3}); }},
      {"tile each axis", 2,
       [](T x) { return tile(x, x.rank() == 2 ? Dims{2, 3} : Dims{3, 1, 2}); }},
      {"tile along more axes", 0, [](T x) { return tile(x, {2, 1, 2, 1}); }},
      {"tile no times", 0, [](T x) { return tile(x, {0, 2}); }},
      {"windows", 2, [](T x) { return windows(reshape(x * 2.0, {x.size()}), 4, 5, 2); }},
      {"windows far apart", 2, [](T x) { return windows(reshape(x * 2.0, {x.size()}), 2, 3, 7); }},
      {"astype", 0, [](T x) { return x.astype(DType::float64) * 2.0; }}};
}

}  // namespace

std::vector<GradientCase> view_cases() {
  Draw draw(4);
  std::vector<GradientCase> cases;
  for (const Function& function : functions()) {
    for (const Form& form : forms()) {
      if (form.shape.rank() < function.least_rank) continue;
      cases.push_back({function.name + " " + to_string(form.shape) + " " + to_string(form.layout),
                       {draw(form.shape, form.layout)},
                       [f = function.f](const Inputs& in) { return f(in[0]); }});
    }
  }
  cases.push_back({"concatenate three",
                   {draw({2, 3}), draw({1, 3}), draw({0, 3})},
                   [](const Inputs& in) { return concatenate(in, 0); }});
  cases.push_back({"stack three",
                   {draw({2, 3}), draw({2, 3}, Layout::transposed), draw({2, 3})},
                   [](const Inputs& in) { return stack(in, 1); }});
  for (const std::int64_t k : {-2, 0, 1}) {
    for (const Layout layout : all_layouts()) {
      cases.push_back({"diag of a row " + to_string(layout),
                       {draw({3}, layout)},
                       [k](const Inputs& in) { return diag(in[0], k); }});
      cases.push_back({"diag of a matrix " + to_string(layout),
                       {draw({3, 4}, layout)},
                       [k](const Inputs& in) { return diag(in[0], k); }});
    }
  }
  cases.push_back(
      {"squeeze all", {draw({1, 3, 1})}, [](const Inputs& in) { return squeeze(in[0]); }});
  return cases;
}

}  // namespace gaia::test
