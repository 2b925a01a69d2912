// SPDX-License-Identifier: MIT
/// \file
/// gaia stream: rows on stdin, rows on stdout, as they come.
#include "../../src/experiment/live/stream.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../../src/core/command_line.h"
#include "../../src/core/log.h"
#include "../../src/core/message.h"
#include "../../src/experiment/live/row_fields.h"
#include "../../src/experiment/live/row_reader.h"
#include "../../src/experiment/live/row_writer.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"
#include "experiment_options.h"
#include "row_pipes.h"
#include "stream_speed.h"

namespace gaia::app {
namespace {

struct StreamArguments {
  std::string result;
  StreamOptions options = {.keep_every = 10000};
  std::string moments = "stored";
  std::string format = "auto";
  std::string decimal = {};
  bool strict = false;
  bool stats = false;
};

/// Rows from stdin through a stream to stdout.  What has been kept has been answered: no state is
/// written before the answers to all of its rows are.
class RowLoop {
 public:
  RowLoop(LiveStream& stream, const StreamArguments& arguments, RowPipes& pipes)
      : stream_(stream),
        arguments_(arguments),
        pipes_(pipes),
        reader_(
            {.columns = stream.columns(),
             .targets = stream.targets(),
             .label = stream.label(),
             .trial = stream.trials(),
             .decimal = arguments.decimal.empty() ? stream.decimal() : arguments.decimal.front()},
            arguments.format == "auto"
                ? std::nullopt
                : std::optional(from_name(kRowFormats, arguments.format, "format"))),
        kept_(stream.step()) {}

  /// Until the end of the rows, or a signal.  \throws DataError under --strict for a bad row, when
  /// all before it is answered and kept.
  void run() {
    while (!pipes_.has_ended() && !pipes_.is_stopped()) {
      // No whole row is left: who waits for answers gets them before more is waited for.
      if (!pipes_.has_waiting()) write_out();
      if (pipes_.take_checkpoint()) keep();
      const std::string_view bytes = pipes_.read();
      if (arguments_.stats && !bytes.empty()) speed_.note_arrival();
      if (pipes_.has_ended()) {
        reader_.finish();
      } else {
        reader_.feed(bytes);
      }
      while (const RowLine* line = pipes_.is_stopped() ? nullptr : reader_.next()) take(*line);
      if (!writer_ && reader_.format()) begin();
      tell_warnings();
    }
    end();
  }

 private:
  void take(const RowLine& line) {
    if (!writer_) begin();
    if (line.kind == RowLine::Kind::empty) {
      begins_trial_ = true;
      return;
    }
    if (line.kind == RowLine::Kind::bad) {
      begin_trial();
      return refuse(line, line.error, true);
    }
    const bool is_teaching = line.step && *line.step < stream_.step() && !line.has_values;
    try {
      if (is_teaching) {
        teach(line);
      } else {
        answer(line);
      }
    } catch (const DataError& error) {
      refuse(line, error.what(), !is_teaching);
    } catch (const ShapeError& error) {
      refuse(line, error.what(), !is_teaching);
    }
    if (out_.size() >= kFull) write_out();
    if (pipes_.take_checkpoint()) keep();
  }

  /// Behind an empty line a trial begins, whether its first row can be used or not.
  void begin_trial() {
    if (!std::exchange(begins_trial_, false)) return;
    stream_.begin_trial();
    is_changed_ = true;
  }

  void answer(const RowLine& line) {
    if (line.step && *line.step != stream_.step()) {
      fail<DataError>("column step: row {} is expected next, got row {}", stream_.step(),
                      *line.step);
    }
    begin_trial();
    const StreamAnswer& answer = stream_.push(line.row);
    writer_->row(answer, out_);
    is_changed_ = true;
    if (arguments_.stats) speed_.note_row();
    for (const std::string& warning : answer.warnings) log_warning(warning);
    const std::int64_t every = arguments_.options.keep_every;
    if (every > 0 && stream_.step() % every == 0) keep();
  }

  void teach(const RowLine& line) {
    if (!line.has_truth) {
      fail<DataError>(
          "row {} has been answered, and nothing is told of it; row {} is expected next",
          *line.step, stream_.step());
    }
    stream_.teach(*line.step, line.row.targets, line.row.label);
    is_changed_ = true;
  }

