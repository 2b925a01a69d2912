// SPDX-License-Identifier: MIT
/// \file
/// A table of vectors, one for each symbol.
#pragma once

#include <optional>

#include "../../core/random.h"
#include "module.h"

namespace gaia {

struct EmbeddingOptions {
  /// A symbol that means nothing: its vector starts at 0, and stays there as long as its gradient,
  /// which is always 0, is all that moves it.
  std::optional<std::int64_t> padding = {};
  DType dtype = DType::float32;
  RandomStream random = next_stream();  ///< "weights" start standard normal.
};

/// ids [...], integers in [0, symbols), give their rows of "weights" [symbols, features]:
/// [..., features].
class Embedding final : public Module {
 public:
  Embedding(std::int64_t symbols, std::int64_t features, const EmbeddingOptions& options = {});

  std::string type() const override { return "embedding"; }
  /// \throws ArgumentError for an id out of range, DTypeError unless ids are int32 or int64.
  Tensor forward(const Tensor& ids) override;
  const Tensor& weights() const { return weights_; }

 private:
  std::optional<std::int64_t> padding_;
  Tensor weights_;
};

}  // namespace gaia
