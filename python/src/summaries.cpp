// SPDX-License-Identifier: MIT
#include "summaries.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "../../src/experiment/readouts/readout_score.h"
#include "../../src/experiment/run/summary.h"
#include "../../src/report/readouts.h"

namespace gaia::python {
namespace {

nb::object as_object(const FieldValue& value) {
  return std::visit(
      []<class T>(const T& held) -> nb::object {
        if constexpr (std::is_same_v<T, Fields>) {
          return as_dict(held);
        } else if constexpr (std::is_same_v<T, FieldList>) {
          nb::list made;
          for (const FieldValue& one : held) made.append(as_object(one));
          return made;
        } else {
          return nb::cast(held);
        }
      },
      value.held);
}

nb::dict as_dict(const ComparedScores& other) {
  nb::dict made;
  made["name"] = other.name;
  made["title"] = other.title;
  made["scores"] = nb::cast(other.scores);
  made["mean"] = other.spread.mean;
  made["ahead"] = other.ahead;
  made["behind"] = other.behind;
  made["difference"] = other.difference.mean;
  made["sign_test_p"] = other.sign_test_p;
  return made;
}

nb::dict as_dict(const ReadoutOverSeeds& readout) {
  nb::dict made;
  made["name"] = readout.name;
  made["target"] = readout.target;
  made["measure"] = readout.measure;
  made["scores"] = nb::cast(readout.scores);
  made["mean"] = readout.spread.mean;
  made["deviation"] = readout.spread.deviation;
  made["verdict"] = readout.verdict;
  nb::list others;
  for (const ComparedScores& other : readout.others) others.append(as_dict(other));
  made["others"] = others;
  return made;
}

/// A readout as a summary of its run has it, of what the file says.
nb::dict as_dict(const report::ReadoutFacts& readout, const report::Result& result) {
  nb::dict made;
  made["name"] = readout.name;
  made["target"] = readout.title.substr(("Readout " + readout.name + " of ").size());
  ReadoutScore names;
  names.task = readout.task;
  nb::dict numbers;
  for (const auto& [name, unset] : names.numbers()) {
    numbers[name.c_str()] =
        result.number(readout.path, name).value_or(std::numeric_limits<double>::quiet_NaN());
  }
  made["numbers"] = numbers;
  made["undefined"] = readout.undefined;
  Score own = readout.score;
  own.name = "";
  made["score"] = python::as_dict(fields_of(own));
  nb::list others;
  for (const Score& score : readout.baselines) others.append(python::as_dict(fields_of(score)));
  made["others"] = others;
  made["verdict"] = readout.verdict().text;
  made["noticed"] = nb::cast(result.texts(readout.path, "noticed"));
  return made;
}

}  // namespace

nb::list readouts_of(const report::Result& result) {
  nb::list made;
  if (!result.has_group("", "levels")) return made;
  for (const report::ReadoutFacts& readout : report::read_readouts(result)) {
    made.append(as_dict(readout, result));
  }
  return made;
}

nb::dict as_dict(const Fields& fields) {
  nb::dict made;
  for (const auto& [name, value] : fields) made[name.c_str()] = as_object(value);
  return made;
}

nb::dict as_dict(const RunSummary& summary) {
  nb::dict made;
  made["status"] = to_string(summary.status);
  made["file"] = summary.file;
  made["steps_done"] = summary.steps_done;
  made["steps"] = summary.steps;
  made["seconds"] = summary.seconds;
  made["levels"] = nb::list();
  made["readouts"] = nb::list();
  made["verdict"] = "";
  made["text"] = summary.text();
  made.update(as_dict(summary.fields()));
  return made;
}

nb::dict as_dict(const SeedVerdict& found) {
  nb::dict made;
  made["file"] = found.file;
  made["first_seed"] = found.first_seed;
  made["seeds"] = found.seeds;
  made["diverged"] = nb::cast(found.diverged);
  nb::dict reasons;
  for (std::size_t i = 0; i < found.diverged.size(); ++i) {
    reasons[nb::int_(found.diverged[i])] = found.reasons[i];
  }
  made["reasons"] = reasons;
  made["seconds"] = found.seconds;
  made["text"] = verdict_table(found);
  nb::list readouts;
  for (const ReadoutOverSeeds& readout : found.readouts) readouts.append(as_dict(readout));
  made["readouts"] = readouts;
  return made;
}

}  // namespace gaia::python
