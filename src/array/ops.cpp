// SPDX-License-Identifier: MIT
#include "ops.h"

#include <cmath>
#include <string>

#include "apply.h"
#include "backend.h"
#include "create.h"
#include "operands.h"

namespace gaia {
namespace {

Array apply(const Unary& f, const Array& x, DType dtype, const char* function) {
  const Array input = prepare(x, dtype, function);
  Array result = Array::uninitialized(x.shape(), dtype);
  if (x.size() > 0) backend(current_device()).unary(f, input.view(), result.view());
  return result;
}

/// For functions that leave integers integers.
Array arithmetic(const Unary& f, const Array& x, const char* function) {
  if (x.dtype() == DType::boolean) {
    throw DTypeError(tag(function) + "is not defined for bool; use astype first");
  }
  return apply(f, x, computing(x.dtype()), function);
}

struct Operands {
  Array a;
  Array b;
  Shape shape;
};

Operands broadcast(const Array& a, const Array& b, DType dtype, const char* function) {
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), function);
  return {prepare(a, dtype, function).broadcast_to(shape),
          prepare(b, dtype, function).broadcast_to(shape), shape};
}

Array apply(const Binary& f, const Array& a, const Array& b, DType dtype, const char* function) {
  const Operands in = broadcast(a, b, dtype, function);
  Array result = Array::uninitialized(in.shape, dtype);
  if (result.size() > 0) {
    backend(current_device()).binary(f, in.a.view(), in.b.view(), result.view());
  }
  return result;
}

Array arithmetic(const Binary& f, const Array& a, const Array& b, const char* function) {
  const DType dtype = promote(a.dtype(), b.dtype());
  if (dtype == DType::boolean) {
    // As in NumPy: + is "or", * is "and"; the rest has no meaning.
    if (std::holds_alternative<Add>(f)) return apply(Maximum{}, a, b, dtype, function);
    if (std::holds_alternative<Multiply>(f)) return apply(Minimum{}, a, b, dtype, function);
    if (std::holds_alternative<Subtract>(f)) {
      throw DTypeError(tag(function) + "is not defined for bool; use not_equal or astype");
    }
  }
  return apply(f, a, b, dtype, function);
}

Array compare(const Comparison& f, const Array& a, const Array& b, const char* function) {
  const Operands in = broadcast(a, b, promote(a.dtype(), b.dtype()), function);
  Array result = Array::uninitialized(in.shape, DType::boolean);
  if (result.size() > 0) {
    backend(current_device()).compare(f, in.a.view(), in.b.view(), result.view());
  }
  return result;
}

/// The scalar as a 0-d array of the dtype that it takes beside `x`.
Array beside(const Array& x, Scalar scalar, const char* function) {
  if (is_floating(x.dtype())) return full({}, scalar.value, computing(x.dtype()));
  if (scalar.floating) return full({}, scalar.value, DType::float64);
  const DType own = x.dtype() == DType::int32 ? DType::int32 : DType::int64;
  if (own == DType::int32 && static_cast<std::int32_t>(scalar.integer) != scalar.integer) {
    throw ArgumentError(tag(function) + "expected a number that fits into int32, got " +
                        std::to_string(scalar.integer) + "; use astype(DType::int64) first");
  }
  return from_values(std::span<const std::int64_t>(&scalar.integer, 1), Shape{}).astype(own);
}

Array reduce(Reduction kind, const Array& x, const Axes& axes, bool keep_dims, DType dtype,
             const char* function) {
  const Axes reduced = normalize_axes(axes, x.rank(), function);
  Shape kept = x.shape();
  for (const std::int64_t axis : reduced) kept[static_cast<int>(axis)] = 1;
  Array result = Array::uninitialized(kept, dtype);
  if (x.size() == 0) {
    const bool has_identity = kind == Reduction::sum || kind == Reduction::mean;
    if (!has_identity && result.size() > 0) {
      throw ShapeError(tag(function) + "of no elements is not defined; got shape " +
                       to_string(x.shape()));
    }
    result.fill(kind == Reduction::mean ? std::nan("") : 0.0);
  } else {
    const Array input = on_current_device(x, function);
    backend(current_device()).reduce(kind, input.view(), result.view());
  }
  return keep_dims || reduced.empty() ? result : result.squeeze(reduced);
}

