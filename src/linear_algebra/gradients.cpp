// SPDX-License-Identifier: MIT
/// \file
/// Gradients of decompositions and solutions.  dX is d loss / d X.
/// Sources: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
/// differentiation" (2008); Walter and Lehmann (2010) for Q R; Murray (2016) for Cholesky; Golub
/// and Pereyra (1973) for pseudo-inverses.
#include <vector>

#include "../array/create.h"
#include "../array/functions.h"
#include "../array/joining.h"
#include "../array/reductions.h"
#include "../autograd/function.h"
#include "least_squares.h"
#include "linear_algebra.h"

namespace gaia {
namespace {

Array transposed(const Array& x) { return x.swapaxes(-1, -2); }

Array symmetric(const Array& x) { return (x + transposed(x)) * 0.5; }

/// diag(x) for x [..., n].
Array diagonal_of(const Array& x) {
  return x.expand_dims(-1) * eye(x.shape(-1), x.shape(-1), x.dtype());
}

Array diagonal_part(const Array& x) { return x.diagonal(0, -2, -1); }

/// 1 / (x_j - x_i) off the diagonal, 0 on it and where two are equal.
Array gaps(const Array& x) {
  const Array differences = x.expand_dims(-2) - x.expand_dims(-1);
  return where(equal(differences, 0.0), 0.0,
               reciprocal(where(equal(differences, 0.0), 1.0, differences)));
}

/// The lower triangle with half the diagonal.
Array half_lower(const Array& x) { return tril(x) - diagonal_of(diagonal_part(x)) * 0.5; }

/// dA of Y = pinv(A), at a constant rank.
Array through_pinv(const Array& a, const Array& y, const Array& dy) {
  const Array back = transposed(y);
  const Array dyt = transposed(dy);
  // The parts of dY^T that A's range and A^T's do not hold.
  const Array left = dyt - matmul(a, matmul(y, dyt));
  const Array right = dyt - matmul(matmul(dyt, y), a);
  return matmul(matmul(left, y), back) + matmul(back, matmul(y, right)) -
         matmul(matmul(back, dy), back);
}

/// dA of A = Q R with no more columns than rows.
Array through_qr(const Array& q, const Array& r, const Array& dq, const Array& dr) {
  const Array m = matmul(r, transposed(dr)) - matmul(transposed(dq), q);
  const Array both = tril(m) + transposed(tril(m, -1));
  const Array inner = dq + matmul(q, both);
  // inner R^-T
  return transposed(triangular_solve(r, transposed(inner), {.upper = true}));
}

}  // namespace

Tensor solve(const Tensor& a, const Tensor& b) {
  if (b.rank() == 1) return solve(a, b.expand_dims(1)).squeeze({-1});
  const Array x = solve(a.value(), b.value());
  return record("solve", {a, b}, x,
                [a = SavedArray(a.value()), x = SavedArray(x)](GradientFlow& flow) {
                  const Array db = solve(transposed(flow.saved(a)), flow.gradient());
                  flow.give(1, db);
                  if (flow.needs(0)) flow.give(0, -matmul(db, transposed(flow.saved(x))));
                });
}

Tensor triangular_solve(const Tensor& a, const Tensor& b, const TriangularOptions& options) {
  if (b.rank() == 1) return triangular_solve(a, b.expand_dims(1), options).squeeze({-1});
  const Array x = triangular_solve(a.value(), b.value(), options);
  return record("triangular_solve", {a, b}, x,
                [a = SavedArray(a.value()), x = SavedArray(x), options](GradientFlow& flow) {
                  TriangularOptions back = options;
                  back.transposed = !options.transposed;
                  const Array db = triangular_solve(flow.saved(a), flow.gradient(), back);
                  flow.give(1, db);
                  if (!flow.needs(0)) return;
                  Array da = -matmul(db, transposed(flow.saved(x)));
                  if (options.transposed) da = transposed(da);
                  const int inner = options.unit_diagonal ? 1 : 0;
                  flow.give(0, options.upper ? triu(da, inner) : tril(da, -inner));
                });
}

Tensor inv(const Tensor& a) {
  const Array y = inv(a.value());
  return record("inv", {a}, y, [y = SavedArray(y)](GradientFlow& flow) {
    const Array inverse = transposed(flow.saved(y));
    flow.give(0, -matmul(matmul(inverse, flow.gradient()), inverse));
  });
}

Tensor pinv(const Tensor& a, double rcond) {
  const Array y = pinv(a.value(), rcond);
  return record("pinv", {a}, y, [a = SavedArray(a.value()), y = SavedArray(y)](GradientFlow& flow) {
    flow.give(0, through_pinv(flow.saved(a), flow.saved(y), flow.gradient()));
  });
}

LeastSquaresOf<Tensor> lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond) {
  const LeastSquaresOf<Array> found = lstsq(a.value(), b.value(), rcond);
  const bool is_vector = b.rank() == 1;
  const Tensor x =
      record("lstsq", {a, b}, found.x,
             [a = SavedArray(a.value()), b = saved_for(a, b.value()), is_vector,
              share = detail::lstsq_share(a.value(), rcond)](GradientFlow& flow) {
               // X = pinv(A) B
               const Array& matrix = flow.saved(a);
               const Array inverse = pinv(matrix, share);
               const Array dx = is_vector ? flow.gradient().expand_dims(-1) : flow.gradient();
               if (flow.needs(1)) {
                 const Array db = matmul(transposed(inverse), dx);
                 flow.give(1, is_vector ? db.squeeze({-1}) : db);
               }
               if (!flow.needs(0)) return;
               const Array right = is_vector ? flow.saved(b).expand_dims(1) : flow.saved(b);
               flow.give(0, through_pinv(matrix, inverse, matmul(dx, transposed(right))));
             });
  return {x, found.residuals, found.rank, found.singular_values};
}

