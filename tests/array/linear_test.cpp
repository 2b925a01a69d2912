// SPDX-License-Identifier: MIT
/// \file
/// Products of vectors and tensors, diagonals and einsum.
#include <cmath>
#include <limits>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/linear.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

Array counting(const Shape& shape) {
  return arange(count_elements(shape)).astype(f8).reshape(shape);
}

TEST_CASE("dot of long float32 vectors keeps its digits") {
  constexpr std::int64_t n = 1 << 22;
  const Array y = dot(full({n}, 0.1), ones({n}));
  CHECK(std::abs(y.item() / (static_cast<double>(0.1f) * n) - 1.0) < 1e-6);
}

DEVICE_TEST_CASE("dot is NumPy's") {
  const Array a = array({{1, 2, 3}, {4, 5, 6}});
  check_equal(dot(array({1, 2, 3}), array({4, 5, 6})), f4, {}, {32});
  check_equal(dot(a, array({1, 0, 1})), f4, {2}, {4, 10});
  check_equal(dot(a, a.transpose()), f4, {2, 2}, {14, 32, 32, 77});
  check_equal(dot(a, full({}, 2.0)), f4, {2, 3}, {2, 4, 6, 8, 10, 12});
  check_equal(dot(array({1, 2}, i4), array({3, 4}, i4)), i4, {}, {11});
  check_equal(dot(array({1, 2}, i4), array({3, 4}, i8)), i8, {}, {11});
  check_equal(dot(array({1, 2}, i4), full({}, 3, i4)), i4, {2}, {3, 6});
  check_equal(dot(array({1, 0}, b1), array({1, 1}, b1)), b1, {}, {1});
  const Array ints = arange(40).astype(i4).reshape({5, 4, 2});
  check_equal(dot(array({{1, 2, 3, 4}}, i4), ints), i4, {1, 5, 2},
              dot(array({{1, 2, 3, 4}}, f8), ints.astype(f8)).to_vector<double>());
  const Array y = dot(counting({2, 3, 4}), counting({5, 4, 2}));
  CHECK(y.shape() == Shape{2, 3, 5, 2});
  for_each_index(y.shape(), [&](const Dims& at) {
    double expected = 0.0;
    for (std::int64_t k = 0; k < 4; ++k) {
      expected +=
          counting({2, 3, 4}).item({at[0], at[1], k}) * counting({5, 4, 2}).item({at[2], k, at[3]});
    }
    CHECK(y.item(at) == expected);
  });
  CHECK(dot(zeros({2, 0}), zeros({3, 0, 4})).shape() == Shape{2, 3, 4});
  CHECK_THROWS_WITH(dot(zeros({2, 3}), zeros({2, 3})),
                    "[dot] shapes [2, 3] and [2, 3] do not fit: axis 1 of length 3 meets axis 0 of "
                    "length 2");
}

DEVICE_TEST_CASE("outer multiplies every pair") {
  check_equal(outer(array({1, 2}, i4), array({3, 4, 5}, i4)), i4, {2, 3}, {3, 4, 5, 6, 8, 10});
  check_equal(outer(array({1, 0}, b1), array({1, 1}, b1)), b1, {2, 2}, {1, 1, 0, 0});
  check_equal(outer(array({{1, 2}, {3, 4}}).transpose(), array({1})), f4, {4, 1}, {1, 3, 2, 4});
  CHECK(outer(Array(), array({1})).shape() == Shape{0, 1});
}

DEVICE_TEST_CASE("diagonal is a view, trace its sum") {
  const Array x = array({{1, 2, 3}, {4, 5, 6}});
  check_equal(x.diagonal(), f4, {2}, {1, 5});
  check_equal(x.diagonal(1), f4, {2}, {2, 6});
  check_equal(x.diagonal(2), f4, {1}, {3});
  check_equal(x.diagonal(-1), f4, {1}, {4});
  check_equal(x.diagonal(3), f4, {0}, {});
  check_equal(x.diagonal(-5), f4, {0}, {});
  check_equal(x.diagonal(std::numeric_limits<std::int64_t>::min()), f4, {0}, {});
  check_equal(x.diagonal(std::numeric_limits<std::int64_t>::max()), f4, {0}, {});
  check_equal(x.transpose().slice(0, {}, {}, -1).diagonal(), f4, {2}, {3, 5});
  check_equal(trace(x), f4, {}, {6});
  check_equal(trace(x.astype(i4), 1), i8, {}, {8});
  const Array cube = counting({2, 3, 3});
  check_equal(trace(cube, 0, 1, 2), f8, {2}, {12, 39});
  check_equal(cube.diagonal(0, 2, 0), f8, {3, 2}, {0, 10, 3, 13, 6, 16});
  CHECK(zeros({0, 3}).diagonal().shape() == Shape{0});
  const Array square = zeros({2, 2});
  square.diagonal().fill(1.0);
  check_equal(square, f4, {2, 2}, {1, 0, 0, 1});
  CHECK_THROWS_AS(zeros({2, 2}).diagonal(0, 1, -1), ShapeError);
}

