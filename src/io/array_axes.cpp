// SPDX-License-Identifier: MIT
#include "array_axes.h"

#include "file_series.h"

namespace gaia {

void refuse_axes(const std::string& path, const ArrayAxes& axes) {
  if (axes.transpose) {
    throw DataKeyError("transpose", "true",
                       path +
                           ": rows of a CSV file are samples; save it as .npy, by "
                           "numpy.save(\"data.npy\", numpy.loadtxt(\"" +
                           path + "\", delimiter=\",\").T)");
  }
  if (axes.trials) {
    throw DataKeyError("trials.axes", "axes",
                       path +
                           ": a CSV file has rows and columns only; data.trials takes column or "
                           "length for it");
  }
}

}  // namespace gaia
