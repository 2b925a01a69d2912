// SPDX-License-Identifier: MIT
/// \file
/// `learning_rate: auto`: the number that it stands for.
#pragma once

#include "../../io/hdf5.h"
#include "../setup/load.h"

namespace gaia {

/// Gives every layer with `learning_rate: auto` whose rate is not known yet a tenth of the limit of
/// its rule (stability_limit in learning/rule_list.h) over the mean |x|^2 of what the layer reads,
/// x being measured as measure_rates does it, of the hierarchy as the run begins with it and on the
/// CPU: so the number is the same on every device and for any number of threads.  Tells each.
/// \throws ConfigError where that is no rate: for an input of zeros, or one that overflows.
void settle_rates(Experiment& experiment);

/// Gives these layers the rates with which the run of a results file, whole or partial, has learnt.
/// \throws DataError where the file has no such number.
void take_rates(ExperimentConfig& config, const hdf5::File& results);

}  // namespace gaia