DEVICE_TEST_CASE("einsum sums over the letters that the result lacks") {
  const Array a = counting({2, 3});
  const Array b = counting({3, 4});
  const auto same = [](const Array& x, const Array& y) {
    CHECK(x.shape() == y.shape());
    CHECK(x.to_vector<double>() == y.to_vector<double>());
  };
  same(einsum("ij,jk->ik", a, b), matmul(a, b));
  same(einsum("ij, jk", a, b), matmul(a, b));
  same(einsum("ij,jk->ki", a, b), matmul(a, b).transpose());
  same(einsum("ij,ij->", a, a), sum(a * a));
  same(einsum("ij,ij->i", a, a), sum(a * a, {1}));
  same(einsum("ij,ij->ij", a, a), a * a);
  same(einsum("i,j->ij", a[0], b[0]), outer(a[0], b[0]));
  same(einsum("ij,kl->jl", a, b), outer(sum(a, {0}), sum(b, {0})));
  const Array p = counting({2, 3, 4});
  const Array q = counting({2, 4, 5});
  same(einsum("bij,bjk->bik", p, q), matmul(p, q));
  same(einsum("bhi,bji->hbj", p, counting({2, 6, 4})),
       matmul(p, counting({2, 6, 4}).swapaxes(1, 2)).swapaxes(0, 1));
  same(einsum("ij->ji", a), a.transpose());
  same(einsum("ij->", a), sum(a));
  same(einsum("ba", a), a.transpose());
  same(einsum(",i->i", full({}, 2.0, f8), a[1]), a[1] * 2.0);
  CHECK(einsum("ij,jk->ik", zeros({2, 0}), zeros({0, 3})).shape() == Shape{2, 3});
}

DEVICE_TEST_CASE("einsum takes diagonals, ellipses, axes of length 1 and many arrays, as NumPy's") {
  const auto same = [](const Array& x, const Array& y) {
    CHECK(x.shape() == y.shape());
    CHECK(x.to_vector<double>() == y.to_vector<double>());
  };
  const Array a = counting({3, 3});
  same(einsum("ii->i", a), a.diagonal());
  same(einsum("ii", a), trace(a));
  same(einsum("ii->", a), trace(a));
  const Array cube = counting({2, 3, 2});
  same(einsum("iji", cube), cube[0].select(-1, 0) + cube[1].select(-1, 1));
  same(einsum("iji->ij", cube), stack({cube[0].select(-1, 0), cube[1].select(-1, 1)}));
  same(einsum("iii->i", counting({2, 2, 2})), array({0.0, 7.0}, f8));
  same(einsum("ii,i->i", a, array({1, 2, 3}, f8)), a.diagonal() * array({1, 2, 3}, f8));

  const Array p = counting({2, 3, 4});
  same(einsum("...ij->...ji", p), p.swapaxes(-1, -2));
  same(einsum("...", p), p);
  same(einsum("...->", array({2.0}, f8)[0]), array({2.0}, f8)[0]);
  same(einsum("i...->...", p), sum(p, {0}));
  same(einsum("i...", p), p.transpose({1, 2, 0}));
  same(einsum("b...a->ab...", p), p.transpose({2, 0, 1}));
  const Array left = counting({2, 1, 3, 4});
  const Array right = counting({5, 4, 2});
  same(einsum("...ij,...jk", left, right), matmul(left, right));
  same(einsum("...ij,...jk->...ik", left, right), matmul(left, right));
  same(einsum("ij...,jk...->ik...", a, a), matmul(a, a));
  same(einsum("...,...", p, counting({4})), p * counting({4}));
  same(einsum("ij->ij...", a), a);
  same(einsum("ij,ij->...", a, a), sum(a * a));

  same(einsum("ij,j", a, full({1}, 2.0, f8)), sum(a, {1}) * 2.0);
  same(einsum("ij,jk", counting({3, 1}), ones({5, 2}, f8)),
       matmul(counting({3, 1}), full({1, 2}, 5.0, f8)));
  same(einsum("i,i->i", full({1}, 2.0, f8), array({1, 2, 3}, f8)), array({2, 4, 6}, f8));
  same(einsum("i,i->i", full({1}, 2.0, f8), full({1}, 3.0, f8)), full({1}, 6.0, f8));
  same(einsum("i,i->", zeros({0}, f8), full({1}, 3.0, f8)), full({}, 0.0, f8));

  const Array b = counting({3, 4});
  const Array c = counting({4, 2});
  same(einsum("ij,jk,kl", {a, b, c}), matmul(matmul(a, b), c));
  same(einsum("ij,jk,kl->li", {a, b, c}), matmul(matmul(a, b), c).transpose());
  const Array v = array({1, 2, 3}, f8);
  same(einsum("i,i,i", {v, v, v}), sum(v * v * v));
  same(einsum("i,j,k->kji", {v, v, v}),
       v.reshape({3, 1, 1}) * v.reshape({1, 3, 1}) * v.reshape({1, 1, 3}));
  same(einsum("i,ij,j->", {v, a, v}), dot(dot(v, a), v));
  same(einsum("ij", std::vector{a}), a);
  check_equal(einsum("ii->i", array({{0, 1}, {1, 1}}, b1)), b1, {2}, {0, 1});
  check_equal(einsum("i,i,i->", {array({1, 2}, i4), array({3, 4}, i4), array({5, 6}, i4)}), i4, {},
              {63});
}

