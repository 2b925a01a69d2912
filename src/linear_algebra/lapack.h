// SPDX-License-Identifier: MIT
/// \file
/// OpenBLAS, opened when it is needed first; not for users.  Programs start without it, and where
/// there is none Eigen computes (dense_matrices.h).
#pragma once

#include <mutex>
#include <string>
#include <type_traits>

namespace gaia {

/// The routines of LAPACK, and BLAS's product, that gaia calls, of double (d...) and float (s...).
/// Matrices stand column by column; the meaning of the arguments is LAPACK's (Anderson et al.
/// 1999).
template <class T>
struct LapackRoutines {
  using Int = int;
  using Chars = const char*;
  void (*gemm)(Chars transa, Chars transb, const Int* m, const Int* n, const Int* k, const T* alpha,
               const T* a, const Int* lda, const T* b, const Int* ldb, const T* beta, T* c,
               const Int* ldc);
  void (*gesv)(const Int* n, const Int* nrhs, T* a, const Int* lda, Int* pivots, T* b,
               const Int* ldb, Int* info);
  void (*getrf)(const Int* m, const Int* n, T* a, const Int* lda, Int* pivots, Int* info);
  void (*potrf)(Chars uplo, const Int* n, T* a, const Int* lda, Int* info);
  void (*trtrs)(Chars uplo, Chars trans, Chars diag, const Int* n, const Int* nrhs, const T* a,
                const Int* lda, T* b, const Int* ldb, Int* info);
  void (*geqrf)(const Int* m, const Int* n, T* a, const Int* lda, T* tau, T* work, const Int* lwork,
                Int* info);
  void (*orgqr)(const Int* m, const Int* n, const Int* k, T* a, const Int* lda, const T* tau,
                T* work, const Int* lwork, Int* info);
  void (*gesdd)(Chars job, const Int* m, const Int* n, T* a, const Int* lda, T* s, T* u,
                const Int* ldu, T* vt, const Int* ldvt, T* work, const Int* lwork, Int* iwork,
                Int* info);
  void (*syevd)(Chars job, Chars uplo, const Int* n, T* a, const Int* lda, T* w, T* work,
                const Int* lwork, Int* iwork, const Int* liwork, Int* info);
  void (*geev)(Chars left, Chars right, const Int* n, T* a, const Int* lda, T* wr, T* wi, T* vl,
               const Int* ldvl, T* vr, const Int* ldvr, T* work, const Int* lwork, Int* info);
};

struct Lapack {
  LapackRoutines<double> of_double;
  LapackRoutines<float> of_float;
  int (*get_threads)();
  void (*set_threads)(int);
  std::string name;  ///< "OpenBLAS 0.3.21 ...", as it calls itself.
  bool is_for_one_thread = false;
};

/// The library, or null where there is none or GAIA_LAPACK=off is set.
const Lapack* lapack();
std::recursive_mutex& lapack_turns();

/// Those of its routines that compute in T, as long as this lives; false where there is no library.
/// An OpenBLAS that was built for one thread (Debian's libopenblas0-serial) has one room to work
/// in, for all threads of a program: of that, callers take turns.
template <class T>
class LapackTurn {
 public:
  LapackTurn() : library_(lapack()) {
    if (library_ != nullptr && library_->is_for_one_thread) {
      turn_ = std::unique_lock(lapack_turns());
    }
  }
  explicit operator bool() const { return library_ != nullptr; }
  const LapackRoutines<T>* operator->() const {
    if constexpr (std::is_same_v<T, double>) {
      return &library_->of_double;
    } else {
      return &library_->of_float;
    }
  }

 private:
  const Lapack* library_;
  std::unique_lock<std::recursive_mutex> turn_;
};

/// What decompositions are computed by: the library's name, or Eigen's.
std::string linear_algebra_library();

/// Has OpenBLAS compute on the calling thread as long as it lives, so that results do not depend on
/// the number of threads.  Its number of threads is one for the whole process: the first of several
/// scopes sets it, the last gives back what it was.
class OneThreadOfLapack {
 public:
  OneThreadOfLapack();
  ~OneThreadOfLapack();
  OneThreadOfLapack(const OneThreadOfLapack&) = delete;
  OneThreadOfLapack& operator=(const OneThreadOfLapack&) = delete;
};

}  // namespace gaia
