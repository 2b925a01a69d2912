// SPDX-License-Identifier: MIT
/// \file
/// Modules one behind the other: the network that most programs build.
///
///     NeuralNetwork net;
///     net.add<Dense>(784, 128).add<ReluLayer>().add<Dense>(128, 10);
///     Tensor logits = net(images);
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "module.h"

namespace gaia {

struct History;

/// Each module reads the output of the one before it.  Children are called "0", "1", ...
class Sequential final : public Module {
 public:
  std::string type() const override { return "sequential"; }
  Tensor forward(const Tensor& x) override;

  /// Whether it computes in mixed precision from now on: what modules pass on, the input and the
  /// weights that are read in products are rounded to bfloat16 and kept so for gradients, while
  /// parameters, their gradients, sums and the last answer are float32
  /// (autograd/mixed_precision.h). In training and evaluation alike; inputs that are not float32
  /// are read as they are.
  void set_mixed_precision(bool mixed) { is_mixed_ = mixed; }
  bool is_mixed_precision() const { return is_mixed_; }

  /// Puts a module at the end, in the network's mode (training or not).
  Sequential& add(std::shared_ptr<Module> module);
  /// Makes one of type M from its constructor's arguments.
  template <std::derived_from<Module> M, class... Arguments>
  Sequential& add(Arguments&&... arguments) {
    return add(std::make_shared<M>(std::forward<Arguments>(arguments)...));
  }

  std::int64_t size() const { return static_cast<std::int64_t>(children().size()); }
  /// \throws ArgumentError if there is no such module.
  Module& operator[](std::int64_t index) const;

  /// Trains on samples x [n, ...] and targets y, as NeuralNetwork.fit of the guides: by Adam, in
  /// batches of 32 in random order (of the program's seed), on cross_entropy where y holds
  /// integers, which are classes then, else on mse.  gaia::fit does it in any other way.
  /// \throws as gaia::fit (training/fit.h, which has History).
  History fit(const Array& x, const Array& y, std::int64_t epochs = 10,
              double learning_rate = 0.001);

  /// One line per module: name, type, parameters.
  std::string summary() const;

 private:
  bool is_mixed_ = false;
};

using NeuralNetwork = Sequential;

}  // namespace gaia
