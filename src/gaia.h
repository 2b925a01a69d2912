// SPDX-License-Identifier: MIT
/// \file
/// All of gaia that a program may use.
#pragma once

#include "array/array.h"
#include "array/create.h"
#include "array/device.h"
#include "array/functions.h"
#include "array/ops.h"
#include "array/print.h"
#include "array/random_arrays.h"
#include "array/reductions.h"
#include "array/statistics.h"
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
#include "learning/plasticity.h"
