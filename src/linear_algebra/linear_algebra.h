// SPDX-License-Identifier: MIT
/// \file
/// Linear algebra of matrices, under NumPy's names: systems of equations, decompositions,
/// eigenvalues.
///
/// All but kron and tensordot work on the last two axes; axes before them are a batch, whose
/// matrices are shared among threads.  float32 and float64 stay, integers and bool give float64,
/// bfloat16 float32.  Decompositions are OpenBLAS's where it is installed (`libopenblas0`, looked
/// up when it is needed first), else Eigen's, on one thread for each matrix: results do not depend
/// on the number of threads.  On a CUDA device they are computed by the host, which is counted in
/// `transfer_stats()` and logged once.
///
/// A function whose arguments are tensors has the gradient that PyTorch has.
/// \throws ShapeError for shapes that do not fit, ArgumentError for a singular matrix, for one that
///         is not positive definite, and where an iteration does not converge.
#pragma once

#include <cstdint>
#include <optional>

#include "../autograd/complex.h"
#include "../autograd/ops.h"

namespace gaia {

// Systems of equations

/// X of A X = B: A [..., n, n]; B [..., n, k], or one vector [n].  Leading axes broadcast.
Array solve(const Array& a, const Array& b);
Tensor solve(const Tensor& a, const Tensor& b);

struct TriangularOptions {
  bool upper = false;          ///< Which triangle of A is read.
  bool transposed = false;     ///< Whether A^T X = B is solved.
  bool unit_diagonal = false;  ///< Whether the diagonal is 1, and not read.
};

/// The same for a triangular A, of which one triangle is read.
Array triangular_solve(const Array& a, const Array& b, const TriangularOptions& options = {});
Tensor triangular_solve(const Tensor& a, const Tensor& b, const TriangularOptions& options = {});

/// The inverse of A [..., n, n].
Array inv(const Array& a);
Tensor inv(const Tensor& a);

/// The pseudo-inverse [..., n, m] of A [..., m, n] (Moore and Penrose): singular values up to
/// `rcond` times the largest count as 0.  Default: NumPy's 1e-15.  The gradient is that of a
/// constant rank.
Array pinv(const Array& a, double rcond = 1e-15);
Tensor pinv(const Tensor& a, double rcond = 1e-15);

template <class T>
struct LeastSquaresOf {
  T x;              ///< [..., n, k], or [n]
  Array residuals;  ///< Sums of squares [..., k], [1] for a vector; empty unless rank = n < m.
  Array rank;       ///< int64 [...]
  Array singular_values;  ///< [..., min(m, n)]
};

/// The shortest X of least |A X - B|: A [..., m, n]; B [..., m, k], or one vector [m].  Singular
/// values up to `rcond` times the largest count as 0; default max(m, n) times the spacing at 1, and
/// that spacing where `rcond` is negative.
LeastSquaresOf<Array> lstsq(const Array& a, const Array& b, std::optional<double> rcond = {});
LeastSquaresOf<Tensor> lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond = {});

// Determinants

/// The determinant of A [..., n, n]; 1 for n = 0.
Array det(const Array& a);
Tensor det(const Tensor& a);

template <class T>
struct SlogdetOf {
  T sign;       ///< 1, -1, or 0 of a singular matrix; its gradient is 0.
  T logabsdet;  ///< -infinity of a singular matrix.
};

/// The determinant as sign and logarithm, which do not overflow.
SlogdetOf<Array> slogdet(const Array& a);
SlogdetOf<Tensor> slogdet(const Tensor& a);

// Decompositions

/// L of A = L L^T, of which the lower triangle of A is read; its upper factor L^T on request.
Array cholesky(const Array& a, bool upper = false);
Tensor cholesky(const Tensor& a, bool upper = false);

enum class QrMode {
  reduced,   ///< Q [m, k], R [k, n], k = min(m, n)
  complete,  ///< Q [m, m], R [m, n]
  r          ///< R [k, n] alone; Q has no elements.
};

template <class T>
struct QrOf {
  T q;
  T r;
};

/// A = Q R with orthonormal columns of Q and an upper triangle R.  Gradients are there for mode
/// reduced, and complete with m <= n, where the first min(m, n) columns are independent.
QrOf<Array> qr(const Array& a, QrMode mode = QrMode::reduced);
QrOf<Tensor> qr(const Tensor& a, QrMode mode = QrMode::reduced);

template <class T>
struct SvdOf {
  T u;   ///< [..., m, m], or [..., m, k]
  T s;   ///< [..., k], k = min(m, n), from the largest
  T vt;  ///< [..., n, n], or [..., k, n]
};

/// A = U diag(s) V^T.  Gradients by U and V need singular values that differ (between two that are
/// equal they are 0, where PyTorch's are NaN), and results that do not depend on the signs of the
/// vectors; vectors beyond the first k have none.
SvdOf<Array> svd(const Array& a, bool full_matrices = true);
SvdOf<Tensor> svd(const Tensor& a, bool full_matrices = true);
/// The singular values alone, [..., min(m, n)].
Array svdvals(const Array& a);
Tensor svdvals(const Tensor& a);

/// How many singular values are above `tolerance`; default the largest times max(m, n) times the
/// spacing at 1.  int64 [...].  Of a vector or a number: 1 unless all of it is 0.
Array matrix_rank(const Array& a, std::optional<double> tolerance = {});

// Eigenvalues

template <class T>
struct EighOf {
  T values;   ///< [..., n], ascending
  T vectors;  ///< [..., n, n], in columns
};

/// Both of a symmetric A [..., n, n], of which one triangle is read.  Gradients by the vectors need
/// values that differ: between two that are equal they are 0, where PyTorch's are NaN.
EighOf<Array> eigh(const Array& a, bool upper = false);
EighOf<Tensor> eigh(const Tensor& a, bool upper = false);
Array eigvalsh(const Array& a, bool upper = false);
Tensor eigvalsh(const Tensor& a, bool upper = false);

template <class T>
struct EigOf {
  ComplexOf<T> values;   ///< [..., n], in no order
  ComplexOf<T> vectors;  ///< [..., n, n], in columns of length 1
};

/// Both of any A [..., n, n].  Gradients need values that differ.
EigOf<Array> eig(const Array& a);
EigOf<Tensor> eig(const Tensor& a);
Complex eigvals(const Array& a);
ComplexTensor eigvals(const Tensor& a);

// Products and functions of matrices

/// exp(A), by scaling and squaring (Higham 2005).
Array expm(const Array& a);
Tensor expm(const Tensor& a);

/// The Kronecker product: every element of a times b.  Axes are aligned at the last.
Array kron(const Array& a, const Array& b);
Tensor kron(const Tensor& a, const Tensor& b);

/// The sum over the last `axes` of a and the first `axes` of b.
Array tensordot(const Array& a, const Array& b, int axes = 2);
Tensor tensordot(const Tensor& a, const Tensor& b, int axes = 2);
/// The sum over pairs of axes, those of a with those of b.
Array tensordot(const Array& a, const Array& b, const Axes& of_a, const Axes& of_b);
Tensor tensordot(const Tensor& a, const Tensor& b, const Axes& of_a, const Axes& of_b);

}  // namespace gaia