Tensor det(const Tensor& a) {
  const Array value = det(a.value());
  return record("det", {a}, value, [a = SavedArray(a.value())](GradientFlow& flow) {
    // The cofactors by A = U diag(s) V^T, right for singular matrices too:
    // det(U) det(V) U diag(products of the other s) V^T.
    const SvdOf<Array> parts = svd(flow.saved(a), false);
    const std::int64_t n = parts.s.shape(-1);
    if (n == 0) return;
    const Array others =
        where(equal(eye(n, n, parts.s.dtype()), 1.0), 1.0, parts.s.expand_dims(-2));
    const Array scale = det(parts.u) * det(parts.vt) * flow.gradient();
    const Array cofactors = matmul(parts.u * prod(others, {-1}).expand_dims(-2), parts.vt);
    flow.give(0, cofactors * scale.expand_dims(-1).expand_dims(-1));
  });
}

SlogdetOf<Tensor> slogdet(const Tensor& a) {
  const SlogdetOf<Array> found = slogdet(a.value());
  const Tensor logabs =
      record("slogdet", {a}, found.logabsdet, [a = SavedArray(a.value())](GradientFlow& flow) {
        flow.give(0,
                  transposed(inv(flow.saved(a))) * flow.gradient().expand_dims(-1).expand_dims(-1));
      });
  return {Tensor(found.sign), logabs};
}

Tensor cholesky(const Tensor& a, bool upper) {
  const Array factor = cholesky(a.value(), upper);
  return record("cholesky", {a}, factor, [l = SavedArray(factor), upper](GradientFlow& flow) {
    const Array lower = upper ? transposed(flow.saved(l)) : flow.saved(l);
    const Array dl = upper ? transposed(flow.gradient()) : flow.gradient();
    // S = L^-T Phi(L^T dL) L^-1, Phi the lower triangle with half the diagonal.
    const TriangularOptions back = {.transposed = true};
    const Array middle = half_lower(matmul(transposed(lower), tril(dl)));
    const Array half = triangular_solve(lower, middle, back);
    flow.give(0, symmetric(transposed(triangular_solve(lower, transposed(half), back))));
  });
}

QrOf<Tensor> qr(const Tensor& a, QrMode mode) {
  const QrOf<Array> found = qr(a.value(), mode);
  const std::int64_t m = a.value().shape(-2);
  const std::int64_t n = a.value().shape(-1);
  const bool has_gradient = mode == QrMode::reduced || (mode == QrMode::complete && m <= n);
  const std::vector<Tensor> parts = record(
      "qr", {a}, std::vector<Array>{found.q, found.r},
      [q = SavedArray(found.q), r = SavedArray(found.r), has_gradient, m, n](GradientFlow& flow) {
        if (!has_gradient) {
          throw ArgumentError(
              "[qr] gradients are there for mode reduced, and for complete with no more rows than "
              "columns");
        }
        const Array& orthonormal = flow.saved(q);
        const Array& upper = flow.saved(r);
        const Array dq = flow.gradient(0);
        const Array dr = flow.gradient(1);
        if (m >= n) return flow.give(0, through_qr(orthonormal, upper, dq, dr));
        // A = [A1 A2] with A1 = Q R1, A2 = Q R2: R2 = Q^T A2 hands on to A2 and to Q.
        const Array of_rest = dr.slice(-1, m, {});
        const Array rest = matmul(orthonormal, upper.slice(-1, m, {}));
        const Array of_square =
            through_qr(orthonormal, upper.slice(-1, 0, m), dq + matmul(rest, transposed(of_rest)),
                       dr.slice(-1, 0, m));
        flow.give(0, concatenate({of_square, matmul(orthonormal, of_rest)}, -1));
      });
  return {parts[0], parts[1]};
}

