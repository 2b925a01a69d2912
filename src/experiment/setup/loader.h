// SPDX-License-Identifier: MIT
/// \file
/// What the kind of an experiment needs of anyone who loads it.
#pragma once

#include "../config/problems.h"
#include "../data/experiment.h"

namespace gaia {

class Loader {
 public:
  virtual ~Loader() = default;

  /// Checks numbers and readouts, opens the data and the run of hierarchy.from, and checks that the
  /// steps are there.  Where something is wrong there may be no data.
  virtual void open_data() = 0;
  /// Finds what stands in place of missing values, and the rows that moments are measured over.
  virtual void settle_data() = 0;

  /// Whether nothing was wrong with the values in the section of the kind, and in `data`.
  virtual bool is_right() const = 0;
  virtual bool data_is_right() const = 0;

  Experiment& experiment;
  Problems& problems;
  const AddProblem add;  ///< Adds to the problems, at the place of the key in the file.

 protected:
  Loader(Experiment& to_load, Problems& all, AddProblem add_problem)
      : experiment(to_load), problems(all), add(std::move(add_problem)) {}
};

}  // namespace gaia
