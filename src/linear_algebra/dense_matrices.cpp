// SPDX-License-Identifier: MIT
#include "dense_matrices.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "lapack.h"

namespace gaia {
namespace {

template <class T>
using MatrixOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using MatrixMap = Eigen::Map<MatrixOf<T>>;
template <class T>
using ConstMatrixMap = Eigen::Map<const MatrixOf<T>>;
template <class T>
using VectorMap = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>;

/// Room for a routine that says itself how much it needs.
template <class T>
std::vector<T> room_for(T asked) {
  return std::vector<T>(static_cast<std::size_t>(std::max(T{1}, asked)) + 1);
}

/// Eigenvectors of a conjugate pair stand as real and imaginary part side by side; so LAPACK and
/// Eigen's pseudo-eigenvectors have them.
template <class T>
void unpack_vectors(const T* packed, int n, const T* imag, T* vectors_real, T* vectors_imag) {
  const auto column = [n](auto* of, int j) { return of + static_cast<std::ptrdiff_t>(j) * n; };
  for (int j = 0; j < n; ++j) {
    std::copy_n(column(packed, j), n, column(vectors_real, j));
    std::fill_n(column(vectors_imag, j), n, T{0});
    if (imag[j] == T{0} || j + 1 == n) continue;
    std::copy_n(column(packed, j), n, column(vectors_real, j + 1));
    for (int i = 0; i < n; ++i) {
      column(vectors_imag, j)[i] = column(packed, j + 1)[i];
      column(vectors_imag, j + 1)[i] = -column(packed, j + 1)[i];
    }
    ++j;
  }
}

/// Numbers as doubles, as long as this lives; then the numbers are what these have become.  Eigen
/// computes in doubles alone: its decompositions are long to compile, and every one in both types
/// took twice as long.
class InDoubles {
 public:
  template <class Count>
  InDoubles(float* numbers, Count count)
      : numbers_(numbers), doubles_(numbers, numbers == nullptr ? numbers : numbers + count) {}
  ~InDoubles() { std::copy(doubles_.begin(), doubles_.end(), numbers_); }
  InDoubles(const InDoubles&) = delete;
  InDoubles& operator=(const InDoubles&) = delete;

  operator double*() { return numbers_ == nullptr ? nullptr : doubles_.data(); }

