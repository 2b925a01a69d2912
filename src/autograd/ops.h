// SPDX-License-Identifier: MIT
/// \file
/// All functions of tensors.
#pragma once

#include "differences.h"
#include "distances.h"
#include "fused.h"
#include "grids.h"
#include "indexing.h"
#include "interpolation.h"
#include "joining.h"
#include "linear.h"
#include "padding.h"
#include "patches.h"
#include "pointwise.h"
#include "reduce.h"
#include "sliding.h"
#include "sorting.h"
#include "statistics.h"
#include "views.h"
