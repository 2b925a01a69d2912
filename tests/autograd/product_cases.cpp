// SPDX-License-Identifier: MIT
#include <span>
#include <tuple>

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
  for (const Form& form : forms()) {
    const int rank = form.shape.rank();
    if (rank < 2) continue;
    const std::string where = " " + to_string(form.shape) + " " + to_string(form.layout);
    for (const std::int64_t offset : {-1, 0, 2, 9}) {
      cases.push_back({"trace " + std::to_string(offset) + where,
                       {draw(form.shape, form.layout)},
                       [offset](const Inputs& in) { return trace(in[0], offset, -1, 0); }});
    }
    const std::string letters = rank == 2 ? "ij" : "bij";
    for (const char* const result : {"", "i", "ji", "ij"}) {
      cases.push_back({"einsum " + letters + "->" + result + where,
                       {draw(form.shape, form.layout)},
                       [equation = letters + "->" + result](const Inputs& in) {
                         return einsum(equation, in[0]);
                       }});
    }
    for (const char* const terms : {",jk->ik", ",jk->ki", ",jk", ",jk->", ",jk->kji", ",jk->j"}) {
      const std::string equation = letters + terms;
      cases.push_back({"einsum " + equation + where,
                       {draw(form.shape, form.layout), draw({4, 2}, form.layout)},
                       [equation](const Inputs& in) { return einsum(equation, in[0], in[1]); }});
    }
  }
  const std::vector<std::tuple<const char*, Shape, Shape>> sums = {
      {"i,i", {3}, {3}},
      {"i,j->ij", {3}, {2}},
      {",i->i", {}, {3}},
      {"ij,kl->jl", {2, 3}, {2, 2}},
      {"ij,ij->ij", {2, 3}, {2, 3}},
      {"bhi,bji->hbj", {2, 3, 4}, {2, 2, 4}},
      {"ij,jk->ik", {2, 0}, {0, 3}},
      {"bij,bjk->bik", {0, 2, 3}, {0, 3, 2}}};
  for (const auto& [equation, a, b] : sums) {
    cases.push_back({std::string("einsum ") + equation,
                     {draw(a), draw(b)},
                     [equation](const Inputs& in) { return einsum(equation, in[0], in[1]); }});
  }
  const std::vector<std::tuple<const char*, std::vector<Shape>>> more = {
      {"ii", {{3, 3}}},
      {"iji->j", {{2, 3, 2}}},
      {"ii,i->i", {{3, 3}, {3}}},
      {"...ij,...jk", {{2, 1, 3, 2}, {3, 2, 4}}},
      {"...i->...", {{2, 3}}},
      {"ij,j->i", {{2, 3}, {1}}},
      {"ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 2}}},
      {"i,i,i", {{3}, {3}, {1}}},
  };
  for (const auto& [equation, shapes] : more) {
    cases.push_back({std::string("einsum ") + equation, {}, [equation](const Inputs& in) {
                       return einsum(equation, std::span<const Tensor>(in));
                     }});
    for (const Shape& shape : shapes) cases.back().inputs.push_back(draw(shape));
  }
  cases.push_back({"matmul with itself", {draw({3, 3})}, [](const Inputs& in) {
                     return matmul(in[0], in[0].transpose());
                   }});
  return cases;
}

}  // namespace gaia::test