SvdOf<Tensor> svd(const Tensor& a, bool full_matrices) {
  const SvdOf<Array> found = svd(a.value(), full_matrices);
  const std::vector<Tensor> parts =
      record("svd", {a}, std::vector<Array>{found.u, found.s, found.vt},
             [u = SavedArray(found.u), s = SavedArray(found.s),
              vt = SavedArray(found.vt)](GradientFlow& flow) {
               const Array& values = flow.saved(s);
               const std::int64_t least = values.shape(-1);
               // Vectors beyond the singular values are any basis of the rest, without gradients.
               const Array left = flow.saved(u).slice(-1, 0, least);
               const Array right = transposed(flow.saved(vt).slice(-2, 0, least));
               const Array du = flow.gradient(0).slice(-1, 0, least);
               const Array dv = transposed(flow.gradient(2).slice(-2, 0, least));
               const Array f = gaps(square(values));
               const Array j = f * matmul(transposed(left), du);
               const Array k = f * matmul(transposed(right), dv);
               const Array row = values.expand_dims(-2);
               const Array inner = (j + transposed(j)) * row +
                                   values.expand_dims(-1) * (k + transposed(k)) +
                                   diagonal_of(flow.gradient(1));
               Array da = matmul(matmul(left, inner), transposed(right));
               const Array inverse =
                   where(equal(row, 0.0), 0.0, reciprocal(where(equal(row, 0.0), 1.0, row)));
               if (left.shape(-2) > left.shape(-1)) {
                 const Array outside = du - matmul(left, matmul(transposed(left), du));
                 da = da + matmul(outside * inverse, transposed(right));
               }
               if (right.shape(-2) > right.shape(-1)) {
                 const Array outside = dv - matmul(right, matmul(transposed(right), dv));
                 da = da + matmul(left * inverse, transposed(outside));
               }
               flow.give(0, da);
             });
  return {parts[0], parts[1], parts[2]};
}

Tensor svdvals(const Tensor& a) {
  const SvdOf<Array> found = svd(a.value(), false);
  return record("svdvals", {a}, found.s,
                [u = SavedArray(found.u), vt = SavedArray(found.vt)](GradientFlow& flow) {
                  flow.give(
                      0, matmul(flow.saved(u) * flow.gradient().expand_dims(-2), flow.saved(vt)));
                });
}

EighOf<Tensor> eigh(const Tensor& a, bool upper) {
  const EighOf<Array> found = eigh(a.value(), upper);
  const std::vector<Tensor> parts = record(
      "eigh", {a}, std::vector<Array>{found.values, found.vectors},
      [l = SavedArray(found.values), v = SavedArray(found.vectors)](GradientFlow& flow) {
        const Array& vectors = flow.saved(v);
        const Array inner = gaps(flow.saved(l)) * matmul(transposed(vectors), flow.gradient(1)) +
                            diagonal_of(flow.gradient(0));
        flow.give(0, symmetric(matmul(matmul(vectors, inner), transposed(vectors))));
      });
  return {parts[0], parts[1]};
}

Tensor eigvalsh(const Tensor& a, bool upper) {
  const EighOf<Array> found = eigh(a.value(), upper);
  return record("eigvalsh", {a}, found.values, [v = SavedArray(found.vectors)](GradientFlow& flow) {
    const Array& vectors = flow.saved(v);
    flow.give(0, matmul(vectors * flow.gradient().expand_dims(-2), transposed(vectors)));
  });
}

