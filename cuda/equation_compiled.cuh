// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text, by kernels that are compiled for them: which kernel, built
/// once for a rule and the shape of a layer, and its launches.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../src/core/log.h"
#include "../src/formulas/equations/cuda_text.h"
#include "equation_launches.cuh"
#include "run_time_compiler.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

/// Whether rules are compiled where that can be.  On the emulator, where it takes seconds, tests
/// ask for it.
inline bool& compiles_equations() {
#ifdef __CUDACC__
  static bool compiles = true;
#else
  static bool compiles = false;
#endif
  return compiles;
}

/// Whether a compiler was found when the first rule asked for it.
inline bool finds_compiler() {
  static const bool found = [] {
    const std::string why_not = why_not_compile();
    if (!why_not.empty()) log_info("rules by their equations are interpreted: " + why_not);
    return why_not.empty();
  }();
  return found;
}

/// How a layer's neurons share the threads of blocks where they keep their weights in registers;
/// nothing where these do not hold them.
inline std::optional<OwnersLayout> owners_layout(const EquationRun& run, bool crosses,
                                                 std::int64_t number_bytes) {
  const EquationProgram& program = *run.program;
  constexpr std::int64_t most_streams = 4;
  // Registers of a thread that its weights, and what goes with each, may take.
  const std::int64_t most_numbers = 384 / number_bytes;
  constexpr std::int64_t best = 25;  // more make a tick longer, fewer leave threads idle
  const std::int64_t streams = run.samples.shape[0];
  const std::int64_t inputs = run.weights.shape[1];
  const bool goes_back = run.learns && !program.backs.empty();
  if (crosses || goes_back || run.chain || streams > most_streams) return std::nullopt;
  if (forced_equation_kind()) return std::nullopt;
  if (2 * streams * inputs * number_bytes > kSharedOfEquations) return std::nullopt;
  const std::int64_t of_weight =
      1 + streams * (1 + std::ssize(program.traces) + (program.has_eligibility ? 1 : 0));
  const std::int64_t most = std::min(best, most_numbers / of_weight);
  for (int team = 1; team <= kThreads; team *= 2) {
    const std::int64_t weights = ceil_div(inputs, team);
    if (weights <= most) {
      return OwnersLayout{static_cast<int>(streams), team, static_cast<int>(weights)};
    }
  }
  return std::nullopt;
}

/// Ticks of which shared memory holds the samples at a time, twice.
inline int ticks_of_tile(std::int64_t streams, std::int64_t inputs, std::int64_t number_bytes) {
  constexpr std::int64_t most = 16;
  constexpr std::int64_t bytes = 16 * 1024;
  return static_cast<int>(
      std::clamp<std::int64_t>(bytes / (streams * inputs * number_bytes), 1, most));
}

/// What a compiled kernel depends on.
struct CompiledRuleKey {
  int device;
  std::uint64_t program;
  DType dtype;
  Activation activation;
  bool learns;
  int streams, team, weights;

  auto operator<=>(const CompiledRuleKey&) const = default;
};

/// The kernel of a rule, with all that belongs to it.
struct CompiledRule {
  std::shared_ptr<const CompiledKernels> kernels;
  std::string name;

  LaunchableKernel kernel() const { return kernels->kernel(name); }
};

/// Compiles a rule; nothing, and a warning, where that fails.
inline std::optional<CompiledRule> compile_rule(const EquationProgram& program,
                                                const CudaTextOptions& options) {
  try {
    const char* const header = options.owners ? "cuda/equation_owners.cuh" : "cuda/equations.cuh";
    const std::string name = kCudaKernelName + options.suffix;
    return CompiledRule{compiled_kernels({.name = "rule.cu",
                                          .source = cuda_text(program, options),
                                          .headers = carried_headers({header}),
                                          .options = {},
                                          .kernels = {name}}),
                        name};
  } catch (const Error& error) {
    log_warning("[cuda] a rule is interpreted, since it could not be compiled: " +
                std::string(error.what()));
    return std::nullopt;
  }
}

/// Kernels of all rules that the process has met, and of those that do not compile, nothing.
class CompiledRules {
 public:
  using Compile =
      std::function<std::optional<CompiledRule>(const EquationProgram&, const CudaTextOptions&)>;

  std::optional<CompiledRule> find(const EquationRun& run, const CudaTextOptions& options) {
    const OwnersLayout shape = options.owners.value_or(OwnersLayout{0, 0, 0});
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    const CompiledRuleKey key{
        device,         run.program->number, options.dtype, options.activation,
        options.learns, shape.streams,       shape.team,    shape.weights};
    const std::lock_guard lock(mutex_);
    if (const auto found = rules_.find(key); found != rules_.end()) return found->second;
    return rules_[key] = compile_(*run.program, options);
  }