 private:
  float* numbers_;
  std::vector<double> doubles_;
};

template <class T>
constexpr bool kIsFloat = std::is_same_v<T, float>;

std::ptrdiff_t area(int rows, int columns) { return static_cast<std::ptrdiff_t>(rows) * columns; }

}  // namespace

template <class T>
bool solve_in_place(T* a, T* b, int n, int k) {
  if (const LapackTurn<T> routine; routine) {
    std::vector<int> pivots(static_cast<std::size_t>(n));
    int info = 0;
    routine->gesv(&n, &k, a, &n, pivots.data(), b, &n, &info);
    return info == 0;
  }
  if constexpr (kIsFloat<T>) {
    InDoubles matrix(a, area(n, n));
    InDoubles right(b, area(n, k));
    return solve_in_place<double>(matrix, right, n, k);
  } else {
    const Eigen::PartialPivLU<MatrixOf<T>> lu(MatrixMap<T>(a, n, n));
    if ((lu.matrixLU().diagonal().array() == T{0}).any()) return false;
    MatrixMap<T> right(b, n, k);
    right = lu.solve(right).eval();
    return true;
  }
}

template <class T>
int lu_in_place(T* a, int n) {
  if (const LapackTurn<T> routine; routine) {
    std::vector<int> pivots(static_cast<std::size_t>(n));
    int info = 0;
    routine->getrf(&n, &n, a, &n, pivots.data(), &info);
    int sign = 1;
    for (int i = 0; i < n; ++i) {
      if (pivots[static_cast<std::size_t>(i)] != i + 1) sign = -sign;
    }
    return sign;
  }
  if constexpr (kIsFloat<T>) {
    InDoubles matrix(a, area(n, n));
    return lu_in_place<double>(matrix, n);
  } else {
    const Eigen::PartialPivLU<MatrixOf<T>> lu(MatrixMap<T>(a, n, n));
    MatrixMap<T>(a, n, n) = lu.matrixLU();
    return static_cast<int>(lu.permutationP().determinant());
  }
}

template <class T>
bool cholesky_in_place(T* a, int n) {
  MatrixMap<T> matrix(a, n, n);
  bool found = false;
  if (const LapackTurn<T> routine; routine) {
    int info = 0;
    routine->potrf("L", &n, a, &n, &info);
    matrix.template triangularView<Eigen::StrictlyUpper>().setZero();
    found = info == 0;
  } else if constexpr (kIsFloat<T>) {
    found = cholesky_in_place<double>(InDoubles(a, area(n, n)), n);
  } else {
    const Eigen::LLT<MatrixOf<T>> factor(matrix);
    matrix = factor.matrixL();
    found = factor.info() == Eigen::Success;
  }
  // Both take NaN for a success.
  return found && (matrix.diagonal().array() > T{0}).all();
}

template <class T>
bool triangular_solve_in_place(const T* a, T* b, int n, int k, bool upper, bool transposed,
                               bool unit_diagonal) {
  if (const LapackTurn<T> routine; routine) {
    int info = 0;
    routine->trtrs(upper ? "U" : "L", transposed ? "T" : "N", unit_diagonal ? "U" : "N", &n, &k, a,
                   &n, b, &n, &info);
    return info == 0;
  }
  if constexpr (kIsFloat<T>) {
    const std::vector<double> matrix(a, a + area(n, n));
    InDoubles right(b, area(n, k));
    return triangular_solve_in_place<double>(matrix.data(), right, n, k, upper, transposed,
                                             unit_diagonal);
  } else {
    const ConstMatrixMap<T> matrix(a, n, n);
    if (!unit_diagonal && (matrix.diagonal().array() == T{0}).any()) return false;
    MatrixMap<T> right(b, n, k);
    const auto solve = [&](const auto& view) {
      if (transposed) {
        view.transpose().solveInPlace(right);
      } else {
        view.solveInPlace(right);
      }
    };
    if (upper) {
      unit_diagonal ? solve(matrix.template triangularView<Eigen::UnitUpper>())
                    : solve(matrix.template triangularView<Eigen::Upper>());
    } else {
      unit_diagonal ? solve(matrix.template triangularView<Eigen::UnitLower>())
                    : solve(matrix.template triangularView<Eigen::Lower>());
    }
    return true;
  }
}

template <class T>
void qr_of(T* a, int m, int n, int columns, T* q, T* r) {
  const int least = std::min(m, n);
  MatrixMap<T> upper(r, columns, n);
  upper.setZero();
  const auto take_upper = [&](const auto& factor) {
    upper.topRows(least) = factor.topRows(least);
    upper.template triangularView<Eigen::StrictlyLower>().setZero();
  };
  if (const LapackTurn<T> routine; routine) {
    std::vector<T> tau(static_cast<std::size_t>(std::max(1, least)));
    T asked = 0;
    int size = -1;
    int info = 0;
    routine->geqrf(&m, &n, a, &m, tau.data(), &asked, &size, &info);
    std::vector<T> work = room_for(asked);
    size = static_cast<int>(work.size());
    routine->geqrf(&m, &n, a, &m, tau.data(), work.data(), &size, &info);
    take_upper(MatrixMap<T>(a, m, n));
    if (q == nullptr) return;
    MatrixMap<T>(q, m, columns).setZero();
    std::copy_n(a, static_cast<std::ptrdiff_t>(m) * least, q);
    size = -1;
    routine->orgqr(&m, &columns, &least, q, &m, tau.data(), &asked, &size, &info);
    work = room_for(asked);
    size = static_cast<int>(work.size());
    routine->orgqr(&m, &columns, &least, q, &m, tau.data(), work.data(), &size, &info);
    return;
  }
  if constexpr (kIsFloat<T>) {
    InDoubles matrix(a, area(m, n));
    InDoubles left(q, area(m, columns));
    InDoubles right(r, area(columns, n));
    qr_of<double>(matrix, m, n, columns, left, right);
  } else {
    const Eigen::HouseholderQR<MatrixOf<T>> factors(MatrixMap<T>(a, m, n));
    take_upper(factors.matrixQR());
    if (q == nullptr) return;
    MatrixMap<T>(q, m, columns) = factors.householderQ() * MatrixOf<T>::Identity(m, columns);
  }
}

template <class T>
bool svd_of(T* a, int m, int n, bool full, T* u, T* s, T* vt) {
  const int least = std::min(m, n);
  if (const LapackTurn<T> routine; routine) {
    const char* job = u == nullptr ? "N" : full ? "A" : "S";
    const int ldvt = u == nullptr ? 1 : full ? n : least;
    std::vector<int> indices(static_cast<std::size_t>(8 * least));
    T asked = 0;
    int size = -1;
    int info = 0;
    routine->gesdd(job, &m, &n, a, &m, s, u, &m, vt, &ldvt, &asked, &size, indices.data(), &info);
    std::vector<T> work = room_for(asked);
    size = static_cast<int>(work.size());
    routine->gesdd(job, &m, &n, a, &m, s, u, &m, vt, &ldvt, work.data(), &size, indices.data(),
                   &info);
    return info == 0;
  }
  if constexpr (kIsFloat<T>) {
    InDoubles matrix(a, area(m, n));
    InDoubles left(u, area(m, full ? m : least));
    InDoubles values(s, least);
    InDoubles right(vt, area(full ? n : least, n));
    return svd_of<double>(matrix, m, n, full, left, values, right);
  } else {
    const unsigned parts = u == nullptr ? 0U
                           : full       ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                        : Eigen::ComputeThinU | Eigen::ComputeThinV;
    const Eigen::BDCSVD<MatrixOf<T>> factors(MatrixMap<T>(a, m, n), parts);
    VectorMap<T>(s, least) = factors.singularValues();
    if (u == nullptr) return factors.info() == Eigen::Success;
    MatrixMap<T>(u, m, full ? m : least) = factors.matrixU();
    MatrixMap<T>(vt, full ? n : least, n) = factors.matrixV().transpose();
    return factors.info() == Eigen::Success;
  }
}

template <class T>
bool eigh_in_place(T* a, int n, bool lower, bool vectors, T* values) {
  if (const LapackTurn<T> routine; routine) {
    const char* job = vectors ? "V" : "N";
    T asked = 0;
    int indices_asked = 0;
    int size = -1;
    int indices_size = -1;
    int info = 0;
    const char* side = lower ? "L" : "U";
    routine->syevd(job, side, &n, a, &n, values, &asked, &size, &indices_asked, &indices_size,
                   &info);
    std::vector<T> work = room_for(asked);
    std::vector<int> indices(static_cast<std::size_t>(std::max(1, indices_asked)));
    size = static_cast<int>(work.size());
    indices_size = static_cast<int>(indices.size());
    routine->syevd(job, side, &n, a, &n, values, work.data(), &size, indices.data(), &indices_size,
                   &info);
    return info == 0;
  }
  if constexpr (kIsFloat<T>) {
    InDoubles matrix(a, area(n, n));
    InDoubles found(values, n);
    return eigh_in_place<double>(matrix, n, lower, vectors, found);
  } else {
    MatrixMap<T> matrix(a, n, n);
    // Eigen reads the lower triangle.
    if (!lower) matrix = matrix.transpose().eval();
    const Eigen::SelfAdjointEigenSolver<MatrixOf<T>> solver(
        matrix, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
    VectorMap<T>(values, n) = solver.eigenvalues();
    if (vectors) matrix = solver.eigenvectors();
    return solver.info() == Eigen::Success;
  }
}

template <class T>
bool eig_of(T* a, int n, T* real, T* imag, T* vectors_real, T* vectors_imag) {
  const bool vectors = vectors_real != nullptr;
  if (const LapackTurn<T> routine; routine) {
    std::vector<T> packed(vectors ? static_cast<std::size_t>(n) * static_cast<std::size_t>(n) : 1);
    const int ld = vectors ? n : 1;
    const int one = 1;
    T none = 0;
    T asked = 0;
    int size = -1;
    int info = 0;
    const char* right = vectors ? "V" : "N";
    routine->geev("N", right, &n, a, &n, real, imag, &none, &one, packed.data(), &ld, &asked, &size,
                  &info);
    std::vector<T> work = room_for(asked);
    size = static_cast<int>(work.size());
    routine->geev("N", right, &n, a, &n, real, imag, &none, &one, packed.data(), &ld, work.data(),
                  &size, &info);
    if (info == 0 && vectors) unpack_vectors(packed.data(), n, imag, vectors_real, vectors_imag);
    return info == 0;
  }
  if constexpr (kIsFloat<T>) {
    InDoubles matrix(a, area(n, n));
    InDoubles found_real(real, n);
    InDoubles found_imag(imag, n);
    InDoubles right_real(vectors_real, area(n, n));
    InDoubles right_imag(vectors_imag, area(n, n));
    return eig_of<double>(matrix, n, found_real, found_imag, right_real, right_imag);
  } else {
    const Eigen::EigenSolver<MatrixOf<T>> solver(MatrixMap<T>(a, n, n), vectors);
    if (solver.info() != Eigen::Success) return false;
    VectorMap<T>(real, n) = solver.eigenvalues().real();
    VectorMap<T>(imag, n) = solver.eigenvalues().imag();
    if (vectors) {
      const auto found = solver.eigenvectors();
      MatrixMap<T>(vectors_real, n, n) = found.real();
      MatrixMap<T>(vectors_imag, n, n) = found.imag();
    }
    return true;
  }
}

#define GAIA_MATRICES_OF(T)                                                          \
  template bool solve_in_place(T*, T*, int, int);                                    \
  template int lu_in_place(T*, int);                                                 \
  template bool cholesky_in_place(T*, int);                                          \
  template bool triangular_solve_in_place(const T*, T*, int, int, bool, bool, bool); \
  template void qr_of(T*, int, int, int, T*, T*);                                    \
  template bool svd_of(T*, int, int, bool, T*, T*, T*);                              \
  template bool eigh_in_place(T*, int, bool, bool, T*);                              \
  template bool eig_of(T*, int, T*, T*, T*, T*)

GAIA_MATRICES_OF(double);
GAIA_MATRICES_OF(float);

#undef GAIA_MATRICES_OF

}  // namespace gaia
