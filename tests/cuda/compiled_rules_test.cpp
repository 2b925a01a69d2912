// SPDX-License-Identifier: MIT
/// \file
/// Rules compiled for the GPU: their source, built by the host's compiler, on the emulator compared
/// with the CPU.  Many rules are compiled at a time, since each compilation takes seconds.
#include <map>
#include <span>
#include <utility>

#include "../../cuda/equation_compiled.cuh"
#include "../../src/learning/catalogue/catalogue.h"
#include "../../src/learning/rule_list.h"
#include "../emulator/schedules.h"
#include "../support/emulated_device.h"
#include "../support/long_tests.h"
#include "chance_rules.h"

namespace gaia::test {
namespace {

using cuda::emulated::CompiledRule;
using Kind = cuda::emulated::EquationKind;

/// Compiles the rules of many runs at once.
class ManyRules {
 public:
  ManyRules() {
    cuda::emulated::compiles_equations() = true;
    cuda::emulated::compiled_rules().compile_by(
        [this](const EquationProgram& program, const CudaTextOptions& options) {
          return note(program, options);
        });
  }
  ~ManyRules() {
    cuda::emulated::compiled_rules().compile_by(cuda::emulated::compile_rule);
    cuda::emulated::compiles_equations() = false;
  }
  ManyRules(const ManyRules&) = delete;
  ManyRules& operator=(const ManyRules&) = delete;

  std::size_t count() const { return source_.kernels.size(); }

  /// From now on the rules that were met are compiled ones, in headers in which `plant` has changed
  /// one place.
  void compile(const std::pair<std::string, std::string>& plant = {}) {
    source_.name = "rules.cu";
    source_.headers = carried_headers({"cuda/equation_owners.cuh", "cuda/equations.cuh"});
    int planted = 0;
    for (SourceText& header : source_.headers) {
      const std::size_t at =
          plant.first.empty() ? std::string::npos : header.text.find(plant.first);
      if (at == std::string::npos) continue;
      header.text.replace(at, plant.first.size(), plant.second);
      ++planted;
    }
    REQUIRE(planted == (plant.first.empty() ? 0 : 1));
    const auto kernels = cuda::emulated::compiled_kernels(source_);
    cuda::emulated::compiled_rules().compile_by(
        [this, kernels](const EquationProgram& program,
                        const CudaTextOptions& options) -> std::optional<CompiledRule> {
          const auto found = names_.find(cuda_text(program, options));
          REQUIRE(found != names_.end());
          ++used_;
          return CompiledRule{kernels, found->second};
        });
  }
  int used() const { return used_; }

 private:
  std::optional<CompiledRule> note(const EquationProgram& program, CudaTextOptions options) {
    std::string& name = names_[cuda_text(program, options)];
    if (name.empty()) {
      options.suffix = "_" + std::to_string(source_.kernels.size());
      name = kCudaKernelName + options.suffix;
      source_.source += cuda_text(program, options);
      source_.kernels.push_back(name);
    }
    return std::nullopt;
  }

  KernelSource source_;
  std::map<std::string, std::string> names_;  // of kernels, by their text without a suffix
  int used_ = 0;
};

/// A layer under one of the catalogue's rules for 200 ticks, the last of which do not learn.
struct CatalogueRun {
  std::string name;
  HebbianOptions options;
  int streams = 1;
  int inputs = 37;

  static constexpr int kNeurons = 5, kTicks = 200;

  const EquationProgram& program() const { return std::get<EquationRule>(options.rule).program(); }

