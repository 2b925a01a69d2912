// SPDX-License-Identifier: MIT
/// \file
/// Programs as executors of every device read them: places as numbers in one row, and steps by
/// these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "code.h"
#include "program.h"

namespace gaia {

/// The places of a program in the order in which executors number them: constants, those of the
/// layer, of neurons, and vectors.
class EquationNumbering {
 public:
  explicit EquationNumbering(const EquationProgram& program)
      : layer_(program.constants.size()),
        neuron_(layer_ + program.layer_places),
        vector_(neuron_ + program.neuron_places),
        count_(vector_ + program.vector_places) {}

  std::uint16_t operator()(const EquationPlace& place) const;
  std::size_t layer() const { return layer_; }
  std::size_t neuron() const { return neuron_; }
  std::size_t vector() const { return vector_; }
  std::size_t count() const { return count_; }

 private:
  std::size_t layer_, neuron_, vector_, count_;
};

/// The steps by number.
std::vector<EquationCode> numbered_steps(const std::vector<EquationStep>& steps,
                                         const EquationNumbering& numbering);

}  // namespace gaia
