// SPDX-License-Identifier: MIT
/// \file
/// Which kernels have to be compiled: those that are neither in memory nor on disk.
#include "run_time_compiler.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "../src/core/kept_files.h"
#include "../src/core/log.h"
#include "../src/core/message.h"
#include "../src/io/sha256.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

constexpr std::int64_t kMostKept = std::int64_t{256} << 20;

/// Kernels of one key; the first thread that needs them makes them, the others wait.
struct MadeOnce {
  std::mutex mutex;
  std::shared_ptr<const CompiledKernels> kernels;
};

/// The hash of all that decides what comes out.  Lengths stand before texts, so that no two lists
/// give the same bytes.
std::string key_of(const KernelSource& source) {
  Sha256 hash;
  const auto add = [&](const std::string& text) {
    const std::string length = std::to_string(text.size()) + ":";
    hash.add({length.data(), length.size()});
    hash.add({text.data(), text.size()});
  };
  const auto add_all = [&](const std::vector<std::string>& texts) {
    add(std::to_string(texts.size()));
    for (const std::string& text : texts) add(text);
  };
  add(compiler_now());
  add(source.name);
  add(source.source);
  add_all(source.options);
  add_all(source.kernels);
  for (const SourceText& header : source.headers) {
    add(header.name);
    add(header.text);
  }
  return hash.text();
}

MadeOnce& made_of(const std::string& key) {
  static std::mutex mutex;
  static auto& all = *new std::map<std::string, MadeOnce>;
  const std::lock_guard lock(mutex);
  return all[key];
}

}  // namespace

LaunchableKernel CompiledKernels::kernel(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    fail<ArgumentError>("[CompiledKernels::kernel] {} is none of the kernels that were asked for",
                        name);
  }
  return kernels_[static_cast<std::size_t>(found - names_.begin())];
}

std::shared_ptr<const CompiledKernels> compiled_kernels(const KernelSource& source) {
  const std::string key = key_of(source);
  MadeOnce& made = made_of(key);
  const std::lock_guard lock(made.mutex);
  if (made.kernels != nullptr) return made.kernels;
  const auto folder = user_cache_folder();
  const KeptFiles files(folder.empty() ? folder : folder / "kernels", kMostKept);
  const auto load = [&](const std::string& bytes) {
    made.kernels = std::make_shared<CompiledKernels>(source.kernels, load_kernels(source, bytes));
    return made.kernels;
  };
  if (const std::optional<std::string> kept = files.find(key)) {
    try {
      return load(*kept);
    } catch (const DeviceError& error) {  // the driver is another one than it was
      log_debug("a kept kernel is compiled anew: " + std::string(error.what()));
    }
  }
  const std::string bytes = compile_to_bytes(source);
  load(bytes);
  files.keep(key, bytes);
  return made.kernels;
}

bool can_compile() { return why_not_compile().empty(); }

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
