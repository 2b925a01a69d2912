// SPDX-License-Identifier: MIT
/// \file
/// Scores of one experiment over several seeds, of its readouts and of all that they are compared
/// with.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../config/config.h"

namespace gaia {

/// A score that is not defined, as that of a run that diverged.
inline constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

/// Mean and standard deviation of those that are defined.
struct Spread {
  std::int64_t count = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();
  /// Over count - 1; NaN of fewer than two.
  double deviation = std::numeric_limits<double>::quiet_NaN();
};

Spread spread_of(const std::vector<double>& values);

/// Scores along the stream, window by window, of each seed.
struct WindowsOverSeeds {
  /// A score under the name that results give it: "accuracy".
  struct Curve {
    std::string score;
    std::vector<std::vector<double>> seeds;  ///< [seed][window]; NaN: not defined.
  };
  std::vector<std::int64_t> steps = {};  ///< The last of each window.
  std::vector<Curve> curves = {};

  /// Puts the only seed of another in the place of the last of `seeds`.  One whose windows lie at
  /// other steps has none.
  void put_last(const WindowsOverSeeds& one, std::size_t seeds);
  /// Adds a seed without scores.
  void add_none();
  /// Over the seeds, of one window of a curve.
  static Spread spread_at(const Curve& curve, std::size_t window);
};

/// One thing that a readout is compared with: a control or a baseline.
struct ComparedScores {
  std::string name;   ///< "frozen", "persistence": as results have it.
  std::string title;  ///< "frozen weights"
  bool is_control = false;
  std::vector<double> scores = {};  ///< Score of each seed; NaN: not defined.
  Spread spread = {};
  WindowsOverSeeds windows = {};

  // Seeds in which both scores are defined are counted:
  std::int64_t ahead = 0;   ///< In how many the readout is better.
  std::int64_t behind = 0;  ///< In how many it is worse; in the others both are equal.
  Spread difference = {};   ///< Readout's score less this one.
  double sign_test_p = 1.0;
};

/// What is published of a readout's scores, and what seeds have reached of that number.
struct PublishedScores {
  /// Number of the readout's results that is compared; empty: that by which it is judged.
  std::string score = {};
  std::optional<double> value = {};
  std::optional<double> spread = {};
  std::vector<double> scores = {};  ///< Scores of the seeds; NaN: not defined.
  Spread reached = {};
};

struct ReadoutOverSeeds {
  std::string name;
  std::string target;  ///< For people.
  /// "R2", "accuracy", "AUC", "mean |r|", "return": what is better if it is larger; or the name of
  /// a statistic, of which is_error_measure() tells.
  std::string measure;
  std::string units = "1";
  std::vector<double> scores = {};  ///< Score of each seed; NaN: not defined, or the run diverged.
  WindowsOverSeeds windows = {};
  std::string undefined =
      {};  ///< Why the first score that is not defined is not; of runs that ended.
  Spread spread = {};
  std::vector<ComparedScores> others = {};  ///< Controls first.
  std::string verdict = {};                 ///< A sentence.
  /// What else has to be known to read the scores, as the verdict ends with it.
  std::vector<std::string> remarks = {};
  std::string part = {};   ///< "validation", or empty: the test part.
  std::string purge = {};  ///< Sentence as purge_text() has it.
  std::optional<PublishedScores> published = {};

  /// Adds the only seed of another, or none that has scores.
  void add(const ReadoutOverSeeds& one);
  /// Fills in everything that follows from the scores.
  void compare();
};

/// What a verdict over seeds is of.
struct SeedPlan {
  std::vector<ReadoutOverSeeds> readouts;  ///< Without scores.
  std::vector<std::string> settings;       ///< Settings of runs that keep scores alone.
  /// The data are read from files: only what is drawn at random in the run differs.
  bool has_fixed_data = false;
};

/// A readout without scores.
ReadoutOverSeeds no_seeds_yet(const ReadoutConfig& readout, const std::string& target);

/// The return of an agent, in the place of a readout.
ReadoutOverSeeds no_returns_yet(const AgentConfig& agent);

/// A results file as scores are read of it, by paths without a leading slash.
class ScoreSource {
 public:
  virtual ~ScoreSource() = default;
  /// Text of an attribute: nothing, or an empty one, where there is none of that kind.
  virtual std::optional<double> number(const std::string& object, const char* name) const = 0;
  virtual std::string text(const std::string& object, const char* name) const = 0;
  virtual std::vector<std::string> groups(const std::string& group) const = 0;
  virtual std::vector<std::string> datasets(const std::string& group) const = 0;
  /// A list; nothing where there is none.
  virtual std::vector<double> read(const std::string& dataset) const = 0;
  virtual std::string path() const = 0;
};

/// Adds the mean returns of the agent and its controls in a complete result, as one more seed.
/// \throws DataError for a file without them.
void add_returns(ReadoutOverSeeds& agent, const ScoreSource& result);

/// Adds what the readout and all others have reached in a complete result, as one more seed, in the
/// test part, or in that of the `prefix` "validation_".  \throws DataError for a file without them.
void add_scores(ReadoutOverSeeds& readout, const ScoreSource& result,
                const std::string& prefix = "");

/// The steps of windows as a file has them; none where one of them is no step.
std::vector<std::int64_t> steps_of_windows(const std::vector<double>& numbers);
/// The scores along the stream below a group of a result, or those of a baseline, whose names begin
/// with a prefix; none where there are none.
WindowsOverSeeds read_windows(const ScoreSource& result, const std::string& group,
                              const std::string& prefix = "");

/// The same of gaia's own results.
void add_returns(ReadoutOverSeeds& agent, const std::string& result);
void add_scores(ReadoutOverSeeds& readout, const std::string& result);

/// The attribute of results by which a readout of this measure is judged: "r2" of "R2".
const char* attribute_of_measure(const std::string& measure);

/// Pairs of which a sign test can tell no difference at the level of 0.05, whatever their signs.
inline constexpr std::int64_t kTooFewSeeds = 5;

}  // namespace gaia
