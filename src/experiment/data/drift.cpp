// SPDX-License-Identifier: MIT
#include "drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "../../array/device.h"
#include "../../array/random_arrays.h"
#include "../../io/columns.h"
#include "../../io/file_series.h"

namespace gaia {
namespace {

std::vector<std::size_t> find_channels(const std::vector<std::string>& asked,
                                       const std::vector<std::string>& channels,
                                       const std::string& key) {
  try {
    return select_columns("the data", asked, channels);
  } catch (const ArgumentError& error) {
    throw DataKeyError(key, asked.front(), error.what());
  }
}

/// Those that change, in ascending order: of the channels that are listed as many as the share
/// says, the first of a permutation of them.
std::vector<std::int64_t> changed_channels(const DriftChannels& of,
                                           const std::vector<std::string>& channels,
                                           const RandomStream& stream, const std::string& key) {
  std::vector<std::int64_t> listed(channels.size());
  std::iota(listed.begin(), listed.end(), std::int64_t{0});
  if (!of.channels.empty()) {
    const auto found = find_channels(of.channels, channels, key + ".channels");
    listed.assign(found.begin(), found.end());
  }
  const auto all = std::ssize(listed);
  const std::int64_t count = std::llround(of.share * static_cast<double>(all));
  if (count < 1) {
    throw DataKeyError(key + ".share", "",
                       fmt::format("{} of {} channels is none; take more", of.share, all));
  }
  const GPUContext on_host(Device::cpu());
  const auto order = permutation(all, stream).to_vector<std::int64_t>();
  std::vector<std::int64_t> changed;
  for (std::int64_t i = 0; i < count; ++i) {
    changed.push_back(listed[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]);
  }
  std::sort(changed.begin(), changed.end());
  return changed;
}

/// floor(k span / parts) for k < parts, also where the product is no 64-bit number.
std::int64_t share_of(std::int64_t k, std::int64_t span, std::int64_t parts) {
  return k * (span / parts) + k * (span % parts) / parts;
}

/// The channels of a kind that has some; null of one that has none.
const DriftChannels* channels_of(const DriftConfig& config) {
  return std::visit(
      [](const auto& kind) -> const DriftChannels* {
        if constexpr (requires { kind.of; }) {
          return &kind.of;
        } else {
          return nullptr;
        }
      },
      config.kind);
}

}  // namespace

Drift::Drift(const DriftConfig& config, const std::vector<std::string>& channels,
             std::uint64_t seed, std::size_t number)
    : config_(config), width_(channels.size()) {
  const std::string key = fmt::format("drift[{}]", number);
  const auto stream = [&](const char* purpose) {
    return RandomStream::named(seed, fmt::format("data/drift/{}/{}", number, purpose));
  };
  noise_ = stream("noise");
  std::vector<std::int64_t> changed;
  if (const DriftChannels* const of = channels_of(config_)) {
    changed = changed_channels(*of, channels, stream("channels"), key);
  }
  const auto count = std::ssize(changed);
  const std::int64_t span = config_.to - config_.from;
  record_.step = {config_.from, config_.to};
  if (std::holds_alternative<SwapDrift>(config_.kind)) {
    if (count < 2) {
      throw DataKeyError(key + ".share", "",
                         fmt::format("expected two channels or more to swap, got {}", count));
    }
    // Sattolo's shuffle.
    const RandomStream swaps = stream("swaps");
    record_.step.clear();
    for (std::int64_t k = 0; k + 1 < count; ++k) {
      const std::int64_t i = count - 1 - k;
      const std::int64_t j = swaps.integer(static_cast<std::uint64_t>(k), i);
      record_.step.push_back(config_.from + share_of(k, span, count - 1));
      record_.a.push_back(changed[static_cast<std::size_t>(i)]);
      record_.b.push_back(changed[static_cast<std::size_t>(j)]);
    }
  } else if (const auto* const turn = std::get_if<TurnDrift>(&config_.kind)) {
    const auto axes = find_channels(turn->axes, channels, key + ".axes");
    if (axes.size() % 2 != 0) {
      throw DataKeyError(key + ".axes", "",
                         fmt::format("expected pairs of channels, got {} channels", axes.size()));
    }
    for (std::size_t i = 0; i < axes.size(); i += 2) {
      record_.a.push_back(static_cast<std::int64_t>(axes[i]));
      record_.b.push_back(static_cast<std::int64_t>(axes[i + 1]));
    }
    record_.angle = {0.0, turn->angle};
  } else if (std::holds_alternative<LoseDrift>(config_.kind)) {
    // In random order.
    const GPUContext on_host(Device::cpu());
    const auto order = permutation(count, stream("losses")).to_vector<std::int64_t>();
    record_.step.clear();
    for (std::int64_t k = 0; k < count; ++k) {
      record_.step.push_back(config_.from + share_of(k, span, count));
      record_.channel.push_back(
          changed[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])]);
    }
  } else if (const auto* const noise = std::get_if<NoiseDrift>(&config_.kind)) {
    const auto each = static_cast<std::size_t>(count);
    record_.channel = changed;
    record_.value = {std::vector<double>(each, 0.0), std::vector<double>(each, noise->deviation)};
  } else {
    const auto* const gain = std::get_if<GainDrift>(&config_.kind);
    const double start = gain != nullptr ? 1.0 : 0.0;
    const double deviation =
        gain != nullptr ? gain->deviation : std::get<OffsetDrift>(config_.kind).deviation;
    std::vector<double> last(static_cast<std::size_t>(count));
    stream("values").normals(0, last);
    for (double& value : last) value = start + deviation * value;
    record_.channel = changed;
    record_.value = {std::vector<double>(last.size(), start), last};
  }
}

