// SPDX-License-Identifier: MIT
#include "../../src/array/create.h"
#include "../../src/linear_algebra/linear_algebra.h"
#include "../autograd/gradient_check.h"
#include "../support/complaint.h"

using namespace gaia;
using namespace test;

namespace {

test::Operand drawn(const Shape& shape, int seed) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(seed));
  return test::random_operand(engine, shape, DType::float64);
}

Tensor one(std::int64_t n) { return Tensor(eye(n, 0, DType::float64)); }
Tensor t(const Tensor& x) { return x.swapaxes(-1, -2); }
/// Far from singular.
Tensor regular(const Tensor& x) { return x + 3.0 * one(x.shape(-1)); }
/// Symmetric and positive definite.
Tensor positive(const Tensor& x) { return matmul(x, t(x)) + one(x.shape(-1)); }
Tensor size2(const ComplexTensor& z) { return square(z.real) + square(z.imag); }

}  // namespace

TEST_CASE("Gradients of linear algebra are central differences", "[linear_algebra][autograd]") {
  const Shape square_batch = {2, 3, 3};
  const std::vector<GradientCase> cases = {
      {"solve",
       {drawn({2, 3, 3}, 1), drawn({2, 3, 2}, 2)},
       [](const Inputs& x) { return solve(regular(x[0]), x[1]); }},
      {"solve, one matrix",
       {drawn({3, 3}, 1), drawn({4, 3, 2}, 2)},
       [](const Inputs& x) { return solve(regular(x[0]), x[1]); }},
      {"solve, vector",
       {drawn({2, 3, 3}, 1), drawn({3}, 2)},
       [](const Inputs& x) { return solve(regular(x[0]), x[1]); }},
      {"triangular_solve",
       {drawn({3, 3}, 1), drawn({3, 2}, 2)},
       [](const Inputs& x) { return triangular_solve(regular(x[0]), x[1]); }},
      {"triangular_solve, upper, transposed",
       {drawn({2, 3, 3}, 1), drawn({2, 3, 2}, 2)},
       [](const Inputs& x) {
         return triangular_solve(regular(x[0]), x[1], {.upper = true, .transposed = true});
       }},
      {"triangular_solve, unit",
       {drawn({3, 3}, 1), drawn({3}, 2)},
       [](const Inputs& x) {
         return triangular_solve(regular(x[0]), x[1], {.unit_diagonal = true});
       }},
      {"inv", {drawn(square_batch, 3)}, [](const Inputs& x) { return inv(regular(x[0])); }},
      {"pinv, tall", {drawn({2, 4, 2}, 4)}, [](const Inputs& x) { return pinv(x[0]); }},
      {"pinv, wide", {drawn({2, 4}, 5)}, [](const Inputs& x) { return pinv(x[0]); }},
      {"lstsq",
       {drawn({5, 2}, 6), drawn({5, 3}, 7)},
       [](const Inputs& x) { return lstsq(x[0], x[1]).x; }},
      {"lstsq, vector, one matrix",
       {drawn({2, 5, 2}, 6), drawn({5}, 7)},
       [](const Inputs& x) { return lstsq(x[0], x[1]).x; }},
      {"det", {drawn(square_batch, 8)}, [](const Inputs& x) { return det(x[0]); }},
      {"det, singular",
       {drawn({3, 1}, 8), drawn({1, 3}, 9)},
       [](const Inputs& x) { return det(matmul(x[0], x[1])); }},
      {"slogdet",
       {drawn(square_batch, 9)},
       [](const Inputs& x) { return slogdet(x[0]).logabsdet; }},
      {"cholesky",
       {drawn(square_batch, 10)},
       [](const Inputs& x) { return cholesky(positive(x[0])); }},
      {"cholesky, upper",
       {drawn(square_batch, 10)},
       [](const Inputs& x) { return cholesky(positive(x[0]), true); }},
      {"qr, q", {drawn({2, 4, 3}, 11)}, [](const Inputs& x) { return qr(x[0]).q; }},
      {"qr, r", {drawn({3, 3}, 12)}, [](const Inputs& x) { return qr(x[0]).r; }},
      {"qr, wide, q", {drawn({2, 2, 4}, 12)}, [](const Inputs& x) { return qr(x[0]).q; }},
      {"qr, wide, r",
       {drawn({2, 4}, 12)},
       [](const Inputs& x) { return qr(x[0], QrMode::complete).r; }},
      {"svd, full, s", {drawn({2, 4, 3}, 13)}, [](const Inputs& x) { return svd(x[0]).s; }},
      {"svd, full, vt",
       {drawn({2, 4}, 13)},
       [](const Inputs& x) { return square(svd(x[0]).vt.slice(-2, 0, 2)); }},
      {"svd, s", {drawn({2, 4, 3}, 13)}, [](const Inputs& x) { return svd(x[0], false).s; }},
      {"svd, u", {drawn({4, 3}, 14)}, [](const Inputs& x) { return square(svd(x[0], false).u); }},
      {"svd, vt", {drawn({3, 4}, 15)}, [](const Inputs& x) { return square(svd(x[0], false).vt); }},
      {"svd, u and vt",
       {drawn({3, 3}, 15)},
       [](const Inputs& x) {
         const auto parts = svd(x[0]);
         return matmul(parts.u, parts.vt);
       }},
      {"svdvals", {drawn({3, 5}, 16)}, [](const Inputs& x) { return svdvals(x[0]); }},
      {"eigh, values",
       {drawn(square_batch, 17)},
       [](const Inputs& x) { return eigh(x[0] + t(x[0])).values; }},
      {"eigh, vectors",
       {drawn({3, 3}, 18)},
       [](const Inputs& x) { return square(eigh(x[0] + t(x[0])).vectors); }},
      {"eigvalsh",
       {drawn(square_batch, 19)},
       [](const Inputs& x) { return eigvalsh(x[0] + t(x[0])); }},
      {"eigvals", {drawn({2, 4, 4}, 20)}, [](const Inputs& x) { return size2(eigvals(x[0])); }},
      {"eigvals, real", {drawn({4, 4}, 21)}, [](const Inputs& x) { return eigvals(x[0]).real; }},
      {"eig, vectors",
       {drawn({2, 4, 4}, 22)},
       [](const Inputs& x) { return size2(eig(x[0]).vectors); }},
      {"expm", {drawn({2, 3, 3}, 23)}, [](const Inputs& x) { return expm(x[0]); }},
      {"kron",
       {drawn({2, 3}, 24), drawn({3, 2}, 25)},
       [](const Inputs& x) { return kron(x[0], x[1]); }},
      {"tensordot",
       {drawn({2, 3, 4}, 26), drawn({4, 3, 2}, 27)},
       [](const Inputs& x) { return tensordot(x[0], x[1], {1, 2}, {1, 0}); }},
  };
  for (const GradientCase& c : cases) {
    INFO(c.name);
    CHECK(test::gradient_complaint(c) == "");
  }
}

TEST_CASE("Gradients that are not there are refused", "[linear_algebra][autograd]") {
  const Tensor tall(ones({3, 2}), true);
  for (const QrMode mode : {QrMode::complete, QrMode::r}) {
    CHECK(test::complaint_of<ArgumentError>([&] {
            sum(qr(tall, mode).r).backward();
          }).find("[qr] gradients are there for mode reduced") != std::string::npos);
  }
}