  std::vector<std::vector<double>> played() const {
    Chance chance(11);
    HebbianLayer layer(inputs, kNeurons, options);
    layer.set_weights(from_values(chance.numbers(kNeurons * inputs, 0.1), {kNeurons, inputs}));
    const Array x =
        from_values(chance.numbers(streams * kTicks * inputs, 0.3), {streams, kTicks, inputs});
    std::vector<std::vector<double>> seen;
    for (const auto& [first, end] :
         {std::pair{0, 77}, std::pair{77, 190}, std::pair{190, kTicks}}) {
      TickSignals signals;
      for (const EquationSignal& signal : program().signals) {
        Shape shape = {streams, end - first};
        if (signal.of_neurons) shape.push_back(kNeurons);
        signals.emplace(
            signal.name,
            from_values(chance.numbers(static_cast<int>(count_elements(shape)), 0.2), shape));
      }
      layer.read_signals(signals);
      seen.push_back(
          layer.process_unguarded(x.slice(1, first, end), end < kTicks).to_vector<double>());
    }
    for (const NamedArray& array : layer.arrays()) {
      seen.push_back(array.value.astype(DType::float64).to_vector<double>());
    }
    return seen;
  }
};

/// The rule by its equations, also where it has a functor; its signals come by their own names.
PlasticityRule as_text(const char* name) {
  PlasticityRule rule = rule_from_name(name);
  if (!std::holds_alternative<EquationRule>(rule)) rule = rule_from_name(name, "");
  const auto& text = std::get<EquationRule>(rule);
  EquationRuleOptions options = text.options();
  for (EquationSignalSource& signal : options.signals) {
    const bool of_neurons = signal.is_list || signal.is_labels;
    signal = {signal.name, {signal.name}, false, false, of_neurons};
  }
  return EquationRule(text.own_equations(), options);
}

/// Plays runs on the CPU, interpreted and compiled, and compares.  `force` says how blocks of
/// threads share each.
template <class Run>
void check_compiled(const std::vector<Run>& runs, double tolerance,
                    const std::function<std::optional<Kind>(std::size_t)>& force) {
  std::vector<std::vector<std::vector<double>>> expected;
  for (const Run& run : runs) expected.push_back(run.played());
  const OnEmulatedDevice emulated;
  ManyRules rules;
  const auto play = [&](std::size_t i) {
    cuda::emulated::forced_equation_kind() = force(i);
    emulator::set_schedule(static_cast<emulator::Schedule>(i % 5));
    auto seen = runs[i].played();
    emulator::set_schedule(emulator::Schedule::forward);
    cuda::emulated::forced_equation_kind().reset();
    return seen;
  };
  for (std::size_t i = 0; i < runs.size(); ++i) play(i);
  rules.compile();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO("run " << i << "\n" << std::get<EquationRule>(runs[i].options.rule).equations());
    CHECK(distance(play(i), expected[i]) < tolerance);
  }
  CHECK(rules.used() >= static_cast<int>(rules.count()));
}

}  // namespace

TEST_CASE("Rules that chance has put together, compiled, do on a GPU what they do on the CPU") {
  std::vector<ChanceRun> runs;
  std::vector<std::optional<Kind>> kinds;
  for (std::uint64_t seed = 1000; seed < few_or_many<std::uint64_t>(1006, 1300); ++seed) {
    Chance chance(seed);
    runs.emplace_back(chance);
    kinds.push_back(
        chance.of<std::optional<Kind>>({std::nullopt, Kind::owners, Kind::one_block, Kind::ticks}));
  }
  for (std::size_t first = 0; first < runs.size(); first += 20) {
    const std::size_t end = std::min(runs.size(), first + 20);
    check_compiled(std::vector<ChanceRun>(runs.begin() + static_cast<std::ptrdiff_t>(first),
                                          runs.begin() + static_cast<std::ptrdiff_t>(end)),
                   1e-10, [&](std::size_t i) { return kinds[first + i]; });
  }
}

