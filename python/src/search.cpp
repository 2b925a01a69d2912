// SPDX-License-Identifier: MIT
/// \file
/// Search: over a function of Python's by turns, and over the keys of an experiment.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/core/log.h"
#include "../../src/experiment/run/resume.h"
#include "../../src/experiment/run/run.h"
#include "../../src/experiment/sweep/member_state.h"
#include "../../src/experiment/sweep/members_together.h"
#include "../../src/experiment/sweep/search_conclusion.h"
#include "../../src/experiment/sweep/search_results.h"
#include "../../src/search/mo_cma_es.h"
#include "../../src/search/search.h"
#include "bindings.h"
#include "request.h"
#include "watch.h"

namespace gaia::python {
namespace {

SearchParameter parameter(std::string name, double low, double high, bool is_log, bool is_integer) {
  return {std::move(name), low, high, is_log, is_integer};
}

Search search_by_turns(std::vector<SearchParameter> space, const std::string& method,
                       std::int64_t evaluations, std::int64_t population, double target,
                       std::vector<double> start, double step, bool separable,
                       std::optional<std::uint64_t> seed) {
  SearchOptions options{.method = method == "random" ? SearchMethod::random : SearchMethod::cma_es,
                        .evaluations = evaluations,
                        .population = population,
                        .target = target,
                        .start = std::move(start),
                        .step = step,
                        .separable = separable,
                        .random = seed ? RandomStream::named(*seed, "search") : next_stream()};
  return Search(SearchSpace(std::move(space)), std::move(options));
}

/// Runs the members of a search in this process: together those of one structure, then one after
/// another those that are left.
class MembersHere {
 public:
  MembersHere(const Watch& watch, const Request& request, bool overwrite, int threads)
      : watch_(watch),
        rows_(request.overrides.rows),
        overwrite_(overwrite),
        threads_(threads),
        states_(rows_.get()) {}

  std::optional<std::vector<std::int64_t>> operator()(const SearchMembers& members,
                                                      std::int64_t first) {
    const Threads threads(threads_);
    std::vector<std::int64_t> diverged;
    if (members.may_be_replicas()) run_together(members, first, diverged);
    for (std::int64_t i = first; i < members.size(); ++i) {
      if (watch_.stop()->load()) return std::nullopt;
      if (std::find(diverged.begin(), diverged.end(), i) != diverged.end()) continue;
      try {
        if (!run(members, i)) return std::nullopt;
      } catch (const DivergedError&) {
        diverged.push_back(i);
      }
    }
    return diverged;
  }

 private:
  /// Runs those of which there is nothing yet.
  void run_together(const SearchMembers& members, std::int64_t first,
                    std::vector<std::int64_t>& diverged) {
    for (std::int64_t from = first; from < members.size(); from += kMostTogether) {
      if (watch_.stop()->load()) return;
      std::vector<std::int64_t> some;
      for (std::int64_t i = from; i < std::min(members.size(), from + kMostTogether); ++i) {
        some.push_back(i);
      }
      RunOptions options{.command_line = "gaia in Python"};
      options.stop = watch_.stop();
      for (const MemberRun& one : run_members_together(members, some, options)) {
        if (one.outcome.error == nullptr) continue;
        try {
          std::rethrow_exception(one.outcome.error);
        } catch (const DivergedError&) {
          diverged.push_back(one.member);
        } catch (const Error& error) {
          log_debug(error.what());  // It is run by itself, which tells it.
        }
      }
    }
  }

  /// False: interrupted.
  bool run(const SearchMembers& members, std::int64_t number) {
    Experiment experiment = members.load(number);
    const MemberState state = states_.of(experiment);
    if (state == MemberState::complete) return true;
    const bool is_ours = state == MemberState::missing || state == MemberState::unfinished ||
                         state == MemberState::torn;
    if (!is_ours && !overwrite_) {
      throw OutputError(members.result_path(number) +
                        " is of another search or of other data, or damaged; use overwrite=True "
                        "to replace it, or output for another folder");
    }
    RunOptions options{.overwrite = state != MemberState::missing,
                       .command_line = "gaia in Python"};
    options.stop = watch_.stop();
    if (state == MemberState::unfinished) {
      std::optional<Resumption> cut;
      try {
        cut = open_cut_run(members.result_path(number), {.rows = rows_});
      } catch (const OutputError&) {
        // It has stored no state, and begins anew.
      }
      if (cut) {
        options.cut = &cut->run;
        return run_experiment(cut->experiment, options)->status == RunStatus::complete;
      }
    }
    return run_experiment(experiment, options)->status == RunStatus::complete;
  }

