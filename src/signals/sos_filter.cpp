// SPDX-License-Identifier: MIT
#include "sos_filter.h"

#include <algorithm>
#include <complex>
#include <span>

#include "../array/create.h"
#include "../array/on_host.h"
#include "../autograd/function.h"
#include "../autograd/ops.h"
#include "../core/message.h"
#include "../core/parallel.h"

namespace gaia {
namespace {

constexpr std::int64_t kColumns = 6;  // numbers of a section: b0, b1, b2, a0, a1, a2

/// What filters see: series [rows, n] and states [rows, sections, 2], contiguous, in float64.
struct FilterOperands {
  std::vector<SosSection> sections;
  std::int64_t rows;
  std::int64_t n;
};

/// Number of rows that make a task of a thread: of series of one length the same for any number of
/// threads.
std::int64_t rows_of_task(const FilterOperands& f) {
  const auto work = static_cast<std::int64_t>(f.sections.size()) * std::max<std::int64_t>(f.n, 1);
  return std::max<std::int64_t>(1, 16384 / work);
}

template <class Task>
void for_rows(const FilterOperands& f, const Task& task) {
  const std::int64_t some = rows_of_task(f);
  parallel_for((f.rows + some - 1) / some, [&](std::int64_t number) {
    for (std::int64_t row = number * some; row < std::min(f.rows, (number + 1) * some); ++row) {
      task(row);
    }
  });
}

/// Filters in place, and changes the states.
void filter_rows(const FilterOperands& f, double* series, double* states) {
  const auto width = static_cast<std::int64_t>(2 * f.sections.size());
  for_rows(f, [&](std::int64_t row) {
    double* const x = series + row * f.n;
    double* const begin = states + row * width;
    for (std::int64_t t = 0; t < f.n; ++t) {
      double* state = begin;
      for (const SosSection& s : f.sections) {
        x[t] = filter_step(s, state, x[t]);
        state += 2;
      }
    }
  });
}

/// Gradients of rows: `dy` becomes that of the input and `dstates` that of the states before; what
/// comes of coefficients is added up in `dsos` [rows, sections, 6].  x and states are those before.
void differentiate_rows(const FilterOperands& f, const double* x, const double* states, double* dy,
                        double* dstates, double* dsos) {
  const auto count = static_cast<std::int64_t>(f.sections.size());
  for_rows(f, [&](std::int64_t row) {
    // The inputs of all sections, and the output of the last one: [sections + 1, n].
    std::vector<double> signals(static_cast<std::size_t>((count + 1) * f.n));
    std::copy(x + row * f.n, x + (row + 1) * f.n, signals.begin());
    for (std::int64_t i = 0; i < count; ++i) {
      double state[2] = {states[(row * count + i) * 2], states[(row * count + i) * 2 + 1]};
      const double* const from = signals.data() + i * f.n;
      double* const to = signals.data() + (i + 1) * f.n;
      for (std::int64_t t = 0; t < f.n; ++t) {
        to[t] = filter_step(f.sections[static_cast<std::size_t>(i)], state, from[t]);
      }
    }
    double* const d = dy + row * f.n;
    for (std::int64_t i = count - 1; i >= 0; --i) {
      const SosSection& s = f.sections[static_cast<std::size_t>(i)];
      const double* const in = signals.data() + i * f.n;
      const double* const out = in + f.n;
      double* const dstate = dstates + (row * count + i) * 2;
      double* const sum = dsos + (row * count + i) * kColumns;
      for (std::int64_t t = f.n - 1; t >= 0; --t) {
        // Of s0' = b1 x - a1 y + s1 and s1' = b2 x - a2 y, and y = b0 x + s0.
        const double d0 = dstate[0];
        const double d1 = dstate[1];
        const double whole = d[t] - s.a1 * d0 - s.a2 * d1;
        sum[0] += whole * in[t];
        sum[1] += d0 * in[t];
        sum[2] += d1 * in[t];
        sum[4] -= d0 * out[t];
        sum[5] -= d1 * out[t];
        d[t] = s.b0 * whole + s.b1 * d0 + s.b2 * d1;
        dstate[0] = whole;
        dstate[1] = d0;
      }
    }
  });
}

/// x with `axis` last as contiguous float64 of one's own, on the current device.
Array series_last(const Array& x, std::int64_t axis) {
  return prepare(x, DType::float64, "sosfilt").swapaxes(axis, -1).copy();
}

/// States [sections, ...] with 2 numbers along `axis` of x, as [rows..., sections, 2], and back.
/// With rank r of x, `axis` was exchanged with the last one there too.
Array states_last(const Array& state, std::int64_t axis) {
  const Array swapped = prepare(state, DType::float64, "sosfilt").swapaxes(axis + 1, -1);
  Axes axes;
  for (int i = 1; i + 1 < swapped.rank(); ++i) axes.push_back(i);
  axes.push_back(0);
  axes.push_back(swapped.rank() - 1);
  return swapped.transpose(axes).copy();
}
Array states_first(const Array& state, std::int64_t axis) {
  const int rank = state.rank();
  Axes axes = {rank - 2};
  for (int i = 0; i + 2 < rank; ++i) axes.push_back(i);
  axes.push_back(rank - 1);
  return state.transpose(axes).swapaxes(axis + 1, -1);
}

Shape shape_of_state(const Shape& x, std::int64_t axis, std::int64_t sections) {
  Shape shape = {sections};
  for (int i = 0; i < x.rank(); ++i) shape.push_back(i == axis ? 2 : x[i]);
  return shape;
}

/// A state as it is shaped in full: that of all series alike, [sections, 2], stands for each.
template <class T>
T whole_state(const T& state, const Shape& x, std::int64_t axis, std::int64_t sections) {
  const Shape wanted = shape_of_state(x, axis, sections);
  if (state.shape() == wanted) return state;
  if (!(state.shape() == Shape{sections, 2})) {
    fail<ShapeError>(
        "[sosfilt] expected a state of shape {}, or [{}, 2] for all series alike, got {}", wanted,
        sections, state.shape());
  }
  Shape between = Shape::filled(wanted.rank(), 1);
  between[0] = sections;
  between[static_cast<int>(axis) + 1] = 2;
  return state.reshape(between).broadcast_to(wanted);
}

void check_sos_shape(const Shape& shape) {
  if (shape.rank() == 2 && shape[0] > 0 && shape[1] == kColumns) return;
  fail<ShapeError>("[sosfilt] expected sections of shape [sections, 6], got {}", shape);
}

DType filtered_dtype(const Array& sos, const Array& x) {
  return floating_result(promote(sos.dtype(), x.dtype()));
}

FilterOperands operands_of(const Array& sos, const Array& series) {
  const std::int64_t n = series.shape(-1);
  return {sos_sections(sos), n > 0 ? series.size() / n : 0, n};
}

/// Filtered series and states behind, on the current device.
std::vector<Array> filtered(const Array& sos, const Array& x, const Array& state,
                            std::int64_t axis) {
  return on_host("sosfilt", [&] {
    const Array series = series_last(x, axis);
    const Array states = states_last(state, axis);
    const FilterOperands f = operands_of(sos, series);
    if (f.rows > 0) {
      filter_rows(f, series.elements<double>().data(), states.elements<double>().data());
    }
    const DType dtype = filtered_dtype(sos, x);
    return std::vector<Array>{series.swapaxes(axis, -1).astype(dtype),
                              states_first(states, axis).astype(dtype)};
  });
}

/// Gradients by sections, series and state.
std::vector<Array> filter_gradients(const Array& sos, const Array& x, const Array& state,
                                    const Array& dy, const Array& dstate, std::int64_t axis) {
  return on_host("sosfilt", [&] {
    const Array series = series_last(x, axis);
    const Array states = states_last(state, axis);
    const Array back = series_last(dy, axis);
    const Array back_states = states_last(dstate, axis);
    const FilterOperands f = operands_of(sos, series);
    const auto count = static_cast<std::int64_t>(f.sections.size());
    const Array dsos = zeros({f.rows, count, kColumns}, DType::float64);
    if (f.rows > 0) {
      differentiate_rows(f, series.elements<double>().data(), states.elements<double>().data(),
                         back.elements<double>().data(), back_states.elements<double>().data(),
                         dsos.elements<double>().data());
    }
    return std::vector<Array>{sum(dsos, {0}), back.swapaxes(axis, -1),
                              states_first(back_states, axis)};
  });
}

/// The polynomial of these roots, highest power first.
std::vector<double> polynomial(const std::vector<std::complex<double>>& roots) {
  std::vector<std::complex<double>> c = {1.0};
  for (const std::complex<double>& root : roots) {
    c.emplace_back(0.0);
    for (std::size_t i = c.size() - 1; i > 0; --i) c[i] -= root * c[i - 1];
  }
  std::vector<double> real;
  for (const std::complex<double>& one : c) real.push_back(one.real());
  return real;
}

}  // namespace

Array sos_array(std::span<const SosSection> sections) {
  std::vector<double> values;
  for (const SosSection& s : sections) {
    values.insert(values.end(), {s.b0, s.b1, s.b2, 1.0, s.a1, s.a2});
  }
  return from_values(values, {static_cast<std::int64_t>(sections.size()), kColumns});
}

std::vector<SosSection> sos_sections(const Array& sos) {
  check_sos_shape(sos.shape());
  const std::vector<double> values = sos.to_vector<double>();
  std::vector<SosSection> sections;
  for (std::size_t i = 0; i < values.size(); i += kColumns) {
    if (values[i + 3] != 1.0) {
      fail<ArgumentError>("[sosfilt] expected a0 = 1 in each section, got {}", values[i + 3]);
    }
    sections.push_back({values[i], values[i + 1], values[i + 2], values[i + 4], values[i + 5]});
  }
  return sections;
}

Array butter_sos(std::int64_t order, const std::vector<double>& edges, PassBand pass, double fs) {
  return sos_array(butterworth(order, pass, edges, fs));
}

ZerosPoles butter_zpk(std::int64_t order, const std::vector<double>& edges, PassBand pass,
                      double fs) {
  return digital_filter(butterworth_prototype(order), pass, edges, fs);
}

ZerosPoles butter_analogue_zpk(std::int64_t order, const std::vector<double>& edges,
                               PassBand pass) {
  return analogue_filter(butterworth_prototype(order), pass, edges);
}

TransferFunction transfer_function(const ZerosPoles& filter) {
  TransferFunction made{polynomial(filter.zeros), polynomial(filter.poles)};
  for (double& b : made.b) b *= filter.gain;
  return made;
}

Array sosfilt_zi(const Array& sos) {
  const std::vector<SosSection> sections = sos_sections(sos);
  return from_values(steady_state(sections), {static_cast<std::int64_t>(sections.size()), 2});
}

SosFiltered sosfilt(const Array& sos, const Array& x, const Array& state, std::int64_t axis) {
  check_sos_shape(sos.shape());
  const int which = normalize_axis(axis, x.rank(), "sosfilt");
  const std::vector<Array> made =
      filtered(sos, x, whole_state(state, x.shape(), which, sos.shape(0)), which);
  return {made[0], made[1]};
}

SosFilteredOf<Tensor> sosfilt(const Tensor& sos, const Tensor& x, const Tensor& state,
                              std::int64_t axis) {
  check_sos_shape(sos.shape());
  const int which = normalize_axis(axis, x.rank(), "sosfilt");
  const Tensor whole = whole_state(state, x.shape(), which, sos.shape(0));
  const std::vector<Tensor> made =
      record("sosfilt", {sos, x, whole}, filtered(sos.value(), x.value(), whole.value(), which),
             [which, sos = SavedArray(sos.value()), x = SavedArray(x.value()),
              state = SavedArray(whole.value())](GradientFlow& flow) {
               const std::vector<Array> d =
                   filter_gradients(flow.saved(sos), flow.saved(x), flow.saved(state),
                                    flow.gradient(0), flow.gradient(1), which);
               for (std::size_t input = 0; input < d.size(); ++input) flow.give(input, d[input]);
             });
  return {made[0], made[1]};
}

Array sosfilt(const Array& sos, const Array& x, std::int64_t axis) {
  check_sos_shape(sos.shape());
  return sosfilt(sos, x, zeros({sos.shape(0), 2}, DType::float64), axis).values;
}

Tensor sosfilt(const Tensor& sos, const Tensor& x, std::int64_t axis) {
  check_sos_shape(sos.shape());
  return sosfilt(sos, x, Tensor(zeros({sos.shape(0), 2}, DType::float64)), axis).values;
}

}  // namespace gaia