  void refuse(const RowLine& line, const std::string& why, bool is_answered) {
    const std::string text = message("stdin:{}: {}", line.line, why);
    if (arguments_.strict) {
      end();
      throw DataError(text);
    }
    tell(text + "\n");
    if (!is_answered) return;
    writer_->bad_row(stream_.step(), why, out_);
    if (arguments_.stats) speed_.note_row();
  }

  void begin() {
    writer_.emplace(*reader_.format(), stream_.fields());
    writer_->begin(out_);
    tell_warnings();
  }

  void tell_warnings() {
    for (const std::string& warning : reader_.take_warnings()) log_warning(warning);
  }

  void write_out() {
    if (out_.empty()) return;
    try {
      pipes_.write(out_);
    } catch (const OutputError& error) {
      fail<OutputError>("{}; the state in {} is that before row {}", error.what(),
                        stream_.state_path(), kept_);
    }
    out_.clear();
    if (arguments_.stats) speed_.note_written();
  }

  void keep() {
    write_out();
    stream_.keep();
    kept_ = stream_.step();
    is_changed_ = false;
  }

  void end() {
    write_out();
    if (is_changed_) keep();
    tell(fmt::format("state    {}: row {} is expected next\n", as_typed(stream_.state_path()),
                     stream_.step()));
    if (arguments_.stats) tell(speed_.text());
  }

  static constexpr std::size_t kFull = std::size_t{1} << 16;

  LiveStream& stream_;
  const StreamArguments& arguments_;
  RowPipes& pipes_;
  RowReader reader_;
  std::optional<RowWriter> writer_;
  std::string out_;  // answers that have not been written
  StreamSpeed speed_;
  bool begins_trial_ = false;  // the next row begins one
  bool is_changed_ = false;    // since the state was kept
  std::int64_t kept_;          // step of that state
};

int stream_rows(const StreamArguments& arguments) {
  StreamOptions options = arguments.options;
  options.moments = arguments.moments == "running" ? StreamMoments::running : StreamMoments::stored;
  // The loop keeps the state itself, when the answers have been written.
  options.keep_every = 0;
  RowPipes pipes;
  LiveStream stream(arguments.result, options);
  tell(fmt::format("stream   {}: reads {}{}\nstate    {}: row {} is expected next\n",
                   as_typed(arguments.result), first_names(stream.columns()),
                   arguments.options.learn ? ", and goes on learning" : "",
                   as_typed(stream.state_path()), stream.step()));
  RowLoop(stream, arguments, pipes).run();
  return pipes.is_stopped() ? kInterrupted : kDone;
}

}  // namespace

void add_stream(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("stream", "Answer rows on stdin, one by one, with what a run has learnt");
  const auto arguments = std::make_shared<StreamArguments>();
  StreamOptions& options = arguments->options;
  verb->add_option("RESULT", arguments->result, "The .h5 file of a complete run")->required();
  verb->add_option("--format", arguments->format,
                   "csv, ndjson, or auto: as the first line looks (default)")
      ->check(CLI::IsMember({"csv", "ndjson", "auto"}));
  verb->add_option("--decimal", arguments->decimal,
                   "Decimal mark of CSV that is read, . or ,; default as in training")
      ->check(CLI::IsMember({".", ","}));
  verb->add_option("--outputs", options.outputs,
                   "Readouts and levels to answer with, as \"forecast,level 0\"; default all "
                   "readouts, else the last level")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  verb->add_flag("--learn", options.learn, "Go on learning");
  verb->add_option("--moments", arguments->moments,
                   "What channels are scaled by: stored, as in the run (default), or running, "
                   "moved by every row")
      ->check(CLI::IsMember({"stored", "running"}));
  verb->add_option("--late", options.late,
                   "Rows for which what is learnt online waits for late targets; default 1000")
      ->check(at_least(0));
  verb->add_option("--keep-every", options.keep_every,
                   "Rows after which the state is kept; 0: never by count; default 10000")
      ->check(at_least(0));
  verb->add_option("--state", options.state, "File of the state; default RESULT.stream.h5")
      ->type_name("PATH");
  verb->add_flag("--anew", options.begin_anew, "Do not go on from a state that is there");
  verb->add_flag("--strict", arguments->strict, "End with code 3 at a row that cannot be used");
  verb->add_flag("--stats", arguments->stats,
                 "Tell rows per second, median and p99 latency at the end");
  verb->add_option("--device", options.device, "cpu, cuda, cuda:N or auto; default as in training");
  verb->callback(
      [&action, arguments] { action = [arguments] { return stream_rows(*arguments); }; });
}

}  // namespace gaia::app
