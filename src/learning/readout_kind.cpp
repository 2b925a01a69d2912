// SPDX-License-Identifier: MIT
#include "readout_kind.h"

#include "anomaly_readout.h"
#include "consensus_readout.h"
#include "detection_readout.h"
#include "logistic_readout.h"
#include "matching_readout.h"
#include "naming_readout.h"
#include "online_readout.h"
#include "ridge.h"
#include "statistic_readout.h"

namespace gaia {

KindList<ReadoutKind>& ReadoutKind::list() {
  static auto kinds = kinds_of<ReadoutKind, RidgeOptions, LogisticOptions, NamingOptions,
                               OnlineReadoutOptions, AnomalyOptions, MatchingOptions,
                               DetectionOptions, StatisticOptions, ConsensusOptions>();
  return kinds;
}

}  // namespace gaia
