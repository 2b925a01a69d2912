// SPDX-License-Identifier: MIT
/// \file
/// The header of an EDF or BDF file, EDF+ and BDF+ among them.
///
/// EDF (Kemp, Värri, Rosa, Nielsen & Gade 1992), EDF+ (Kemp & Olivan 2003): fields of ASCII of
/// fixed width, then data records of the same length, in each of them all samples of the first
/// signal, then all of the second ...  EDF has samples of 16 bits, BDF (BioSemi) of 24 bits, both
/// little-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../input_file.h"

namespace gaia {

struct EdfSignal {
  std::string label;            ///< Name, without blanks around it.
  std::string unit;             ///< "uV".
  std::int64_t samples = 0;     ///< Numbers in a record.
  std::int64_t offset = 0;      ///< Bytes from the start of a record to the first of them.
  bool is_annotations = false;  ///< No signal, but texts and times (EDF+).
  // physical = gain (shift + digital), as EDFlib has it, so that the same bits come of it.
  double gain = 1.0;
  double shift = 0.0;
};

struct EdfHeader {
  bool is_bdf = false;
  bool has_gaps = false;   ///< EDF+D: each record tells when it begins.
  std::int64_t bytes = 0;  ///< Bytes of the header.
  std::int64_t records = 0;
  std::int64_t record_bytes = 0;
  double record_seconds = 0.0;
  std::vector<EdfSignal> signals;

  std::int64_t sample_bytes() const { return is_bdf ? 3 : 2; }
  /// Samples a second.
  double rate(const EdfSignal& signal) const {
    return static_cast<double>(signal.samples) / record_seconds;
  }
  /// Offset of a record in the file.
  std::int64_t record_at(std::int64_t record) const { return bytes + record * record_bytes; }
};

/// Whether the first 8 bytes are those of EDF or BDF.
bool is_edf(const InputFile& file);

/// Checks every number against the others and the length of the file.  A recording that was cut off
/// has -1 as its number of records; then there are as many as the file has room for.
/// \throws DataError "FILE: byte N: expected ..., got ...".
EdfHeader read_edf_header(const InputFile& file);

}  // namespace gaia