double Drift::progress(std::int64_t step) const {
  if (step >= config_.to) return 1.0;
  if (step <= config_.from) return 0.0;
  return static_cast<double>(step - config_.from) / static_cast<double>(config_.to - config_.from);
}

std::vector<std::int64_t> swapped_wires(std::span<const std::int64_t> steps,
                                        std::span<const std::int64_t> a,
                                        std::span<const std::int64_t> b, std::size_t width,
                                        std::int64_t step) {
  std::vector<std::int64_t> from(width);
  std::iota(from.begin(), from.end(), std::int64_t{0});
  for (std::size_t k = 0; k < steps.size() && steps[k] < step; ++k) {
    std::swap(from.at(static_cast<std::size_t>(a[k])), from.at(static_cast<std::size_t>(b[k])));
  }
  return from;
}

void Drift::change(std::span<const std::int64_t> steps, std::span<double> rows) const {
  const auto row_of = [&](std::size_t r) { return rows.subspan(r * width_, width_); };
  const auto at = [](std::span<double> row, std::int64_t channel) -> double& {
    return row[static_cast<std::size_t>(channel)];
  };
  if (std::holds_alternative<SwapDrift>(config_.kind)) {
    std::vector<std::size_t> from(width_);
    std::iota(from.begin(), from.end(), std::size_t{0});
    std::vector<double> before(width_);
    std::size_t done = 0;
    for (std::size_t r = 0; r < steps.size(); ++r) {
      for (; done < record_.step.size() && record_.step[done] <= steps[r]; ++done) {
        std::swap(from[static_cast<std::size_t>(record_.a[done])],
                  from[static_cast<std::size_t>(record_.b[done])]);
      }
      if (done == 0) continue;
      const std::span<double> row = row_of(r);
      std::copy(row.begin(), row.end(), before.begin());
      for (std::size_t input = 0; input < width_; ++input) row[input] = before[from[input]];
    }
    return;
  }
  std::vector<double> noise(record_.channel.size());
  for (std::size_t r = 0; r < steps.size(); ++r) {
    const std::span<double> row = row_of(r);
    const double share = progress(steps[r]);
    if (std::holds_alternative<LoseDrift>(config_.kind)) {
      for (std::size_t k = 0; k < record_.step.size() && record_.step[k] <= steps[r]; ++k) {
        at(row, record_.channel[k]) = 0.0;
      }
      continue;
    }
    if (share == 0.0) continue;
    if (std::holds_alternative<TurnDrift>(config_.kind)) {
      const double angle = share * record_.angle.back() * (std::numbers::pi / 180.0);
      const double cosine = std::cos(angle);
      const double sine = std::sin(angle);
      for (std::size_t pair = 0; pair < record_.a.size(); ++pair) {
        double& first = at(row, record_.a[pair]);
        double& second = at(row, record_.b[pair]);
        const double turned = cosine * first - sine * second;
        second = sine * first + cosine * second;
        first = turned;
      }
      continue;
    }
    if (std::holds_alternative<NoiseDrift>(config_.kind)) {
      noise_.normals(static_cast<std::uint64_t>(steps[r]) * noise.size(), noise);
    }
    for (std::size_t k = 0; k < record_.channel.size(); ++k) {
      double& x = at(row, record_.channel[k]);
      const double last = record_.value.back()[k];
      if (std::holds_alternative<GainDrift>(config_.kind)) {
        x *= 1.0 + share * (last - 1.0);
      } else if (std::holds_alternative<OffsetDrift>(config_.kind)) {
        x += share * last;
      } else {
        x += share * last * noise[k];
      }
    }
  }
}

std::vector<Drift> make_drifts(const std::vector<DriftConfig>& configs,
                               const std::vector<std::string>& channels, std::uint64_t seed) {
  std::vector<Drift> drifts;
  for (std::size_t i = 0; i < configs.size(); ++i)
    drifts.emplace_back(configs[i], channels, seed, i);
  return drifts;
}

}  // namespace gaia
