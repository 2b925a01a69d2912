// SPDX-License-Identifier: MIT
/// \file
/// Rectifiers whose slope below 0 is trained.
#pragma once

#include "module.h"
#include "module_kind.h"

namespace gaia {

/// x where it is positive, else weight x; weight has one number, or one for each channel (axis 1;
/// of x with one axis, axis 0).  The slope at 0 is the weight.
/// \throws ShapeError for a weight of another size.
Tensor prelu(const Tensor& x, const Tensor& weight);

struct PReluOptions {
  std::int64_t channels = 1;  ///< 1: one number for all.
  double start = 0.25;        ///< First value of "weight".
  DType dtype = DType::float32;
};

/// prelu with the parameter "weight" [channels].  He, Zhang, Ren & Sun (2015), arXiv:1502.01852.
class PReluLayer final : public Module {
 public:
  explicit PReluLayer(const PReluOptions& options = {});
  std::string type() const override { return "prelu"; }
  Tensor forward(const Tensor& x) override { return prelu(x, weight_); }

 private:
  Tensor weight_;
};

/// Keys in an experiment: type: prelu.
struct PReluKind {
  bool each = false;
  PReluOptions options = {};

  static constexpr const char* name = "prelu";
  void keys(ConfigVisitor& v) {
    v.flag({"each", "whether every channel has a slope of its own"}, each);
    v.number({"start", "slope below 0 at first"}, options.start, {-1e6, 1e6});
  }
  void add_to(const ModulePlace& place) const {
    PReluOptions mine = placed(options, place);
    if (each) mine.channels = place.shape[1];
    place.net.add<PReluLayer>(mine);
  }
};

}  // namespace gaia
