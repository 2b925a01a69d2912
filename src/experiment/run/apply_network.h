// SPDX-License-Identifier: MIT
/// \file
/// Applies a trained network to new data: its outputs, the probabilities of classes, and scores
/// where the targets are known.
#pragma once

#include <cstdint>
#include <string>

#include "../readouts/test_score.h"
#include "apply.h"
#include "run.h"

namespace gaia {

/// What came of it.
struct NetworkApplication final : RunSummary {
  std::int64_t samples = 0;
  std::int64_t targets = 0;  ///< So many of the samples have a known target.
  bool is_classifier = false;
  bool in_sample = false;    ///< The network was trained on these data.
  bool looks_ahead = false;  ///< Whether what it reads comes from later rows (MissingPolicy).
  TestScore score;           ///< Over those with a target.

  std::string text() const override;
};

/// Writes a results file as that of a training, whose test part are all new samples: predictions,
/// targets where they are known (else NaN, of images -1), of images the probabilities of all
/// classes.  The history is empty; the weights are those of the result.
/// DATA of a network on a series is what data.path takes; on images an IDX file of them, of the
/// size that it was trained on.
/// The options have a meaning in `overwrite` and `command_line` alone. \throws as application_of
/// and run_experiment. What fails leaves no file.
NetworkApplication apply_network(const std::string& result, const ApplyOptions& options,
                                 const RunOptions& how = {});

}  // namespace gaia
