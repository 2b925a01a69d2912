// SPDX-License-Identifier: MIT
#include "build_network.h"

#include <fmt/format.h>

#include "../../array/create.h"
#include "../../autograd/grad_mode.h"
#include "../../core/error.h"
#include "../../layers/network/bit_linear.h"
#include "../../layers/network/convolution.h"
#include "../../layers/network/dense.h"
#include "../../layers/network/normalization.h"
#include "../../layers/network/plastic.h"
#include "../../layers/network/pointwise.h"
#include "../../layers/network/recurrent.h"

namespace gaia {
namespace {

/// Adds the modules of one layer of the config.  `shape` is that of what it reads, the batch first.
struct ModuleBuilder {
  NeuralNetwork& net;
  Shape shape;
  DType dtype;
  RandomStream random;

  std::int64_t features() const { return shape[shape.rank() - 1]; }

  /// \throws ShapeError unless the layer reads samples of `axes` axes.
  void expect_axes(int axes, const char* form) const {
    if (shape.rank() == axes + 1) return;
    throw ShapeError(fmt::format("expected samples of shape {}, got {}", form,
                                 to_string(Shape(std::span(shape.begin() + 1, shape.end())))));
  }

  void activate(Activation f) {
    if (f == Activation::linear) return;
    net.add<FunctionLayer>(to_string(f), [f](const Tensor& x) { return gaia::activate(f, x); });
  }

  void operator()(const DenseConfig& c) {
    net.add<Dense>(features(), c.size,
                   DenseOptions{.activation = c.activation,
                                .bias = c.bias,
                                .init = c.init,
                                .dtype = dtype,
                                .random = random});
  }
  void operator()(const BitLinearConfig& c) {
    net.add<BitLinear>(features(), c.size, BitLinearOptions{.dtype = dtype, .random = random});
  }
  void operator()(const PlasticConfig& c) {
    net.add<PlasticModule>(features(), c.size,
                           HebbianOptions{.rule = c.layer.rule,
                                          .activation = c.layer.activation,
                                          .init = c.layer.init,
                                          .control = c.layer.control,
                                          .dtype = dtype,
                                          .random = random});
  }
  template <RecurrentKind kind>
  void operator()(const RecurrentConfig<kind>& c) {
    expect_axes(2, "[steps, features]");
    const RecurrentOptions options{.answer = c.answer, .dtype = dtype, .random = random};
    if constexpr (kind == RecurrentKind::rnn) net.add<RNN>(features(), c.size, options);
    if constexpr (kind == RecurrentKind::gru) net.add<GRU>(features(), c.size, options);
    if constexpr (kind == RecurrentKind::lstm) net.add<LSTM>(features(), c.size, options);
  }
  void operator()(const ConvConfig<1>& c) {
    expect_axes(2, "[channels, length]");
    net.add<Conv1d>(shape[1], c.channels, c.kernel,
                    Conv1dLayerOptions{.convolution = {.stride = c.stride, .padding = c.padding},
                                       .dtype = dtype,
                                       .random = random});
    activate(c.activation);
  }
  void operator()(const ConvConfig<2>& c) {
    expect_axes(3, "[channels, height, width]");
    net.add<Conv2d>(shape[1], c.channels, c.kernel,
                    Conv2dLayerOptions{.convolution = {.stride = {c.stride, c.stride},
                                                       .padding = {c.padding, c.padding}},
                                       .dtype = dtype,
                                       .random = random});
    activate(c.activation);
  }
  template <PoolKind kind>
  void operator()(const PoolConfig<1, kind>& c) {
    expect_axes(2, "[channels, length]");
    if constexpr (kind == PoolKind::max) {
      net.add<MaxPool1d>(MaxPool1dOptions{.kernel = c.kernel, .stride = c.stride});
    } else {
      net.add<AvgPool1d>(AvgPool1dOptions{.kernel = c.kernel, .stride = c.stride});
    }
  }
  template <PoolKind kind>
  void operator()(const PoolConfig<2, kind>& c) {
    expect_axes(3, "[channels, height, width]");
    const std::int64_t stride = c.stride.value_or(c.kernel);
    const Pair window{c.kernel, c.kernel};
    if constexpr (kind == PoolKind::max) {
      net.add<MaxPool2d>(MaxPool2dOptions{.kernel = window, .stride = Pair{stride, stride}});
    } else {
      net.add<AvgPool2d>(AvgPool2dOptions{.kernel = window, .stride = Pair{stride, stride}});
    }
  }
  void operator()(const FlattenConfig&) { net.add<Flatten>(); }
  void operator()(const DropoutConfig& c) {
    net.add<Dropout>(DropoutOptions{.probability = c.probability, .random = random});
  }
  void operator()(const LayerNormConfig& c) {
    net.add<LayerNorm>(features(), NormOptions{.epsilon = c.epsilon, .dtype = dtype});
  }
  void operator()(const BatchNormConfig& c) {
    const BatchNormOptions options{.epsilon = c.epsilon, .momentum = c.momentum, .dtype = dtype};
    if (shape.rank() == 4) {
      net.add<BatchNorm2d>(shape[1], options);
    } else {
      net.add<BatchNorm1d>(shape[1], options);
    }
  }
};

}  // namespace

BuiltNetwork build_network(const ExperimentConfig& config, const Shape& sample,
                           std::int64_t answers) {
  const NoGrad no_grad;
  BuiltNetwork built{std::make_shared<NeuralNetwork>(), {}, {}};
  NeuralNetwork& net = *built.net;
  net.eval();
  Shape shape = {1};
  for (const std::int64_t length : sample) shape.push_back(length);
  // A sample of zeros goes along, and finds what does not fit.
  Tensor x(zeros(shape, config.dtype));
  const std::vector<ModuleConfig>& layers = config.network->layers;
  for (std::size_t m = 0; m < layers.size(); ++m) {
    const auto random = RandomStream::named(static_cast<std::uint64_t>(config.seed),
                                            fmt::format("network/layers/{}/weights", m));
    const std::int64_t first = net.size();
    const Shape reads = x.shape();
    try {
      std::visit(ModuleBuilder{net, x.shape(), config.dtype, random}, layers[m]);
      for (std::int64_t i = first; i < net.size(); ++i) x = net[i](x);
    } catch (const Error& error) {
      throw ArgumentError(
          fmt::format("network.layers[{}]: {} cannot read what the layer before it answers: {}", m,
                      module_type(layers[m]), error.what()));
    }
    built.modules.push_back(first);
    built.shapes.push_back({reads, x.shape()});
  }
  if (!(x.shape() == Shape{1, answers})) {
    throw ArgumentError(fmt::format(
        "network.layers[{}]: expected the last layer to answer {} number{} per sample, got shape "
        "{}",
        layers.size() - 1, answers, answers == 1 ? "" : "s",
        to_string(Shape(std::span(x.shape().begin() + 1, x.shape().end())))));
  }
  net.train();
  return built;
}

}  // namespace gaia
