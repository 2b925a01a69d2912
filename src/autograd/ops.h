// SPDX-License-Identifier: MIT
/// \file
/// All functions of tensors.
#pragma once

#include "fused.h"
#include "indexing.h"
#include "joining.h"
#include "linear.h"
#include "pointwise.h"
#include "reduce.h"
#include "sliding.h"
#include "sorting.h"
#include "statistics.h"
#include "views.h"
