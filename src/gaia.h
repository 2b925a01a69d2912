// SPDX-License-Identifier: MIT
/// \file
/// All of gaia that a program may use.
#pragma once

#include "array/array.h"
#include "array/create.h"
#include "array/device.h"
#include "array/fused.h"
#include "array/kernels.h"
#include "array/ops.h"
#include "array/unfused.h"
#include "core/error.h"
#include "core/log.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/version.h"
#include "hierarchy/level.h"
#include "hierarchy/manager.h"
#include "layers/hebbian.h"
#include "layers/reactive.h"
#include "layers/temporal.h"
#include "learning/optimiser_step.h"
#include "learning/plasticity.h"
