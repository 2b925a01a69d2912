// SPDX-License-Identifier: MIT
/// \file
/// Ends of arrays, differences, grids, windows, numbers between numbers, and distances, under the
/// names of NumPy, SciPy and PyTorch.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../src/array/apply.h"
#include "../../src/array/closeness.h"
#include "../../src/array/create.h"
#include "../../src/autograd/ops.h"
#include "../../src/core/message.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"
#include "values.h"

namespace gaia::python {
namespace {

using nb::arg;

/// The value of `name` in a list, or an error that names all there are.
template <class V, std::size_t N>
V chosen(const char* function, const char* argument, const std::string& name,
         const std::pair<std::string_view, V> (&choices)[N]) {
  std::string all;
  for (std::size_t i = 0; i < N; ++i) {
    if (choices[i].first == name) return choices[i].second;
    all += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(choices[i].first);
  }
  fail<ArgumentError>("[{}] expected {} to be {}, got '{}'", function, argument, all, name);
}

constexpr std::pair<std::string_view, PadMode> kPadModes[] = {{"constant", PadMode::constant},
                                                              {"edge", PadMode::edge},
                                                              {"linear_ramp", PadMode::linear_ramp},
                                                              {"maximum", PadMode::maximum},
                                                              {"mean", PadMode::mean},
                                                              {"median", PadMode::median},
                                                              {"minimum", PadMode::minimum},
                                                              {"reflect", PadMode::reflect},
                                                              {"symmetric", PadMode::symmetric},
                                                              {"wrap", PadMode::wrap},
                                                              {"empty", PadMode::empty}};

constexpr std::pair<std::string_view, ReflectType> kReflectTypes[] = {{"even", ReflectType::even},
                                                                      {"odd", ReflectType::odd}};

constexpr std::pair<std::string_view, ConvolutionMode> kConvolutionModes[] = {
    {"full", ConvolutionMode::full},
    {"same", ConvolutionMode::same},
    {"valid", ConvolutionMode::valid},
    {"causal", ConvolutionMode::causal}};

constexpr std::pair<std::string_view, ConvolutionBoundary> kBoundaries[] = {
    {"zero", ConvolutionBoundary::zero},
    {"edge", ConvolutionBoundary::edge},
    {"reflect", ConvolutionBoundary::reflect},
    {"symmetric", ConvolutionBoundary::symmetric},
    {"wrap", ConvolutionBoundary::wrap}};

constexpr std::pair<std::string_view, Interpolation> kInterpolations[] = {
    {"nearest", Interpolation::nearest},
    {"nearest-exact", Interpolation::nearest_exact},
    {"linear", Interpolation::linear},
    {"bilinear", Interpolation::linear},
    {"trilinear", Interpolation::linear}};

constexpr std::pair<std::string_view, GridIndexing> kIndexings[] = {{"xy", GridIndexing::xy},
                                                                    {"ij", GridIndexing::ij}};

[[noreturn]] void refuse_pairs(const char* name) {
  fail<ArgumentError>(
      "[pad] expected {} to be a number, a pair (before, behind), or such a pair for each axis",
      name);
}

bool is_sequence(nb::handle value) {
  return PySequence_Check(value.ptr()) != 0 && PyUnicode_Check(value.ptr()) == 0 &&
         PyObject_Length(value.ptr()) >= 0;
}

/// One or two numbers.
template <class P, class N>
P pair_of(nb::handle value, const char* name) {
  const auto number = [&](nb::handle item) {
    N result{};
    const bool is_whole = PyIndex_Check(item.ptr()) != 0;
    if ((std::is_integral_v<N> && !is_whole) || !nb::try_cast(nb::handle(item), result)) {
      refuse_pairs(name);
    }
    return result;
  };
  if (!is_sequence(value)) {
    PyErr_Clear();
    const N both = number(value);
    return {both, both};
  }
  const auto length = PyObject_Length(value.ptr());
  if (length != 1 && length != 2) refuse_pairs(name);
  const N first = number(value[0]);
  return {first, length == 1 ? first : number(value[1])};
}

/// What NumPy broadcasts to a pair for each axis: as a list of one pair, or of one for each.
template <class P, class N>
std::vector<P> pairs_of(nb::handle value, const char* name) {
  bool is_nested = is_sequence(value) && PyObject_Length(value.ptr()) > 0;
  if (is_nested) is_nested = is_sequence(value[0]);
  PyErr_Clear();
  if (!is_nested) return {pair_of<P, N>(value, name)};
  std::vector<P> pairs;
  for (const nb::handle item : value) pairs.push_back(pair_of<P, N>(item, name));
  return pairs;
}

/// The widths, of a dict for the axes that it names.
std::vector<PadWidth> widths_of(nb::handle value, int rank) {
  if (PyDict_Check(value.ptr()) == 0) return pairs_of<PadWidth, std::int64_t>(value, "pad_width");
  std::vector<PadWidth> widths(static_cast<std::size_t>(rank));
  for (const auto& [axis, width] : nb::borrow<nb::dict>(value)) {
    std::int64_t number = 0;
    if (!nb::try_cast(nb::handle(axis), number)) refuse_pairs("pad_width");
    const int which = normalize_axis(number, rank, "pad");
    widths[static_cast<std::size_t>(which)] = pair_of<PadWidth, std::int64_t>(width, "pad_width");
  }
  return widths;
}

/// What the options of `pad` say; one that its mode does not read is an error.
PadOptions pad_options(const std::string& mode, const nb::object& stat_length,
                       const nb::object& constant_values, const nb::object& end_values,
                       const std::optional<std::string>& reflect_type) {
  PadOptions options;
  options.mode = chosen("pad", "mode", mode, kPadModes);
  const auto refuse = [&](const char* name, bool is_given, bool is_read) {
    if (!is_given || is_read) return;
    fail<ArgumentError>("[pad] the mode {} does not read {}", mode, name);
  };
  const bool is_stat = options.mode == PadMode::maximum || options.mode == PadMode::mean ||
                       options.mode == PadMode::median || options.mode == PadMode::minimum;
  const bool mirrors = options.mode == PadMode::reflect || options.mode == PadMode::symmetric;
  refuse("stat_length", !stat_length.is_none(), is_stat);
  refuse("constant_values", !constant_values.is_none(), options.mode == PadMode::constant);
  refuse("end_values", !end_values.is_none(), options.mode == PadMode::linear_ramp);
  refuse("reflect_type", reflect_type.has_value(), mirrors);
  if (!stat_length.is_none()) {
    options.stat_lengths = pairs_of<PadWidth, std::int64_t>(stat_length, "stat_length");
  }
  if (!constant_values.is_none()) {
    options.values = pairs_of<PadValues, double>(constant_values, "constant_values");
  }
  if (!end_values.is_none()) options.values = pairs_of<PadValues, double>(end_values, "end_values");
  if (reflect_type) {
    options.reflect_type = chosen("pad", "reflect_type", *reflect_type, kReflectTypes);
  }
  return options;
}

/// A number for rows and columns, or one for each.
Pair plane_pair(const Dims& given, const char* function, const char* name) {
  if (given.rank() == 1) return {given[0], given[0]};
  if (given.rank() == 2) return {given[0], given[1]};
  fail<ArgumentError>("[{}] expected {} to be one number or a pair, got {} of them", function, name,
                      given.rank());
}

SlidingWindow window_of(const char* function, const Dims& kernel, const Dims& dilation,
                        const Dims& padding, const Dims& stride) {
  return {.kernel = plane_pair(kernel, function, "kernel_size"),
          .stride = plane_pair(stride, function, "stride"),
          .padding = plane_pair(padding, function, "padding"),
          .dilation = plane_pair(dilation, function, "dilation")};
}

using NumberOrNumbers = std::variant<double, std::vector<double>>;

InterpolateOptions interpolate_options(int rank, const Dims& size,
                                       const std::optional<NumberOrNumbers>& scale,
                                       const std::string& mode, bool align_corners) {
  InterpolateOptions options;
  options.mode = chosen("interpolate", "mode", mode, kInterpolations);
  options.align_corners = align_corners;
  const int wanted = mode == "bilinear" ? 4 : mode == "trilinear" ? 5 : rank;
  if (rank != wanted) {
    fail<ShapeError>("[interpolate] expected {} dimensions for the mode {}, got {}", wanted, mode,
                     rank);
  }
  options.size = {size.begin(), size.end()};
  if (scale) {
    const auto* const number = std::get_if<double>(&*scale);
    options.scale =
        number != nullptr ? std::vector<double>{*number} : std::get<std::vector<double>>(*scale);
  }
  return options;
}

template <class T>
using ArrayOrNumber = std::variant<T, Scalar>;

/// What stands beside x: an array as it is, a number in the dtype of x.
template <class T>
std::optional<T> end_beside(const T& x, const std::optional<ArrayOrNumber<T>>& end) {
  if (!end) return std::nullopt;
  if (const T* const array = std::get_if<T>(&*end)) return *array;
  const Scalar number = std::get<Scalar>(*end);
  const bool is_truth = x.dtype() == DType::boolean && !number.floating &&
                        (number.integer == 0 || number.integer == 1);
  if (is_truth) return T(full({}, number.value, DType::boolean));
  if constexpr (std::is_same_v<T, Tensor>) {
    return T(beside(x.value(), number, "diff"));
  } else {
    return beside(x, number, "diff");
  }
}

template <class T>
void bind_ends(nb::module_& module) {
  module.def(
      "pad",
      [](const T& x, const nb::object& pad_width, const std::string& mode,
         const nb::object& stat_length, const nb::object& constant_values,
         const nb::object& end_values, const std::optional<std::string>& reflect_type) {
        return pad(x, widths_of(pad_width, x.rank()),
                   pad_options(mode, stat_length, constant_values, end_values, reflect_type));
      },
      arg("x"), arg("pad_width"), arg("mode") = "constant", nb::kw_only(),
      arg("stat_length") = nb::none(), arg("constant_values") = nb::none(),
      arg("end_values") = nb::none(), arg("reflect_type") = nb::none(),
      "x with more elements before and behind its axes: `pad_width` is a number, a pair (before, "
      "behind), such a pair for each axis, or a dict of axes.\n\n"
      "The mode is constant (of `constant_values`, 0 if not given), edge, linear_ramp (to "
      "`end_values`), maximum, mean, median or minimum (of the `stat_length` elements beside the "
      "end), reflect or symmetric (`reflect_type` even or odd), wrap, or empty, as in NumPy.\n"
      "Raises ArgumentError for an option that the mode does not read, ShapeError for pairs that "
      "do not fit the axes.");
  module.def(
      "diff",
      [](const T& x, std::int64_t n, std::int64_t axis,
         const std::optional<ArrayOrNumber<T>>& prepend,
         const std::optional<ArrayOrNumber<T>>& append) {
        return diff(x, n, axis, end_beside(x, prepend), end_beside(x, append));
      },
      arg("x"), arg("n") = 1, arg("axis") = -1, arg("prepend") = nb::none(),
      arg("append") = nb::none(),
      "The differences between neighbours along an axis, x[i + 1] - x[i], n times; of bool, "
      "whether they differ.  `prepend` and `append` stand before and behind x first.");
}

template <class T>
void bind_windows(nb::module_& module) {
  module.def(
      "unfold",
      [](const T& x, const Dims& kernel_size, const Dims& dilation, const Dims& padding,
         const Dims& stride) {
        return unfold(x, window_of("unfold", kernel_size, dilation, padding, stride));
      },
      arg("x"), arg("kernel_size"), arg("dilation") = 1, arg("padding") = 0, arg("stride") = 1,
      "The windows that slide over images [N, C, H, W] (or one, [C, H, W]) as columns: "
      "[N, C kh kw, number of places], as in PyTorch.  Each option is a number or a pair.\n\n"
      "Raises ShapeError if no window fits.");
  module.def(
      "fold",
      [](const T& x, const Dims& output_size, const Dims& kernel_size, const Dims& dilation,
         const Dims& padding, const Dims& stride) {
        return fold(x, plane_pair(output_size, "fold", "output_size"),
                    window_of("fold", kernel_size, dilation, padding, stride));
      },
      arg("x"), arg("output_size"), arg("kernel_size"), arg("dilation") = 1, arg("padding") = 0,
      arg("stride") = 1,
      "Columns [N, C kh kw, number of places] added up where their windows stood in images "
      "[N, C, *output_size]: the reverse of unfold, which counts an element once for each window "
      "that saw it.\n\n"
      "Raises ShapeError if the columns are not those of such windows.");
  const auto def_convolve = [&](const char* name, const char* about) {
    module.def(
        name,
        [name](const T& x, const T& kernel, const std::string& mode, const std::string& boundary) {
          return convolve1d(x, kernel, chosen(name, "mode", mode, kConvolutionModes),
                            chosen(name, "boundary", boundary, kBoundaries));
        },
        arg("x"), arg("kernel"), arg("mode") = "full", arg("boundary") = "zero", about);
  };
  def_convolve("convolve",
               "The sums over j of kernel[j] x[t - j] of two 1-d arrays: all of them (mode full), "
               "as many as the longer has (same), those that read nothing outside (valid), or the "
               "first ones (causal).\n\n"
               "The boundary says what x is beyond its ends: zero, edge, reflect, symmetric or "
               "wrap, by the names of the modes of pad.  Raises ShapeError if one is empty.");
  def_convolve("convolve1d", "The same as convolve.");
  module.def(
      "temporal_convolution",
      [](const T& x, const T& kernel, const std::string& mode, const std::string& boundary) {
        constexpr const char* function = "temporal_convolution";
        return temporal_convolution(x, kernel, chosen(function, "mode", mode, kConvolutionModes),
                                    chosen(function, "boundary", boundary, kBoundaries));
      },
      arg("x"), arg("kernel"), arg("mode") = "causal", arg("boundary") = "zero",
      "Each column of x [T, F], or of each of a batch [..., T, F], convolved with a kernel [K], or "
      "with its column of a kernel [K, F]; mode and boundary as in convolve.\n\n"
      "Raises ShapeError if they do not fit.");
}

/// A number for a number, as NumPy has it.
void def_interp_of_number(nb::module_& module) {
  module.def(
      "interp",
      [](double x, const Array& xp, const Array& fp, std::optional<double> left,
         std::optional<double> right, std::optional<double> period) {
        return interp(full({}, x, DType::float64), xp, fp,
                      {.left = left, .right = right, .period = period})
            .item();
      },
      arg("x"), arg("xp"), arg("fp"), arg("left") = nb::none(), arg("right") = nb::none(),
      arg("period") = nb::none(), "The same of a number: a number.");
}

template <class T>
void bind_between(nb::module_& module) {
  module.def(
      "interp",
      [](const T& x, const Array& xp, const T& fp, std::optional<double> left,
         std::optional<double> right, std::optional<double> period) {
        return interp(x, xp, fp, {.left = left, .right = right, .period = period});
      },
      arg("x"), arg("xp"), arg("fp"), arg("left") = nb::none(), arg("right") = nb::none(),
      arg("period") = nb::none(),
      "At each x the height of the straight lines that join the points (xp, fp), xp ascending; "
      "beyond them `left` and `right`, or the heights of the ends.  With a period points and x go "
      "round.\n\n"
      "Raises ShapeError unless xp and fp are 1-d, of one length, and not empty.");
  module.def(
      "interpolate",
      [](const T& x, const Dims& size, const std::optional<NumberOrNumbers>& scale,
         const std::string& mode, bool align_corners) {
        return interpolate(x, interpolate_options(x.rank(), size, scale, mode, align_corners));
      },
      arg("x"), arg("size") = nb::none(), arg("scale_factor") = nb::none(), arg("mode") = "nearest",
      arg("align_corners") = false,
      "x [N, C, L], [N, C, H, W] or [N, C, D, H, W] with other lengths of the axes behind the "
      "first two: `size`, or the lengths times `scale_factor`, one number or one for each.\n\n"
      "The mode is nearest, nearest-exact or linear (bilinear and trilinear are the same of images "
      "and volumes), as in PyTorch, `align_corners` too.\n"
      "Raises ArgumentError unless one of size and scale_factor is given.");
  module.def(
      "cdist", taking<const T&, const T&, double>(GAIA_FUNCTION(cdist)), arg("a"), arg("b"),
      arg("p") = 2.0,
      "The distances between all rows of a [..., P, M] and b [..., R, M]: [..., P, R]; of order p, "
      "2 by default, 1 (cityblock), inf (chebyshev), 0 (the number of coordinates that differ) or "
      "any other.\n\n"
      "Raises ShapeError if they do not fit.");
}

/// The coordinates of a grid, as tensors if one is.
template <class T>
nb::tuple grid_of(const nb::args& coordinates, const MeshgridOptions& options) {
  std::vector<T> given;
  for (const nb::handle one : coordinates) {
    T x;
    if (nb::try_cast(nb::handle(one), x)) {
      given.push_back(x);
    } else {
      given.push_back(T(array_of(one)));
    }
  }
  nb::list grid;
  for (T& x : meshgrid(given, options)) grid.append(nb::cast(std::move(x)));
  return nb::tuple(grid);
}

void bind_grids(nb::module_& module) {
  module.def(
      "meshgrid",
      [](const nb::args& coordinates, bool copy, bool sparse, const std::string& indexing) {
        const MeshgridOptions options{
            .indexing = chosen("meshgrid", "indexing", indexing, kIndexings),
            .sparse = sparse,
            .copy = copy};
        for (const nb::handle one : coordinates) {
          if (nb::isinstance<Tensor>(one)) return grid_of<Tensor>(coordinates, options);
        }
        return grid_of<Array>(coordinates, options);
      },
      arg("coordinates"), nb::kw_only(), arg("copy") = true, arg("sparse") = false,
      arg("indexing") = "xy",
      "For each of 1-d arrays an array of the shape of the grid that they span, whose elements "
      "change along one axis alone: a tuple.\n\n"
      "With indexing='xy' the first changes along axis 1 and the second along axis 0, with 'ij' "
      "each along its own.  Sparse ones have length 1 along the other axes; copy=False gives "
      "views.\n"
      "Raises ShapeError for arrays of more dimensions.");
}

/// isclose and allclose of two arrays, or of an array and a number.
template <class A, class B>
void def_closeness(nb::module_& module) {
  module.def(
      "isclose",
      [](const A& a, const B& b, double rtol, double atol, bool equal_nan) {
        return isclose(a, b, {.relative = rtol, .absolute = atol, .equal_nan = equal_nan});
      },
      arg("a"), arg("b"), arg("rtol") = 1e-5, arg("atol") = 1e-8, arg("equal_nan") = false,
      "Whether |a - b| <= atol + rtol |b|, element by element; NaN is close to NaN where equal_nan "
      "says so, else to nothing.");
  module.def(
      "allclose",
      [](const A& a, const B& b, double rtol, double atol, bool equal_nan) {
        return allclose(a, b, {.relative = rtol, .absolute = atol, .equal_nan = equal_nan});
      },
      arg("a"), arg("b"), arg("rtol") = 1e-5, arg("atol") = 1e-8, arg("equal_nan") = false,
      "Whether isclose holds everywhere.");
}

}  // namespace

void bind_shaping(nb::module_& module) {
  bind_ends<Array>(module);
  bind_ends<Tensor>(module);
  bind_windows<Array>(module);
  bind_windows<Tensor>(module);
  bind_between<Array>(module);
  bind_between<Tensor>(module);
  def_interp_of_number(module);
  bind_grids(module);
  def_closeness<Array, Array>(module);
  def_closeness<Array, Scalar>(module);
}

}  // namespace gaia::python