  /// For tests, which compile many rules at a time; forgets those that there are.
  void compile_by(Compile compile) {
    const std::lock_guard lock(mutex_);
    compile_ = std::move(compile);
    rules_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<CompiledRuleKey, std::optional<CompiledRule>> rules_;
  Compile compile_ = compile_rule;
};

inline CompiledRules& compiled_rules() {
  static CompiledRules rules;
  return rules;
}

/// A layer and its program as a kernel takes them: EquationLayer<T, Rule>.
template <class T>
std::vector<std::byte> layer_bytes(const EquationArrays<T>& layer, const EquationRun& run) {
  std::vector<T> numbers;
  for (const double value : run.program->bound_constants(run.parameters, run.weights.shape[1],
                                                         run.weights.shape[0], run.learns)) {
    numbers.push_back(static_cast<T>(value));
  }
  for (const double keep : run.trace_keeps) numbers.push_back(static_cast<T>(keep));
  const std::size_t of_numbers = numbers.size() * sizeof(T);
  std::vector<std::byte> bytes(sizeof layer + (of_numbers + 7) / 8 * 8);
  std::memcpy(bytes.data(), &layer, sizeof layer);
  std::memcpy(bytes.data() + sizeof layer, numbers.data(), of_numbers);
  return bytes;
}

/// A block of ticks of layers whose neurons keep their weights in registers, all in one launch.
template <class T>
void run_owners_of(std::span<const EquationRun> runs, const OwnersLayout& owners,
                   const LaunchableKernel& kernel, Memory& memory, Staging& staging,
                   cudaStream_t stream) {
  const std::int64_t streams = runs[0].samples.shape[0];
  const std::int64_t inputs = runs[0].weights.shape[1];
  std::vector<std::unique_ptr<EquationRoom<T>>> rooms;
  std::vector<std::byte> layers;  // a replica after the other
  for (const EquationRun& run : runs) {
    rooms.push_back(std::make_unique<EquationRoom<T>>(run, 0, memory, stream, true));
    const std::vector<std::byte> one = layer_bytes(rooms.back()->layer(), run);
    layers.insert(layers.end(), one.begin(), one.end());
  }
  const auto bytes = static_cast<std::int64_t>(layers.size());
  const Scratch table(memory, runs.size() > 1 ? bytes : 0, stream);
  if (runs.size() > 1) staging.upload(layers.data(), table.as<void>(), bytes, stream);
  const void* replicas = runs.size() > 1 ? table.as<void>() : nullptr;
  int tile = ticks_of_tile(streams, inputs, sizeof(T));
  void* arguments[] = {layers.data(), &replicas, &tile};
  const std::int64_t teams = kThreads / owners.team;
  kernel.launch({.grid = {static_cast<unsigned>(ceil_div(rooms[0]->layer().neurons, teams)),
                          static_cast<unsigned>(runs.size())},
                 .block = kThreads,
                 .shared_bytes = static_cast<std::size_t>(2 * streams * tile * inputs) * sizeof(T)},
                stream, arguments);
}

/// A block of ticks of any other layer, some stages at a time.
template <class T>
void run_stages_of(const EquationRun& run, const LaunchableKernel& kernel, Memory& memory,
                   cudaStream_t stream) {
  const EquationRoom<T> room(run, 0, memory, stream);
  std::vector<std::byte> layer = layer_bytes(room.layer(), run);
  EquationForm form = room.form();
  const auto start = [&](const LaunchShape& shape, EquationsBy by, std::int64_t first,
                         std::int64_t last) {
    void* arguments[] = {layer.data(), &form, &by, &first, &last};
    kernel.launch(shape, stream, arguments);
  };
  EquationLauncher<T, decltype(start)>(room.form(), run, room.crosses(), start).run();
}

/// Runs a block of ticks of layers that are alike but for their numbers by the kernel of their
/// rule; whether there is one.
template <class T>
bool run_compiled(std::span<const EquationRun> runs, Memory& memory, Staging& staging,
                  cudaStream_t stream) {
  /// Bytes that a kernel's parameters may take with every CUDA 12.
  constexpr std::size_t most_bytes = 4096;
  if (!compiles_equations() || !finds_compiler()) return false;
  const EquationRun& first = runs[0];
  const bool crosses = crosses_layer(*first.program, first.activation);
  const CudaTextOptions options{.dtype = first.weights.dtype,
                                .activation = first.activation,
                                .learns = first.learns,
                                .owners = owners_layout(first, crosses, sizeof(T))};
  const std::size_t numbers = first.program->constants.size() + first.trace_keeps.size();
  if (sizeof(EquationArrays<T>) + sizeof(EquationForm) + numbers * sizeof(T) + 64 > most_bytes) {
    return false;
  }
  const std::optional<CompiledRule> rule = compiled_rules().find(first, options);
  if (!rule) return false;
  const LaunchableKernel kernel = rule->kernel();
  if (!options.owners) {
    for (const EquationRun& run : runs) run_stages_of<T>(run, kernel, memory, stream);
    return true;
  }
  for (std::size_t at = 0; at < runs.size(); at += kMostGridRows) {
    run_owners_of<T>(runs.subspan(at, std::min<std::size_t>(kMostGridRows, runs.size() - at)),
                     *options.owners, kernel, memory, staging, stream);
  }
  return true;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
