// SPDX-License-Identifier: MIT
/// \file
/// The files that datasets are exported to, one function for each format.
#pragma once

#include <vector>

#include "../../io/new_file.h"
#include "exported_dataset.h"

namespace gaia {

void write_csv(const ExportedDataset& dataset, NewFile& file);
void write_npy(const ExportedDataset& dataset, NewFile& file);
void write_npz(const std::vector<ExportedDataset>& datasets, NewFile& file);

}  // namespace gaia
