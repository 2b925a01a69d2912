// SPDX-License-Identifier: MIT
/// \file
/// The one macro that formulas see: they compile for the host and, under nvcc, for the device.
#pragma once

#ifdef __CUDACC__
#define GAIA_HOST_DEVICE __host__ __device__
#else
#define GAIA_HOST_DEVICE
#endif
