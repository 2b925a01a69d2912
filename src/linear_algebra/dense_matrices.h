// SPDX-License-Identifier: MIT
/// \file
/// Decompositions of one matrix in host memory, by LAPACK where there is one and by Eigen
/// elsewhere; not for users.  Matrices stand column by column and are overwritten.
#pragma once

#include <vector>

namespace gaia {

/// Solves A X = B into b [n, k].  \returns false if A is singular.
template <class T>
bool solve_in_place(T* a, T* b, int n, int k);

/// The factors of A = P L U over it.  \returns the sign of the permutation.
template <class T>
int lu_in_place(T* a, int n);

/// The lower factor of A = L L^T over its lower triangle, the rest 0.
/// \returns false if A is not positive definite.
template <class T>
bool cholesky_in_place(T* a, int n);

/// Solves op(A) X = B into b [n, k] for a triangular A.  \returns false for a 0 on its diagonal.
template <class T>
bool triangular_solve_in_place(const T* a, T* b, int n, int k, bool upper, bool transposed,
                               bool unit_diagonal);

/// A [m, n] = Q R: q [m, columns], columns = min(m, n) or m; r [columns, n].  `q` may be null.
template <class T>
void qr_of(T* a, int m, int n, int columns, T* q, T* r);

/// A [m, n] = U diag(s) V^T: u [m, min or m], s [min(m, n)], vt [min or n, n]; u and vt may both be
/// null.  \returns false if it does not converge.
template <class T>
bool svd_of(T* a, int m, int n, bool full, T* u, T* s, T* vt);

/// Eigenvalues of a symmetric A in ascending order, and its eigenvectors over it; of A one triangle
/// is read.  \returns false if it does not converge.
template <class T>
bool eigh_in_place(T* a, int n, bool lower, bool vectors, T* values);

/// Eigenvalues of A, real + i imag, and its eigenvectors of length 1, unless these are null.
/// \returns false if it does not converge.
template <class T>
bool eig_of(T* a, int n, T* real, T* imag, T* vectors_real, T* vectors_imag);

/// exp(A) over A, by scaling and squaring (Higham 2005).
template <class T>
void expm_in_place(T* a, int n);

}  // namespace gaia
