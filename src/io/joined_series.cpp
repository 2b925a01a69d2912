// SPDX-License-Identifier: MIT
#include "joined_series.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "../core/checked.h"
#include "../core/log.h"
#include "columns.h"

namespace gaia {
namespace {

using Files = std::vector<std::unique_ptr<FileSeries>>;

std::string first_path(const FileSeries& file) { return file.paths().front(); }

[[noreturn]] void fail_column(const FileSeries& file, const std::string& name,
                              const std::string& other) {
  throw DataError(fmt::format(
      "{}: column {} is not in {}; files of one series have the same columns, or data.columns "
      "names those to read",
      first_path(file), in_quotes(name), other));
}

/// Checks that a file has no column that the first lacks: what is in those that are read has been
/// checked by then.
void check_no_more_columns(const FileSeries& first, const FileSeries& file) {
  std::vector<std::string> known = first.file_columns();
  std::sort(known.begin(), known.end());
  for (const std::string& name : file.file_columns()) {
    if (!std::binary_search(known.begin(), known.end(), name)) {
      fail_column(file, name, first_path(first));
    }
  }
}

class JoinedSeries final : public Series {
 public:
  /// `moments`: of the rows that are measured, if the files know them.
  JoinedSeries(Files files, GapPolicy gaps, std::int64_t measured, std::vector<Moments> moments)
      : files_(std::move(files)) {
    starts_.push_back(0);
    for (const auto& file : files_) {
      const auto rows = checked_add(starts_.back(), file->rows());
      if (!rows) throw DataError("the files hold more rows than 64 bits can count");
      starts_.push_back(*rows);
    }
    join_trials();
    join_classes();
    check_times_of_all(gaps);
    const bool has_moments = std::all_of(files_.begin(), files_.end(),
                                         [](const auto& file) { return file->has_moments(); });
    if (has_moments) keep_moments(std::min(measured, starts_.back()), std::move(moments));
  }

  std::int64_t rows() const override { return starts_.back(); }
  const std::vector<std::string>& channel_names() const override {
    return files_.front()->channel_names();
  }
  std::vector<SideColumn> side_columns() const override { return files_.front()->side_columns(); }
  const std::vector<std::int64_t>& trial_starts() const override { return trial_starts_; }
  const RowRuns& groups() const override { return groups_; }
  std::optional<RowRuns::Return> returning_trial() const override {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      auto found = files_[i]->returning_trial();
      if (!found) continue;
      found->row += starts_[i];
      return found;
    }
    return std::nullopt;
  }
  const std::vector<std::string>& classes() const override { return classes_.names(); }
  std::optional<double> sample_rate() const override {
    const std::optional<double> rate = files_.front()->sample_rate();
    const bool agree = std::all_of(files_.begin(), files_.end(),
                                   [&](const auto& file) { return file->sample_rate() == rate; });
    return agree ? rate : std::nullopt;
  }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    read_with_side(first, count, out, {}, {});
  }

