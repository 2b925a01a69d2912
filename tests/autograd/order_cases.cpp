// SPDX-License-Identifier: MIT
/// \file
/// Sorting, and the statistics computed by sorting and of sums.
#include "gradient_check.h"

namespace gaia::test {
namespace {

/// Whether elements that a function along `axis` compares may be equal, where it has no slope.
bool has_equals(const Form& form, std::int64_t axis) {
  return form.layout == Layout::broadcast && (axis + form.shape.rank()) % form.shape.rank() == 0;
}

void add_sorting(std::vector<GradientCase>& cases, Draw& draw, const Form& form) {
  const std::string where = " " + to_string(form.shape) + " " + to_string(form.layout);
  for (std::int64_t axis = -1; axis < form.shape.rank(); ++axis) {
    if (has_equals(form, axis)) continue;
    const std::int64_t length =
        form.shape[axis < 0 ? form.shape.rank() - 1 : static_cast<int>(axis)];
    const auto add = [&](const char* name, std::function<Tensor(const Tensor&)> f) {
      cases.push_back({name + (" along " + std::to_string(axis)) + where,
                       {draw(form.shape, form.layout)},
                       [f = std::move(f)](const Inputs& in) { return f(in[0]); }});
    };
    using T = const Tensor&;
    for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
      add("sort", [axis, order](T x) { return sort(x, axis, order); });
    }
    for (const std::int64_t k : {std::int64_t{0}, (length + 1) / 2, length}) {
      for (const bool largest : {true, false}) {
        add("top_k", [=](T x) { return top_k(x, k, axis, largest).values; });
      }
    }
    add("quantiles", [axis](T x) { return quantile(x, {0.0, 0.3, 0.5, 0.9, 1.0}, {axis}); });
  }
}

void add_statistics(std::vector<GradientCase>& cases, Draw& draw, const Form& form) {
  const std::string where = " " + to_string(form.shape) + " " + to_string(form.layout);
  const auto add = [&](const std::string& name, std::function<Tensor(const Tensor&)> f) {
    cases.push_back({name + where,
                     {draw(form.shape, form.layout)},
                     [f = std::move(f)](const Inputs& in) { return f(in[0]); }});
  };
  using T = const Tensor&;
  const int rank = form.shape.rank();
  const bool is_empty = count_elements(form.shape) == 0;
  for (const Axes& axes : rank == 3   ? std::vector<Axes>{{}, {0}, {1, -1}, {-1, 0}}
                          : rank == 2 ? std::vector<Axes>{{}, {0}, {1}}
                                      : std::vector<Axes>{{}}) {
    const bool over_first = axes.empty() || axes[0] == 0 || axes.back() == 0;
    if (is_empty || (form.layout == Layout::broadcast && over_first)) continue;
    for (const bool keep : {false, true}) {
      add("median over " + to_string(axes), [axes, keep](T x) { return median(x, axes, keep); });
      add("quantile over " + to_string(axes),
          [axes, keep](T x) { return quantile(x, 0.37, axes, keep); });
    }
  }
  for (std::int64_t axis = -1; rank > 0 && axis < rank; ++axis) {
    add("normalize along " + std::to_string(axis), [axis](T x) { return normalize(x, axis, 0.5); });
  }
  if (rank != 2) return;
  for (const bool rows : {true, false}) {
    for (const std::int64_t ddof : {0, 1}) {
      add("covariance", [=](T x) { return covariance(x, {.rowvar = rows, .ddof = ddof}); });
    }
    // Of variables that are one and the same, the correlation is at its bound.
    if (form.layout != Layout::broadcast) {
      add("corrcoef", [=](T x) { return corrcoef(x, rows); });
    }
  }
}

}  // namespace

std::vector<GradientCase> order_cases() {
  Draw draw(9);
  std::vector<GradientCase> cases;
  for (const Form& form : forms()) {
    if (form.shape.rank() > 0 && count_elements(form.shape) > 0) add_sorting(cases, draw, form);
    add_statistics(cases, draw, form);
  }
  cases.push_back(
      {"sort of nothing", {draw({0, 3})}, [](const Inputs& in) { return sort(in[0]); }});
  cases.push_back(
      {"covariance of one", {draw({5})}, [](const Inputs& in) { return covariance(in[0]); }});
  return cases;
}

}  // namespace gaia::test
