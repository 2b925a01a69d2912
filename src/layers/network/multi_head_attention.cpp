// SPDX-License-Identifier: MIT
#include "multi_head_attention.h"

#include "../../array/create.h"
#include "../../autograd/fused.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "dense.h"

namespace gaia {

MultiHeadAttention::MultiHeadAttention(std::int64_t features, std::int64_t heads,
                                       const MultiHeadAttentionOptions& options)
    : features_(features), heads_(heads), causal_(options.causal), has_bias_(options.bias) {
  check_size("multi_head_attention", "features", features);
  check_size("multi_head_attention", "heads", heads);
  check_trainable("multi_head_attention", options.dtype);
  if (features % heads != 0) {
    fail<ArgumentError>("[multi_head_attention] heads: expected a divisor of {} features, got {}",
                        features, heads);
  }
  const auto weights = [&](const char* name, Tensor& member, Init init, std::int64_t rows) {
    const RandomStream stream = RandomStream::named(
        options.random.seed, std::string(name) + "/" + std::to_string(options.random.stream));
    member = Tensor(initial_weights(init, rows, features, options.dtype, stream), true);
    add(name, member);
  };
  const auto bias = [&](const char* name, Tensor& member, std::int64_t rows) {
    if (!has_bias_) return;
    member = Tensor(zeros({rows}, options.dtype), true);
    add(name, member);
  };
  weights("input_weights", input_weights_, Init::xavier_uniform, 3 * features);
  bias("input_bias", input_bias_, 3 * features);
  weights("output_weights", output_weights_, Init::pytorch, features);
  bias("output_bias", output_bias_, features);
}

/// The queries, keys or values of x, [batch, heads, steps, features / heads].
Tensor MultiHeadAttention::project(const Tensor& x, int part) const {
  if (x.rank() != 3 || x.shape(2) != features_) {
    fail<ShapeError>("[multi_head_attention] expected [batch, steps, {}], got shape {}", features_,
                     x.shape());
  }
  const auto mine = [&](const Tensor& all) {
    return slice(all, 0, part * features_, (part + 1) * features_);
  };
  const Tensor y = has_bias_ ? linear(x, mine(input_weights_), mine(input_bias_))
                             : linear(x, mine(input_weights_));
  return transpose(reshape(y, {x.shape(0), x.shape(1), heads_, features_ / heads_}), {0, 2, 1, 3});
}

Tensor MultiHeadAttention::attend(const Tensor& query, const Tensor& key, const Tensor& value,
                                  const std::optional<Array>& key_lengths) const {
  AttentionOptions options = {.causal = causal_};
  if (key_lengths) options.key_lengths = key_lengths->reshape({key_lengths->size(), 1});
  const Tensor heads = attention(project(query, 0), project(key, 1), project(value, 2), options);
  const Tensor joined =
      reshape(transpose(heads, {0, 2, 1, 3}), {query.shape(0), query.shape(1), features_});
  return has_bias_ ? linear(joined, output_weights_, output_bias_)
                   : linear(joined, output_weights_);
}

}  // namespace gaia
