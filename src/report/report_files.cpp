// SPDX-License-Identifier: MIT
#include "report_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../core/message.h"
#include "../experiment/sweep/member_state.h"
#include "../io/diverged.h"
#include "../io/output_files.h"

namespace gaia::report {
namespace {

namespace fs = std::filesystem;

/// Most members that failed for which the reason is reported.
constexpr std::size_t kMostReasons = 5;

/// What is in a folder, sorted.
struct Members {
  std::vector<std::string> complete;  ///< Paths of members of a sweep.
  std::vector<std::string> replaced;  ///< Names of those that a run of another kind is to replace.
  std::vector<std::string> unfinished;  ///< Names of partial files that are not beside a result.
  std::vector<std::string> failed;      ///< The same of runs that failed: names, and why.
  std::vector<std::string> results;     ///< Paths of results that are no members.
  std::vector<std::string> sweeps;      ///< Paths of folders of sweeps.
};

/// Whether a run of another configuration or of other data has begun in its place, and is not
/// complete: of a sweep that was changed, whose new member runs, was cut or has failed.  The old
/// result is kept until the new one is complete, but it is none of this sweep's.
bool is_replaced(const std::string& path) {
  const std::string partial = partial_path(path);
  std::error_code ignored;
  if (!fs::exists(partial, ignored)) return false;
  const auto begun = facts_in(partial);
  const auto stored = facts_in(path);
  return begun && stored && *begun != *stored;
}

Members members_in(const fs::path& folder) {
  Members members;
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const fs::path name = entry->path().filename();
    std::error_code ignored;
    if (!name.string().starts_with("member-")) {
      const fs::path path = folder / name;
      if (fs::exists(path / "member-00000.h5", ignored)) members.sweeps.push_back(path.string());
      if (name.extension() == ".h5" && fs::is_regular_file(path, ignored)) {
        members.results.push_back(path.string());
      }
    } else if (name.extension() == ".h5") {
      const std::string path = (folder / name).string();
      if (is_replaced(path)) {
        members.replaced.push_back(name.string());
      } else {
        members.complete.push_back(path);
      }
    } else if (name.extension() == ".partial" && name.stem().extension() == ".h5" &&
               !fs::exists(folder / name.stem(), ignored)) {
      const std::string why = why_failed((folder / name).string());
      if (why.empty()) {
        members.unfinished.push_back(name.string());
      } else {
        members.failed.push_back(message("{}: {}", name.string(), why));
      }
    }
  }
  for (auto* found : {&members.complete, &members.replaced, &members.unfinished, &members.failed,
                      &members.results, &members.sweeps}) {
    std::sort(found->begin(), found->end());
  }
  return members;
}

/// What to do with a folder that has no complete member of a sweep.
std::string way_out(const Members& members) {
  if (!members.replaced.empty()) {
    return fmt::format(
        " whose place no other run has taken; it has earlier results, which can be named: {}",
        names_text(members.replaced));
  }
  if (!members.failed.empty()) {
    return fmt::format("; {} of its members failed, the first of them {}", members.failed.size(),
                       members.failed.front());
  }
  if (!members.unfinished.empty()) {
    return fmt::format("; it has {}, which can be named", names_text(members.unfinished));
  }
  std::string text;
  if (!members.results.empty()) {
    text += fmt::format(
        "; its results can be named, one for a page of it, several to compare "
        "them: {}",
        names_text(members.results));
  }
  if (!members.sweeps.empty()) {
    text += fmt::format("; folders of sweeps in it: {}", names_text(members.sweeps));
  }
  return text.empty() ? "; it has no results at all" : text;
}

void add_files_of(const fs::path& path, ReportFiles& files) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  if (!is_folder && path.filename() != "index.h5") return files.files.push_back({path.string()});
  const fs::path folder = is_folder ? path : path.parent_path();
  const Members members = members_in(folder);
  if (members.complete.empty()) {
    if (!is_folder) return files.files.push_back({path.string()});
    fail<DataError>(
        "{}: expected the folder of a sweep or a search, with member-*.h5; got one without any{}",
        path.string(), way_out(members));
  }
  for (const std::string& member : members.complete) files.files.push_back({member, true});
  const fs::path index = folder / "index.h5";
  if (fs::exists(index, error)) files.indexes.push_back(index.string());
  const std::string where = folder.empty() ? "." : folder.string();
  if (const auto count = std::ssize(members.replaced); count > 0) {
    files.left_out.push_back(fmt::format(
        "{}: {} left out, since a run of another configuration or of other data has begun in "
        "its place: {}",
        where, count == 1 ? "1 result is" : fmt::format("{} results are each", count),
        names_text(members.replaced)));
  }
  const auto told = std::min(kMostReasons, members.failed.size());
  for (std::size_t i = 0; i < told; ++i) {
    files.left_out.push_back(
        fmt::format("{}: a member failed, and is left out: {}", where, members.failed[i]));
  }
  if (const auto more = members.failed.size() - told; more > 0) {
    files.left_out.push_back(
        fmt::format("{}: {} more member{} failed, and {} left out; members.csv tells why", where,
                    more, more == 1 ? "" : "s", more == 1 ? "is" : "are"));
  }
  if (const auto count = std::ssize(members.unfinished); count > 0) {
    files.left_out.push_back(fmt::format(
        "{}: {} member{} begun and not complete, and left out: {}; members that have not begun "
        "have no file to be told by",
        where, count, count == 1 ? " is" : "s are", names_text(members.unfinished)));
  }
}

}  // namespace

std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

ReportFiles files_of(const std::vector<std::string>& results, const char* function) {
  if (results.empty()) fail<ArgumentError>("[{}] expected at least one result", function);
  ReportFiles files;
  for (const std::string& result : results) add_files_of(fs::path(result), files);
  return files;
}

}  // namespace gaia::report