DType sum_result(DType dtype) { return is_floating(dtype) ? computing(dtype) : DType::int64; }

}  // namespace

Array apply(const Unary& f, const Array& x, const char* function) {
  return apply(f, x, floating_result(x.dtype()), function);
}

Array unary_gradient(const Unary& f, const Array& x, const Array& y, const Array& dy) {
  const DType dtype = x.dtype();
  if ((dtype != DType::float32 && dtype != DType::float64) || y.dtype() != dtype) {
    throw DTypeError("[unary_gradient] expected x and y both float32 or both float64, got " +
                     to_string(dtype) + " and " + to_string(y.dtype()));
  }
  if (!(x.shape() == y.shape())) {
    throw ShapeError("[unary_gradient] expected x and y of one shape, got " + to_string(x.shape()) +
                     " and " + to_string(y.shape()));
  }
  const Array in = on_current_device(x, "unary_gradient");
  const Array out = on_current_device(y, "unary_gradient");
  const Array above = prepare(dy, dtype, "unary_gradient").broadcast_to(x.shape());
  Array result = Array::uninitialized(x.shape(), dtype);
  if (x.size() > 0) {
    backend(current_device()).unary_slope(f, in.view(), out.view(), above.view(), result.view());
  }
  return result;
}

Array negative(const Array& x) { return arithmetic(Negate{}, x, "negative"); }
Array abs(const Array& x) { return arithmetic(Abs{}, x, "abs"); }
Array sign(const Array& x) { return arithmetic(Sign{}, x, "sign"); }
Array square(const Array& x) { return arithmetic(Square{}, x, "square"); }
Array sqrt(const Array& x) { return apply(Sqrt{}, x, "sqrt"); }
Array exp(const Array& x) { return apply(Exp{}, x, "exp"); }
Array log(const Array& x) { return apply(Log{}, x, "log"); }
Array tanh(const Array& x) { return apply(Tanh{}, x, "tanh"); }
Array sigmoid(const Array& x) { return apply(Sigmoid{}, x, "sigmoid"); }
Array relu(const Array& x) { return apply(Relu{}, x, "relu"); }
Array leaky_relu(const Array& x, double negative_slope) {
  return apply(LeakyRelu{negative_slope}, x, "leaky_relu");
}
Array gelu(const Array& x, GeluForm form) {
  if (form == GeluForm::exact) return apply(GeluExact{}, x, "gelu");
  return apply(GeluTanh{}, x, "gelu");
}

Array softmax(const Array& x, std::int64_t axis) {
  const int which = normalize_axis(axis, x.rank(), "softmax");
  if (x.shape(which) == 0) {
    throw ShapeError("[softmax] axis " + std::to_string(which) + " of shape " +
                     to_string(x.shape()) + " is empty");
  }
  const Array input =
      prepare(x, floating_result(x.dtype()), "softmax").swapaxes(which, -1).contiguous();
  Array result = Array::uninitialized(input.shape(), input.dtype());
  if (x.size() > 0) backend(current_device()).softmax(input.view(), result.view());
  return result.swapaxes(which, -1);
}

Array activate(Activation f, const Array& x) {
  if (f == Activation::softmax) return softmax(x, -1);
  return dispatch_activation(f, [&](auto functor) -> Array {
    if constexpr (std::is_same_v<decltype(functor), Identity>) {
      return on_current_device(x, "activate");
    } else {
      return apply(functor, x, "activate");
    }
  });
}

Array add(const Array& a, const Array& b) { return arithmetic(Add{}, a, b, "add"); }
Array subtract(const Array& a, const Array& b) { return arithmetic(Subtract{}, a, b, "subtract"); }
Array multiply(const Array& a, const Array& b) { return arithmetic(Multiply{}, a, b, "multiply"); }
Array divide(const Array& a, const Array& b) {
  return apply(Divide{}, a, b, floating_result(promote(a.dtype(), b.dtype())), "divide");
}
Array maximum(const Array& a, const Array& b) { return arithmetic(Maximum{}, a, b, "maximum"); }
Array minimum(const Array& a, const Array& b) { return arithmetic(Minimum{}, a, b, "minimum"); }
Array equal(const Array& a, const Array& b) { return compare(Equal{}, a, b, "equal"); }
Array not_equal(const Array& a, const Array& b) { return compare(NotEqual{}, a, b, "not_equal"); }
Array less(const Array& a, const Array& b) { return compare(Less{}, a, b, "less"); }
Array less_equal(const Array& a, const Array& b) {
  return compare(LessEqual{}, a, b, "less_equal");
}

