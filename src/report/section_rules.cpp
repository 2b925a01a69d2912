// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "markup.h"
#include "sections.h"

namespace gaia::report {

std::string rules_section(const std::vector<LayerSurvey>& layers) {
  std::string rows;
  for (const LayerSurvey& layer : layers) {
    if (layer.rule.empty() || layer.execution.rule_class.empty()) continue;
    const RuleExecution& execution = layer.execution;
    const auto cell = [](const std::string& what, const std::string& why) {
      if (what.empty()) return std::string("<td>–</td>");
      return fmt::format("<td>{}{}</td>", escape(what),
                         why.empty() ? "" : ": <span class=\"note\">" + escape(why) + "</span>");
    };
    const std::string rule = layer.equations.empty()
                                 ? escape(layer.rule)
                                 : "<pre class=\"wrap\">" + escape(layer.equations) + "</pre>";
    rows += fmt::format("<tr><td>{}</td><td>{}</td>{}{}</tr>\n", escape(layer.name), rule,
                        cell(execution.rule_class, execution.class_why),
                        cell(execution.executor, execution.executor_why));
  }
  if (rows.empty()) return {};
  return "<div class=\"scroll\"><table id=\"rules-table\">\n<thead><tr><th>layer</th><th>rule</th>"
         "<th>class</th><th>executor</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n" +
         paragraph(
             "Rules of class matrix change the weights by sums of known vectors, and may run "
             "chunkwise, through matrix products; all others run stepwise, every weight by "
             "itself. Both give the same numbers, up to rounding.");
}

}  // namespace gaia::report
