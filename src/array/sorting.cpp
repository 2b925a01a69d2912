// SPDX-License-Identifier: MIT
#include "sorting.h"

#include "../core/message.h"
#include "backend.h"
#include "create.h"
#include "indexing.h"
#include "joining.h"
#include "kernel_families.h"
#include "operands.h"
#include "ops.h"

namespace gaia {
namespace {

/// x on the current device as the backend sorts it, the axis last.
Array with_axis_last(const Array& x, int axis, const char* function) {
  return prepare(x, computing(x.dtype()), function).swapaxes(axis, -1);
}

/// argsort, cut after the first `count` places along the axis.
Array first_places(const Array& x, int axis, SortOrder order, std::int64_t count,
                   const char* function) {
  const Array input = with_axis_last(x, axis, function);
  Shape shape = input.shape();
  shape.back() = count;
  const Array result = Array::uninitialized(shape, DType::int64);
  if (result.size() > 0)
    backend_for(KernelFamily::sorting).argsort(order, input.view(), result.view());
  return result.swapaxes(axis, -1);
}

/// Which elements of an ascending 1-d array, that is not empty, differ from the one before.
Array firsts_of_equals(const Array& sorted) {
  const Array before = sorted.slice(0, 0, -1);
  Array steps = not_equal(before, sorted.slice(0, 1));
  // NaN differs from itself, so that only the step from a number to what follows counts.
  if (is_floating(sorted.dtype())) steps = logical_and(steps, equal(before, before));
  return concatenate({ones({1}, DType::boolean), steps});
}

}  // namespace

Array sort(const Array& x, std::int64_t axis, SortOrder order) {
  const int which = normalize_axis(axis, x.rank(), "sort");
  const Array input = with_axis_last(x, which, "sort");
  const Array result = Array::uninitialized(input.shape(), input.dtype());
  if (x.size() > 0) backend_for(KernelFamily::sorting).sort(order, input.view(), result.view());
  return result.swapaxes(which, -1).astype(x.dtype());
}

Array argsort(const Array& x, std::int64_t axis, SortOrder order) {
  if (x.rank() == 0) return argsort(at_least_1d(x), axis, order);
  const int which = normalize_axis(axis, x.rank(), "argsort");
  return first_places(x, which, order, x.shape(which), "argsort");
}

TopK top_k(const Array& x, std::int64_t k, std::int64_t axis, bool largest) {
  const int which = normalize_axis(axis, x.rank(), "top_k");
  if (k < 0 || k > x.shape(which)) {
    fail<ArgumentError>("[top_k] expected k of 0 to {}, the length of axis {}, got {}",
                        x.shape(which), which, k);
  }
  const SortOrder order = largest ? SortOrder::descending : SortOrder::ascending;
  const Array here = on_current_device(x, "top_k");
  const Array indices = first_places(here, which, order, k, "top_k");
  return {take_along_axis(here, indices, which), indices};
}

Array searchsorted(const Array& sorted, const Array& values, Side side) {
  if (sorted.rank() != 1) {
    fail<ShapeError>("[searchsorted] expected a 1-d array to search in, got shape {}",
                     sorted.shape());
  }
  const DType dtype = computing(promote(sorted.dtype(), values.dtype()));
  const Array among = prepare(sorted, dtype, "searchsorted");
  const Array wanted = prepare(values, dtype, "searchsorted");
  const Array result = Array::uninitialized(values.shape(), DType::int64);
  if (result.size() > 0) {
    backend_for(KernelFamily::sorting).search(side, among.view(), wanted.view(), result.view());
  }
  return result;
}

Array unique(const Array& x) {
  const Array sorted = sort(on_current_device(x, "unique").reshape({-1}));
  return x.size() < 2 ? sorted : masked_select(sorted, firsts_of_equals(sorted));
}

Distinct distinct(const Array& x) {
  const Array flat = on_current_device(x, "distinct").reshape({-1});
  const Array order = argsort(flat);
  if (x.size() == 0) return {flat.copy(), order, zeros(x.shape(), DType::int64), order};
  const Array sorted = take(flat, order);
  const Array firsts = firsts_of_equals(sorted);
  const Array starts = flatnonzero(firsts);
  const Array ends =
      concatenate({starts.slice(0, 1), full({1}, static_cast<double>(x.size()), DType::int64)});
  const Array inverse = zeros({x.size()}, DType::int64);
  index_assign(inverse, order, cumsum(firsts) - 1);
  return {take(sorted, starts), take(order, starts), inverse.reshape(x.shape()), ends - starts};
}

}  // namespace gaia