namespace {

Complex plus(const Complex& a, const Complex& b) { return {a.real + b.real, a.imag + b.imag}; }
Complex minus(const Complex& a, const Complex& b) { return {a.real - b.real, a.imag - b.imag}; }

Complex product(const Complex& a, const Complex& b) {
  return {matmul(a.real, b.real) - matmul(a.imag, b.imag),
          matmul(a.real, b.imag) + matmul(a.imag, b.real)};
}

Complex conjugate_transpose(const Complex& a) { return {transposed(a.real), -transposed(a.imag)}; }

/// X of A X = B of complex matrices: [[Re A, -Im A], [Im A, Re A]] [Re X; Im X] = [Re B; Im B].
Complex complex_solve(const Complex& a, const Complex& b) {
  const Array upper = concatenate({a.real, -a.imag}, -1);
  const Array lower = concatenate({a.imag, a.real}, -1);
  const Array x = solve(concatenate({upper, lower}, -2), concatenate({b.real, b.imag}, -2));
  const std::int64_t n = a.real.shape(-1);
  return {x.slice(-2, 0, n), x.slice(-2, n, {})};
}

/// V^-H inner V^H, real for a real matrix.
Array back_through(const Complex& vectors, const Complex& inner) {
  const Complex adjoint = conjugate_transpose(vectors);
  return complex_solve(adjoint, product(inner, adjoint)).real;
}

}  // namespace

EigOf<Tensor> eig(const Tensor& a) {
  const EigOf<Array> found = eig(a.value());
  const std::vector<Tensor> parts =
      record("eig", {a},
             std::vector<Array>{found.values.real, found.values.imag, found.vectors.real,
                                found.vectors.imag},
             [lr = SavedArray(found.values.real), li = SavedArray(found.values.imag),
              vr = SavedArray(found.vectors.real),
              vi = SavedArray(found.vectors.imag)](GradientFlow& flow) {
               const Complex vectors = {flow.saved(vr), flow.saved(vi)};
               const Complex dv = {flow.gradient(2), flow.gradient(3)};
               const Complex adjoint = conjugate_transpose(vectors);
               // What changes lengths or turns a vector as a whole has no gradient:
               // V^H dV - V^H V diag(Re(V^H dV)).
               const Complex vdv = product(adjoint, dv);
               const Array lengths = diagonal_part(vdv.real).expand_dims(-2);
               const Complex gram = product(adjoint, vectors);
               const Complex free = minus(vdv, {gram.real * lengths, gram.imag * lengths});
               // Divided by the conjugate of l_j - l_i, off the diagonal.
               const Array& real = flow.saved(lr);
               const Array& imag = flow.saved(li);
               const Array re = real.expand_dims(-2) - real.expand_dims(-1);
               const Array im = imag.expand_dims(-2) - imag.expand_dims(-1);
               const Array size = square(re) + square(im);
               const Array scale =
                   where(equal(size, 0.0), 0.0, reciprocal(where(equal(size, 0.0), 1.0, size)));
               const Complex inner = multiply(free, Complex{re * scale, im * scale});
               flow.give(0, back_through(vectors, plus(inner, {diagonal_of(flow.gradient(0)),
                                                               diagonal_of(flow.gradient(1))})));
             });
  return {{parts[0], parts[1]}, {parts[2], parts[3]}};
}

ComplexTensor eigvals(const Tensor& a) {
  const EigOf<Array> found = eig(a.value());
  const std::vector<Tensor> parts = record(
      "eigvals", {a}, std::vector<Array>{found.values.real, found.values.imag},
      [vr = SavedArray(found.vectors.real),
       vi = SavedArray(found.vectors.imag)](GradientFlow& flow) {
        flow.give(0, back_through({flow.saved(vr), flow.saved(vi)},
                                  {diagonal_of(flow.gradient(0)), diagonal_of(flow.gradient(1))}));
      });
  return {parts[0], parts[1]};
}

Tensor expm(const Tensor& a) {
  const Array y = expm(a.value());
  return record("expm", {a}, y, [a = SavedArray(a.value())](GradientFlow& flow) {
    // The upper right part of exp([[A^T, dY], [0, A^T]]) (Higham 2008, section 3.2).
    const Array back = transposed(flow.saved(a));
    const std::int64_t n = back.shape(-1);
    const Array upper = concatenate({back, flow.gradient()}, -1);
    const Array lower = concatenate({zeros_like(back), back}, -1);
    flow.give(0, expm(concatenate({upper, lower}, -2)).slice(-2, 0, n).slice(-1, n, {}));
  });
}

}  // namespace gaia
