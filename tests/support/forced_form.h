// SPDX-License-Identifier: MIT
/// \file
/// The kernels that plastic layers take on an emulated GPU, for a scope.
#pragma once

#include "../../cuda/plastic_form.h"

namespace gaia::test {

class ForcedForm {
 public:
  explicit ForcedForm(cuda::emulated::PlasticForm form) {
    cuda::emulated::forced_plastic_form() = form;
  }
  ~ForcedForm() { cuda::emulated::forced_plastic_form().reset(); }
  ForcedForm(const ForcedForm&) = delete;
  ForcedForm& operator=(const ForcedForm&) = delete;
};

}  // namespace gaia::test
