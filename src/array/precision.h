// SPDX-License-Identifier: MIT
/// \file
/// How exactly products of float32 numbers have to be computed.
///
///     {
///       MatmulPrecisionScope fast(MatmulPrecision::tf32);  // tensor cores may round operands ...
///       Array y = matmul(a, b);
///     }                                                    // ... and may not any more
///
/// Nothing is rounded unless it is asked for.  It is a permission: where a device has no units for
/// it (the CPU has none), products are computed in full.  It holds for `matmul` and all that is
/// computed from it, `linear_gelu`, convolutions and `attention`, and for gradients that are
/// computed while it holds.  Sums of products are carried in float32 either way; float64, integers
/// and everything that is no product are never touched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gaia {

/// To what the operands of float32 products may be rounded.
enum class MatmulPrecision : std::uint8_t {
  full,      ///< Not at all.  The default.
  tf32,      ///< To 10 bits of mantissa: relative errors of about 5e-4 per factor.
  bfloat16,  ///< To 7 bits of mantissa: relative errors of about 4e-3 per factor.
};

/// "full", "tf32", "bfloat16".
std::string to_string(MatmulPrecision precision);

/// \throws ArgumentError for a name that is none, listing the known ones.
MatmulPrecision matmul_precision_from_name(std::string_view name);

/// The precision of this thread; every thread starts with `full`.
void set_matmul_precision(MatmulPrecision precision);
MatmulPrecision matmul_precision();

/// Allows a precision for a scope, on this thread; restores what was before on any exit.
class MatmulPrecisionScope {
 public:
  explicit MatmulPrecisionScope(MatmulPrecision precision);
  ~MatmulPrecisionScope();
  MatmulPrecisionScope(const MatmulPrecisionScope&) = delete;
  MatmulPrecisionScope& operator=(const MatmulPrecisionScope&) = delete;

 private:
  MatmulPrecision before_;
};

}  // namespace gaia
