// SPDX-License-Identifier: MIT
/// \file
/// What tests of experiments include besides, which takes longer to read than they do.
#pragma once

#include "../../src/experiment/config/config_writer.h"
#include "../../src/experiment/run/apply.h"
#include "../../src/experiment/run/resume.h"
#include "../../src/experiment/run/run.h"
#include "../../src/experiment/run/train.h"
#include "../../src/io/hdf5.h"
#include "datasets.h"
#include "temp_dir.h"
