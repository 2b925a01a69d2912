// SPDX-License-Identifier: MIT
/// \file
/// Statistics under NumPy's names: what leaves out NaN, counts into bins, quantiles, covariances.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/histograms.h"
#include "../../src/array/ops.h"
#include "../../src/array/sorting.h"
#include "../../src/array/statistics.h"
#include "../../src/array/streaming_covariance.h"
#include "../../src/autograd/nan_functions.h"
#include "../../src/autograd/statistics.h"
#include "bindings.h"
#include "values.h"

namespace gaia::python {
namespace {

using nb::arg;
using OptionalAxis = std::optional<std::int64_t>;

constexpr const char* kQuantileText =
    "What a share q, of [0, 1], of the elements over axes lies below; a list of q gives an axis of "
    "them before the others.\n\n"
    "`method` is one of NumPy's: inverted_cdf, averaged_inverted_cdf, closest_observation, "
    "interpolated_inverted_cdf, hazen, weibull, linear, median_unbiased, normal_unbiased, lower, "
    "higher, midpoint, nearest.\n\nRaises ArgumentError for another, and for q outside [0, 1].";

/// A function of q, a number or a list of them, which are parts of `whole`.
template <class T, class Q, class Function, class... About>
void def_quantile(nb::module_& module, const char* name, double whole, Function function,
                  const About&... about) {
  module.def(
      name,
      [function, whole](const T& x, Q q, const Axes& axis, bool keep, const std::string& method) {
        if constexpr (std::is_same_v<Q, double>) {
          q /= whole;
        } else {
          for (double& one : q) one /= whole;
        }
        return function(x, q, axis, keep, quantile_method_from_name(method));
      },
      arg("x"), arg("q"), arg("axis") = nb::none(), arg("keepdims") = false,
      arg("method") = "linear", about...);
}

template <class T>
void bind_quantiles(nb::module_& module) {
  using Numbers = std::vector<double>;
  def_quantile<T, double>(module, "quantile", 1.0, GAIA_FUNCTION(quantile), kQuantileText);
  def_quantile<T, Numbers>(module, "quantile", 1.0, GAIA_FUNCTION(quantile));
  def_quantile<T, double>(module, "percentile", 100.0, GAIA_FUNCTION(quantile),
                          "quantile(x, q / 100): q is of [0, 100].");
  def_quantile<T, Numbers>(module, "percentile", 100.0, GAIA_FUNCTION(quantile));
  def_quantile<T, double>(module, "nanquantile", 1.0, GAIA_FUNCTION(nanquantile),
                          "quantile among the elements that are not NaN.");
  module.def(
      "cov",
      [](const T& x, bool rowvar, std::int64_t ddof, const std::optional<Array>& fweights,
         const std::optional<Array>& aweights) {
        const CovarianceOptions options = {.rowvar = rowvar, .ddof = ddof};
        return fweights || aweights
                   ? covariance(x, options, {.frequencies = fweights, .reliabilities = aweights})
                   : covariance(x, options);
      },
      arg("x"), arg("rowvar") = true, arg("ddof") = 1, arg("fweights") = nb::none(),
      arg("aweights") = nb::none(),
      "Covariances of variables, which are rows (or columns: rowvar=False).  `fweights` say how "
      "often each observation was seen, `aweights` how much it is to be trusted.\n\n"
      "Raises ShapeError or ArgumentError for weights that do not fit the observations.");
}

template <class T>
void bind_nan_functions(nb::module_& module) {
  def_reduction<T>(module, "nansum", GAIA_FUNCTION(nansum),
                   "The sum over axes, NaN left out; of nothing else 0.");
  def_reduction<T>(module, "nanmean", GAIA_FUNCTION(nanmean),
                   "The mean over axes, NaN left out; of nothing else NaN.");
  def_reduction<T>(module, "nanmedian", GAIA_FUNCTION(nanmedian),
                   "The median over axes, NaN left out; of nothing else NaN.");
  def_spread<T>(module, "nanvar", GAIA_FUNCTION(nanvar),
                "The variance over axes, NaN left out, of n numbers divided by n - ddof.");
  def_spread<T>(module, "nanstd", GAIA_FUNCTION(nanstd),
                "The standard deviation over axes, NaN left out.");
}

void bind_array_nan_functions(nb::module_& module) {
  def_reduction<Array>(module, "nanprod", GAIA_FUNCTION(nanprod),
                       "The product over axes, NaN left out; of nothing else 1.");
  def_reduction<Array>(module, "nanmax", GAIA_FUNCTION(nanmax),
                       "The largest number over axes; NaN only where there is nothing else.");
  def_reduction<Array>(module, "nanmin", GAIA_FUNCTION(nanmin),
                       "The smallest number over axes; NaN only where there is nothing else.");
  def_quantile<Array, std::vector<double>>(module, "nanquantile", 1.0, GAIA_FUNCTION(nanquantile));
  const auto def = [&](const char* name, auto function, const char* about) {
    module.def(
        name, [function](const Array& x, OptionalAxis axis) { return function(x, axis); }, arg("x"),
        arg("axis") = nb::none(), about);
  };
  def("nanargmax", GAIA_FUNCTION(nanargmax),
      "Where the largest number is along an axis, or among all in their order.\n\n"
      "Raises ArgumentError where there is nothing but NaN.");
  def("nanargmin", GAIA_FUNCTION(nanargmin),
      "Where the smallest number is along an axis, or among all in their order.\n\n"
      "Raises ArgumentError where there is nothing but NaN.");
  def("nancumsum", GAIA_FUNCTION(nancumsum), "Running sums in which NaN counts as 0.");
  def("nancumprod", GAIA_FUNCTION(nancumprod), "Running products in which NaN counts as 1.");
}

std::optional<HistogramRange> range_of(const std::optional<std::pair<double, double>>& range) {
  if (!range) return std::nullopt;
  return HistogramRange{range->first, range->second};
}

/// f(bins), which are a number, the name of a rule, or edges.
template <class F>
auto with_bins(nb::handle bins, F&& f) {
  if (nb::isinstance<nb::str>(bins)) return f(nb::cast<std::string>(bins));
  if (PyIndex_Check(bins.ptr()) != 0 && !nb::isinstance<Array>(bins) && !nb::ndarray_check(bins)) {
    return f(nb::cast<std::int64_t>(nb::steal(PyNumber_Index(bins.ptr()))));
  }
  return f(array_of(bins));
}

struct Edges {
  const Array& x;
  std::optional<HistogramRange> range;
  Array operator()(const Array& edges) const { return edges; }
  template <class Bins>
  Array operator()(const Bins& bins) const {
    return histogram_bin_edges(x, bins, range);
  }
};

void bind_counting(nb::module_& module) {
  using Range = std::optional<std::pair<double, double>>;
  module.def(
      "histogram_bin_edges",
      [](const Array& x, nb::handle bins, const Range& range) {
        return with_bins(bins, Edges{x, range_of(range)});
      },
      arg("x"), arg("bins") = 10, arg("range") = nb::none(),
      "The edges of so many bins of equal width, or of as many as a rule has: auto, doane, fd, "
      "rice, scott, sqrt, stone, sturges.\n\nRaises ArgumentError for another rule, and for a "
      "range that is not finite or runs backwards.");
  module.def(
      "histogram",
      [](const Array& x, nb::handle bins, const Range& range, bool density,
         const std::optional<Array>& weights) {
        const HistogramOptions options = {range_of(range), density, weights};
        const Histogram made =
            with_bins(bins, [&](const auto& given) { return histogram(x, given, options); });
        return std::make_pair(made.counts, made.edges);
      },
      arg("x"), arg("bins") = 10, arg("range") = nb::none(), arg("density") = false,
      arg("weights") = nb::none(),
      "(counts, edges) of bins: a number of them, a rule of histogram_bin_edges, or their edges.  "
      "Each bin has its left edge, the last its right one too; NaN is not counted.\n\n"
      "Raises ArgumentError for edges that descend, ShapeError for weights of another shape.");
  module.def(
      "bincount",
      [](const Array& x, const std::optional<Array>& weights, std::int64_t minlength) {
        return weights ? bincount(x, *weights, minlength) : bincount(x, minlength);
      },
      arg("x"), arg("weights") = nb::none(), arg("minlength") = 0,
      "How often each whole number from 0 on occurs, int64, or the sums of their weights, "
      "float64.\n\nRaises DTypeError for numbers that are not whole, ArgumentError for negative "
      "ones.");
  module.def("digitize", &digitize, arg("x"), arg("bins"), arg("right") = false,
             "The number of the bin in which each element lies: bins[i - 1] <= x < bins[i], or "
             "with `right` bins[i - 1] < x <= bins[i]; bins may descend.\n\n"
             "Raises ArgumentError for bins that do neither.");
  module.def(
      "unique",
      [](const Array& x, bool index, bool inverse, bool counts) -> nb::object {
        if (!index && !inverse && !counts) return nb::cast(unique(x));
        const Distinct made = distinct(x);
        nb::list answer;
        answer.append(made.values);
        if (index) answer.append(made.indices);
        if (inverse) answer.append(made.inverse);
        if (counts) answer.append(made.counts);
        return nb::tuple(answer);
      },
      arg("x"), arg("return_index") = false, arg("return_inverse") = false,
      arg("return_counts") = false,
      "The elements that there are, sorted, each once; with where each is first, which of them "
      "each element is (in the shape of x), and how often each occurs.");
  module.def(
      "average",
      [](const Array& x, const Axes& axis, const std::optional<Array>& weights, bool returned,
         bool keep) -> nb::object {
        const Array each = weights ? *weights : ones_like(x);
        const Array made = weights ? average(x, axis, each, keep) : mean(x, axis, keep);
        if (!returned) return nb::cast(made);
        const Array all = each.shape() == x.shape() ? sum(each, axis, keep) : sum(each);
        return nb::make_tuple(made, (zeros_like(made) + all).astype(made.dtype()));
      },
      arg("x"), arg("axis") = nb::none(), arg("weights") = nb::none(), arg("returned") = false,
      arg("keepdims") = false,
      "sum(weights x) / sum(weights) over axes; with `returned` also sum(weights).\n\n"
      "Raises ShapeError for weights that do not fit, ArgumentError if they sum to 0.");
}

void bind_streaming(nb::module_& module) {
  nb::class_<StreamingCovariance>(
      module, "StreamingCovariance",
      "Mean and covariance of observations that come in blocks, and of parts that were seen apart "
      "(Chan, Golub and LeVeque 1983); float64.\n\n"
      "    seen = gaia.StreamingCovariance(3)\n"
      "    seen.add(rows)                  # [n, 3], or one row\n"
      "    seen.merge(of_another_file)\n"
      "    seen.covariance()               # [3, 3]")
      .def(nb::init<std::int64_t>(), arg("variables"))
      .def("add", &StreamingCovariance::add, arg("observations"),
           "Observations [n, variables], or one.\n\nRaises ShapeError for another shape.")
      .def("merge", &StreamingCovariance::merge, arg("other"),
           "What another has seen, as if it had been seen here.\n\n"
           "Raises ShapeError for another number of variables.")
      .def_prop_ro("variables", &StreamingCovariance::variables, "Number of variables.")
      .def_prop_ro("count", &StreamingCovariance::count, "Number of observations so far.")
      .def("mean", &StreamingCovariance::mean, "[variables]; NaN of no observation.")
      .def("scatter", &StreamingCovariance::scatter, "sum (x - mean) (x - mean)^T.")
      .def("covariance", &StreamingCovariance::covariance, arg("ddof") = 1,
           "scatter / (count - ddof): [variables, variables].")
      .def("corrcoef", &StreamingCovariance::corrcoef, "Correlations, within [-1, 1].")
      .def("__getstate__",
           [](const StreamingCovariance& x) {
             const Array mean = x.count() > 0 ? x.mean() : zeros({x.variables()}, DType::float64);
             return nb::make_tuple(x.count(), mean, x.scatter());
           })
      .def("__setstate__", [](StreamingCovariance& x, const nb::tuple& state) {
        new (&x) StreamingCovariance(nb::cast<std::int64_t>(state[0]), nb::cast<Array>(state[1]),
                                     nb::cast<Array>(state[2]));
      });
}

}  // namespace

void bind_statistics(nb::module_& module) {
  bind_quantiles<Array>(module);
  bind_quantiles<Tensor>(module);
  bind_nan_functions<Array>(module);
  bind_nan_functions<Tensor>(module);
  bind_array_nan_functions(module);
  bind_counting(module);
  bind_streaming(module);
}

}  // namespace gaia::python
