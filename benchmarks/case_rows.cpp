// SPDX-License-Identifier: MIT
#include "case_rows.h"

#include "../src/array/random_arrays.h"

namespace gaia::bench {
namespace {

Array make_input(const Input& input, std::uint64_t which) {
  if (input.is_normal) return normal_input(input.shape, which, input.dtype);
  const RandomStream stream{7, which};
  if (input.dtype == DType::boolean) {
    return bernoulli(input.shape, (input.low + input.high) / 2.0, DType::boolean, stream);
  }
  if (input.dtype == DType::int64) {
    return randint(static_cast<std::int64_t>(input.low), static_cast<std::int64_t>(input.high),
                   input.shape, input.dtype, stream);
  }
  return random_uniform(input.shape, input.low, input.high, input.dtype, stream);
}

/// The reference of every lane, put where the lanes lie.
Doubles along_lanes(const Doubles& x, Lanes lanes, std::int64_t side, bool reduces,
                    const std::function<Doubles(const Doubles&)>& reference) {
  if (lanes == Lanes::one) return reference(x);
  const auto n = static_cast<std::size_t>(side);
  const std::size_t lane_step = lanes == Lanes::rows ? n : 1;
  const std::size_t step = lanes == Lanes::rows ? 1 : n;
  Doubles answers(reduces ? n : n * n);
  Doubles lane(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) lane[j] = x[i * lane_step + j * step];
    const Doubles answer = reference(lane);
    if (reduces) {
      answers[i] = answer.at(0);
    } else {
      for (std::size_t j = 0; j < n; ++j) answers[i * lane_step + j * step] = answer.at(j);
    }
  }
  return answers;
}

}  // namespace

double bytes_of(std::int64_t count, DType dtype) {
  return static_cast<double>(count * size_of(dtype));
}

double rounding(DType dtype, double factor) {
  if (dtype == DType::float32) return 1e-6 * factor;
  return dtype == DType::float64 ? 1e-14 * factor : 0.0;
}

Case make_case(const CaseRow& row) {
  double bytes = row.written;
  for (const Input& input : row.inputs) bytes += bytes_of(count_elements(input.shape), input.dtype);
  return {.name = row.operation + "/" + joined_sizes(row.sizes) +
                  (row.names_dtype ? "/" + to_string(row.dtype) : ""),
          .what = row.what,
          .inputs =
              [=] {
                Arrays inputs;
                for (const Input& input : row.inputs)
                  inputs.push_back(make_input(input, inputs.size()));
                if (row.arrange) row.arrange(inputs);
                return inputs;
              },
          .prepare = [=](const Arrays& inputs) -> Task {
            return {.run = [=] { return row.function(inputs); },
                    .error =
                        [=] {
                          if (row.error) return row.error(row.function(inputs), inputs);
                          std::vector<Doubles> numbers;
                          for (const Array& one : inputs)
                            numbers.push_back(one.to_vector<double>());
                          // Before the function, which may write to its operands.
                          const Doubles wanted = row.reference(numbers);
                          return relative_error(row.function(inputs).to_vector<double>(), wanted);
                        }};
          },
          .flops = row.flops,
          .bytes = bytes,
          .dtype = row.dtype,
          .tolerance = row.tolerance};
}

Case lane_case(const LaneFunction& lane, Lanes lanes, DType dtype, const Extent& extent) {
  const bool is_long = lanes == Lanes::one;
  const std::int64_t axis = lanes == Lanes::rows ? 1 : 0;
  const std::int64_t side = extent.side;
  const std::int64_t count = is_long ? 1 : side;
  const DType answer = lane.answer.value_or(dtype);
  const std::vector<std::int64_t> sizes =
      is_long ? std::vector{extent.count()} : std::vector{side, side};
  const char* ending = is_long ? "" : lanes == Lanes::rows ? "_rows" : "_columns";
  return make_case({.operation = lane.operation + ending,
                    .sizes = sizes,
                    .dtype = dtype,
                    .inputs = {{is_long ? Shape{extent.count()} : Shape{side, side}, dtype,
                                lane.low, lane.high}},
                    .function = [=](const Arrays& x) { return lane.function(x[0], axis); },
                    .reference =
                        [=](const std::vector<Doubles>& x) {
                          return along_lanes(x[0], lanes, side, lane.reduces, lane.reference);
                        },
                    .written = bytes_of(lane.reduces ? count : extent.count(), answer),
                    .tolerance = rounding(answer, lane.factor)});
}

}  // namespace gaia::bench
