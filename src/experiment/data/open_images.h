// SPDX-License-Identifier: MIT
/// \file
/// Opens the pictures that an experiment names: whole data sets for a network, a series for a
/// hierarchy.
#pragma once

#include <cstdint>
#include <utility>

#include "../../array/array.h"
#include "../config/problems.h"
#include "experiment.h"

namespace gaia {

/// Reads the images of `config` into the experiment, for a network.  \throws DataError for files
/// that cannot be used; missing ones are problems of data.folder.
void open_images(Experiment& experiment, const ImagesConfig& config, const AddProblem& add);

/// Rows [first, last) of a series of pictures, [n, height, width] or [n, colours, height, width] of
/// `dtype`, and the class of each, -1 where the series knows none.  On the host.
std::pair<Array, Array> pictures_of(Series& series, std::int64_t first, std::int64_t last,
                                    DType dtype);

/// Opens the images of `config`, or patches of them, as the experiment's series.
/// \throws DataError as above, ArgumentError "[images] KEY: ..." for counts and sizes that do not
/// fit.
void open_image_series(Experiment& experiment, const ImagesConfig& config, const AddProblem& add);

/// Checks that data.shape is that of a picture with as many numbers as the series has channels, and
/// agrees with the shape that the source states, if it states one.
void check_shape(const Experiment& experiment, const AddProblem& add);

}  // namespace gaia
