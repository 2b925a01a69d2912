// SPDX-License-Identifier: MIT
#include "matlab_format.h"

#include "../../core/error.h"
#include "../hdf5_series.h"
#include "hdf5_format.h"

namespace gaia {
namespace {

/// What is called so and is neither of level 5 nor HDF5 is of level 4, or none of MATLAB's.
void check_is_level_5(const MatlabFormat& format, const std::string& path) {
  if (format.is_signed(InputFile(path))) return;
  throw DataError(path +
                  ": is not a MATLAB file of version 5 to 7.3 by its first bytes; save it with "
                  "'-v7' or '-v7.3'");
}

}  // namespace

std::unique_ptr<FileSeries> MatlabFormat::open(const std::string& path,
                                               const FileOptions& options) const {
  check_is_level_5(*this, path);
  return open_hdf5(path, options);
}

FileSurvey MatlabFormat::survey(const std::vector<std::string>& paths) const {
  for (const std::string& path : paths) check_is_level_5(*this, path);
  return Hdf5Format().survey(paths);
}

}  // namespace gaia
