// SPDX-License-Identifier: MIT
#include "sweep_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "../../core/checked.h"
#include "../../core/text.h"
#include "sweep_values.h"
#include "varied_keys.h"

namespace gaia {
namespace {

class AxesReader {
 public:
  AxesReader(const YamlNode& root, Problems& problems)
      : problems_(problems), varied_("sweep", problems) {
    const YamlNode* seed = root.find("seed");
    if (seed != nullptr) seed_ = parse_integer(seed->text).value_or(0);
    const YamlNode& sweep = *root.find("sweep");
    if (sweep.kind != YamlNode::Kind::map || sweep.entries.empty()) {
      fail(sweep.origin, "sweep",
           "expected a map of keys, each with its values, got " + sweep.describe());
      return;
    }
    for (const YamlNode::Entry& entry : sweep.entries) read(entry);
    add_draws(sweep);
    if (const YamlNode* seeds = sweep.find("seeds")) add_seeds(*seeds, sweep);
    check_count(sweep);
  }

  std::vector<SweepAxis> take() { return std::move(axes_); }

 private:
  void fail(const Origin& origin, const std::string& key, const std::string& message) {
    problems_.add(origin, key, message);
  }

  void read(const YamlNode::Entry& entry) {
    if (entry.key == "samples" || entry.key == "seeds") return;
    if (entry.key == "zip") return read_zip(entry.value);
    if (!varied_.accept(entry)) return;
    if (is_sweep_draw(entry.value)) {
      const std::string key = "sweep." + entry.key;
      if (const auto draw = draw_of_sweep(entry.value, key, problems_)) {
        drawn_.keys.push_back({entry.key, entry.origin});
        draws_.push_back(*draw);
      }
      return;
    }
    SweepAxis axis{{{entry.key, entry.origin}}, {}};
    for (YamlNode& value : values_of_sweep(entry.value, "sweep." + entry.key, problems_)) {
      axis.values.push_back({std::move(value)});
    }
    add(std::move(axis), "sweep." + entry.key);
  }

  void add(SweepAxis axis, const std::string& place) {
    if (are_distinct(axis.values, place, problems_)) axes_.push_back(std::move(axis));
  }

  /// Several keys whose values go together: the first with the first, the second with the second.
  void read_zip(const YamlNode& list) {
    if (list.kind != YamlNode::Kind::list || list.items.empty()) {
      return fail(
          list.origin, "sweep.zip",
          "expected a list of maps, each of keys that advance together, got " + list.describe());
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const YamlNode& map = list.items[i];
      const std::string place = fmt::format("sweep.zip[{}]", i);
      if (map.kind != YamlNode::Kind::map || map.entries.empty()) {
        fail(map.origin, place,
             "expected a map of keys, each with its values, got " + map.describe());
        continue;
      }
      SweepAxis axis;
      for (const YamlNode::Entry& entry : map.entries) {
        if (!varied_.accept(entry)) continue;
        std::vector<YamlNode> values =
            values_of_sweep(entry.value, place + "." + entry.key, problems_);
        if (!axis.keys.empty() && !values.empty() && values.size() != axis.values.size()) {
          fail(entry.value.origin, place + "." + entry.key,
               fmt::format("expected {} values, as many as of {}, got {}", axis.values.size(),
                           axis.keys.front().name, values.size()));
          continue;
        }
        if (axis.keys.empty()) axis.values.resize(values.size());
        axis.keys.push_back({entry.key, entry.origin});
        for (std::size_t k = 0; k < values.size(); ++k) {
          axis.values[k].push_back(std::move(values[k]));
        }
      }
      add(std::move(axis), place);
    }
  }

  void add_draws(const YamlNode& sweep) {
    const YamlNode* samples = sweep.find("samples");
    if (draws_.empty()) {
      if (samples != nullptr) {
        fail(samples->origin, "sweep.samples", "has no effect without a key with `random`");
      }
      return;
    }
    const auto count = samples == nullptr ? std::nullopt : parse_integer(samples->text);
    if (!count || *count < 1 || *count > kMostMembers) {
      return fail(samples == nullptr ? sweep.origin : samples->origin, "sweep.samples",
                  fmt::format("expected how often the keys with `random` are drawn, from 1 to {}, "
                              "got {}",
                              kMostMembers, samples == nullptr ? "nothing" : samples->describe()));
    }
    drawn_.values.resize(static_cast<std::size_t>(*count));
    for (std::size_t k = 0; k < draws_.size(); ++k) {
      const RandomStream stream =
          RandomStream::named(static_cast<std::uint64_t>(seed_), "sweep/" + drawn_.keys[k].name);
      for (std::size_t i = 0; i < drawn_.values.size(); ++i) {
        drawn_.values[i].push_back(draws_[k].value(stream, i));
      }
    }
    axes_.push_back(std::move(drawn_));
  }

  void add_seeds(const YamlNode& node, const YamlNode& sweep) {
    if (sweep.find("seed") != nullptr) {
      return fail(node.origin, "sweep.seeds", "seed is varied too; remove one of them");
    }
    SweepAxis axis{{{"seed", node.origin}}, {}};
    if (node.kind == YamlNode::Kind::list) {
      for (YamlNode& value : values_of_sweep(node, "sweep.seeds", problems_)) {
        axis.values.push_back({std::move(value)});
      }
      return add(std::move(axis), "sweep.seeds");
    }
    const auto count =
        node.kind == YamlNode::Kind::scalar ? parse_integer(node.text) : std::nullopt;
    if (!count || *count < 1 || *count > kMostMembers ||
        seed_ > std::numeric_limits<std::int64_t>::max() - *count) {
      return fail(node.origin, "sweep.seeds",
                  fmt::format("expected how many seeds, from 1 to {}, or a list of seeds, got {}",
                              kMostMembers, node.describe()));
    }
    for (std::int64_t i = 0; i < *count; ++i) {
      YamlNode value = plain_node(fmt::format("{}", seed_ + i));
      value.origin = node.origin;
      axis.values.push_back({std::move(value)});
    }
    axes_.push_back(std::move(axis));
  }

  void check_count(const YamlNode& sweep) {
    std::int64_t count = 1;
    for (const SweepAxis& axis : axes_) {
      const auto product = checked_multiply(count, axis.size());
      if (!product || *product > kMostMembers) {
        return fail(sweep.origin, "sweep", fmt::format("more than {} runs", kMostMembers));
      }
      count = *product;
    }
  }

  Problems& problems_;
  std::int64_t seed_ = 0;
  std::vector<SweepAxis> axes_;
  VariedKeys varied_;
  SweepAxis drawn_;
  std::vector<SweepDraw> draws_;
};

}  // namespace

std::vector<SweepAxis> read_sweep_axes(const YamlNode& root, Problems& problems) {
  return AxesReader(root, problems).take();
}

}  // namespace gaia
