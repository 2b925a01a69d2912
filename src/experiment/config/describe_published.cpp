// SPDX-License-Identifier: MIT
// The keys of what a paper says, which an experiment repeats.
#include <algorithm>

#include "../../core/message.h"
#include "../../core/names.h"
#include "describe.h"

namespace gaia {
namespace {

using Expect = PublishedConfig::Expect;

constexpr NameTable<Expect, 3> kExpect = {
    {{"within", Expect::within}, {"ahead", Expect::ahead}, {"misses", Expect::misses}}};

void describe(ConfigVisitor& v, PublishedRival& rival) {
  v.text({"name", "name of the method", true}, rival.name);
  v.number({"mean", "its mean score", true}, rival.mean, kAnyNumber);
  v.optional({"spread", "standard deviation of its scores"}, rival.spread, kNotNegative);
  v.text({"by", "the program that has measured it"}, rival.by);
}

void refuse_what_cannot_be(ConfigVisitor& v, const PublishedConfig& published,
                           const std::vector<ReadoutConfig>& readouts) {
  const bool is_known =
      published.readout.empty() || (readouts.empty() && published.readout == "agent") ||
      std::any_of(readouts.begin(), readouts.end(),
                  [&](const ReadoutConfig& one) { return one.name == published.readout; });
  if (!is_known) {
    v.refuse({"readout", ""}, message("expected the name of a readout of this experiment, got '{}'",
                                      published.readout));
  }
  if (!published.value && published.expect == Expect::within) {
    v.refuse({"expect", ""},
             "expected ahead or misses, or a published `value` to be within, got within");
  }
}

}  // namespace

std::string to_string(PublishedConfig::Expect expect) { return name_of(kExpect, expect); }

PublishedConfig::Expect expect_from_name(std::string_view name) {
  return from_name(kExpect, name, "expect");
}

void describe_published_keys(ConfigVisitor& v, PublishedConfig& published) {
  v.text({"paper", "authors, year, journal, volume, page", true}, published.paper);
  v.text({"where", "page, table or figure; or 'from memory'", true}, published.where);
  v.text({"says", "what is published, in a sentence", true}, published.says);
  v.text({"readout", "name of the readout whose test score is compared; default the first"},
         published.readout);
  v.text({"score",
          "number of it that is compared, as results name it, such as nrmse or "
          "valid_steps; default that by which readouts are judged"},
         published.score);
  v.optional({"value", "the published figure, in the same measure"}, published.value, kAnyNumber);
  v.optional({"spread", "its spread, as the paper gives it"}, published.spread, kNotNegative);
  v.map({"seeds", "seeds that are reported; settings were chosen on others"}, [&] {
    v.integer({"first", "the first"}, published.first_seed, {0, std::int64_t{1} << 53});
    v.integer({"count", "how many"}, published.seeds, {2, 100000});
  });
  v.choice({"expect",
            "within: the published figure, within its spread or one point; ahead: in "
            "every seed ahead of what the readout is compared with; misses: neither, "
            "and `differs` says what was tried"},
           choice_of({"within", "ahead", "misses"}, published.expect, expect_from_name));
  v.text({"differs", "in what the experiment differs from the paper"}, published.differs);
  v.optional_map({"rival", "another method's score, measured outside of gaia"},
                 published.rival.is_there, [&] { describe(v, published.rival); });
  v.flag({"hours", "whether all seeds together take hours"}, published.hours);
  v.entries({"short", "settings of a form that takes seconds: dotted keys, as of --set"},
            EntryForm::setting, published.short_form);
}

void describe_published(ConfigVisitor& v, PublishedConfig& published,
                        const std::vector<ReadoutConfig>& readouts) {
  v.optional_map({"published",
                  "what a paper says that the experiment repeats; no number of a run "
                  "depends on it"},
                 published.is_there, [&] {
                   describe_published_keys(v, published);
                   if (!published.is_there) return;
                   refuse_what_cannot_be(v, published, readouts);
                 });
}

}  // namespace gaia
