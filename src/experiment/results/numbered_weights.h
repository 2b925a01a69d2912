// SPDX-License-Identifier: MIT
/// \file
/// Places of the weights of layers with several matrices in a results file: "weights/2",
/// "weights_initial/2", "bias/2", and "history/weights/2".
#pragma once

#include <cstdint>

#include "growing_datasets.h"
#include "results_layout.h"

namespace gaia {

/// Whether an array is one of several matrices of weights, or biases, of a layer.
bool is_numbered(const NamedArray& part);

/// The part as it is at the end, and weights as they were at first too, in `layer`.
void lay_out_numbered(hdf5::Group& layer, const NamedArray& part, hdf5::Type type,
                      ResultsLayout::Layer& made);

/// The part over the run, at the steps `made.history_step`, with room for `rows` of them.
void lay_out_numbered_history(hdf5::Group& layer, hdf5::Group& history, const NamedArray& part,
                              hdf5::Type type, std::int64_t rows, GrowingDatasets& growing,
                              ResultsLayout::Layer& made);

}  // namespace gaia
