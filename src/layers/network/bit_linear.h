// SPDX-License-Identifier: MIT
/// \file
/// Linear layers whose weights are -1, 0 or 1.
#pragma once

#include <memory>

#include "../../core/random.h"
#include "../init.h"
#include "module.h"
#include "module_kind.h"
#include "ternary.h"

namespace gaia {

/// Each row of x on a grid of 2^bits steps: with s = (2^(bits - 1) - 1) / max |x|,
/// clip(round(s x), -2^(bits - 1), 2^(bits - 1) - 1) / s.
Array quantize_rows(const Array& x, std::int64_t bits);

struct BitLinearOptions {
  bool bias = false;
  std::int64_t activation_bits = 8;  ///< Bits of the inputs, 2 to 16; 0: inputs as they are.
  Init init = Init::he;              ///< Initial values of the weights behind the codes.
  DType dtype = DType::float32;
  RandomStream random = next_stream();
};

class PackedBitLinear;

/// y = gamma Q(x) T(W)^T + b: T(W) the codes of the "weights" [outputs, inputs], Q(x) the inputs on
/// their grid.  Gradients pass rounding as if it were not there (straight through), so that the
/// weights behind the codes are trained.  Ma et al. (2024), arXiv:2402.17764; Bengio, Leonard &
/// Courville (2013), arXiv:1308.3432.
class BitLinear final : public Module {
 public:
  /// \throws ArgumentError for a size below 1 or activation_bits out of range, DTypeError.
  BitLinear(std::int64_t inputs, std::int64_t outputs, const BitLinearOptions& options = {});

  std::string type() const override { return "bit_linear"; }
  Tensor forward(const Tensor& x) override;
  const Tensor& weights() const { return weights_; }

  /// Computes the same with two bits per weight.
  std::shared_ptr<PackedBitLinear> pack() const;

 private:
  BitLinearOptions options_;
  Tensor weights_;
  Tensor bias_;
};

/// A BitLinear after training.  Buffers: "packed" [outputs, ceil(inputs / 16)], "scale" and "bias".
/// Weights are unpacked some rows at a time when they are used.
class PackedBitLinear final : public Module {
 public:
  PackedBitLinear(const Ternary& weights, const Array& bias, std::int64_t activation_bits);

  std::string type() const override { return "packed_bit_linear"; }
  Tensor forward(const Tensor& x) override;

 private:
  std::int64_t inputs_;
  std::int64_t activation_bits_;
  DType dtype_;
  Array packed_;
  Array scale_;
  Array bias_;  // no elements: none
};

/// Keys in an experiment: type: bit_linear.
struct BitLinearKind {
  std::int64_t size = 0;

  static constexpr const char* name = "bit_linear";
  void keys(ConfigVisitor& v) { v.integer(kSizeKey, size, kNeurons); }
  void add_to(const ModulePlace& place) const {
    place.net.add<BitLinear>(place.features(), size, placed(BitLinearOptions{.random = {}}, place));
  }
};

}  // namespace gaia
