// SPDX-License-Identifier: MIT
/// \file
/// Rows one by one through what a run has learnt.
#include "../../src/experiment/live/stream.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../src/core/error.h"
#include "bindings.h"
#include "gil.h"

namespace gaia::python {
namespace {

using Clock = std::chrono::steady_clock;

/// A stream that one thread at a time uses.  The GIL is let go of where a row takes so long that
/// other threads gain more by it than letting go costs.
class SharedStream {
 public:
  SharedStream(const std::string& result, const StreamOptions& options)
      : stream_(without_gil([&] { return LiveStream(result, options); })) {
    for (const StreamField& field : stream_.fields()) {
      Field& made = fields_.emplace_back();
      made.name = nb::str(field.name.c_str(), field.name.size());
      for (const std::string& one : field.classes)
        made.classes.emplace_back(one.c_str(), one.size());
      made.is_class = !field.classes.empty();
    }
  }

  /// `work`, by nobody else meanwhile.
  template <class Work>
  auto alone(bool lets_go, const Work& work) {
    if (!lets_go) {
      const std::unique_lock lock(mutex_, std::try_to_lock);
      if (lock.owns_lock()) return work();
    }
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return work();
  }

  nb::dict push(const StreamRow& row) {
    const auto answer = [&] {
      const auto begin = Clock::now();
      StreamAnswer made = stream_.push(row);
      is_slow_ = Clock::now() - begin > kWorthWhile;
      return made;
    };
    return dict_of(alone(is_slow_, answer));
  }

  /// `work` of the stream, the GIL let go of.
  template <class Work>
  auto use(const Work& work) {
    return alone(true, [&] { return work(stream_); });
  }

  /// What never changes.
  const LiveStream& stream() const { return stream_; }

 private:
  struct Field {
    nb::str name;
    bool is_class = false;
    std::vector<nb::str> classes;
  };

  static constexpr std::chrono::microseconds kWorthWhile{100};

  nb::dict dict_of(const StreamAnswer& answer) const {
    nb::dict made;
    made["step"] = answer.step;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const Field& field = fields_[i];
      const double value = answer.values[i];
      if (!field.is_class) {
        made[field.name] = value;
      } else if (std::isnan(value)) {
        made[field.name] = nb::none();
      } else {
        made[field.name] = field.classes.at(static_cast<std::size_t>(value));
      }
    }
    if (!answer.warnings.empty()) {
      const nb::object warn = nb::module_::import_("warnings").attr("warn");
      // The warning names the line that calls Stream.push.
      for (const std::string& text : answer.warnings) {
        warn(nb::str(text.c_str(), text.size()), nb::arg("stacklevel") = 2);
      }
    }
    return made;
  }

  LiveStream stream_;
  std::mutex mutex_;
  std::atomic<bool> is_slow_ = false;
  std::vector<Field> fields_;
};

StreamMoments moments_of(const std::string& name) {
  if (name == "stored") return StreamMoments::stored;
  if (name == "running") return StreamMoments::running;
  throw ArgumentError("[Stream] moments: expected 'stored' or 'running', got '" + name + "'");
}

}  // namespace

void bind_stream(nb::module_& module) {
  using Texts = std::vector<std::string>;
  nb::class_<SharedStream>(module, "_Stream")
      .def(
          "__init__",
          [](SharedStream* made, const std::string& result, bool learn, const std::string& moments,
             Texts outputs, std::string state, bool anew, std::int64_t keep_every,
             std::int64_t late, std::optional<std::string> device) {
            new (made) SharedStream(result, {.learn = learn,
                                             .moments = moments_of(moments),
                                             .outputs = std::move(outputs),
                                             .state = std::move(state),
                                             .begin_anew = anew,
                                             .keep_every = keep_every,
                                             .late = late,
                                             .device = std::move(device)});
          },
          nb::arg("result"), nb::arg("learn"), nb::arg("moments"), nb::arg("outputs"),
          nb::arg("state"), nb::arg("anew"), nb::arg("keep_every"), nb::arg("late"),
          nb::arg("device").none())
      .def(
          "push",
          [](SharedStream& self, std::vector<double> values, std::vector<double> targets,
             std::optional<std::string> label, std::optional<std::string> trial) {
            return self.push({.values = std::move(values),
                              .targets = std::move(targets),
                              .label = std::move(label),
                              .trial = std::move(trial)});
          },
          nb::arg("values"), nb::arg("targets"), nb::arg("label").none(), nb::arg("trial").none())
      .def(
          "teach",
          [](SharedStream& self, std::int64_t step, const std::vector<double>& targets,
             const std::optional<std::string>& label) {
            self.use([&](LiveStream& stream) { stream.teach(step, targets, label); });
          },
          nb::arg("step"), nb::arg("targets"), nb::arg("label").none())
      .def("begin_trial",
           [](SharedStream& self) { self.use([](LiveStream& stream) { stream.begin_trial(); }); })
      .def("keep", [](SharedStream& self) { self.use([](LiveStream& stream) { stream.keep(); }); })
      .def_prop_ro("step",
                   [](SharedStream& self) {
                     return self.use([](LiveStream& stream) { return stream.step(); });
                   })
      .def_prop_ro("columns", [](const SharedStream& self) { return self.stream().columns(); })
      .def_prop_ro("targets", [](const SharedStream& self) { return self.stream().targets(); })
      .def_prop_ro("label", [](const SharedStream& self) { return self.stream().label(); })
      .def_prop_ro("trials", [](const SharedStream& self) { return self.stream().trials(); })
      .def_prop_ro("state_path",
                   [](const SharedStream& self) { return self.stream().state_path(); })
      .def_prop_ro("fields", [](const SharedStream& self) {
        nb::dict made;
        for (const StreamField& field : self.stream().fields()) {
          made[field.name.c_str()] = field.classes;
        }
        return made;
      });
}

}  // namespace gaia::python