DEVICE_TEST_CASE("einsum keeps integers and bool") {
  const Array a = array({{1, 2, 3}, {4, 5, 6}}, i4);
  check_equal(einsum("ij,kj->ik", a, a), i4, {2, 2}, {14, 32, 32, 77});
  check_equal(einsum("ij->j", a), i4, {3}, {5, 7, 9});
  check_equal(einsum("ij,ij->", a, a.astype(i8)), i8, {}, {91});
  check_equal(einsum("ij,k->i", a, array({1, 1}, i8)), i8, {2}, {12, 30});
  check_equal(einsum("i->", full({4}, 0x40000000, i4)), i4, {}, {0});
  const Array mask = array({{1, 0}, {1, 1}}, b1);
  check_equal(einsum("ij,ij->i", mask, mask), b1, {2}, {1, 1});
  check_equal(einsum("ij->j", mask), b1, {2}, {1, 1});
}

TEST_CASE("einsum refuses what it cannot read") {
  const Array a = zeros({2, 3});
  CHECK_THROWS_WITH_TEXT(einsum("ij,jk->ik", a), ArgumentError, "expected 1 term(s)");
  CHECK_THROWS_WITH_TEXT(einsum("ij->ij", a, a), ArgumentError, "expected 2 term(s)");
  CHECK_THROWS_WITH_TEXT(einsum("ii", a), ShapeError, "'i' is 2 in [2, 3] and 3 in [2, 3]");
  CHECK_THROWS_WITH_TEXT(einsum("ii", ones({3, 1})), ShapeError, "'i' is 3 in [3, 1] and 1");
  CHECK_THROWS_WITH_TEXT(einsum("i,ii", ones({3}), ones({1, 3})), ShapeError, "'i' is 1");
  CHECK_THROWS_WITH_TEXT(einsum("ij->ii", a), ArgumentError, "'i' stands twice in the result");
  CHECK_THROWS_WITH_TEXT(einsum("i..", a), ArgumentError, "'.'");
  CHECK_THROWS_WITH_TEXT(einsum("i...j...", a), ArgumentError, "'.'");
  CHECK_THROWS_WITH_TEXT(einsum("...i->i", a), ArgumentError, "lacks the ...");
  CHECK_THROWS_WITH_TEXT(einsum("...ijk", a), ShapeError, "has 3 axes or more, got shape [2, 3]");
  CHECK_THROWS_WITH_TEXT(einsum("...i,...j", a, ones({4, 3})), ShapeError,
                         "'...' is 2 in [2, 3] and 4 in [4, 3]");
  CHECK_THROWS_WITH_TEXT(einsum("ij,jk", {a, a, a}), ArgumentError, "expected 3 term(s)");
  CHECK_THROWS_AS(einsum("", std::vector<Array>{}), ArgumentError);
  CHECK_THROWS_WITH_TEXT(einsum("i1", a), ArgumentError, "'1'");
  CHECK_THROWS_WITH_TEXT(einsum("ij->k", a), ArgumentError, "'k' of the result");
  CHECK_THROWS_WITH_TEXT(einsum("ijk", a), ShapeError, "has 3 axes, got shape [2, 3]");
  CHECK_THROWS_WITH_TEXT(einsum("ij,jk->ik", a, a), ShapeError, "'j' is 3 in [2, 3] and 2");
}

}  // namespace
}  // namespace gaia::test
