// SPDX-License-Identifier: MIT
/// \file
/// Hierarchies in the hands of Python: built of the YAML that an experiment would have, fed piece
/// by piece.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/core/message.h"
#include "../../src/experiment/config/config_reader.h"
#include "../../src/experiment/config/config_writer.h"
#include "../../src/experiment/setup/build.h"
#include "../../src/experiment/setup/filter_checks.h"
#include "../../src/experiment/setup/hierarchy_checks.h"
#include "../../src/experiment/setup/top_down_checks.h"
#include "../../src/hierarchy/manager.h"
#include "../../src/hierarchy/messages.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/learning/rule_list.h"
#include "bindings.h"
#include "exchange.h"

namespace gaia::python {
namespace {

/// Reads the YAML of an experiment of which the hierarchy alone matters.
ExperimentConfig config_of(const std::string& text) {
  Problems problems("hierarchy", text);
  const YamlNode root = parse_yaml(text, problems);
  problems.throw_if_any();
  ExperimentConfig config = read_config(root, problems).config;
  const auto add = [&](const std::string& key, const std::string& message) {
    problems.add({}, key, message);
  };
  check_rates(config, add);
  check_top_down(config, add);
  const std::vector<LevelConfig>& levels = config.hierarchy().levels;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    for (std::size_t m = 0; m < levels[n].layers.size(); ++m) {
      const auto* const options = levels[n].layers[m].kind.get_if<HebbianOptions>();
      if (options == nullptr || options->init != Init::samples) continue;
      problems.add(
          {}, "hierarchy.levels[" + std::to_string(n) + "].layers[" + std::to_string(m) + "].init",
          "samples are rows of the data of a run (gaia.run), and a hierarchy that is fed "
          "piece by piece has not seen any; take another init, and write rows into its "
          "weights");
    }
  }
  problems.throw_if_any();
  return config;
}

/// Lets a signal that has reached the process raise what Python makes of it, as Ctrl-C does; looks
/// every 100 ms, by a thread that does not hold the GIL.
class SignalWatch {
 public:
  void look() {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::now();
};

/// With the sizes of layers that follow from what these read.
ExperimentConfig sized(ExperimentConfig config, std::int64_t inputs) {
  size_layers(config.kind.get_if<HierarchyConfig>()->levels, inputs);
  return config;
}

/// Arrays by their names, which share their elements.
nb::dict dict_of(const std::vector<NamedArray>& arrays) {
  nb::dict made;
  for (const NamedArray& array : arrays) {
    made[array.name.c_str()] = gaia::python::to_numpy(array.value);
  }
  return made;
}

/// A hierarchy that one thread at a time may use, the GIL not being held while it computes.
class Core {
  /// Without the GIL, which whoever has the lock may need: arrays of Python's are let go of with
  /// it.
  template <class Work>
  std::invoke_result_t<Work> alone(const Work& work) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return work();
  }

 public:
  Core(const std::string& text, std::int64_t inputs)
      : config_(sized(config_of(text), inputs)),
        manager_(build_hierarchy(config_, inputs)),
        inputs_(inputs) {
    manager_.check_sizes(inputs);
  }
  Core(ExperimentConfig config, HierarchyManager manager, std::int64_t inputs)
      : config_(std::move(config)), manager_(std::move(manager)), inputs_(inputs) {}

  std::unique_ptr<Core> clone() {
    return alone([&] {
      auto made = std::make_unique<Core>(config_, manager_.clone(), inputs_);
      if (messages_) made->keep(*messages_, is_timed_);
      return made;
    });
  }

  std::int64_t inputs() const { return inputs_; }
  std::int64_t step() const { return manager_.step(); }

  nb::list process(const Handed& x, bool learn, bool expand, nb::object signals) {
    const Array data = borrow(x);
    SignalWatch watch;
    ProcessOptions options{.learn = learn, .after_block = [&watch] { watch.look(); }};
    for (const auto [name, values] : nb::cast<nb::dict>(signals)) {
      options.signals[nb::cast<std::string>(name)] = borrow(nb::cast<Handed>(values));
    }
    const std::vector<Array> shown = alone_with_messages([&] {
      // Before anything changes: `expanded` would ask for it afterwards.
      if (expand) manager_.check_shows();
      std::vector<Array> arrays;
      for (const auto& [id, level] : manager_.process_hierarchy(data, -1, options)) {
        arrays.push_back(expand ? level.expanded() : level.ticks);
      }
      return arrays;
    });
    nb::list made;
    for (const Array& one : shown) made.append(gaia::python::to_numpy(one));
    return made;
  }

