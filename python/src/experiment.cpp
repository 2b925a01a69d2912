// SPDX-License-Identifier: MIT
/// \file
/// Experiments: what `gaia run`, `resume`, `apply`, `check`, `verdict`, `reproduce`, `init` and
/// `report` do.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../src/core/log.h"
#include "../../src/experiment/config/config_writer.h"
#include "../../src/experiment/init/initial_experiment.h"
#include "../../src/experiment/run/apply.h"
#include "../../src/experiment/run/needs.h"
#include "../../src/experiment/run/replay.h"
#include "../../src/experiment/run/resume.h"
#include "../../src/experiment/run/run.h"
#include "../../src/experiment/sweep/reproduction.h"
#include "../../src/experiment/sweep/sweep.h"
#include "../../src/report/report.h"
#include "bindings.h"
#include "exchange.h"
#include "request.h"
#include "summaries.h"
#include "watch.h"

namespace gaia::python {
namespace {

using Texts = std::vector<std::string>;

/// Place of a column, whether its integers have no sign, and their bits.
using Integers = std::tuple<std::size_t, bool, Handed>;

RowsHandle make_rows(const Handed& table, const Texts& columns, const std::string& name,
                     nb::object times, const std::string& times_name, bool times_count,
                     const std::vector<std::pair<std::string, Texts>>& texts,
                     const std::vector<Integers>& wide,
                     const std::vector<std::pair<std::string, std::vector<double>>>& of_trials) {
  MemoryRows rows{.table = borrow(table), .columns = columns, .name = name};
  if (!times.is_none()) {
    const Array values = borrow(nb::cast<Handed>(times));
    if (values.dtype() == DType::int64) {
      rows.times = values.to_vector<std::int64_t>();
    } else {
      rows.times = values.to_vector<double>();
    }
    rows.times_name = times_name;
    rows.times_count = times_count;
  }
  rows.texts = texts;
  for (const auto& [column, is_unsigned, bits] : wide) {
    rows.wide.push_back({column, is_unsigned ? Wide::unsigned64 : Wide::signed64,
                         borrow(bits).to_vector<std::int64_t>()});
  }
  rows.of_trials = of_trials;
  return {std::make_shared<const MemoryRows>(std::move(rows))};
}

/// How a run behaves.
struct Behaviour {
  bool overwrite = false;
  int threads = 0;
  std::optional<double> max_seconds = {};
  nb::object on_progress =
      nb::none();  ///< Called as (text, share done), at most ten times a second.
};

/// Reports, to anyone who catches what ended a run, which file there is to go on from.
void note_cut(nb::handle error, const nb::dict& summary) {
  error.attr("file") = summary["file"];
  if (!error.type().is(nb::handle(PyExc_KeyboardInterrupt))) return;
  const nb::str text = nb::str("stored after {} of {} steps; gaia.resume({!r}) goes on")
                           .format(summary["steps_done"], summary["steps"], summary["file"]);
  error.attr("args") = nb::make_tuple(text);
}

/// What runs under these options, after it was reported.
using Run = std::function<std::unique_ptr<RunSummary>(
    const RunOptions&, const std::function<void(const Experiment&)>& begin)>;

/// Runs it without the GIL.
nb::dict execute(const Behaviour& behaviour, CutRun* cut, const Run& go) {
  Watch watch(behaviour.on_progress);
  RuntimeConfig runtime;
  if (behaviour.threads > 0) runtime.threads = behaviour.threads;
  const RunOptions options{
      .overwrite = behaviour.overwrite,
      .command_line = "gaia in Python",
      .max_seconds = behaviour.max_seconds,
      .stop = watch.stop(),
      .cut = cut,
      .runtime = runtime,
      .on_progress = [&](const Progress& progress) { watch.tell(progress.share, progress.text); }};
  const std::unique_ptr<RunSummary> summary = watch.run([&] {
    const Threads threads(behaviour.threads);
    return go(options, [](const Experiment& experiment) {
      for (const std::string& warning : experiment.warnings) log_warning(warning);
    });
  });
  nb::dict made = as_dict(*summary);
  watch.throw_if_any([&](nb::handle error) { note_cut(error, made); });
  return made;
}

nb::dict execute(Experiment& experiment, const Behaviour& behaviour, CutRun* cut = nullptr) {
  return execute(behaviour, cut, [&](const RunOptions& options, const auto& begin) {
    begin(experiment);
    return run_experiment(experiment, options);
  });
}

nb::dict run(const Request& request, bool overwrite, int threads, std::optional<double> max_seconds,
             nb::object on_progress) {
  Experiment experiment = [&] {
    const nb::gil_scoped_release release;
    return load_experiment(request.path, request.overrides);
  }();
  return execute(experiment, Behaviour{overwrite, threads, max_seconds, std::move(on_progress)});
}

/// Nothing for a run that is complete.
nb::object resume(const std::string& path, std::optional<std::string> config,
                  std::optional<std::string> device, std::optional<RowsHandle> rows, int threads,
                  std::optional<double> max_seconds, nb::object on_progress) {
  std::optional<Resumption> cut = [&] {
    const nb::gil_scoped_release release;
    return open_cut_run(path,
                        {.config = config, .device = device, .rows = rows ? rows->rows : nullptr});
  }();
  if (!cut) return nb::none();
  return execute(cut->experiment, Behaviour{false, threads, max_seconds, std::move(on_progress)},
                 &cut->run);
}

nb::dict difference_of(const ResultDifference& one) {
  nb::dict made;
  made["path"] = one.path;
  made["attribute"] = one.attribute;
  made["text"] = one.text;
  made["count"] = one.count;
  made["size"] = one.size;
  made["first"] = nb::tuple(nb::cast(one.first));
  made["expected"] = one.expected;
  made["got"] = one.got;
  made["largest"] = one.largest;
  made["relative"] = one.relative;
  return made;
}

nb::dict replay(const std::string& path, std::optional<RowsHandle> rows, const std::string& output,
                const std::string& folder, std::optional<std::string> device, double tolerance,
                const std::string& against, bool overwrite, int threads, nb::object on_progress) {
  const ReplayOptions options{.output = output,
                              .folder = folder,
                              .device = std::move(device),
                              .tolerance = tolerance,
                              .against = against,
                              .rows = rows ? rows->rows : nullptr};
  Watch watch(std::move(on_progress));
  const RunOptions how{
      .overwrite = overwrite,
      .command_line = "gaia in Python",
      .stop = watch.stop(),
      .on_progress = [&](const Progress& progress) { watch.tell(progress.share, progress.text); }};
  const Replayed replayed = watch.run([&] {
    const Threads limit(threads);
    return replay_result(path, options, how, [](const Experiment& experiment) {
      for (const std::string& warning : experiment.warnings) log_warning(warning);
    });
  });
  watch.throw_if_any([](nb::handle) {});
  nb::list differences;
  for (const ResultDifference& one : replayed.comparison.differences) {
    differences.append(difference_of(one));
  }
  nb::dict made;
  made["equal"] = replayed.is_equal();
  made["differences"] = differences;
  made["datasets"] = replayed.comparison.datasets;
  made["attributes"] = replayed.comparison.attributes;
  made["largest"] = replayed.comparison.largest;
  made["notes"] = replayed.notes;
  made["text"] = replayed.text();
  made["file"] = replayed.file.empty() ? nb::object(nb::none()) : nb::cast(replayed.file);
  return made;
}

/// Runs a member of a sweep.
nb::dict run_member(const Request& request, std::int64_t member, bool overwrite, int threads,
                    nb::object on_progress) {
  Experiment experiment = [&] {
    const nb::gil_scoped_release release;
    return Sweep(request.path, request.overrides).load(member);
  }();
  return execute(experiment, Behaviour{overwrite, threads, {}, std::move(on_progress)});
}

nb::list sweep_members(const Request& request) {
  const Sweep sweep(request.path, request.overrides);
  nb::list made;
  for (std::int64_t member = 0; member < sweep.size(); ++member) {
    nb::dict one;
    one["file"] = sweep.result_path(member);
    one["label"] = sweep.label(member);
    nb::dict settings;
    for (const MemberSetting& setting : sweep.settings(member)) {
      std::visit([&](const auto& value) { settings[setting.key.c_str()] = value; },
                 attribute_of(setting.value));
    }
    one["settings"] = settings;
    made.append(one);
  }
  return made;
}

nb::dict apply(const std::string& result, const std::string& data, const std::string& dataset,
               const Texts& columns, std::optional<std::int64_t> steps,
               std::optional<std::string> output, std::optional<std::string> device, bool overwrite,
               int threads, nb::object on_progress) {
  const ApplyOptions options{.data = data,
                             .dataset = dataset,
                             .columns = columns,
                             .steps = steps,
                             .output = std::move(output),
                             .device = std::move(device)};
  const ExperimentKind& kind = [&]() -> const ExperimentKind& {
    const nb::gil_scoped_release release;
    return kind_of_result(result);
  }();
  return execute(Behaviour{overwrite, threads, {}, std::move(on_progress)}, nullptr,
                 [&](const RunOptions& how, const auto& begin) {
                   return kind.apply(result, options, how, begin);
                 });
}

nb::dict check(const Request& request, bool trial) {
  std::string config;
  Texts warnings;
  CheckedExperiment checked;
  {
    const nb::gil_scoped_release release;
    Experiment experiment = load_experiment(request.path, request.overrides);
    config = to_yaml(experiment.config);
    checked = experiment.config.kind->check(experiment, trial);
    for (const auto& some : {experiment.warnings, checked.shortages, checked.warnings}) {
      warnings.insert(warnings.end(), some.begin(), some.end());
    }
    for (const std::string& line : checked.rates) checked.text += "rate     " + line + "\n";
  }
  nb::dict made = as_dict(checked.fields);
  made["config"] = config;
  made["text"] = checked.text;
  made["warnings"] = warnings;
  return made;
}

/// How a run over seeds is watched.
SeedVerdictOptions watched(Watch& watch, bool overwrite) {
  return {
      .overwrite = overwrite,
      .command_line = "gaia in Python",
      .stop = watch.stop(),
      .on_progress = [&watch](const SeedProgress& progress) {
        watch.tell(static_cast<double>(progress.ended) / static_cast<double>(progress.seeds), [&] {
          return "seed " + std::to_string(progress.seed) + (progress.diverged ? " diverged" : "") +
                 "  " + std::to_string(progress.ended) + " of " + std::to_string(progress.seeds);
        });
      }};
}

nb::dict verdict(const Request& request, std::int64_t seeds, bool overwrite, int threads,
                 nb::object on_progress) {
  Watch watch(std::move(on_progress));
  SeedVerdictOptions options = watched(watch, overwrite);
  options.seeds = seeds;
  const SeedVerdict found = watch.run([&] {
    const Threads set(threads);
    return verdict_over_seeds(request.path, request.overrides, options);
  });
  watch.throw_if_any();
  return as_dict(found);
}

nb::dict reproduce_row(const std::string& row, const std::string& near, const std::string& data,
                       bool is_short, std::int64_t seeds, std::optional<std::string> device,
                       const std::string& output, bool overwrite, int threads,
                       nb::object on_progress) {
  Watch watch(std::move(on_progress));
  const ReproduceOptions options{.data = data,
                                 .is_short = is_short,
                                 .seeds = seeds,
                                 .device = std::move(device),
                                 .output = output,
                                 .how = watched(watch, overwrite)};
  const Reproduction again = watch.run([&] {
    const Threads set(threads);
    return reproduce(find_row(row, near), options);
  });
  watch.throw_if_any();
  nb::dict made = as_dict(again.verdict);
  made["text"] = again.text();
  made["row"] = again.row;
  made["agrees"] = again.agrees();
  made["as_expected"] = again.is_as_expected();
  return made;
}

}  // namespace

void bind_experiment(nb::module_& module) {
  nb::class_<RowsHandle>(module, "_Rows").def_prop_ro("shape", [](const RowsHandle& handle) {
    const Array& table = handle.rows->table;
    return std::pair(table.shape(0), table.shape(1));
  });
  module.def("_make_rows", &make_rows, nb::arg("table"), nb::arg("columns"), nb::arg("name"),
             nb::arg("times").none(), nb::arg("times_name"), nb::arg("times_count"),
             nb::arg("texts"), nb::arg("wide"), nb::arg("of_trials") = nb::list());

  nb::class_<Request>(module, "_Request")
      .def(
          "__init__",
          [](Request* request, std::string path, std::optional<std::string> text, Texts set,
             std::optional<std::string> device, std::optional<std::string> seed,
             std::optional<std::string> output, std::optional<RowsHandle> rows) {
            new (request) Request{std::move(path),
                                  {.set = std::move(set),
                                   .device = std::move(device),
                                   .seed = std::move(seed),
                                   .output = std::move(output),
                                   .text = std::move(text),
                                   .rows = rows ? rows->rows : nullptr}};
          },
          nb::arg("path"), nb::arg("text").none(), nb::arg("set"), nb::arg("device").none(),
          nb::arg("seed").none(), nb::arg("output").none(), nb::arg("rows").none());

  module.def("_run", &run, nb::arg("request"), nb::arg("overwrite"), nb::arg("threads"),
             nb::arg("max_seconds").none(), nb::arg("on_progress").none());
  module.def("_resume", &resume, nb::arg("path"), nb::arg("config").none(),
             nb::arg("device").none(), nb::arg("rows").none(), nb::arg("threads"),
             nb::arg("max_seconds").none(), nb::arg("on_progress").none());
  module.def("_replay", &replay, nb::arg("path"), nb::arg("rows").none(), nb::arg("output"),
             nb::arg("folder"), nb::arg("device").none(), nb::arg("tolerance"), nb::arg("against"),
             nb::arg("overwrite"), nb::arg("threads"), nb::arg("on_progress").none());
  module.def("_sweep_members", &sweep_members, nb::arg("request"));
  module.def("_run_member", &run_member, nb::arg("request"), nb::arg("member"),
             nb::arg("overwrite"), nb::arg("threads"), nb::arg("on_progress").none());
  module.def("_check", &check, nb::arg("request"), nb::arg("trial"));
  module.def("_json_schema", &json_schema,
             "The keys of experiments, as `gaia schema` prints them.");
  module.def(
      "_set_log_level",
      [](int level) {
        const LogLevel before = log_level();
        set_log_level(static_cast<LogLevel>(level));
        return static_cast<int>(before);
      },
      nb::arg("level"));
  module.def("_verdict", &verdict, nb::arg("request"), nb::arg("seeds"), nb::arg("overwrite"),
             nb::arg("threads"), nb::arg("on_progress").none());
  module.def("_reproduce", &reproduce_row, nb::arg("row"), nb::arg("near"), nb::arg("data"),
             nb::arg("is_short"), nb::arg("seeds"), nb::arg("device").none(), nb::arg("output"),
             nb::arg("overwrite"), nb::arg("threads"), nb::arg("on_progress").none());
  module.def("_apply", &apply, nb::arg("result"), nb::arg("data"), nb::arg("dataset"),
             nb::arg("columns"), nb::arg("steps").none(), nb::arg("output").none(),
             nb::arg("device").none(), nb::arg("overwrite"), nb::arg("threads"),
             nb::arg("on_progress").none());
  module.def(
      "_initial_experiment",
      [](const Texts& data, const std::string& file) { return initial_experiment(data, file); },
      nb::arg("data"), nb::arg("file"), nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "_initial_experiment_of",
      [](const RowsHandle& rows, const std::string& file) {
        return initial_experiment(rows.rows, file);
      },
      nb::arg("rows"), nb::arg("file"), nb::call_guard<nb::gil_scoped_release>());
  module.def("_experiment_name", &experiment_name, nb::arg("data"));
  module.def(
      "_readouts_of", [](const std::string& path) { return readouts_of(report::Result(path)); },
      nb::arg("path"));
  module.def("_report_page", &report_page, nb::arg("results"),
             nb::call_guard<nb::gil_scoped_release>());
  module.def("_write_report", &write_report, nb::arg("results"), nb::arg("path"),
             nb::arg("overwrite"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace gaia::python
