// SPDX-License-Identifier: MIT
/// \file
/// What experiments tell when they have ended, as dicts of Python's.
#pragma once

#include <nanobind/nanobind.h>

#include "../../src/experiment/run/run.h"
#include "../../src/experiment/sweep/seed_verdict.h"
#include "../../src/report/result.h"

namespace gaia::python {

namespace nb = nanobind;

/// The readouts of a results file as a summary of its run has them; none of networks and agents.
nb::list readouts_of(const report::Result& result);

/// Fields of every kind: status, file, steps_done, steps, seconds, levels, readouts, verdict, text;
/// what a kind has not is empty.
nb::dict as_dict(const RunSummary& summary);
nb::dict as_dict(const Fields& fields);

/// What gaia.Verdict holds.
nb::dict as_dict(const SeedVerdict& found);

}  // namespace gaia::python