  /// Called for every sample of a loop in Python: what it adds to the step itself counts.
  nb::list process_step(const Handed& x, bool learn) {
    if (x.dtype() != nb::dtype<float>() && x.dtype() != nb::dtype<double>()) {
      throw nb::next_overload();  // a TypeError, on which the caller casts
    }
    const Array sample = borrow(x);
    const std::map<int, Array> shown =
        alone_with_messages([&] { return manager_.process_time_step(sample, learn); });
    nb::list made;
    for (const auto& [id, one] : shown) made.append(copy_to_numpy(one));
    return made;
  }

  void reset() {
    alone([&] { manager_.reset_state(); });
  }
  void set_step(std::int64_t step) {
    alone([&] { manager_.set_step(step); });
  }
  void scale_learning_rate(double factor) {
    alone([&] { manager_.scale_learning_rate(factor); });
  }

  void fall_over(std::int64_t steps, std::int64_t times) {
    alone([&] { manager_.fall_over(steps, times); });
  }

  /// The arrays of a layer by name, which share their elements with it.
  nb::dict arrays(int level, std::int64_t layer) {
    if (layer < 0) {
      throw ArgumentError("[arrays] expected a layer from 0 on, got " + std::to_string(layer));
    }
    return dict_of(alone([&] { return manager_.arrays(level, static_cast<std::size_t>(layer)); }));
  }

  /// The arrays of a level's connection from above, which share their elements with it.
  nb::dict top_down(int level) {
    return dict_of(alone([&] {
      const TopDown* const above = manager_.level(level).top_down();
      if (above == nullptr) {
        throw ArgumentError("[top_down] level " + std::to_string(level) +
                            " has no connection from above; give its last layer a top_down");
      }
      return above->arrays();
    }));
  }

  /// Puts numbers of its dtype into an array of a layer.
  void assign(int level, std::int64_t layer, const std::string& name, const Handed& values,
              const std::string& function) {
    if (layer < 0) {
      fail<ArgumentError>("[{}] expected a layer from 0 on, got {}", function, layer);
    }
    const Array given = borrow(values);
    alone([&] {
      for (NamedArray& array : manager_.arrays(level, static_cast<std::size_t>(layer))) {
        if (array.name != name) continue;
        if (given.shape() != array.value.shape()) {
          fail<ShapeError>("[{}] expected {}, got {}", function, array.value.shape(),
                           given.shape());
        }
        return array.value.assign(given.to(array.value.device()));
      }
      fail<ArgumentError>("[{}] level {}, layer {} has no {}", function, level, layer, name);
    });
  }

  /// What a level shows now, [streams, neurons].
  nb::object representation(int level) {
    return copy_to_numpy(alone([&] {
      const Array shown = manager_.level(level).representation();
      if (shown.size() == 0) {
        fail<ArgumentError>("[representation] level {} has read nothing yet", level);
      }
      return shown.to(Device::cpu());
    }));
  }

  /// From here on the last messages of every level are kept; 0 of them: no longer.
  void keep_messages(std::int64_t keep, const std::vector<std::int64_t>& every, bool is_timed) {
    alone([&] {
      if (keep == 0) {
        messages_.reset();
        manager_.measure_time(false);
      } else {
        this->keep(Messages(manager_, {.keep = keep, .every = every}), is_timed);
      }
    });
  }
  void set_schedule(int level, std::int64_t every) {
    alone([&] { asked("set_schedule").set_schedule(level, every); });
  }
  /// A message as (level, step, representation, energy).
  nb::list messages(int level, bool received) {
    const std::vector<Message> found = alone([&] {
      const Messages& kept = asked("messages");
      return received ? kept.received(level) : kept.sent(level);
    });
    nb::list made;
    for (const Message& message : found) {
      made.append(nb::make_tuple(message.level, message.step, copy_to_numpy(message.representation),
                                 message.energy));
    }
    return made;
  }
  /// Costs as (level, ticks, sent, delivered, message_bytes, memory_bytes, seconds).
  nb::list message_metrics() {
    nb::list made;
    for (const LevelCosts& of : alone([&] { return asked("metrics").metrics(manager_); })) {
      made.append(nb::make_tuple(of.level, of.ticks, of.sent, of.delivered, of.message_bytes,
                                 of.memory_bytes, of.seconds));
    }
    return made;
  }

