// SPDX-License-Identifier: MIT
/// \file
/// All functions of tensors.
#pragma once

#include "linear.h"
#include "pointwise.h"
#include "reduce.h"
#include "views.h"
