// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <fmt/format.h>

#include "../../core/error.h"

namespace gaia {

Sweep::Sweep(const std::string& path, const Overrides& overrides)
    : Members(path, overrides, "sweep") {
  take_section(
      [&](const YamlNode& root, Problems& problems) { axes_ = read_sweep_axes(root, problems); });
  for (const SweepAxis& axis : axes_) size_ *= axis.size();
}

std::vector<MemberSetting> Sweep::settings(std::int64_t member) const {
  if (member < 0 || member >= size_) {
    throw ArgumentError(
        fmt::format("there is no member {}; this sweep has 0 to {}", member, size_ - 1));
  }
  std::vector<MemberSetting> settings;
  std::int64_t rest = size_;
  for (const SweepAxis& axis : axes_) {
    rest /= axis.size();
    const auto position = static_cast<std::size_t>(member / rest % axis.size());
    for (std::size_t k = 0; k < axis.keys.size(); ++k) {
      settings.push_back({axis.keys[k].name, axis.values[position][k], axis.keys[k].origin});
    }
  }
  return settings;
}

std::vector<std::string> Sweep::keys() const {
  std::vector<std::string> keys;
  for (const SweepAxis& axis : axes_) {
    for (const SweepAxis::Key& key : axis.keys) keys.push_back(key.name);
  }
  return keys;
}

}  // namespace gaia
