// SPDX-License-Identifier: MIT
#include "spikes.h"

namespace gaia::report {
namespace {

/// Steele, Lea & Flood (2014), "Fast splittable pseudorandom number generators": the mixing of
/// SplitMix64, which gives neighbours numbers that have nothing to do with each other.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

}  // namespace

void SpikeSample::add(std::int64_t tick, std::int64_t neuron) {
  ++count_;
  const std::uint64_t number =
      mixed(mixed(static_cast<std::uint64_t>(tick)) + static_cast<std::uint64_t>(neuron));
  if (number > limit_) return;
  tickets_.push_back({{tick, neuron}, number});
  // With twice as many as there may be, half of the numbers are given up, and with them half of
  // the spikes, so that a spike is moved about twice however many come.
  while (tickets_.size() >= 2 * most_ && limit_ > 0) {
    limit_ /= 2;
    std::erase_if(tickets_, [&](const Ticket& ticket) { return ticket.number > limit_; });
  }
}

std::vector<Spike> SpikeSample::kept() const {
  std::uint64_t limit = limit_;
  const auto below = [&] {
    std::size_t found = 0;
    for (const Ticket& ticket : tickets_) found += ticket.number <= limit ? 1 : 0;
    return found;
  };
  // Only where there are more than may be drawn, so that what fits is drawn whole.
  while (limit > 0 && below() > most_) limit = limit / 8 * 7;
  std::vector<Spike> spikes;
  for (const Ticket& ticket : tickets_) {
    if (ticket.number <= limit) spikes.push_back(ticket.spike);
  }
  return spikes;
}

}  // namespace gaia::report
