// SPDX-License-Identifier: MIT
/// \file
/// What a run has learnt, on rows that come one by one: a row goes in, a row comes out, and on
/// request everything goes on learning.
///
///     LiveStream stream("results/pump.h5", {.learn = true});
///     const StreamAnswer& answer = stream.push({.values = {3.2, 0.7}});
///     answer.values;  // of stream.fields(): NaN before the first tick
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gaia {

/// Which moments scale the channels of a stream.
enum class StreamMoments : std::uint8_t {
  stored,   ///< Those of the result.
  running,  ///< Those of the result at first; every row moves them.
};

struct StreamOptions {
  bool learn = false;  ///< Weights, thresholds and readouts that learn online go on learning.
  StreamMoments moments = StreamMoments::stored;
  /// Names of readouts, "level 0", "level 1", ...; empty: all readouts, and where there are none
  /// the last level.
  std::vector<std::string> outputs = {};
  /// Path of the file of the state; empty: RESULT.stream.h5 beside the result.
  std::string state = {};
  bool begin_anew = false;      ///< A state that is there is not gone on from, and is replaced.
  std::int64_t keep_every = 0;  ///< Rows between two states that are written; 0: none by count.
  /// Rows, 100 000 000 at most, for which a readout that learns online waits for a target that its
  /// row did not bring.
  std::int64_t late = 1000;
  std::optional<std::string> device = {};  ///< If not given, that of the experiment.
};

/// A row that comes in.
struct StreamRow {
  std::vector<double> values;        ///< [columns], in their own units; NaN: missing.
  std::vector<double> targets = {};  ///< [targets], NaN where not known (yet); empty: none known.
  std::optional<std::string> label = {};  ///< Class of the row, if it is known.
  /// Name of its trial: another than that of the row before begins one.  Not given: the trial goes
  /// on.
  std::optional<std::string> trial = {};
};

/// One number, or one class, of each row that comes out.  Predictions have the units that they have
/// in a results file: of channels, which are scaled, those of the scaled samples.
struct StreamField {
  std::string name;  ///< "forecast", "forecast.flow", "state", "state.run", "level 0.3".
  /// Names of the classes whose number the value is; empty: the value is a number.
  std::vector<std::string> classes = {};
};

/// A row that comes out.
struct StreamAnswer {
  std::int64_t step = 0;                   ///< Number of the row that it answers, counted from 0.
  std::vector<double> values;              ///< [fields]; held between ticks, NaN before the first.
  std::vector<std::string> warnings = {};  ///< Sentences that have not been said before.
};

/// Rows one by one through the hierarchy and the readouts of a complete result, always by
/// process_time_step: bits do not depend on how rows arrive.  It begins as a new trial at step 0
/// with the weights of the result and the memories that cross trials, at the rates of the end of
/// the run; where a state of the same result is there, it goes on from that.
class LiveStream {
 public:
  /// \throws ConfigError for a result that no stream can be built from, an output that it has not,
  /// or a state of another result or other options; DataError for files that cannot be read.
  explicit LiveStream(const std::string& result, const StreamOptions& options = {});
  LiveStream(LiveStream&&) noexcept;
  LiveStream& operator=(LiveStream&&) noexcept;
  ~LiveStream();

  /// Reads a row and answers it.  A row that cannot be used changes nothing, and begins no trial
  /// that it names.
  /// \throws DataError naming the column for a value that is missing where none may be, is not
  /// finite, or of a class that the result does not know; ShapeError for a row of another length.
  const StreamAnswer& push(const StreamRow& row);
  /// The truth of an earlier row, known only now: what learns online learns from it.
  /// \throws DataError for a step that has not come yet or is further back than a readout keeps.
  void teach(std::int64_t step, const std::vector<double>& targets,
             const std::optional<std::string>& label = {});
  /// The next row begins a trial: nothing is carried over but what crosses trials.
  void begin_trial();
  /// Name of the trial that goes on, which is kept with the state; empty where no row has named it.
  const std::string& trial() const;
  /// Writes the state aside and renames it.  \throws OutputError.
  void keep();
  /// Number of the row that is expected next.
  std::int64_t step() const;

  // What a result wants and gives:
  const std::vector<std::string>& columns() const;  ///< Names of the values of a row.
  const std::vector<std::string>& targets() const;  ///< Names of its targets.
  const std::string& label() const;                 ///< Name of the column of labels; empty: none.
  const std::string& trials() const;  ///< Name of the column whose change begins a trial, or empty.
  char decimal() const;               ///< Mark in the numbers of CSV that its run has read.
  const std::vector<StreamField>& fields() const;
  const std::string& state_path() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gaia
