// SPDX-License-Identifier: MIT
#include "member_run.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

#include "../../core/log.h"
#include "../../core/message.h"
#include "../../io/diverged.h"
#include "../../io/output_files.h"
#include "member_memory.h"
#include "member_state.h"

namespace gaia {
namespace {

using Clock = std::chrono::steady_clock;

/// How often a bar is drawn anew, and a signal noticed that reached another thread.
constexpr std::chrono::milliseconds kLook{100};
/// How often to ask for a member that another process runs.
constexpr std::chrono::milliseconds kAskAgain{1000};
/// What is left is put in order where it takes longer than this.
constexpr double kWorthAnOrder = 60.0;
/// How far apart the clocks of this machine and of where results lie may be.
constexpr std::chrono::seconds kClocksApart{10};

class MembersRun {
 public:
  MembersRun(const Members& all, const std::vector<std::int64_t>& members,
             const MemberRunOptions& options)
      : all_(all),
        options_(options),
        states_(all.rows()),
        places_(static_cast<std::size_t>(std::max(options.jobs, options.most_jobs)), false) {
    for (const std::int64_t member : members) {
      results_.emplace_back().member = member;
      const std::size_t index = results_.size() - 1;
      if (index % static_cast<std::size_t>(options.together) == 0) waiting_.emplace_back();
      waiting_.back().push_back(index);
      needs_.push_back(options.needs ? options.needs(member) : Needs{});
      is_alone_.push_back(false);
    }
  }

  std::vector<MemberResult> run() {
    while (!waiting_.empty() || !held_.empty() || children_.running() > 0) {
      look_for_stop();
      if (stopping_ && children_.running() == 0) break;
      start_more();
      for (EndedChild& ended : children_.wait(kLook)) end(std::move(ended));
      tell(nullptr);
    }
    return std::move(results_);
  }

 private:
  using Group = std::vector<std::size_t>;  // indices into results_

  /// A process.
  struct Job {
    std::int64_t id;
    Group group;
    std::size_t place;
    Clock::time_point start = Clock::now();
  };

  void look_for_stop() {
    const int signals = options_.signals == nullptr ? 0 : options_.signals->load();
    const bool asked = signals > 0 || (options_.max_seconds && seconds() >= *options_.max_seconds);
    if (asked && !stopping_) {
      stopping_ = true;
      children_.signal_all(SIGTERM);
    }
    if (options_.checkpoint != nullptr && options_.checkpoint->exchange(false)) {
      children_.signal_all(SIGUSR1);
    }
    if (signals > 1 && !killing_) {
      killing_ = true;
      children_.signal_all(SIGKILL);
    }
  }

  void start_more() {
    if (stopping_) return;
    if (Clock::now() >= ask_again_) {
      for (const std::size_t index : held_) waiting_.push_back({index});
      held_.clear();
    }
    while (children_.running() < jobs() && !waiting_.empty() && fits(waiting_.front())) {
      Group group = std::move(waiting_.front());
      waiting_.pop_front();
      std::erase_if(group, [&](std::size_t index) {
        if (!is_complete(index)) return false;
        finish(index, MemberOutcome::elsewhere);
        return true;
      });
      if (!group.empty() && !start(group)) return;
    }
  }

  std::size_t jobs() const {
    return memory_.has_learnt() ? places_.size() : static_cast<std::size_t>(options_.jobs);
  }

  double foretold(const Group& group) const {
    return std::accumulate(group.begin(), group.end(), 0.0, [&](double sum, std::size_t index) {
      return sum + needs_[index].memory_bytes;
    });
  }

  bool is_alone(const Group& group) const {
    return std::any_of(group.begin(), group.end(),
                       [&](std::size_t index) { return is_alone_[index]; });
  }

  /// Whether memory has room for them beside those that run.
  bool fits(const Group& group) const {
    if (jobs_.empty()) return true;
    if (is_alone(group)) return false;
    double bytes = memory_.expected(foretold(group));
    for (const Job& job : jobs_) {
      if (is_alone(job.group)) return false;
      bytes += std::max(memory_.expected(foretold(job.group)), children_.bytes_of(job.id));
    }
    return options_.memory_bytes == 0.0 || bytes <= options_.memory_bytes;
  }

