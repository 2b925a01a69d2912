// SPDX-License-Identifier: MIT
/// \file
/// Recordings in EDF and BDF files.
#pragma once

#include <memory>
#include <string>

#include "../file_options.h"
#include "edf_header.h"

namespace gaia {

/// Opens a file of EDF, EDF+, BDF or BDF+; it is read record by record, whatever its length.
///
/// Columns are the signals but for those of annotations, by their labels, in physical units: those
/// that are read have one rate, which sample_rate() tells.  A time that is called "time", where no
/// signal is called so, is seconds since the start that the header tells; labels that are called
/// "annotations" are the texts of EDF+ that hold in each row (edf_labels).  Where a file has gaps
/// (EDF+D), a trial begins after each of them.
/// \throws DataError "FILE: byte N: ..." or "FILE: record N: ..." for content that cannot be used,
/// ArgumentError for columns that the file does not have, DataKeyError for signals of several
/// rates.
std::unique_ptr<FileSeries> open_edf(const std::string& path, const FileOptions& options = {});

/// Indices, among the signals that are no annotations, of those of the rate that most have; the
/// highest of several such rates.
std::vector<std::size_t> signals_of_most_common_rate(const EdfHeader& header);

}  // namespace gaia
