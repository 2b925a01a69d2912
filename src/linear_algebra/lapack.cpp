// SPDX-License-Identifier: MIT
#include "lapack.h"

#include <dlfcn.h>

#include <Eigen/Core>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>

namespace gaia {
namespace {

template <class Function>
bool find(void* opened, const std::string& name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(opened, name.c_str()));
  return function != nullptr;
}

template <class T>
bool find_all(void* opened, const std::string& type, LapackRoutines<T>& found) {
  const std::string symmetric = type + "syevd_";
  return find(opened, type + "gemm_", found.gemm) && find(opened, type + "gesv_", found.gesv) &&
         find(opened, type + "getrf_", found.getrf) && find(opened, type + "potrf_", found.potrf) &&
         find(opened, type + "trtrs_", found.trtrs) && find(opened, type + "geqrf_", found.geqrf) &&
         find(opened, type + "orgqr_", found.orgqr) && find(opened, type + "gesdd_", found.gesdd) &&
         find(opened, symmetric, found.syevd) && find(opened, type + "geev_", found.geev);
}

std::optional<Lapack> open_lapack() {
  const char* wish = std::getenv("GAIA_LAPACK");
  if (wish != nullptr && std::string_view(wish) == "off") return std::nullopt;
  // Its symbols stay its own: the program may have another BLAS.
  void* opened = nullptr;
  for (const char* name : {"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib"}) {
    if (opened == nullptr) opened = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (opened == nullptr) return std::nullopt;
  Lapack found = {};
  char* (*config)() = nullptr;
  if (!find_all(opened, "d", found.of_double) || !find_all(opened, "s", found.of_float) ||
      !find(opened, "openblas_get_num_threads", found.get_threads) ||
      !find(opened, "openblas_set_num_threads", found.set_threads) ||
      !find(opened, "openblas_get_config", config)) {
    return std::nullopt;
  }
  found.name = config();
  int (*parallel)() = nullptr;  // an old one that lacks it is taken for the careful kind
  found.is_for_one_thread = !find(opened, "openblas_get_parallel", parallel) || parallel() == 0;
  return found;
}

struct Threads {
  std::mutex mutex;
  int scopes = 0;
  int before = 1;
};

Threads& threads() {
  static Threads all;
  return all;
}

}  // namespace

const Lapack* lapack() {
  static const std::optional<Lapack> opened = open_lapack();
  return opened ? &*opened : nullptr;
}

std::recursive_mutex& lapack_turns() {
  static std::recursive_mutex turns;
  return turns;
}

std::string linear_algebra_library() {
  if (const Lapack* library = lapack()) return library->name;
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
         std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
}

OneThreadOfLapack::OneThreadOfLapack() {
  const Lapack* library = lapack();
  if (library == nullptr) return;
  Threads& all = threads();
  const std::lock_guard lock(all.mutex);
  if (all.scopes++ > 0) return;
  all.before = library->get_threads();
  if (all.before != 1) library->set_threads(1);
}

OneThreadOfLapack::~OneThreadOfLapack() {
  const Lapack* library = lapack();
  if (library == nullptr) return;
  Threads& all = threads();
  const std::lock_guard lock(all.mutex);
  if (--all.scopes == 0 && all.before != 1) library->set_threads(all.before);
}

}  // namespace gaia
