// SPDX-License-Identifier: MIT
#include "ops.h"

#include "../core/message.h"
#include "apply.h"
#include "backend.h"
#include "create.h"
#include "kernel_families.h"
#include "operands.h"

namespace gaia {
namespace {

/// What computes f in `dtype`.  As in NumPy, among bool + is "or" and * is "and"; most of the rest
/// has no meaning.
Binary among(DType dtype, const Binary& f, const char* function) {
  if (dtype != DType::boolean) return f;
  if (std::holds_alternative<Add>(f)) return Maximum{};
  if (std::holds_alternative<Multiply>(f)) return Minimum{};
  if (std::holds_alternative<Maximum>(f) || std::holds_alternative<Minimum>(f)) return f;
  fail<DTypeError>("[{}] is not defined for bool; use not_equal or astype", function);
}

Array arithmetic(const Binary& f, const Array& a, const Array& b, const char* function) {
  const DType dtype = promote(a.dtype(), b.dtype());
  return apply(among(dtype, f, function), a, b, dtype, function);
}

Array floating(const Binary& f, const Array& a, const Array& b, const char* function) {
  return apply(f, a, b, floating_result(promote(a.dtype(), b.dtype())), function);
}

/// a = f(a, b), where that is of `dtype`.
const Array& in_place(const Binary& f, const Array& a, const Array& b, DType dtype,
                      const char* function) {
  if (dtype != a.dtype()) {
    fail<DTypeError>(
        "[{}] expected a result of dtype {}, that of the array, got {}; cast the other with "
        "astype, or make a new array",
        function, a.dtype(), dtype);
  }
  a.update(among(dtype, f, function), b, function);
  return a;
}

const Array& in_place(const Binary& f, const Array& a, const Array& b, const char* function) {
  const DType dtype = promote(a.dtype(), b.dtype());
  return in_place(f, a, b, std::holds_alternative<Divide>(f) ? floating_result(dtype) : dtype,
                  function);
}

const Array& in_place(const Binary& f, const Array& a, Scalar b, const char* function) {
  const GPUContext there(a.device());
  return in_place(f, a, beside(a, b, function), function);
}

struct WeightedTerms {
  Binary sum;
  DType dtype;
};
WeightedTerms weighted(Scalar p, const Array& a, Scalar q, const Array& b, const char* function) {
  const DType both = promote(a.dtype(), b.dtype());
  const WeightedSum sum{p.value, q.value, p.integer, q.integer};
  return {among(both, sum, function), dtype_beside(dtype_beside(both, p, function), q, function)};
}

/// \throws ArgumentError if b, which is an exponent of integers, is negative somewhere.
void check_exponents(const Array& a, const Array& b) {
  if (!is_integer(promote(a.dtype(), b.dtype())) || b.size() == 0) return;
  const double least = min(b).item();
  if (least < 0) {
    fail<ArgumentError>(
        "[power] expected exponents of at least 0 for integers, got {}; use astype(DType::float64) "
        "first",
        static_cast<std::int64_t>(least));
  }
}

/// The same as `beside`, but a number that int32 does not hold turns the comparison into one of
/// int64.
Array compared(const Array& x, Scalar b, const char* function) {
  const bool too_large =
      x.dtype() == DType::int32 && !b.floating && static_cast<std::int32_t>(b.integer) != b.integer;
  return too_large ? from_values(std::span<const std::int64_t>(&b.integer, 1), Shape{})
                   : beside(x, b, function);
}

Array choose(const Array& condition, const Array& a, const Array& b, DType dtype) {
  const Shape shape =
      broadcast_shapes(broadcast_shapes(a.shape(), b.shape(), "where"), condition.shape(), "where");
  const auto spread = [&](const Array& x, DType to) {
    return prepare(x, to, "where").broadcast_to(shape);
  };
  const Array holds = spread(condition, DType::boolean);
  const Array p = spread(a, dtype);
  const Array q = spread(b, dtype);
  Array result = Array::uninitialized(shape, dtype);
  if (result.size() > 0) {
    backend_for(KernelFamily::elementwise).select(holds.view(), p.view(), q.view(), result.view());
  }
  return result;
}

const Array& mask(const Array& x, const char* function) {
  if (x.dtype() != DType::boolean) {
    fail<DTypeError>("[{}] expected bool, got {}; compare first, or use logical_and and its like",
                     function, x.dtype());
  }
  return x;
}

}  // namespace

Array add(const Array& a, const Array& b) { return arithmetic(Add{}, a, b, "add"); }
Array subtract(const Array& a, const Array& b) { return arithmetic(Subtract{}, a, b, "subtract"); }
Array multiply(const Array& a, const Array& b) { return arithmetic(Multiply{}, a, b, "multiply"); }
Array floor_divide(const Array& a, const Array& b) {
  return arithmetic(FloorDivide{}, a, b, "floor_divide");
}
Array remainder(const Array& a, const Array& b) {
  return arithmetic(Remainder{}, a, b, "remainder");
}
Array fmod(const Array& a, const Array& b) { return arithmetic(Fmod{}, a, b, "fmod"); }
Array maximum(const Array& a, const Array& b) { return arithmetic(Maximum{}, a, b, "maximum"); }
Array minimum(const Array& a, const Array& b) { return arithmetic(Minimum{}, a, b, "minimum"); }
Array divide(const Array& a, const Array& b) { return floating(Divide{}, a, b, "divide"); }
Array arctan2(const Array& a, const Array& b) { return floating(Arctan2{}, a, b, "arctan2"); }
Array hypot(const Array& a, const Array& b) { return floating(Hypot{}, a, b, "hypot"); }
Array logaddexp(const Array& a, const Array& b) { return floating(LogAddExp{}, a, b, "logaddexp"); }
Array power(const Array& a, const Array& b) {
  check_exponents(a, b);
  return arithmetic(Power{}, a, b, "power");
}

Array add(const Array& a, Scalar b) { return add(a, beside(a, b, "add")); }
Array subtract(const Array& a, Scalar b) { return subtract(a, beside(a, b, "subtract")); }
Array subtract(Scalar a, const Array& b) { return subtract(beside(b, a, "subtract"), b); }
Array multiply(const Array& a, Scalar b) { return multiply(a, beside(a, b, "multiply")); }
Array divide(const Array& a, Scalar b) { return divide(a, beside(a, b, "divide")); }
Array divide(Scalar a, const Array& b) { return divide(beside(b, a, "divide"), b); }
Array floor_divide(const Array& a, Scalar b) {
  return floor_divide(a, beside(a, b, "floor_divide"));
}
Array floor_divide(Scalar a, const Array& b) {
  return floor_divide(beside(b, a, "floor_divide"), b);
}
Array remainder(const Array& a, Scalar b) { return remainder(a, beside(a, b, "remainder")); }
Array remainder(Scalar a, const Array& b) { return remainder(beside(b, a, "remainder"), b); }
Array fmod(const Array& a, Scalar b) { return fmod(a, beside(a, b, "fmod")); }
Array fmod(Scalar a, const Array& b) { return fmod(beside(b, a, "fmod"), b); }
Array maximum(const Array& a, Scalar b) { return maximum(a, beside(a, b, "maximum")); }
Array minimum(const Array& a, Scalar b) { return minimum(a, beside(a, b, "minimum")); }
Array power(const Array& a, Scalar b) {
  const bool is_float = a.dtype() == DType::float32 || a.dtype() == DType::float64;
  const bool is_whole = !b.floating && a.dtype() != DType::boolean;
  if (b.value == 2.0 && (is_float || is_whole)) return square(a);
  return power(a, beside(a, b, "power"));
}
Array power(Scalar a, const Array& b) { return power(beside(b, a, "power"), b); }

const Array& operator+=(const Array& a, const Array& b) {
  return in_place(Add{}, a, b, "operator+=");
}
const Array& operator+=(const Array& a, Scalar b) { return in_place(Add{}, a, b, "operator+="); }
const Array& operator-=(const Array& a, const Array& b) {
  return in_place(Subtract{}, a, b, "operator-=");
}
const Array& operator-=(const Array& a, Scalar b) {
  return in_place(Subtract{}, a, b, "operator-=");
}
const Array& operator*=(const Array& a, const Array& b) {
  return in_place(Multiply{}, a, b, "operator*=");
}
const Array& operator*=(const Array& a, Scalar b) {
  return in_place(Multiply{}, a, b, "operator*=");
}
const Array& operator/=(const Array& a, const Array& b) {
  return in_place(Divide{}, a, b, "operator/=");
}
const Array& operator/=(const Array& a, Scalar b) { return in_place(Divide{}, a, b, "operator/="); }

Array weighted_sum(Scalar p, const Array& a, Scalar q, const Array& b) {
  const WeightedTerms terms = weighted(p, a, q, b, "weighted_sum");
  return apply(terms.sum, a, b, terms.dtype, "weighted_sum");
}

const Array& update_weighted(Scalar p, const Array& a, Scalar q, const Array& b) {
  const WeightedTerms terms = weighted(p, a, q, b, "update_weighted");
  return in_place(terms.sum, a, b, terms.dtype, "update_weighted");
}

Array equal(const Array& a, const Array& b) { return compare(Equal{}, a, b, "equal"); }
Array not_equal(const Array& a, const Array& b) { return compare(NotEqual{}, a, b, "not_equal"); }
Array less(const Array& a, const Array& b) { return compare(Less{}, a, b, "less"); }
Array less_equal(const Array& a, const Array& b) {
  return compare(LessEqual{}, a, b, "less_equal");
}
Array logical_and(const Array& a, const Array& b) {
  return compare(LogicalAnd{}, a, b, "logical_and");
}
Array logical_or(const Array& a, const Array& b) {
  return compare(LogicalOr{}, a, b, "logical_or");
}
Array logical_xor(const Array& a, const Array& b) {
  return compare(LogicalXor{}, a, b, "logical_xor");
}
Array greater(const Array& a, const Array& b) { return compare(Less{}, b, a, "greater"); }
Array greater_equal(const Array& a, const Array& b) {
  return compare(LessEqual{}, b, a, "greater_equal");
}
Array equal(const Array& a, Scalar b) { return equal(a, compared(a, b, "equal")); }
Array not_equal(const Array& a, Scalar b) { return not_equal(a, compared(a, b, "not_equal")); }
Array less(const Array& a, Scalar b) { return less(a, compared(a, b, "less")); }
Array less_equal(const Array& a, Scalar b) { return less_equal(a, compared(a, b, "less_equal")); }
Array greater(const Array& a, Scalar b) { return greater(a, compared(a, b, "greater")); }
Array greater_equal(const Array& a, Scalar b) {
  return greater_equal(a, compared(a, b, "greater_equal"));
}

Array operator&(const Array& a, const Array& b) {
  return logical_and(mask(a, "operator&"), mask(b, "operator&"));
}
Array operator|(const Array& a, const Array& b) {
  return logical_or(mask(a, "operator|"), mask(b, "operator|"));
}
Array operator^(const Array& a, const Array& b) {
  return logical_xor(mask(a, "operator^"), mask(b, "operator^"));
}
Array operator~(const Array& x) { return logical_not(mask(x, "operator~")); }

Array where(const Array& condition, const Array& a, const Array& b) {
  return choose(condition, a, b, promote(a.dtype(), b.dtype()));
}
Array where(const Array& condition, const Array& a, Scalar b) {
  return where(condition, a, beside(a, b, "where"));
}
Array where(const Array& condition, Scalar a, const Array& b) {
  return where(condition, beside(b, a, "where"), b);
}
Array where(const Array& condition, Scalar a, Scalar b) {
  const bool floating = a.floating || b.floating;
  const Array like = zeros({}, floating ? DType::float32 : DType::int64);
  return where(condition, beside(like, a, "where"), beside(like, b, "where"));
}

Array matmul(const Array& a, const Array& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    fail<ShapeError>("[matmul] expected at least 1 dimension, got shapes {} and {}", a.shape(),
                     b.shape());
  }
  // Products of bfloat16 numbers are exact in float32, so that they need not be widened before.
  const bool are_halves = a.dtype() == DType::bfloat16 && b.dtype() == DType::bfloat16;
  const DType dtype = promote(a.dtype(), b.dtype());
  Array left = prepare(a, are_halves ? DType::bfloat16 : dtype, "matmul");
  Array right = prepare(b, are_halves ? DType::bfloat16 : dtype, "matmul");
  if (a.rank() == 1) left = left.expand_dims(0);
  if (b.rank() == 1) right = right.expand_dims(1);
  const std::int64_t inner = left.shape(-1);
  if (right.shape(-2) != inner) {
    fail<ShapeError>("[matmul] shapes {} and {} do not fit: {} columns meet {} rows", a.shape(),
                     b.shape(), inner, right.shape(-2));
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
    backend_for(KernelFamily::matmul)
        .matmul(left.broadcast_to(with_matrix(rows, inner)).view(),
                right.broadcast_to(with_matrix(inner, columns)).view(), result.view(),
                matmul_precision());
  }
  if (a.rank() == 1) result = result.squeeze({-2});
  if (b.rank() == 1) result = result.squeeze({-1});
  return result;
}

std::int64_t first_not_finite(const Array& x) {
  if (!is_floating(x.dtype()) || x.size() == 0) return -1;
  const GPUContext there(x.device());
  const Array floats = x.astype(computing(x.dtype()));
  return backend(x.device()).first_not_finite(floats.view());
}

}  // namespace gaia
