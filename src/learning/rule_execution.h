// SPDX-License-Identifier: MIT
/// \file
/// By which executor a rule runs, and why, as `gaia check`, results and reports tell it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../array/device.h"
#include "plasticity.h"

namespace gaia {

/// How a layer learns under its rule.
struct RuleExecution {
  std::string rule_class;    ///< "matrix" or "weights" (docs/rules.md); empty where not known.
  std::string class_why;     ///< "dw is x times a number"; may be empty.
  std::string executor;      ///< "chunkwise" or "stepwise".
  std::string executor_why;  ///< To follow the executor and a colon; may be empty.

  /// Adds that the layer computes on the CPU though the run is on another device.
  void tell_host();

  /// Under the names that they have as attributes of a layer in results; empty ones are left out.
  std::vector<std::pair<std::string, std::string>> attributes() const;
  /// The same back from attributes of a layer, `read(name)` being empty for those that it lacks.
  template <class Read>
  static RuleExecution from(const Read& read) {
    return {read("rule_class"), read("rule_class_why"), read("executor"), read("executor_why")};
  }
  /// "class matrix: dw is x times a number, chunkwise"; empty where nothing is known.
  std::string text() const;
};

/// What decides how a layer learns under its rule.
struct RuleSite {
  Plasticity plasticity;
  bool is_bounded = false;
  std::int64_t streams = 1;
  std::int64_t chain_length = 0;  ///< Numbers of a synapse, with its weight; 0: no chain.
  Device device = Device::cpu();
  DType dtype = DType::float32;
  std::int64_t inputs = 1, outputs = 1;
};

/// How it does; what is reported of functors holds on the CPU alone.  They are of class matrix, as
/// all that answer with a loss and a gain are.
RuleExecution execution_of(const RuleSite& site);

}  // namespace gaia
