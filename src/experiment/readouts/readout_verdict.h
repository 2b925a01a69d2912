// SPDX-License-Identifier: MIT
/// \file
/// Score of a readout and of everything that it is compared with.
#pragma once

#include <string>
#include <vector>

#include "../../hierarchy/manager.h"
#include "control.h"
#include "verdict.h"

namespace gaia {

/// "frozen weights", "ridge on the same past", "logistic on principal components".  `title`: of the
/// control beside its data, "all pixels"; empty where nothing is known of them.
std::string control_score_name(const std::string& control, const std::string& readout_type,
                               const std::string& title = {});

/// Baselines and controls, under names for people.
std::vector<Score> others_of(const ReadoutConfig& readout, const ReadoutScore& score,
                             const std::vector<ControlScore>& controls);

/// Why the score of a readout says less than it seems to; `in_sample`: the run reads data that the
/// weights that it began with were trained on.
std::vector<std::string> doubts_about(const ReadoutConfig& readout, bool in_sample);

/// What has read rows that the readout is scored by before it was, each the rest of a sentence:
/// the levels' learning and moments where there are folds, the levels where a run over several
/// epochs scores all that they learn from, or where they have learnt from the same data before.
/// `in_sample` as doubts_about() has it.
std::vector<std::string> remarks_about(const ExperimentConfig& config, const ReadoutConfig& readout,
                                       bool in_sample);

/// `remarks`: as remarks_about() has them.
Verdict verdict_of_readout(const ReadoutConfig& readout, const ReadoutScore& score,
                           const std::vector<ControlScore>& controls, bool in_sample,
                           const std::vector<std::string>& remarks);

/// Sentence that rates which layers found (learning_rate: auto) are the likely cause, where
/// learning loses.  Empty elsewhere.
std::string likely_cause(const std::vector<Verdict>& verdicts, const HierarchyManager& hierarchy);

/// A verdict with that at its end; the verdict alone where the cause is empty.
std::string with_cause(const std::string& verdict, const std::string& cause);

}  // namespace gaia
