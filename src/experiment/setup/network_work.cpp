// SPDX-License-Identifier: MIT
#include "network_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/tensor.h"
#include "../../core/text.h"
#include "../../layers/network/convolution.h"
#include "../../layers/network/plastic.h"
#include "../../layers/network/recurrent.h"
#include "build_network.h"
#include "training_data.h"

namespace gaia {
namespace {

constexpr double kTestBatch = 256.0;

/// Numbers in a shape whose first axis is a batch of one.
double count(const Shape& shape) {
  double numbers = 1.0;
  for (const std::int64_t length : shape) numbers *= static_cast<double>(length);
  return numbers;
}

/// How often batches of one size go through the network.
struct Passage {
  double batch;
  double calls;
  bool trains;
};

/// One layer of the network.
struct LayerWork {
  const ExperimentConfig& config;
  std::vector<WorkPart>& parts;
  std::string name;
  const BuiltNetwork::Passed& shapes;
  const std::vector<Tensor>& parameters;
  Passage passage;

  double number() const { return static_cast<double>(size_of(config.dtype)); }
  /// Products of a training step: the answer, and the gradients of weights and input.
  double passes_through() const { return passage.trains ? 3.0 : 1.0; }

  /// Every matrix of weights, applied `positions` times to a sample, in `calls` calls.
  void add_products(double positions, double calls) const {
    for (const Tensor& parameter : parameters) {
      if (parameter.shape().rank() < 2) continue;
      const std::int64_t outputs = parameter.shape()[0];
      parts.push_back(
          {name, Products{.m = static_cast<std::int64_t>(std::max(1.0, passage.batch * positions)),
                          .n = outputs,
                          .k = parameter.size() / std::max<std::int64_t>(1, outputs),
                          .dtype = config.dtype,
                          .calls = passes_through() * calls * passage.calls}});
    }
  }
  void add_passes(double operations, double numbers) const {
    parts.push_back({name, Passes{.bytes = numbers * passage.batch * number(),
                                  .calls = operations * passes_through() * passage.calls}});
  }

  /// Neighbourhoods: the weights meet every position of the answer.
  void add_convolution() const {
    add_products(count(shapes.answers) / static_cast<double>(shapes.answers[1]), 1.0);
    add_passes(2.0, count(shapes.answers));
  }
  void add_recurrent(std::int64_t size, double operations) const {
    // One step after the other, each of some operations on a vector.
    const auto steps = static_cast<double>(shapes.reads[1]);
    add_products(1.0, steps);
    add_passes(operations * steps, 3.0 * static_cast<double>(size));
  }
  void add_plastic(const PlasticKind& c) const {
    const bool coupled = std::holds_alternative<CoupledRule>(c.options.rule);
    const auto inputs = shapes.reads[shapes.reads.rank() - 1];
    const double samples = count(shapes.reads) / static_cast<double>(inputs) * passage.batch;
    parts.push_back({name, Ticks{.kind = coupled ? TickKind::coupled : TickKind::chunkwise,
                                 .outputs = c.size,
                                 .inputs = inputs,
                                 .dtype = config.dtype,
                                 .ticks = samples * passage.calls,
                                 .calls = passage.calls}});
  }
  /// Everything that maps the last axis, or has no weights.
  void add_rest() const {
    const double last = static_cast<double>(shapes.reads[shapes.reads.rank() - 1]);
    add_products(count(shapes.reads) / last, 1.0);
    add_passes(2.0, count(shapes.reads) + count(shapes.answers));
  }