  const Watch& watch_;
  std::shared_ptr<const MemoryRows> rows_;
  bool overwrite_;
  int threads_;
  MemberStates states_;
};

nb::object place(const std::optional<std::size_t>& number) {
  return number ? nb::cast(*number) : nb::none();
}

nb::dict search_experiment(const Request& request, bool overwrite, int threads,
                           nb::object on_progress) {
  Watch watch(std::move(on_progress));
  struct Done {
    SearchMembers members;
    SearchSummary summary;
    std::optional<CollectedSearch> collected;
  };
  const Done done = watch.run([&] {
    Done made{SearchMembers(request.path, request.overrides), {}, {}};
    SearchMembers ends = made.members;
    ends.set_ends();
    ends.check([](std::int64_t, Experiment&) {});
    MembersHere here(watch, request, overwrite, threads);
    const SearchSection& section = made.members.section();
    const auto all = static_cast<double>(section.searched_runs() / section.seeds);
    made.summary = run_search(made.members, std::ref(here), [&](const SearchProgress& progress) {
      watch.tell(std::min(1.0, static_cast<double>(progress.candidates) / all), [&] {
        return std::to_string(progress.candidates) + " candidates, best " +
               to_string(progress.kind) + " " + std::to_string(progress.best);
      });
    });
    if (!made.summary.interrupted) made.collected = collect_search(made.members, made.summary);
    return made;
  });
  watch.throw_if_any();

  nb::dict made;
  made["folder"] = done.members.folder();
  made["score"] = done.members.section().score;
  made["why_stopped"] = done.summary.why_stopped;
  made["text"] = done.collected ? search_text(done.members, done.summary) : std::string();
  made["best_yaml"] = done.collected ? done.collected->best : std::string();
  made["own"] = place(done.summary.own);
  made["best"] = place(done.summary.best);
  made["at_random"] = place(done.summary.at_random);
  made["conclusions"] = conclusions_of(done.members.section(), done.summary);
  const SearchSection& section = done.members.section();
  made["front"] = nb::cast(done.summary.front);
  made["hypervolume"] = nb::none();
  if (section.has_front() && !section.reference.empty()) {
    std::vector<Objectives> values;
    for (const std::size_t i : done.summary.front) {
      values.push_back(signed_means(section, done.summary.candidates[i]));
    }
    made["hypervolume"] = hypervolume(values, done.members.front_options().reference);
  }
  nb::list candidates;
  for (std::size_t i = 0; i < done.summary.candidates.size(); ++i) {
    const SearchCandidate& one = done.summary.candidates[i];
    const std::int64_t first = done.members.member_of(static_cast<std::int64_t>(i));
    nb::dict values;
    std::vector<MemberSetting> settings = done.members.settings(first);
    settings.resize(section.parameters.size());  // without lengths of halving, and seed
    for (const MemberSetting& setting : settings) {
      std::visit([&](const auto& value) { values[setting.key.c_str()] = value; },
                 attribute_of(setting.value));
    }
    nb::dict candidate;
    candidate["kind"] = to_string(one.kind);
    candidate["generation"] = one.generation;
    candidate["values"] = values;
    candidate["mean"] = one.mean();
    candidate["scores"] = nb::cast(one.scores);
    candidate["reason"] = one.reason;
    if (section.has_front()) {
      nb::dict means;
      const std::vector<double> of_all = one.means();
      for (std::size_t k = 0; k < of_all.size(); ++k) {
        means[section.objectives[k].name().c_str()] = of_all[k];
      }
      candidate["objectives"] = means;
    }
    candidate["steps"] = section.halving ? nb::cast(one.steps) : nb::object(nb::none());
    candidate["begun_as"] = section.halving ? nb::cast(one.begun_as) : nb::object(nb::none());
    candidate["file"] = done.members.result_path(first);
    candidates.append(candidate);
  }
  made["candidates"] = candidates;
  return made;
}

/// Rows of numbers of Python's as vectors of objectives.
void bind_fronts(nb::module_& module) {
  nb::class_<MoCmaEs>(module, "_MoCmaEs")
      .def(
          "__init__",
          [](MoCmaEs* self, std::vector<std::vector<double>> first, double step,
             std::int64_t objectives, std::vector<double> low, std::vector<double> high,
             double penalty, std::optional<std::uint64_t> seed) {
            new (self)
                MoCmaEs(std::move(first), step,
                        {.objectives = objectives,
                         .low = std::move(low),
                         .high = std::move(high),
                         .penalty = penalty,
                         .random = seed ? RandomStream::named(*seed, "mo_cma_es") : next_stream()});
          },
          nb::arg("first"), nb::arg("step"), nb::arg("objectives"), nb::arg("low"), nb::arg("high"),
          nb::arg("penalty"), nb::arg("seed").none())
      .def_prop_ro("generation", &MoCmaEs::generation)
      .def_prop_ro("why_stopped", &MoCmaEs::why_stopped)
      .def("ask", &MoCmaEs::ask)
      .def("tell", [](MoCmaEs& self, const std::vector<Objectives>& values) { self.tell(values); })
      .def("parents", [](const MoCmaEs& self) {
        nb::list all;
        for (const MoCmaEsParent& one : self.parents()) {
          all.append(nb::make_tuple(nb::cast(one.point), nb::cast(one.values), one.step));
        }
        return all;
      });
  module.def(
      "_hypervolume",
      [](const std::vector<Objectives>& values, const std::vector<double>& reference) {
        return hypervolume(values, reference);
      },
      nb::arg("values"), nb::arg("reference"));
  module.def(
      "_hypervolume_contributions",
      [](const std::vector<Objectives>& values, const std::vector<double>& reference) {
        return hypervolume_contributions(values, reference);
      },
      nb::arg("values"), nb::arg("reference"));
  module.def("_non_dominated_ranks", &non_dominated_ranks, nb::arg("values"));
  module.def("_crowding_distances", &crowding_distances, nb::arg("values"));
}

}  // namespace

void bind_search(nb::module_& module) {
  nb::class_<SearchParameter>(module, "_SearchParameter")
      .def(
          "__init__",
          [](SearchParameter* self, std::string name, double low, double high, bool is_log,
             bool is_integer) {
            new (self) SearchParameter(parameter(std::move(name), low, high, is_log, is_integer));
          },
          nb::arg("name"), nb::arg("low"), nb::arg("high"), nb::arg("is_log"),
          nb::arg("is_integer"));
  nb::class_<Search>(module, "_Search")
      .def(
          "__init__",
          [](Search* self, std::vector<SearchParameter> space, const std::string& method,
             std::int64_t evaluations, std::int64_t population, double target,
             std::vector<double> start, double step, bool separable,
             std::optional<std::uint64_t> seed) {
            new (self) Search(search_by_turns(std::move(space), method, evaluations, population,
                                              target, std::move(start), step, separable, seed));
          },
          nb::arg("space"), nb::arg("method"), nb::arg("evaluations"), nb::arg("population"),
          nb::arg("target"), nb::arg("start"), nb::arg("step"), nb::arg("separable"),
          nb::arg("seed").none())
      .def_prop_ro("is_done", &Search::is_done)
      .def("ask", &Search::ask)
      .def("tell",
           [](Search& self, const std::vector<double>& objectives) { self.tell(objectives); })
      .def_prop_ro("restarts", [](const Search& self) { return self.result().restarts; })
      .def_prop_ro("why_stopped", [](const Search& self) { return self.result().why_stopped; });
  bind_fronts(module);
  module.def("_search_experiment", &search_experiment, nb::arg("request"), nb::arg("overwrite"),
             nb::arg("threads"), nb::arg("on_progress").none());
}

}  // namespace gaia::python