Array add(const Array& a, Scalar b) { return add(a, beside(a, b, "add")); }
Array subtract(const Array& a, Scalar b) { return subtract(a, beside(a, b, "subtract")); }
Array subtract(Scalar a, const Array& b) { return subtract(beside(b, a, "subtract"), b); }
Array multiply(const Array& a, Scalar b) { return multiply(a, beside(a, b, "multiply")); }
Array divide(const Array& a, Scalar b) { return divide(a, beside(a, b, "divide")); }
Array divide(Scalar a, const Array& b) { return divide(beside(b, a, "divide"), b); }

Array sum(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::sum, x, axes, keep_dims, sum_result(x.dtype()), "sum");
}

Array mean(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::mean, x, axes, keep_dims, floating_result(x.dtype()), "mean");
}

Array max(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::max, x, axes, keep_dims, computing(x.dtype()), "max");
}

Array min(const Array& x, const Axes& axes, bool keep_dims) {
  return reduce(Reduction::min, x, axes, keep_dims, computing(x.dtype()), "min");
}

Array norm(const Array& x, const Axes& axes, bool keep_dims) {
  const DType dtype = floating_result(x.dtype());
  const Array squares = apply(Square{}, x, dtype, "norm");
  return sqrt(reduce(Reduction::sum, squares, axes, keep_dims, dtype, "norm"));
}

Array matmul(const Array& a, const Array& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    throw ShapeError("[matmul] expected at least 1 dimension, got shapes " + to_string(a.shape()) +
                     " and " + to_string(b.shape()));
  }
  const DType dtype = floating_result(promote(a.dtype(), b.dtype()));
  Array left = prepare(a, dtype, "matmul");
  Array right = prepare(b, dtype, "matmul");
  if (a.rank() == 1) left = left.expand_dims(0);
  if (b.rank() == 1) right = right.expand_dims(1);
  const std::int64_t inner = left.shape(-1);
  if (right.shape(-2) != inner) {
    throw ShapeError("[matmul] shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
                     " do not fit: " + std::to_string(inner) + " columns meet " +
                     std::to_string(right.shape(-2)) + " rows");
  }
  const auto batch_of = [](const Array& x) {
    return Shape(std::span(x.shape().begin(), static_cast<std::size_t>(x.rank() - 2)));
  };
  const Shape batch = broadcast_shapes(batch_of(left), batch_of(right), "matmul");
  const auto with_matrix = [&](std::int64_t rows, std::int64_t columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  const std::int64_t rows = left.shape(-2);
  const std::int64_t columns = right.shape(-1);
  Array result = Array::uninitialized(with_matrix(rows, columns), dtype);
  if (result.size() > 0) {
    backend(current_device())
        .matmul(left.broadcast_to(with_matrix(rows, inner)).view(),
                right.broadcast_to(with_matrix(inner, columns)).view(), result.view());
  }
  if (a.rank() == 1) result = result.squeeze({-2});
  if (b.rank() == 1) result = result.squeeze({-1});
  return result;
}

bool all_close(const Array& a, const Array& b, double relative, double absolute) {
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), "all_close");
  const std::vector<double> x = a.broadcast_to(shape).to_vector<double>();
  const std::vector<double> y = b.broadcast_to(shape).to_vector<double>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i]) continue;  // infinities too
    const bool near = std::abs(x[i] - y[i]) <= absolute + relative * std::abs(y[i]);
    if (!near || std::isinf(y[i])) return false;
  }
  return true;
}

std::int64_t first_not_finite(const Array& x) {
  if (!is_floating(x.dtype()) || x.size() == 0) return -1;
  const GPUContext there(x.device());
  const Array floats = x.astype(computing(x.dtype()));
  return backend(x.device()).first_not_finite(floats.view());
}

}  // namespace gaia