  void add(const Kind<ModuleKind>& kind) const {
    if (kind.get_if<Conv1dKind>() != nullptr || kind.get_if<Conv2dKind>() != nullptr) {
      add_convolution();
    } else if (const auto* rnn = kind.get_if<RecurrentKind<RNN>>()) {
      add_recurrent(rnn->size, 3.0);
    } else if (const auto* gru = kind.get_if<RecurrentKind<GRU>>()) {
      add_recurrent(gru->size, 12.0);
    } else if (const auto* lstm = kind.get_if<RecurrentKind<LSTM>>()) {
      add_recurrent(lstm->size, 12.0);
    } else if (const auto* plastic = kind.get_if<PlasticKind>()) {
      add_plastic(*plastic);
    } else {
      add_rest();
    }
  }
};

std::vector<Tensor> parameters_of(const BuiltNetwork& network, std::size_t layer) {
  const std::int64_t first = network.modules[layer];
  const std::int64_t end =
      layer + 1 < network.modules.size() ? network.modules[layer + 1] : network.net->size();
  std::vector<Tensor> parameters;
  for (std::int64_t i = first; i < end; ++i) {
    for (const Tensor& parameter : (*network.net)[i].parameters()) parameters.push_back(parameter);
  }
  return parameters;
}

}  // namespace

Work network_work(const Experiment& experiment) {
  // Wherever the run computes: its shapes are the same.
  const GPUContext scope(Device::cpu());
  const ExperimentConfig& config = experiment.config;
  const NetworkConfig& network = *config.network;
  const BuiltNetwork built =
      build_network(config, sample_shape(experiment), answer_size(experiment));
  const SampleCounts counts = sample_counts(experiment);
  const auto number = static_cast<double>(size_of(config.dtype));
  const auto train = static_cast<double>(counts.train);
  const auto test = static_cast<double>(counts.test);
  const auto epochs = static_cast<double>(network.epochs);
  const double batch = std::min(train, static_cast<double>(network.batch_size));
  const double test_batch = std::min(test, kTestBatch);
  const Passage training{batch, batch > 0.0 ? std::ceil(train / batch) * epochs : 0.0, true};
  // After every epoch, and at the end for the loss and for the answers.
  const Passage testing{
      test_batch, test_batch > 0.0 ? std::ceil(test / test_batch) * (epochs + 2.0) : 0.0, false};

  Work work{.name = fmt::format("{}: a network, {} epochs of {} samples in batches of {}",
                                config.experiment, network.epochs, grouped(counts.train),
                                network.batch_size)};
  const auto parameters = static_cast<double>(built.net->parameter_count());
  const double sample = count(built.shapes.front().reads);
  const double data = (train + test) * sample * number;
  work.operands.push_back({data, Device::cpu()});
  double activations = 0.0;
  for (const BuiltNetwork::Passed& shapes : built.shapes) {
    activations += count(shapes.reads) + count(shapes.answers);
  }
  // Data; parameters, gradients and the optimiser's two memories; answers and their gradients.
  work.memory_bytes =
      data + number * (4.0 * parameters + 2.0 * activations * std::max(batch, test_batch));
  for (const Passage& passage : {training, testing}) {
    if (passage.calls == 0.0) continue;
    const char* what = passage.trains ? "training" : "testing";
    work.parts.push_back(
        {fmt::format("{} batches", what),
         Passes{.bytes = 2.0 * passage.batch * sample * number, .calls = passage.calls}});
    for (std::size_t m = 0; m < network.layers.size(); ++m) {
      const std::string name = fmt::format("{} layer {} {}", what, m, network.layers[m]->name());
      LayerWork{config, work.parts, name, built.shapes[m], parameters_of(built, m), passage}.add(
          network.layers[m]);
    }
    // The loss, of a few operations on small arrays.
    work.parts.push_back(
        {fmt::format("{} loss", what),
         Passes{.bytes = passage.batch * 2.0 * number * count(built.shapes.back().answers),
                .calls = 8.0 * passage.calls}});
  }
  work.parts.push_back(
      {"optimiser", Passes{.bytes = 7.0 * parameters * number, .calls = training.calls}});
  work.parts.push_back({"losses to the host", HostTraffic{.down = 8.0, .calls = 2.0 * epochs}});
  return work;
}

}  // namespace gaia
