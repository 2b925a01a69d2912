// SPDX-License-Identifier: MIT
/// \file
/// Linear algebra of arrays and tensors; gaia/linalg.py gives it NumPy's signatures.
#include "../../src/linear_algebra/linear_algebra.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>

#include "../../src/linear_algebra/lapack.h"
#include "bindings.h"
#include "casters.h"
#include "exchange.h"
#include "values.h"

namespace gaia::python {
namespace {

using nb::arg;

QrMode qr_mode(const std::string& name) {
  if (name == "reduced") return QrMode::reduced;
  if (name == "complete") return QrMode::complete;
  if (name == "r") return QrMode::r;
  throw ArgumentError("[qr] expected mode 'reduced', 'complete' or 'r', got '" + name + "'");
}

template <class T>
void bind_linear_algebra_of(nb::module_& module) {
  module.def("kron", taking<const T&, const T&>(GAIA_FUNCTION(kron)), arg("a"), arg("b"),
             "The Kronecker product: every element of a times b.  Axes are aligned at the last.");
  module.def(
      "tensordot", taking<const T&, const T&, int>(GAIA_FUNCTION(tensordot)), arg("a"), arg("b"),
      arg("axes") = 2,
      "The sum over the last `axes` of a and the first `axes` of b; or over pairs of axes, those "
      "of a and those of b.");
  module.def(
      "tensordot",
      [](const T& a, const T& b, const std::pair<Axes, Axes>& axes) {
        return gaia::tensordot(a, b, axes.first, axes.second);
      },
      arg("a"), arg("b"), arg("axes"));
  module.def("_solve", taking<const T&, const T&>(GAIA_FUNCTION(solve)));
  module.def("_triangular_solve",
             [](const T& a, const T& b, bool upper, bool transposed, bool unit_diagonal) {
               return gaia::triangular_solve(a, b, {upper, transposed, unit_diagonal});
             });
  module.def("_inv", taking<const T&>(GAIA_FUNCTION(inv)));
  module.def("_pinv", taking<const T&, double>(GAIA_FUNCTION(pinv)));
  module.def("_lstsq", [](const T& a, const T& b, std::optional<double> rcond) {
    auto found = gaia::lstsq(a, b, rcond);
    return nb::make_tuple(found.x, found.residuals, found.rank, found.singular_values);
  });
  module.def("_det", taking<const T&>(GAIA_FUNCTION(det)));
  module.def("_slogdet", [](const T& a) {
    auto found = gaia::slogdet(a);
    return nb::make_tuple(found.sign, found.logabsdet);
  });
  module.def("_cholesky", taking<const T&, bool>(GAIA_FUNCTION(cholesky)));
  module.def("_qr", [](const T& a, const std::string& mode) {
    auto found = gaia::qr(a, qr_mode(mode));
    return nb::make_tuple(found.q, found.r);
  });
  module.def("_svd", [](const T& a, bool full_matrices) {
    auto found = gaia::svd(a, full_matrices);
    return nb::make_tuple(found.u, found.s, found.vt);
  });
  module.def("_svdvals", taking<const T&>(GAIA_FUNCTION(svdvals)));
  module.def("_eigh", [](const T& a, bool upper) {
    auto found = gaia::eigh(a, upper);
    return nb::make_tuple(found.values, found.vectors);
  });
  module.def("_eigvalsh", taking<const T&, bool>(GAIA_FUNCTION(eigvalsh)));
  module.def("_eig", [](const T& a) {
    auto found = gaia::eig(a);
    return nb::make_tuple(found.values.real, found.values.imag, found.vectors.real,
                          found.vectors.imag);
  });
  module.def("_eigvals", [](const T& a) {
    auto found = gaia::eigvals(a);
    return nb::make_tuple(found.real, found.imag);
  });
  module.def("_expm", taking<const T&>(GAIA_FUNCTION(expm)));
}

}  // namespace

void bind_linear_algebra(nb::module_& module) {
  bind_linear_algebra_of<Tensor>(module);
  bind_linear_algebra_of<Array>(module);
  module.def("_matrix_rank",
             taking<const Array&, std::optional<double>>(GAIA_FUNCTION(matrix_rank)));
  module.def("_linear_algebra_library", &linear_algebra_library);
}

}  // namespace gaia::python