  /// By which times of members compare; 1 where nothing is foretold of them.
  double work_of(const Group& group) const {
    double work = 0.0;
    for (const std::size_t index : group) work += needs_[index].operations;
    return work > 0.0 ? work : static_cast<double>(group.size());
  }

  /// How long the members that wait will take.
  double seconds_waiting() const {
    if (work_ended_ == 0.0) return 0.0;
    double work = 0.0;
    for (const Group& group : waiting_) work += work_of(group);
    return seconds_ended_ / work_ended_ * work / static_cast<double>(jobs());
  }

  /// How long until all have ended.
  double seconds_left() const {
    if (work_ended_ == 0.0) return 0.0;
    double longest = 0.0;
    for (const Job& job : jobs_) {
      const std::chrono::duration<double> run = Clock::now() - job.start;
      const double left = seconds_ended_ / work_ended_ * work_of(job.group) - run.count();
      longest = std::max(longest, left);
    }
    return seconds_waiting() + longest;
  }

  void learn(const Group& group, const EndedChild& ended) {
    if (ended.code != options_.done_code) return;  // others may have ended before they took all
    memory_.learn(foretold(group), ended.peak_bytes);
    seconds_ended_ += ended.seconds;
    work_ended_ += work_of(group);
    if (jobs() == 1 || seconds_waiting() < kWorthAnOrder) return;
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [&](const Group& a, const Group& b) { return work_of(a) > work_of(b); });
  }

  /// Whether a process died of what others, or another time, may not bring.
  bool has_died(const EndedChild& ended) const {
    return ended.signal != 0 || ended.code == options_.out_of_memory_code;
  }

  /// Whether a member that has died is tried again.
  bool is_tried_again(std::size_t index, const EndedChild& ended) {
    MemberResult& result = results_[index];
    if (!has_died(ended) || stopping_ || result.retries >= options_.retries) return false;
    ++result.retries;
    is_alone_[index] = true;
    waiting_.push_front({index});
    log_warning(fmt::format("member {} {}; it is tried again, {} of {} times", result.member,
                            ended.signal != 0 ? signal_text(ended.code) : "ran out of memory",
                            result.retries, options_.retries));
    return true;
  }

  /// Whether there is a process for them.  While others run it can be asked for again.
  bool start(const Group& group) {
    const auto free = std::find(places_.begin(), places_.end(), false);
    *free = true;
    const auto place = static_cast<std::size_t>(free - places_.begin());
    std::vector<std::string> command = options_.command;
    std::vector<std::int64_t> members;
    std::string numbers;
    for (const std::size_t index : group) {
      members.push_back(results_[index].member);
      numbers += (numbers.empty() ? "" : ",") + std::to_string(members.back());
    }
    command.push_back(std::move(numbers));
    if (options_.arguments) {
      for (std::string& word : options_.arguments(members)) command.push_back(std::move(word));
    }
    try {
      children_.start(++begun_, command,
                      place < options_.environments.size() ? options_.environments[place]
                                                           : ChildProcesses::Environment{});
    } catch (const Error&) {
      if (children_.running() == 0) throw;
      *free = false;
      waiting_.push_front(group);
      return false;
    }
    jobs_.push_back({begun_, group, place});
    return true;
  }

  void end(EndedChild ended) {
    const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                  [&](const Job& one) { return one.id == ended.id; });
    const Group group = std::move(job->group);
    places_[job->place] = false;
    jobs_.erase(job);
    learn(group, ended);
    if (ended.signal == SIGUSR1) {
      // Asked for its state before it was ready for that.
      waiting_.push_front(group);
    } else if (group.size() > 1) {
      end_together(group, std::move(ended));
    } else {
      end_alone(group.front(), std::move(ended));
    }
  }

