// SPDX-License-Identifier: MIT
/// \file
/// Small data, and what the formulas of the papers make of them.  Made by make.py with
/// NumPy 1.24.2.
#pragma once

#include <vector>

// clang-format off
namespace gaia::test::metrics_reference {

/// [9, 5]
inline const std::vector<double> responses = {
  -0.079, 1.204, -0.302, 5.634, 0.041, -0.469, -0.914, -1.45, 3.003, 0.093, 0.831, 0.128, -1.32,
  2.824, -0.12, -1.525, 0.599, -0.991, 4.086, -0.024, -3.282, 1.231, -1.608, 5.085, 0.214, -6.654,
  -1.407, -1.362, 5.233, -0.171, 0.294, -0.028, -0.915, 0.223, 0.065, 5.791, 0.437, -1.362, 3.773,
  -0.265, 2.428, 1.503, -0.675, -0.955, -0.043
};

/// [2]
inline const std::vector<double> centred_ranks = {
  3.2310637156322928, 1.6490230117388731
};

/// [2]
inline const std::vector<double> plain_ranks = {
  3.2650470977347688, 1.925769846480665
};

/// [2]
inline const std::vector<double> wide_ranks = {
  2.9022683493828967, 1.677991534060526
};

/// [5]
inline const std::vector<double> selectivity = {
  0.6434392011488494, 0.44917572262881644, 0.3100469872857933, 0.3922612708555201,
  0.5656184486373166
};

/// [5]
inline const std::vector<double> lifetime = {
  0.5422823264392648, 0.31862071545923554, 0.12853878857935297, 0.23828901253667636,
  0.3654864075361467
};

/// [9]
inline const std::vector<double> population = {
  0.8541867310802554, 0.5287353251237329, 0.5966697452686015, 0.6091076877230911,
  0.45040112253489056, 0.5222839542307242, 0.6557575181495482, 0.572422826679769, 0.4256134070694431
};

/// [3, 5]
inline const std::vector<double> weights = {
  -0.103, -0.484, 1.033, -1.744, -0.718, 0.596, 0.991, 0.169, 1.055, 0.52, -1.059, 1.294, -0.506,
  -1.631, 0.438
};

inline constexpr double orthogonality = 0.7908793910167963;

inline constexpr double coherence = 0.7050904962091876;

inline constexpr double reconstruction = 0.36124868768856666;

inline constexpr double centred_reconstruction = 0.5373846025861921;

/// [2, 5]
inline const std::vector<double> directions = {
  1.814, 0.959, 0.997, 0.191, -2.465, 0.68, 0.158, -2.641, -0.652, -0.88
};

inline constexpr double subspace = 0.4244571401589877;

/// [6, 2, 3]
inline const std::vector<double> trajectory = {
  2.061, 1.123, 1.298, 1.243, -0.328, -0.964, 2.118, 0.83, 1.284, 1.076, -0.827, -0.409, 2.31,
  0.207, -0.616, -1.514, -2.268, -0.562, 3.221, -0.213, 0.062, -0.353, 0.112, -0.275, 4.716, 0.022,
  -1.177, -2.624, 0.409, 0.614, 7.185, -0.647, -0.687, -2.739, -1.959, 0.988
};

/// [4]
inline const std::vector<double> path = {
  27.232, 16.444000000000003, 0.6038484136310225, 3.331742827430109
};

/// [4, 4]
inline const std::vector<double> scores = {
  0.326, 0.368, 0.46, 0.403, 0.848, 0.217, 0.596, 0.643, 0.683, 0.422, 0.891, 0.621, 0.692, 0.245,
  0.468, 0.369
};

/// [4]
inline const std::vector<double> untrained = {
  0.264, 0.108, 0.071, 0.254
};

/// [4]
inline const std::vector<double> alone = {
  0.755, 0.818, 0.974, 0.707
};

/// [3]
inline const std::vector<double> of_task = {
  0.15600000000000003, 0.177, 0.423
};

/// [5]
inline const std::vector<double> transfers = {
  0.252, 0.4435, -0.009666666666666693, 0.38400000000000006, 0.36275
};

inline constexpr double ideal = 0.93;

/// [4]
inline const std::vector<double> tradeoff = {
  0.7967741935483871, 0.49233333333333335, 0.5882915173237754, 0.608604769491271
};

}  // namespace gaia::test::metrics_reference
