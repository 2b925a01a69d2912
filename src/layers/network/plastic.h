// SPDX-License-Identifier: MIT
/// \file
/// A layer that learns by a plasticity rule among layers that learn by gradients.
#pragma once

#include <vector>

#include "../hierarchy/hebbian.h"
#include "module.h"
#include "module_kind.h"

namespace gaia {

/// y = f(W x) with a HebbianLayer's W.  Gradients flow through it, dx = W^T (f'(z) dy) with the
/// weights that made the output, and do not touch W; while training, W follows its rule at every
/// call, unless HebbianOptions::learn is false.
///
/// x [batch, inputs]: the samples of a batch see the same weights, and the update is
/// the mean of theirs.  x [batch, steps, inputs]: so at every step, one after the other.  "weights"
/// and the rule's memories, by their names, are buffers.
class PlasticModule final : public Module {
 public:
  PlasticModule(std::int64_t inputs, std::int64_t outputs, const HebbianOptions& options = {});

  std::string type() const override { return "plastic"; }
  Tensor forward(const Tensor& x) override;

  const Plasticity& plasticity() const { return plasticity_; }
  const Array& weights() const { return weights_; }

 private:
  /// Computes the outputs for samples [batch, steps, inputs] and learns from them.
  Array learn_from(const Array& samples);

  std::int64_t inputs_;
  bool learns_;
  Plasticity plasticity_;
  Array weights_;
  std::vector<Array> memories_;  // each [outputs]
};

/// As an experiment has it: type: hebbian.
struct PlasticKind {
  std::int64_t size = 0;
  HebbianOptions options = {.random = {}};

  static constexpr const char* name = HebbianOptions::name;
  void keys(ConfigVisitor& v) {
    v.integer(kSizeKey, size, kNeurons);
    options.keys(v);
  }
  void add_to(const ModulePlace& place) const {
    place.net.add<PlasticModule>(place.features(), size, placed(options, place));
  }
};

}  // namespace gaia