  void read_with_side(std::int64_t first, std::int64_t count, std::span<double> out,
                      std::span<const std::size_t> wanted, std::span<SideValues> side) override {
    check_range(first, count, out.size(), channels());
    ensure_fill();
    const std::int64_t end = first + count;
    std::vector<SideValues> piece(wanted.size());
    bool is_first = true;
    std::size_t i = file_of(first);
    do {
      const std::int64_t begin = std::max(first, starts_[i]);
      const std::int64_t rows = std::min(end, starts_[i + 1]) - begin;
      const auto at = static_cast<std::size_t>((begin - first) * channels());
      files_[i]->read_with_side(begin - starts_[i], rows, out.subspan(at), wanted, piece);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        number_classes(i, wanted[k], piece[k]);
        if (is_first) {
          side[k] = std::move(piece[k]);
        } else {
          append(side[k], piece[k]);
        }
      }
      is_first = false;
      ++i;
    } while (i + 1 < starts_.size() && starts_[i] < end);
  }

  std::vector<RowRange> filled(std::int64_t channel, std::int64_t first,
                               std::int64_t count) const override {
    std::vector<RowRange> stretches;
    for (std::size_t i = file_of(first); i < files_.size() && starts_[i] < first + count; ++i) {
      const std::int64_t begin = std::max(first, starts_[i]);
      const std::int64_t end = std::min(first + count, starts_[i + 1]);
      for (const RowRange& of_file : files_[i]->filled(channel, begin - starts_[i], end - begin)) {
        stretches.push_back({starts_[i] + of_file.begin, starts_[i] + of_file.end});
      }
    }
    return stretches;
  }

  bool needs_fill() const override {
    return std::any_of(files_.begin(), files_.end(),
                       [](const auto& file) { return file->needs_fill(); });
  }

  std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    for (const auto& file : files_) {
      for (std::string& path : file->paths()) paths.push_back(std::move(path));
    }
    return paths;
  }

  std::vector<std::string> hashes() override {
    std::vector<std::string> hashes;
    for (const auto& file : files_) {
      for (std::string& hash : file->hashes()) hashes.push_back(std::move(hash));
    }
    return hashes;
  }

 protected:
  void take_fill(std::span<const double> fill) override {
    for (const auto& file : files_) file->set_fill({fill.begin(), fill.end()});
  }

 private:
  /// Index of the file that a row is in; of the last for what ends the series.
  std::size_t file_of(std::int64_t row) const {
    const auto after = std::upper_bound(starts_.begin() + 1, starts_.end() - 1, row);
    return static_cast<std::size_t>(after - starts_.begin()) - 1;
  }

  void join_trials() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      for (const std::int64_t start : files_[i]->trial_starts()) {
        trial_starts_.push_back(starts_[i] + start);
      }
      if (!groups_.append(files_[i]->groups(), starts_[i])) {
        throw DataError(too_many_groups(first_path(*files_[i])));
      }
    }
  }

  void join_classes() {
    const std::vector<SideColumn> columns = side_columns();
    for (const SideColumn& column : columns) {
      is_label_.push_back(column.role == SideColumn::Role::label);
    }
    for (const auto& file : files_) {
      for (const std::string& name : file->classes()) {
        if (!classes_.note(name)) {
          const auto label = std::find(is_label_.begin(), is_label_.end(), true);
          throw DataError(
              too_many_classes(first_path(*file),
                               columns[static_cast<std::size_t>(label - is_label_.begin())].name));
        }
      }
    }
    classes_.number_them();
    for (const auto& file : files_) {
      std::vector<std::int64_t>& codes = codes_.emplace_back();
      for (const std::string& name : file->classes()) codes.push_back(classes_.code(name));
    }
  }

  void number_classes(std::size_t file, std::size_t column, SideValues& values) const {
    if (!is_label_[column]) return;
    for (std::int64_t& code : std::get<std::vector<std::int64_t>>(values)) {
      if (code >= 0) code = codes_[file][static_cast<std::size_t>(code)];
    }
  }

  static void append(SideValues& to, const SideValues& from) {
    std::visit(
        [&]<class Values>(Values& values) {
          const auto& more = std::get<Values>(from);
          values.insert(values.end(), more.begin(), more.end());
        },
        to);
  }

  void check_times_of_all(GapPolicy policy) {
    RowTimes times{{}, trial_starts_, {}, [this](std::int64_t row) {
                     const std::size_t i = file_of(row);
                     return files_[i]->place_of(row - starts_[i]);
                   }};
    for (const auto& file : files_) {
      std::optional<SideValues> of_file = file->take_times();
      if (!of_file) return;
      const auto kind_of = [](const FileSeries& one, const SideValues& values) {
        if (one.side_columns().front().counts) return "whole numbers beyond 2^53";
        return std::holds_alternative<std::vector<double>>(values) ? "numbers" : "dates";
      };
      if (!times.files.empty()) {
        const std::string expected = kind_of(*files_.front(), times.files.front());
        const std::string got = kind_of(*file, *of_file);
        if (got != expected) {
          throw DataError(
              fmt::format("{}: expected {} as times (data.time), as {} has them, got {}",
                          first_path(*file), expected, first_path(*files_.front()), got));
        }
      }
      times.files.push_back(*std::move(of_file));
    }
    times.column = side_columns().front().name;
    times.count = side_columns().front().counts;
    trial_starts_ = check_times(times, policy);
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::vector<std::int64_t> of_file;
      for (const std::int64_t start : trial_starts_) {
        if (starts_[i] <= start && start < starts_[i + 1]) of_file.push_back(start - starts_[i]);
      }
      files_[i]->split_gaps(of_file);
    }
  }

  Files files_;
  std::vector<std::int64_t> starts_;  // first row of each file, and the end
  std::vector<std::int64_t> trial_starts_;
  RowRuns groups_;
  std::vector<bool> is_label_;  // whether each side column is a label
  ClassTable classes_;
  std::vector<std::vector<std::int64_t>> codes_;  // codes, here, of the classes of each file
};

