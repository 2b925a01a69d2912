// SPDX-License-Identifier: MIT
/// \file
/// Annotations of EDF+ and BDF+: texts with a time, and when each data record begins.
///
/// The signal "EDF Annotations" holds, record by record, lists of +ONSET[0x15 DURATION] 0x14 TEXT
/// 0x14 ... 0x14 0, in seconds since the start that the header tells.  The first list of a record
/// has an empty text first, and its onset is that of the record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edf_header.h"

namespace gaia {

struct EdfAnnotation {
  double onset = 0.0;     ///< s
  double duration = 0.0;  ///< s; 0 of one that tells none.
  std::string text;       ///< Text, which is not empty.
};

/// A stretch of records without a gap.
struct EdfStretch {
  std::int64_t record = 0;  ///< The first.
  double onset = 0.0;       ///< s
};

/// Stretches in the order of the file; one, from 0 s on, where there are no annotations.  Of a file
/// without gaps (EDF+C) only the first record is read.  \throws DataError "FILE: record N: ..." for
/// records that do not tell when they begin, or begin before the one before them ends.
std::vector<EdfStretch> read_edf_stretches(const InputFile& file, const EdfHeader& header);

/// All annotations, in the order of the file.  \throws DataError for lists that are none.
std::vector<EdfAnnotation> read_edf_annotations(const InputFile& file, const EdfHeader& header);

/// What annotation holds in each of `rows` rows, `per_record` of which are in a record; "" where
/// there is none.  One holds in the rows from its onset until its duration is over, without one in
/// the first row at its onset or after it; of several the last in the file.
std::vector<std::string> edf_labels(const EdfHeader& header,
                                    const std::vector<EdfAnnotation>& annotations,
                                    const std::vector<EdfStretch>& stretches,
                                    std::int64_t per_record);

/// When each row was taken, in seconds since the start that the header tells.
std::vector<double> edf_times(const EdfHeader& header, const std::vector<EdfStretch>& stretches,
                              std::int64_t per_record);

}  // namespace gaia
