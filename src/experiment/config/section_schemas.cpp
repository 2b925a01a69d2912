// SPDX-License-Identifier: MIT
/// \file
/// JSON Schema of the sections that describe many runs: `sweep` and `search`.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "search_section.h"
#include "sweep_axes.h"

namespace gaia {
namespace {

using Json = nlohmann::ordered_json;

/// A map with these keys and no others, of which some are required.
Json map_of(Json properties, const std::vector<std::string>& required) {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"properties", std::move(properties)},
          {"required", required}};
}

Json list_of(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", 1}};
}

}  // namespace

std::string sweep_schema() {
  const Json ends = {{"type", "array"},
                     {"items", {{"type", "number"}}},
                     {"minItems", 2},
                     {"maxItems", 2},
                     {"description", "first and last value"}};
  const Json steps = {{"type", "integer"}, {"minimum", 2}, {"description", "how many values"}};
  const Json step = {{"type", "number"}, {"description", "from one value to the next"}};
  const Json count = {{"type", "integer"}, {"minimum", 1}, {"maximum", kMostMembers}};
  const Json draw = {{"enum", {"uniform", "log_uniform", "integer"}},
                     {"description", "a random number between the ends of the range"}};
  const Json listed = Json::array(
      {list_of(Json::object()), map_of({{"range", ends}, {"steps", steps}}, {"range", "steps"}),
       map_of({{"range", ends}, {"step", step}}, {"range", "step"}),
       map_of({{"log_range", ends}, {"steps", steps}}, {"log_range", "steps"})});
  Json values = listed;
  values.push_back(map_of({{"random", draw}, {"range", ends}}, {"random", "range"}));
  Json samples = count;
  samples["description"] = "how often the keys with `random` are drawn";
  const Json seeds = {{"oneOf", {count, list_of({{"type", "integer"}, {"minimum", 0}})}},
                      {"description", "how many seeds, counted from `seed`, or a list of them"}};
  const Json zip = {
      {"type", "array"},
      {"items", {{"type", "object"}, {"additionalProperties", {{"oneOf", listed}}}}},
      {"minItems", 1},
      {"description", "maps of keys whose values go together, the first with the first"}};
  return Json{{"type", "object"},
              {"properties", {{"zip", zip}, {"samples", samples}, {"seeds", seeds}}},
              {"additionalProperties", {{"oneOf", values}}}}
      .dump();
}

std::string search_schema() {
  const Json ends = {{"type", "array"},
                     {"items", {{"type", "number"}}},
                     {"minItems", 2},
                     {"maxItems", 2},
                     {"description", "least and greatest value"}};
  const Json whole = {{"type", "boolean"}, {"description", "only whole numbers"}};
  const Json choices = {{"type", "array"}, {"minItems", 2}, {"description", "one of these"}};
  const Json scale = {
      {"oneOf", Json::array({choices, map_of({{"range", ends}, {"integer", whole}}, {"range"}),
                             map_of({{"log_range", ends}, {"integer", whole}}, {"log_range"})})}};
  const auto count = [](std::int64_t least, std::int64_t most, const char* meaning) {
    return Json{
        {"type", "integer"}, {"minimum", least}, {"maximum", most}, {"description", meaning}};
  };
  const auto flag = [](const char* meaning) {
    return Json{{"type", "boolean"}, {"description", meaning}};
  };
  const Json objective =
      map_of({{"readout", {{"type", "string"}, {"description", "name of a readout"}}},
              {"score", {{"enum", search_scores()}, {"description", "its validation score"}}}},
             {"readout", "score"});
  const Json goal = {{"enum", search_goals()},
                     {"description", "whether small or large values are good"}};
  const Json measure = {{"enum", search_measures()}, {"description", "what is measured"}};
  const Json scored =
      map_of({{"readout", {{"type", "string"}, {"description", "name of a readout"}}},
              {"score", {{"enum", search_scores()}, {"description", "its validation score"}}},
              {"goal", goal}},
             {"readout", "score"});
  const Json several = {
      {"type", "array"},
      {"minItems", 2},
      {"maxItems", kMostObjectives},
      {"items",
       {{"oneOf", Json::array({scored, map_of({{"measure", measure}, {"goal", goal}}, {"measure"}),
                               measure})}}},
      {"description", "in place of objective: what makes a front, a readout's score first"}};
  const Json shortens = {
      {"type", "array"},
      {"items", {{"type", "string"}}},
      {"minItems", 1},
      {"description",
       "dotted keys of whole numbers by which a run is shorter; default data.steps"}};
  const Json halving = map_of(
      {{"factor", count(2, 1000, "one candidate in so many stays at a rung (3)")},
       {"rungs", count(2, 20, "how often candidates are judged, the last time by whole runs (3)")},
       {"shortens", shortens}},
      {});
  Json made = map_of(
      {{"parameters",
        {{"type", "object"},
         {"minProperties", 1},
         {"additionalProperties", scale},
         {"description", "dotted keys that are searched, each with its scale"}}},
       {"objective", objective},
       {"objectives", several},
       {"reference",
        {{"type", "array"},
         {"items", {{"type", "number"}}},
         {"description", "point from which the volume of a front is measured"}}},
       {"method", {{"enum", search_methods()}, {"description", "how candidates are chosen"}}},
       {"population", count(kLeastSearchPopulation, kMostMembers, "candidates of a generation")},
       {"generations", count(1, kMostMembers, "how many, in place of evaluations")},
       {"evaluations", count(1, kMostMembers, "candidates after which no generation begins")},
       {"halving", halving},
       {"separable", flag("CMA-ES learns variances alone, for many parameters")},
       {"seeds", count(1, kMostSearchSeeds, "runs of each candidate")},
       {"random_control", flag("as many candidates are tried at random, for comparison")},
       {"held_out_seeds",
        count(0, kMostSearchSeeds,
              "seeds that choose nothing, with which the chosen are judged at the end")}},
      {"parameters"});
  made["oneOf"] = Json::array({{{"required", {"objective"}}}, {{"required", {"objectives"}}}});
  return made.dump();
}

}  // namespace gaia