/// Warns of what is no column of trials, but one of something that changes from row to row.
void warn_of_short_trials(const Series& series) {
  const auto trials = static_cast<std::int64_t>(series.trial_starts().size());
  constexpr std::int64_t few = 20;
  if (trials <= few || trials <= series.rows() / 2) return;
  log_warning(fmt::format(
      "{}: {} trials in {} rows: nearly every row is a trial of its own, from which nothing is "
      "carried over to the next; see data.trials and data.gaps",
      series.paths().front(), trials, series.rows()));
}

/// Rows of one series are taken to be equally far apart in time.
void warn_of_other_rates(const Files& files) {
  const std::optional<double> rate = files.front()->sample_rate();
  if (!rate) return;
  for (const auto& file : files) {
    const std::optional<double> other = file->sample_rate();
    if (!other || *other == *rate) continue;
    log_warning(
        fmt::format("{}: its rate is {} Hz, and that of {} is {} Hz; levels and windows "
                    "count rows, whatever time they take",
                    first_path(*file), *other, first_path(*files.front()), *rate));
    return;
  }
}

/// Every file stays open, and a process that reads HDF5 has another descriptor; the shell often
/// allows 1024 where the system would allow more.
void allow_descriptors(std::size_t files) {
  constexpr rlim_t others = 256;
  const rlim_t needed = others + 3 * static_cast<rlim_t>(files);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Opens a file that is not the first, which has the columns that the first has.
std::unique_ptr<FileSeries> open_next(const FileSeries& first, const std::string& path,
                                      FileOptions options, const OpenFile& open) {
  const bool are_asked = !options.columns.empty();
  if (!are_asked) options.columns = first.channel_names();
  std::unique_ptr<FileSeries> file;
  try {
    file = open(path, options);
  } catch (const ArgumentError& error) {
    throw DataError(fmt::format("{}; {} has it, and files of one series have the same columns",
                                error.what(), first_path(first)));
  }
  if (file == nullptr) {
    throw DataError(fmt::format("{}: is of no known kind; {} is", path, first_path(first)));
  }
  if (!are_asked) check_no_more_columns(first, *file);
  const std::vector<std::string>& expected = first.channel_names();
  const std::vector<std::string>& names = file->channel_names();
  const auto [other, here] =
      std::mismatch(expected.begin(), expected.end(), names.begin(), names.end());
  if (here != names.end()) fail_column(*file, *here, first_path(first));
  if (other != expected.end()) fail_column(first, *other, path);
  return file;
}

}  // namespace

std::unique_ptr<Series> open_files(const std::vector<std::string>& paths, FileOptions options,
                                   const OpenFile& open, GapPolicy gaps) {
  if (paths.size() > 1) allow_descriptors(paths.size());
  Files files;
  const std::int64_t measured = options.measured;
  for (const std::string& path : paths) {
    if (files.empty()) {
      files.push_back(open(path, options));
      if (files.front() == nullptr) return nullptr;
    } else {
      files.push_back(open_next(*files.front(), path, options, open));
    }
    FileSeries& file = *files.back();
    const std::int64_t taken = std::min(options.measured, file.rows());
    if (file.has_moments()) options.before = file.moments(taken);
    options.measured -= taken;
  }
  warn_of_other_rates(files);
  std::unique_ptr<Series> series;
  if (files.size() == 1 && !files.front()->has_times()) {
    series = std::move(files.front());
  } else {
    series =
        std::make_unique<JoinedSeries>(std::move(files), gaps, measured, std::move(options.before));
  }
  warn_of_short_trials(*series);
  return series;
}

}  // namespace gaia
