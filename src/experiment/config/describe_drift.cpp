// SPDX-License-Identifier: MIT
// The keys of the order in which rows are read, and of what changes while they are.
#include "describe.h"

namespace gaia {
namespace {

/// Numbers of steps, and of rows.
constexpr IntegerRange kCount{1, std::int64_t{1} << 48};

void describe(ConfigVisitor& v, OrderConfig::Draw& draw) {
  v.number({"share", "rows that are drawn from: this share of all, from the first on"}, draw.share,
           {0.0, 1.0, true});
  v.integer({"count", "rows that are drawn, each of them anew", true}, draw.count, kCount);
}

void describe(ConfigVisitor& v, DriftChannels& of) {
  v.words({"channels", "channels that may change, by name or index; default all"}, of.channels);
  v.number({"share", "share of them that does, chosen by the seed"}, of.share, {0.0, 1.0, true});
}

void describe(ConfigVisitor& v, SwapDrift& swap) { describe(v, swap.of); }
void describe(ConfigVisitor& v, LoseDrift& lose) { describe(v, lose.of); }

void describe(ConfigVisitor& v, TurnDrift& turn) {
  v.words({"axes",
           "pairs of channels, by name or index, first and second of each pair in turn, that turn "
           "in their plane",
           true},
          turn.axes);
  v.number({"angle", "degrees by which they have turned in the end"}, turn.angle, {-1e6, 1e6});
}

void describe(ConfigVisitor& v, GainDrift& gain) {
  describe(v, gain.of);
  v.number({"deviation", "standard deviation of the gains, around 1, in the end"}, gain.deviation,
           {0.0, 1e6});
}

void describe(ConfigVisitor& v, OffsetDrift& offset) {
  describe(v, offset.of);
  v.number({"deviation", "standard deviation of the offsets in the end"}, offset.deviation,
           {0.0, 1e6});
}

void describe(ConfigVisitor& v, NoiseDrift& noise) {
  describe(v, noise.of);
  v.number({"deviation", "standard deviation of the noise in the end"}, noise.deviation,
           {0.0, 1e6});
}

void describe(ConfigVisitor& v, DriftConfig& drift) {
  v.variant({"kind",
             "swap: channels exchange their wires, two at a time; turn: pairs of channels turn; "
             "gain, offset: channels are scaled or moved more and more; noise: it grows; lose: "
             "channels become 0, one after the other",
             true},
            choice_of(drift.kind),
            [&] { std::visit([&](auto& kind) { describe(v, kind); }, drift.kind); });
  constexpr IntegerRange steps{0, std::int64_t{1} << 53};
  v.integer({"from", "step, counted through all epochs, at which it begins", true}, drift.from,
            steps);
  v.integer({"to", "step at which it is done", true}, drift.to, steps);
  if (drift.from > drift.to) {
    v.refuse({"to", ""}, "expected a step that is not before `from`, " +
                             std::to_string(drift.from) + ", got " + std::to_string(drift.to));
  }
}

}  // namespace

void describe_order(ConfigVisitor& v, OrderConfig& order) {
  using By = OrderConfig::By;
  v.word_or_map(
      {"order",
       "in which order rows are read: as the source has them, shuffled, in runs of one class, or "
       "drawn with replacement; of images the training pictures alone"},
      {{"none", "shuffle"},
       [&order] {
         return order.by == By::none ? "none" : order.by == By::shuffle ? "shuffle" : "map";
       },
       [&order](const std::string& word) {
         order.by = word == "none"         ? By::none
                    : word == "shuffle"    ? By::shuffle
                    : order.by == By::draw ? By::draw
                                           : By::runs;
       }},
      "map", [&] {
        v.one_of({{"runs", "mean number of rows of a run of one class"},
                  {"draw", "parts of the stream, one after the other, whose rows are drawn"}},
                 {{"runs", "draw"},
                  [&order] { return order.by == By::draw ? "draw" : "runs"; },
                  [&order](const std::string& word) {
                    order.by = word == "draw" ? By::draw : By::runs;
                  }},
                 [&](const Key& key) {
                   if (std::string_view(key.name) == "runs") {
                     return v.number(key, order.runs, {1.0, 1e12});
                   }
                   v.list(
                       {key.name, key.meaning, true}, order.draw.size(),
                       [&](std::size_t n) { order.draw.resize(n); },
                       [&](std::size_t i) { describe(v, order.draw[i]); });
                 });
      });
}

void describe_drift(ConfigVisitor& v, std::vector<DriftConfig>& drift) {
  v.list(
      {"drift", "what of the scaled rows changes while they are read, one after the other"},
      drift.size(), [&](std::size_t n) { drift.resize(n); },
      [&](std::size_t i) { describe(v, drift[i]); });
}

}  // namespace gaia