  /// Everything from which the hierarchy goes on, copied.
  nb::dict state() {
    return dict_of(alone([&] { return manager_.clone().state(); }));
  }
  void set_state(const nb::dict& values, std::int64_t step) {
    ArrayMap arrays;
    for (const auto [name, value] : values) {
      arrays[nb::cast<std::string>(name)] = borrow(nb::cast<Handed>(value));
    }
    alone([&] { manager_.set_state(arrays, step); });
  }

 private:
  /// What a call that fails has read counts as little as what it has learnt.
  template <class Work>
  std::invoke_result_t<Work> alone_with_messages(const Work& work) {
    return alone([&] {
      if (!messages_) return work();
      const std::map<int, Messages::Log> before = messages_->logs();
      try {
        return work();
      } catch (...) {
        messages_->set_logs(before);
        throw;
      }
    });
  }

  void keep(Messages messages, bool is_timed) {
    messages_ = std::move(messages);
    is_timed_ = is_timed;
    manager_.measure_time(is_timed);
    if (std::exchange(observes_, true)) return;
    manager_.add_observer([this](const HierarchyBlock& block) {
      if (messages_) messages_->read(block);
    });
  }

  Messages& asked(const char* function) {
    if (messages_) return *messages_;
    fail<ArgumentError>("[{}] no messages are kept; call keep_messages() before the data are read",
                        function);
  }

  ExperimentConfig config_;
  HierarchyManager manager_;
  std::int64_t inputs_;
  std::optional<Messages> messages_;
  bool is_timed_ = false;
  bool observes_ = false;  // the manager tells messages_ of blocks
  std::mutex mutex_;
};

}  // namespace

void bind_hierarchy(nb::module_& module) {
  nb::class_<Core>(module, "_HierarchyCore")
      .def(nb::init<const std::string&, std::int64_t>(), nb::arg("text"), nb::arg("inputs"),
           nb::call_guard<nb::gil_scoped_release>())
      .def("clone", &Core::clone)
      .def_prop_ro("inputs", &Core::inputs)
      .def_prop_ro("step", &Core::step)
      .def("process", &Core::process, nb::arg("x"), nb::arg("learn"), nb::arg("expand"),
           nb::arg("signals"))
      .def("process_step", &Core::process_step, nb::arg("x").noconvert(), nb::arg("learn"))
      .def("reset", &Core::reset)
      .def("set_step", &Core::set_step, nb::arg("step"))
      .def("scale_learning_rate", &Core::scale_learning_rate, nb::arg("factor"))
      .def("fall_over", &Core::fall_over, nb::arg("steps"), nb::arg("times"))
      .def("arrays", &Core::arrays, nb::arg("level"), nb::arg("layer"))
      .def("top_down", &Core::top_down, nb::arg("level"))
      .def("assign", &Core::assign, nb::arg("level"), nb::arg("layer"), nb::arg("name"),
           nb::arg("values"), nb::arg("function"))
      .def("representation", &Core::representation, nb::arg("level"))
      .def("keep_messages", &Core::keep_messages, nb::arg("keep"), nb::arg("every"),
           nb::arg("timed"))
      .def("set_schedule", &Core::set_schedule, nb::arg("level"), nb::arg("every"))
      .def("messages", &Core::messages, nb::arg("level"), nb::arg("received"))
      .def("message_metrics", &Core::message_metrics)
      .def("state", &Core::state)
      .def("set_state", &Core::set_state, nb::arg("values"), nb::arg("step"));
  module.def("_has_known_limit", [](const std::string& rule) {
    const std::vector<std::string> names = rule_names();
    return std::find(names.begin(), names.end(), rule) == names.end() ||
           stability_limit(rule_from_name(rule)).has_value();
  });
  module.def("_check_hierarchy",
             [](const std::string& text) { return to_yaml(config_of(text).hierarchy()); });
}

}  // namespace gaia::python