TEST_CASE("Replicas under a compiled rule take one launch, and are what each is alone") {
  constexpr int replicas = 3, neurons = 9, inputs = 40, ticks = 20;
  const OnEmulatedDevice emulated;
  const auto made = [](int number) {
    return HebbianLayer(inputs, neurons,
                        {.rule = EquationRule("m = m + 0.1*(y - m)\ndw = rate*y*(q - y*w)",
                                              {.parameters = {{"rate", 0.01 * (1 + number)}},
                                               .traces = {{"q", 2.0 + number}}}),
                         .random = {1, static_cast<std::uint64_t>(number)}});
  };
  Chance chance(5);
  const Array x =
      from_values(chance.numbers(replicas * ticks * inputs, 0.4), {replicas, ticks, inputs})
          .astype(DType::float32);
  const auto play = [&](bool together) {
    std::vector<HebbianLayer> layers;
    for (int r = 0; r < replicas; ++r) layers.push_back(made(r));
    std::vector<Layer*> all;
    for (HebbianLayer& layer : layers) all.push_back(&layer);
    std::vector<std::vector<float>> seen;
    if (together) {
      const std::int64_t before = emulator::launches();
      layers.front().process_replicas(all, x, true);
      CHECK(emulator::launches() - before < replicas * 2);
    }
    for (int r = 0; r < replicas; ++r) {
      HebbianLayer& layer = layers[static_cast<std::size_t>(r)];
      if (!together) layer.process(x.slice(0, r, r + 1), true);
      for (const NamedArray& array : layer.arrays()) {
        seen.push_back(array.value.astype(DType::float32).to_vector<float>());
      }
    }
    return seen;
  };
  ManyRules rules;
  play(false);
  rules.compile();
  const auto alone = play(false);
  const int of_alone = rules.used();
  CHECK(play(true) == alone);
  CHECK(rules.used() == of_alone + 1);  // one kernel is asked for, that of all
}

TEST_CASE("Bugs planted in the kernel of compiled rules are caught") {
  const std::pair<std::string, std::string> bugs[] = {
      {"", ""},
      {"__syncthreads();  // all warps have left theirs", ""},
      {"__syncthreads();  // the tile is there", ""},
      {"__syncthreads();  // the tile may be written again", ""},
      {"wait_for_copy_groups<1>();", ""},
      {"traces_before[of_trace(", "traces[of_trace("},
      {"change += share * dw;", "change += dw;"}};
  const auto few = few_or_many<std::size_t>(2, std::size(bugs));
  CatalogueRun run{"",
                   {.rule = EquationRule("theta = theta + 0.1*(y*y - theta)\n"
                                         "de = y*x - e/3\n"
                                         "dw = 0.0001*(y - theta)*q + 0.0001*e - 0.01*w",
                                         {.traces = {{"q", 3.0}}}),
                    .dtype = DType::float64},
                   2};
  for (const auto& bug : std::span(bugs, few)) {
    INFO(bug.first);
    bool is_seen = false;
    for (const int inputs : {300, 40}) {  // more than a warp holds, and less
      run.inputs = inputs;
      const std::vector<std::vector<double>> expected = run.played();
      for (const double number : expected[0]) REQUIRE(std::abs(number) < 100);  // and is compared
      const OnEmulatedDevice emulated;
      ManyRules rules;
      run.played();
      rules.compile(bug);
      for_each_schedule([&](const char*) {
        try {
          is_seen = is_seen || distance(run.played(), expected) > 1e-12;
        } catch (const Error&) {
          is_seen = true;  // by the emulator
        }
      });
    }
    CHECK(is_seen == !bug.first.empty());
  }
}

TEST_CASE("Rules of the catalogue, compiled, do on a GPU what they do on the CPU") {
  std::vector<CatalogueRun> runs;
  int number = 0;
  for (const NamedRule& named : named_rules()) {
    if (!long_tests() && number++ % 6 != 0) continue;
    runs.push_back(
        {named.name, {.rule = as_text(named.name), .dtype = DType::float64}, 1 + number % 2});
  }
  check_compiled(runs, 1e-12, [](std::size_t) { return std::nullopt; });
}

}  // namespace gaia::test
