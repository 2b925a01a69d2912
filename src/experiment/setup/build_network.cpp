// SPDX-License-Identifier: MIT
#include "build_network.h"

#include <fmt/format.h>

#include "../../array/create.h"
#include "../../autograd/grad_mode.h"
#include "../../core/error.h"

namespace gaia {
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
  const std::vector<Kind<ModuleKind>>& layers = config.network()->layers;
  for (std::size_t m = 0; m < layers.size(); ++m) {
    const auto random = RandomStream::named(static_cast<std::uint64_t>(config.seed),
                                            fmt::format("network/layers/{}/weights", m));
    const std::int64_t first = net.size();
    const Shape reads = x.shape();
    try {
      layers[m]->add_to({net, x.shape(), config.dtype, random});
      for (std::int64_t i = first; i < net.size(); ++i) x = net[i](x);
    } catch (const Error& error) {
      throw ArgumentError(
          fmt::format("network.layers[{}]: {} cannot read what the layer before it answers: {}", m,
                      layers[m]->name(), error.what()));
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
  net.set_mixed_precision(config.precision == MatmulPrecision::bfloat16 &&
                          config.dtype == DType::float32);
  return built;
}

}  // namespace gaia
