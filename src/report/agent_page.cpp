// SPDX-License-Identifier: MIT
#include <cmath>

#include "../core/message.h"
#include "../core/text.h"
#include "judged.h"
#include "page.h"
#include "pages.h"
#include "sections.h"

namespace gaia::report {

std::string agent_page(const Result& result, const std::vector<std::string>& left_out) {
  std::vector<Finding> findings = find_all(result, {}, {}, {});
  const std::int64_t impossible = result.integer("agent", "impossible_observations").value_or(0);
  if (impossible > 0) {
    findings.push_back(
        {Finding::Weight::warning,
         message(
             "{}{} impossible by the agent's model, in which a probability of 0 counts as 1e-16: "
             "beliefs then follow from that number. Give what can happen a probability above 0.",
             grouped(impossible), impossible == 1 ? " observation was" : " observations were")});
  }
  if (result.text("agent", "is_bettered") == "true") {
    findings.push_back(
        {Finding::Weight::warning, "A control does as well as the agent, as the verdict says."});
  }
  Sections sections;
  sections.add("left-out", "Left out", left_out_section(left_out));
  sections.add("findings", "What to know first", findings_section(result, findings));
  sections.add("verdict", "Verdict", agent_verdict_section(result));
  sections.add("returns", "Returns", agent_returns_section(result));
  sections.add("beliefs", "Beliefs", agent_beliefs_section(result));
  sections.add("signals", "Observations and actions", agent_signals_section(result));
  sections.add("plans", "Plans", agent_plans_section(result));
  sections.add("repeat", "What ran, and how to repeat it", repeat_section(result));
  return page_markup(result.text("", "experiment") + " – gaia",
                     heading(result, agent_lead(result), agent_tiles(result, findings)),
                     sections.all());
}

void compare_agent(const Result& result, ComparedRun& run) {
  run.judged = judged_agent(result);
  const auto mean = result.number("agent", "mean_return");
  if (mean && std::isfinite(*mean)) run.scores.emplace_back("mean return", *mean);
  run.curve_name = "return of an episode";
  run.curve = curve(result, "agent/episodes/episode", "agent/episodes/return");
}

}  // namespace gaia::report
