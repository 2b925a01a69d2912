// SPDX-License-Identifier: MIT
#include "embedding.h"

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../autograd/indexing.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "dense.h"

namespace gaia {

Embedding::Embedding(std::int64_t symbols, std::int64_t features, const EmbeddingOptions& options)
    : padding_(options.padding) {
  check_size("embedding", "symbols", symbols);
  check_size("embedding", "features", features);
  check_trainable("embedding", options.dtype);
  const Array weights = random_normal({symbols, features}, 0.0, 1.0, DType::float64, options.random)
                            .astype(options.dtype);
  if (padding_) {
    if (*padding_ < 0 || *padding_ >= symbols) {
      fail<ArgumentError>("[embedding] padding: expected an id from 0 to {}, got {}", symbols - 1,
                          *padding_);
    }
    weights[*padding_].fill(0.0);
  }
  weights_ = Tensor(weights, true);
  add("weights", weights_);
}

Tensor Embedding::forward(const Tensor& ids) {
  const Array& indices = ids.value();
  if (!is_integer(indices.dtype())) {
    fail<DTypeError>("[embedding] expected ids of int32 or int64, got {}", indices.dtype());
  }
  if (indices.size() > 0 && min(indices).item() < 0.0) {
    fail<ArgumentError>("[embedding] expected ids from 0 to {}, got a negative one",
                        weights_.shape(0) - 1);
  }
  const Tensor rows = take(weights_, indices, 0);
  if (!padding_) return rows;
  // The vectors of the padding pass, their gradients do not.
  const Array is_padding = equal(indices, *padding_).expand_dims(-1);
  return where(is_padding, rows.detach(), rows);
}

}  // namespace gaia
