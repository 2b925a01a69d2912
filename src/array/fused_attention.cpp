// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/message.h"
#include "../formulas/representable.h"
#include "backend.h"
#include "create.h"
#include "fused.h"
#include "fused_operands.h"
#include "operands.h"
#include "ops.h"
#include "unfused.h"

namespace gaia {
namespace {

Shape join(const Shape& leading, std::initializer_list<std::int64_t> last) {
  Shape shape = leading;
  for (const std::int64_t length : last) shape.push_back(length);
  return shape;
}

Shape leading_axes(const Array& x) {
  return Shape(std::span(x.shape().begin(), static_cast<std::size_t>(x.rank() - 2)));
}

/// Shapes that fit, and the options filled in.
struct Problem {
  Shape leading;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t size;   // numbers of a query and a key
  std::int64_t width;  // numbers of a value
  double scale;        // > 0
  double sign;         // sign of the scale that was asked for: q is multiplied by it

  Problem(const Array& q, const Array& k, const Array& v, const AttentionOptions& options,
          const char* function) {
    const bool fits = q.rank() >= 2 && k.rank() >= 2 && v.rank() >= 2 &&
                      q.shape(-1) == k.shape(-1) && k.shape(-2) == v.shape(-2);
    if (!fits) {
      fail<ShapeError>(
          "[{}] expected q [..., T, d], k [..., S, d] and v [..., S, dv], got {}, {} and {}",
          function, q.shape(), k.shape(), v.shape());
    }
    leading = broadcast_shapes(broadcast_shapes(leading_axes(q), leading_axes(k), function),
                               leading_axes(v), function);
    queries = q.shape(-2);
    keys = k.shape(-2);
    size = q.shape(-1);
    width = v.shape(-1);
    const double root = std::sqrt(static_cast<double>(std::max<std::int64_t>(1, size)));
    const double wanted = options.scale.value_or(1.0 / root);
    sign = wanted < 0.0 ? -1.0 : wanted == 0.0 ? 0.0 : 1.0;
    scale = wanted == 0.0 ? 1.0 : std::abs(wanted);
    check_representable(message("[{}] scale", function), scale,
                        common_dtype({q.dtype(), k.dtype(), v.dtype()}));
    if (!options.key_lengths) return;
    const Array& lengths = *options.key_lengths;
    if (!is_integer(lengths.dtype())) {
      fail<DTypeError>("[{}] expected integer key_lengths, got {}; use astype(DType::int64)",
                       function, lengths.dtype());
    }
    broadcast_strides(lengths.shape(), lengths.strides(), leading, function);
  }

  Shape y_shape() const { return join(leading, {queries, width}); }
  Shape row_shape() const { return join(leading, {queries}); }
  /// q, or a gradient by it, whose scores the positive scale multiplies.
  Array signed_by_scale(const Array& q) const {
    return sign == 1.0 ? q : (q * sign).astype(floating_result(q.dtype()));
  }
};

void check_backward(const Problem& problem, const Array& dy, const AttentionResult& forward) {
  check_shape(dy, problem.y_shape(), "dy", "attention_backward");
  check_shape(forward.y, problem.y_shape(), "y", "attention_backward");
  check_shape(forward.largest, problem.row_shape(), "largest", "attention_backward");
  check_shape(forward.sum, problem.row_shape(), "sum", "attention_backward");
}

/// x [..., rows, columns] as a backend reads it: rows that are contiguous, leading axes broadcast.
class Matrices {
 public:
  Matrices(const Array& x, const Shape& leading, DType dtype, const char* function)
      : array_(prepare(x, dtype, function)) {
    const View view = array_.view();
    const int row = array_.rank() - 2;
    const bool is_usable = (view.shape[row + 1] <= 1 || view.strides[row + 1] == 1) &&
                           (view.shape[row] <= 1 || view.strides[row] >= 1);
    if (!is_usable) array_ = array_.contiguous();
    array_ = array_.broadcast_to(join(leading, {x.shape(-2), x.shape(-1)}));
  }
  View view() const { return array_.view(); }

