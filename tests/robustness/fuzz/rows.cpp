// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as rows of a stream, CSV or NDJSON: they are the same however they are cut, and none
/// ends the reader.
#include "../../../src/experiment/live/row_reader.h"

#include <algorithm>

#include "../../../src/core/error.h"
#include "target.h"

namespace {

using namespace gaia;

/// All that is read, as a text; `cut` bytes at a time.
std::string rows_of(std::string_view bytes, std::size_t cut) {
  RowReader reader({.columns = {"a", "b"}, .targets = {"y"}, .label = "state", .trial = "run"});
  std::string all;
  std::string warnings;  // reported after the rows of a piece
  const auto read = [&] {
    while (const RowLine* line = reader.next()) {
      all += std::to_string(line->line) + ' ' + std::to_string(static_cast<int>(line->kind)) + ' ' +
             line->error + line->row.label.value_or("-") + line->row.trial.value_or("-") +
             std::to_string(line->step.value_or(-1));
      test::require((line->kind == RowLine::Kind::bad) == !line->error.empty(),
                    "a row is bad for a reason");
      for (const double value : line->row.values) all += ' ' + std::to_string(value);
      for (const double target : line->row.targets) all += ' ' + std::to_string(target);
      all += '\n';
    }
    for (const std::string& warning : reader.take_warnings()) warnings += warning + '\n';
  };
  try {
    for (std::size_t i = 0; i < bytes.size(); i += cut) {
      reader.feed(bytes.substr(i, cut));
      read();
    }
    reader.finish();
    read();
  } catch (const DataError& error) {
    all += error.what();
  }
  return all + warnings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const std::string_view text = test::text_of(bytes, count);
  const std::string whole = rows_of(text, std::max<std::size_t>(1, count));
  for (const std::size_t cut : {1u, 3u, 64u}) {
    test::require(rows_of(text, cut) == whole, "rows do not depend on how bytes are cut");
  }
  return 0;
}
