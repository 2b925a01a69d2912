// SPDX-License-Identifier: MIT
#include "repeatable.h"

#include "error.h"

namespace gaia {
namespace {

thread_local RunScope* t_innermost_run = nullptr;

}  // namespace

RunScope::RunScope(RunLog* writes, const RunLog* reads)
    : writes_(writes), reads_(reads), outer_(std::exchange(t_innermost_run, this)) {}

RunScope::~RunScope() { t_innermost_run = outer_; }

bool in_repeatable_work() { return t_innermost_run != nullptr; }

bool in_rerun() {
  const RunScope* scope = t_innermost_run;
  while (scope != nullptr && scope->reads_ == nullptr) scope = scope->outer_;
  return scope != nullptr;
}

void check_repeats(bool is_same) {
  if (is_same) return;
  throw ArgumentError(
      "[checkpoint] expected the function to take the same random numbers and states when it is "
      "computed again, in the same order; let it not depend on what changes between the two");
}

std::any repeatable_any(const std::function<std::any()>& make) {
  // A first run within a rerun is given what the rerun reads; what lies around the rerun has
  // kept it already.
  RunScope* rerun = t_innermost_run;
  while (rerun != nullptr && rerun->reads_ == nullptr) rerun = rerun->outer_;
  std::any value;
  if (rerun == nullptr) {
    value = make();
  } else {
    check_repeats(rerun->position_ < rerun->reads_->taken.size());
    value = rerun->reads_->taken[rerun->position_++];
  }
  for (RunScope* scope = t_innermost_run; scope != rerun; scope = scope->outer_) {
    scope->writes_->taken.push_back(value);
  }
  return value;
}

}  // namespace gaia