 private:
  Array array_;
};

/// What both directions read; keeps it alive.
struct Inputs {
  Matrices q;
  Matrices k;
  Matrices v;
  std::optional<Array> key_lengths;

  Inputs(const Array& of_q, const Array& of_k, const Array& of_v, const Problem& problem,
         const AttentionOptions& options, DType dtype, const char* function)
      : q(problem.signed_by_scale(of_q), problem.leading, dtype, function),
        k(of_k, problem.leading, dtype, function),
        v(of_v, problem.leading, dtype, function) {
    if (options.key_lengths) {
      key_lengths = on_current_device(*options.key_lengths, function)
                        .astype(DType::int64)
                        .broadcast_to(problem.leading);
    }
  }

  AttentionInputs views(const Problem& problem, const AttentionOptions& options) const {
    return {.scale = problem.scale,
            .causal = options.causal,
            .precision = matmul_precision(),
            .q = q.view(),
            .k = k.view(),
            .v = v.view(),
            .key_lengths = view_of(key_lengths)};
  }
};

DType dtype_of_all(const Array& q, const Array& k, const Array& v) {
  return common_dtype({q.dtype(), k.dtype(), v.dtype()});
}

/// Whether the current device's kernel for gradients takes these as they are, of bfloat16.
bool takes_halves(const Array& q, const Array& k, const Array& v) {
  return dtype_of_all(q, k, v) == DType::bfloat16 &&
         backend(current_device())
             .why_not_fused(FusedKernel::attention_backward, DType::bfloat16)
             .empty();
}

/// Weights of the plain composition, and what goes with them.
struct Weights {
  Array p;        // [..., T, S]
  Array largest;  // [..., T]
  Array sum;      // [..., T]
};

/// 1 where a query sees a key, else 0, broadcasting to [..., T, S]; none if all see all.
std::optional<Array> mask_of(const Problem& problem, const AttentionOptions& options, DType dtype) {
  const Array keys = arange(problem.keys);
  std::optional<Array> mask;
  if (options.causal) {
    mask = less_equal(keys, arange(problem.queries).expand_dims(1)).astype(dtype);
  }
  if (options.key_lengths) {
    const Array lengths = options.key_lengths->expand_dims(-1).expand_dims(-1);
    const Array there = less(keys, lengths).astype(dtype);
    mask = mask ? *mask * there : there;
  }
  return mask;
}

Weights weights_of(const Array& q, const Array& k, const Problem& problem,
                   const AttentionOptions& options) {
  Array scores = matmul(problem.signed_by_scale(q), k.swapaxes(-1, -2));
  const auto mask = mask_of(problem, options, scores.dtype());
  // A query without any key counts as one that sees all, until its weights are set to 0.
  std::optional<Array> blind;
  if (mask) {
    blind = 1.0 - max(*mask, {-1}, true);
    scores = scores + log(maximum(*mask, *blind));
  }
  Array largest = max(scores, {-1}, true);
  Array p = exp((scores - largest) * problem.scale);
  if (mask) p = p * *mask;
  const Array total = sum(p, {-1}, true);
  p = p / (blind ? total + *blind : total);
  if (blind) largest = largest + log(1.0 - *blind);
  const auto by_rows = [&](const Array& x) {
    return x.squeeze({-1}).broadcast_to(problem.row_shape());
  };
  return {p, by_rows(largest), by_rows(total)};
}

}  // namespace

Array attention(const Array& q, const Array& k, const Array& v, const AttentionOptions& options) {
  return attention_forward(q, k, v, options).y;
}

AttentionResult attention_forward(const Array& q, const Array& k, const Array& v,
                                  const AttentionOptions& options) {
  const Problem problem(q, k, v, options, "attention");
  const DType dtype = dtype_of_all(q, k, v);
  if (!runs_fused(FusedKernel::attention, dtype)) {
    return unfused::attention_forward(q, k, v, options);
  }
  const Inputs inputs(q, k, v, problem, options, dtype, "attention");
  const AttentionResult result = {Array::uninitialized(problem.y_shape(), computing(dtype)),
                                  Array::uninitialized(problem.row_shape(), computing(dtype)),
                                  Array::uninitialized(problem.row_shape(), computing(dtype))};
  if (result.sum.size() > 0) {
    AttentionRun run{inputs.views(problem, options), {}, {}, {}};
    run.y = result.y.view();
    run.largest = result.largest.view();
    run.sum = result.sum.view();
    backend(current_device()).attention(run);
  }
  return result;
}

AttentionGradients attention_backward(const Array& dy, const Array& q, const Array& k,
                                      const Array& v, const AttentionResult& forward,
                                      const AttentionOptions& options) {
  const char* const function = "attention_backward";
  const Problem problem(q, k, v, options, function);
  check_backward(problem, dy, forward);
  const DType dtype = common_dtype({dtype_of_all(q, k, v), dy.dtype(), forward.y.dtype(),
                                    forward.largest.dtype(), forward.sum.dtype()});
  const DType others = computing(dtype);
  const DType operands =
      takes_halves(q, k, v) && others == DType::float32 ? DType::bfloat16 : dtype;
  if (!runs_fused(FusedKernel::attention_backward, operands)) {
    return unfused::attention_backward(dy, q, k, v, forward, options);
  }
  const Inputs inputs(q, k, v, problem, options, operands, function);
  const Array slopes = dense(dy, others, function);
  const Array answers = dense(forward.y, others, function);
  const Array largest = dense(forward.largest, others, function);
  const Array sums = dense(forward.sum, others, function);
  const auto room = [&](std::int64_t rows, std::int64_t columns) {
    return Array::uninitialized(join(problem.leading, {rows, columns}), others);
  };
  const Array dq = room(problem.queries, problem.size);
  const Array dk = room(problem.keys, problem.size);
  const Array dv = room(problem.keys, problem.width);
  if (count_elements(problem.leading) > 0) {
    AttentionBackwardRun run{inputs.views(problem, options), {}, {}, {}, {}, {}, {}, {}};
    run.dy = slopes.view();
    run.y = answers.view();
    run.largest = largest.view();
    run.sum = sums.view();
    run.dq = dq.view();
    run.dk = dk.view();
    run.dv = dv.view();
    backend(current_device()).attention_backward(run);
  }
  return {sum_to_shape(problem.signed_by_scale(dq), q.shape()), sum_to_shape(dk, k.shape()),
          sum_to_shape(dv, v.shape())};
}

namespace unfused {

AttentionResult attention_forward(const Array& q, const Array& k, const Array& v,
                                  const AttentionOptions& options) {
  const Problem problem(q, k, v, options, "attention");
  if (problem.keys == 0) {
    const DType dtype = floating_result(dtype_of_all(q, k, v));
    return {zeros(problem.y_shape(), dtype),
            full(problem.row_shape(), -std::numeric_limits<double>::infinity(), dtype),
            zeros(problem.row_shape(), dtype)};
  }
  const Weights weights = weights_of(q, k, problem, options);
  return {matmul(weights.p, v), weights.largest, weights.sum};
}

AttentionGradients attention_backward(const Array& dy, const Array& q, const Array& k,
                                      const Array& v, const AttentionResult& forward,
                                      const AttentionOptions& options) {
  const Problem problem(q, k, v, options, "attention_backward");
  check_backward(problem, dy, forward);
  const DType dtype = floating_result(common_dtype({dtype_of_all(q, k, v), dy.dtype()}));
  if (problem.keys == 0) {
    return {zeros(q.shape(), dtype), zeros(k.shape(), dtype), zeros(v.shape(), dtype)};
  }
  const Array p = weights_of(q, k, problem, options).p;
  const Array dp = matmul(dy, v.swapaxes(-1, -2));
  const Array ds = p * (dp - sum(dy * forward.y, {-1}, true)) * problem.scale;
  return {sum_to_shape(problem.signed_by_scale(matmul(ds, k)), q.shape()),
          sum_to_shape(matmul(ds.swapaxes(-1, -2), problem.signed_by_scale(q)), k.shape()),
          sum_to_shape(matmul(p.swapaxes(-1, -2), dy), v.shape())};
}

}  // namespace unfused
}  // namespace gaia