  /// Ends several members that ran in one process; the files tell how each has ended.
  void end_together(const Group& group, EndedChild ended) {
    for (const std::size_t index : group) {
      results_[index].seconds = ended.seconds;
      const std::string path = all_.result_path(results_[index].member);
      if (is_complete(index)) {
        finish(index, MemberOutcome::done);
      } else if (is_new(partial_path(path)) && has_diverged(partial_path(path))) {
        results_[index].code = options_.diverged_code;
        results_[index].message = ended.errors;
        finish(index, MemberOutcome::failed);
      } else if (stopping_) {
        results_[index].code = ended.code;
        finish(index, MemberOutcome::interrupted);
      } else {
        is_alone_[index] = has_died(ended);
        waiting_.push_front({index});
      }
    }
  }

  void end_alone(std::size_t index, EndedChild ended) {
    if (ended.signal == 0 && ended.code == options_.locked_code) {
      held_.push_back(index);
      ask_again_ = Clock::now() + kAskAgain;
      return;
    }
    if (is_tried_again(index, ended)) return;
    MemberResult& result = results_[index];
    result.code = ended.code;
    result.message = std::move(ended.errors);
    result.seconds = ended.seconds;
    // Our signal may have come before the member was ready for it.
    const bool by_us = (stopping_ && ended.signal == SIGTERM) || (killing_ && ended.signal != 0);
    finish(index, ended.code == options_.done_code                   ? MemberOutcome::done
                  : by_us || ended.code == options_.interrupted_code ? MemberOutcome::interrupted
                                                                     : MemberOutcome::failed);
  }

  /// Whether another process has run it since the members were chosen.  The file that is there may
  /// be an old one, which its holder replaces at the end.
  bool is_complete(std::size_t index) {
    const std::int64_t member = results_[index].member;
    if (!is_new(all_.result_path(member))) return false;
    try {
      return states_.of(all_.load(member)) == MemberState::complete;
    } catch (const Error&) {
      return false;  // Its process will tell what is wrong with it.
    }
  }

  /// Whether it was written since the members were chosen.
  bool is_new(const std::string& path) const {
    std::error_code error;
    const auto written = std::filesystem::last_write_time(path, error);
    return !error && written >= options_.chosen - kClocksApart;
  }

  void finish(std::size_t index, MemberOutcome outcome) {
    results_[index].outcome = outcome;
    if (outcome != MemberOutcome::interrupted) ++ended_;
    if (outcome == MemberOutcome::failed) ++failed_;
    tell(&results_[index]);
  }

  void tell(const MemberResult* result) const {
    if (!options_.on_progress) return;
    options_.on_progress({.ended = ended_,
                          .members = static_cast<std::int64_t>(results_.size()),
                          .running = running(),
                          .failed = failed_,
                          .seconds = seconds(),
                          .seconds_left = seconds_left(),
                          .result = result});
  }

  std::int64_t running() const {
    std::int64_t members = 0;
    for (const Job& job : jobs_) members += std::ssize(job.group);
    return members;
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const Members& all_;
  const MemberRunOptions& options_;
  Clock::time_point start_ = Clock::now();
  std::vector<MemberResult> results_;
  MemberStates states_;
  std::deque<Group> waiting_;
  Group held_;  // by other processes
  Clock::time_point ask_again_;
  std::vector<bool> places_;  // whether taken
  std::vector<Job> jobs_;
  std::vector<Needs> needs_;    // needs, as foretold, of each of results_
  std::vector<bool> is_alone_;  // whether each runs without others beside it
  MemberMemory memory_;
  double seconds_ended_ = 0.0;  // seconds of processes that have ended as they should
  double work_ended_ = 0.0;
  std::int64_t begun_ = 0;  // processes
  std::int64_t ended_ = 0;
  std::int64_t failed_ = 0;
  bool stopping_ = false;
  bool killing_ = false;
  ChildProcesses children_;
};

}  // namespace

std::vector<MemberResult> run_members(const Members& all, const std::vector<std::int64_t>& members,
                                      const MemberRunOptions& options) {
  for (const auto& [name, value] :
       {std::pair{"jobs", options.jobs}, std::pair{"together", options.together}}) {
    if (value >= 1) continue;
    fail<ArgumentError>("[run_members] {}: expected at least 1, got {}", name, value);
  }
  return MembersRun(all, members, options).run();
}

}  // namespace gaia
